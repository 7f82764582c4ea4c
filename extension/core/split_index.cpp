#include "split_index.hpp"

namespace doublets {

SplitIndex::Probe SplitIndex::probe(std::int64_t source, std::int64_t target) const noexcept {
  Probe p;
  const auto look = [&](const auto &map, HashIndex::Entry &entry) noexcept {
    entry = map.find(map.key_of(source, target));
    p.blocks += map.plan(entry);
  };
  look(by_source(), p.source);
  look(by_target(), p.target);
  look(by_pair(), p.pair);
  return p;
}

void SplitIndex::add(Ref<Version> version, const Probe &probe) noexcept {
  by_source().add(version, probe.source, probe.blocks);
  by_target().add(version, probe.target, probe.blocks);
  by_pair().add(version, probe.pair, probe.blocks);
}

void SplitIndex::remove(Ref<Version> version) noexcept {
  by_source().remove(version);
  by_target().remove(version);
  by_pair().remove(version);
}

// Flattened, as Store::count.
[[gnu::flatten]] std::span<const std::uint32_t> SplitIndex::at_hand(Access access, std::int64_t source,
                                                                    std::int64_t target) const noexcept {
  return with_list(access, source, target,
                   [](const auto &map, HashIndex::Entry entry) noexcept { return map.array(entry); });
}

Candidates SplitIndex::candidates(const Search &search, Position &position, Ref<Version> *out,
                                  std::size_t want) const noexcept {
  const Pattern &p = search.pattern;
  return with_list(search.access, p.source.low, p.target.low, [&](const auto &map, HashIndex::Entry entry) noexcept {
    return map.collect(entry, p.id, search.backward, position, out, want);
  });
}

bool SplitIndex::covers(Ref<Version> version) const noexcept {
  return by_source().covers(version) && by_target().covers(version) && by_pair().covers(version);
}

std::uint64_t SplitIndex::verify(std::uint64_t versions, void (*report)(void *, const char *),
                                 void *context) const noexcept {
  std::uint64_t units = 0;
  each([&](const auto &map) noexcept { units += map.verify(versions, report, context); });
  return units;
}

} // namespace doublets

#include "split_index.hpp"

namespace doublets {

SplitIndex::Probe SplitIndex::probe(std::int64_t source, std::int64_t target) const noexcept {
  Probe p;
  const auto look = [&](const auto &map, HashIndex::Entry &entry) noexcept {
    entry = map.find(map.key_of(source, target));
    p.blocks += map.plan(entry);
  };
  look(by_source_, p.source);
  look(by_target_, p.target);
  look(by_pair_, p.pair);
  return p;
}

void SplitIndex::add(Ref<Version> version, const Probe &probe) noexcept {
  by_source_.add(version, probe.source, probe.blocks);
  by_target_.add(version, probe.target, probe.blocks);
  by_pair_.add(version, probe.pair, probe.blocks);
}

void SplitIndex::remove(Ref<Version> version) noexcept {
  by_source_.remove(version);
  by_target_.remove(version);
  by_pair_.remove(version);
}

std::uint64_t SplitIndex::count(const Search &search) const noexcept {
  return with_list(search, [&](const auto &map, HashIndex::Entry entry) noexcept {
    return map.count(entry, search.pattern.id);
  });
}

Candidates SplitIndex::candidates(const Search &search, Position &position, Ref<Version> *out,
                                  std::size_t want) const noexcept {
  return with_list(search, [&](const auto &map, HashIndex::Entry entry) noexcept {
    return map.collect(entry, search.pattern.id, search.backward, position, out, want);
  });
}

bool SplitIndex::covers(Ref<Version> version) const noexcept {
  return by_source_.covers(version) && by_target_.covers(version) && by_pair_.covers(version);
}

std::uint64_t SplitIndex::verify(std::uint64_t versions, void (*report)(void *, const char *),
                                 void *context) const noexcept {
  std::uint64_t units = 0;
  each([&](const auto &map) noexcept { units += map.verify(versions, report, context); });
  return units;
}

} // namespace doublets

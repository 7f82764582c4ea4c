// Layout `split`: three hashes of versions, by source, by target and by pair.
//
// Values need not be ids of links, and no structure depends on whether they are.
//
// Locks: reading needs the store's lock shared, changing it exclusive.
// Costs: add, remove O(1) expected (O(log degree) at hubs); degree and pair O(1);
// candidates O(k).
#pragma once

#include <cstring>
#include <span>

#include "version_map.hpp"

namespace doublets {

struct SplitHeader {
  HashIndexHeader by_source;
  HashIndexHeader by_target;
  HashIndexHeader by_pair;
};

class SplitIndex {
public:
  SplitIndex(Heap &heap, SplitHeader &header, std::uint64_t seed) noexcept
      : heap_(heap), header_(header), seed_(seed) {}

  // Where a pair's parts stand, found while planning and used when applying.
  struct Probe {
    HashIndex::Entry source;
    HashIndex::Entry target;
    HashIndex::Entry pair;
    BlockPlan blocks; // that add may take; splitting leaves as many alone, so the
                      // caller may put in what else the change takes
  };
  Probe probe(std::int64_t source, std::int64_t target) const noexcept;

  // Requires: `probe` of its ends, made since the last change; can_take(probe.blocks).
  void add(Ref<Version> version, const Probe &probe) noexcept;
  // Requires: in the index, ends unchanged. Takes no memory.
  void remove(Ref<Version> version) noexcept;

  // Asks for the memory that adding or removing a pair will touch, in two steps, the second
  // of which finds what the first has asked for: buckets, then lists. Callers with
  // many pairs run the steps ahead of the changes, so that their cache misses overlap.
  static constexpr unsigned kPrefetchSteps = 2;
  void prefetch(unsigned step, std::int64_t source, std::int64_t target) const noexcept {
    each([=](const auto &map) noexcept {
      const auto key = map.key_of(source, target);
      if (step == 0)
        map.prefetch(key);
      else
        map.prefetch_entry(key);
    });
  }

  // The same ahead of adding alone: as long as nothing is removed what a step leaves in `ahead` is for the next one.
  struct Ahead {};
  static constexpr unsigned kAddSteps = kPrefetchSteps;
  void prefetch_add(unsigned step, std::int64_t source, std::int64_t target, Ahead &) const noexcept {
    prefetch(step, source, target);
  }

  // The same ahead of `links_of`; what a step leaves in its last argument is for the next one, while the lock is held.
  void prefetch_node(unsigned step, std::int64_t node, Access access, std::uint32_t &) const noexcept {
    const auto ask = [=](const auto &map) noexcept {
      if (step == 0)
        map.prefetch({{node}});
      else
        map.prefetch_entry({{node}});
    };
    access == Access::kSource ? ask(by_source()) : ask(by_target());
  }

  // After those steps: all that candidates by kSource or kTarget would give for the node, and how many, if that is no
  // more than a step to give and there is room; else kLong.
  static constexpr std::size_t kLong = ~std::size_t{0};
  std::size_t links_of(std::int64_t node, Access access, std::uint32_t, Ref<Version> *out,
                   std::size_t capacity) const noexcept {
    const std::span<const std::uint32_t> list = at_hand(access, node, node);
    if (list.empty() || list.size() > capacity)
      return kLong;
    std::memcpy(out, list.data(), list.size_bytes());
    return list.size();
  }

  // All versions that candidates by an end, or both, would give, if it is no more than a step to give them; else
  // none. Of a search by kSource or kTarget the other end is not looked at.
  std::span<const std::uint32_t> at_hand(Access access, std::int64_t source, std::int64_t target) const noexcept;

  // All steps at once: for a single change, whose own misses then overlap.
  void prefetch(std::int64_t source, std::int64_t target) const noexcept {
    prefetch(0, source, target);
    prefetch(1, source, target);
  }

  // Versions, whatever their visibility, that a search by kSource, kTarget or kPair looks at.
  std::uint64_t count(const Pattern &p, Access access) const noexcept;

  // The next of them, about `want`; `out` has room for kMaxCandidates.
  static constexpr std::size_t kMaxCandidates = VersionMap<MapKey::kSource>::kArrayMax;
  Candidates candidates(const Search &search, Position &position, Ref<Version> *out,
                        std::size_t want) const noexcept;

  // Lets a search go on behind a version that candidates has given.
  void resume_after(const Search &search, Position &position, Ref<Version> version) const noexcept {
    move_past<Order::kById>(position, search.backward, heap_, version);
  }

  // Whether `n`, count of a search, is the number of versions of its pattern. In a list that is no
  // tree ids are not told apart; it is short.
  static bool counts(const Search &search, std::uint64_t n) noexcept {
    const Pattern &p = search.pattern;
    return !needs_check(search) ||
           (n > kMaxCandidates && (p.target.is_all() || p.source.is_all() || search.access == Access::kPair));
  }

  // Whether the versions looked at have to be checked against the pattern.
  static bool needs_check(const Search &search) noexcept {
    const Pattern &p = search.pattern;
    return !p.id.is_all() || (search.access == Access::kSource   ? !p.target.is_all()
                              : search.access == Access::kTarget ? !p.source.is_all()
                                                                 : false);
  }

  // The next values of an end, in an order of their own, and the number of versions of each.
  std::size_t degrees(Access end, const Range &values, Position &position, Degree *out,
                      std::size_t capacity) const noexcept {
    return end == Access::kTarget ? by_target().degrees(values, position, out, capacity)
                                  : by_source().degrees(values, position, out, capacity);
  }
  // Lets degrees go on with a value.
  void resume_at(Access end, Position &position, std::int64_t value) const noexcept {
    if (end == Access::kTarget)
      by_target().resume_at(position, value);
    else
      by_source().resume_at(position, value);
  }

  // Checks that exactly the versions the caller passes to `covers` are indexed: the
  // caller counts them. Returns units of all blocks.
  std::uint64_t verify(std::uint64_t versions, void (*report)(void *, const char *),
                       void *context) const noexcept;
  bool covers(Ref<Version> version) const noexcept;

private:
  // Views, made where one is looked at: most searches need one of the three.
  VersionMap<MapKey::kSource> by_source() const noexcept { return {heap_, header_.by_source, seed_}; }
  VersionMap<MapKey::kTarget> by_target() const noexcept { return {heap_, header_.by_target, seed_}; }
  VersionMap<MapKey::kPair> by_pair() const noexcept { return {heap_, header_.by_pair, seed_}; }

  template <class F>
  void each(F &&f) const noexcept {
    f(by_source());
    f(by_target());
    f(by_pair());
  }
  // The list a search walks: calls f(map, entry).
  template <class F>
  decltype(auto) with_list(Access access, std::int64_t source, std::int64_t target, F &&f) const noexcept {
    const auto find = [&](const auto &map) noexcept { return f(map, map.find(map.key_of(source, target))); };
    return access == Access::kSource   ? find(by_source())
           : access == Access::kTarget ? find(by_target())
                                       : find(by_pair());
  }

  Heap &heap_;
  SplitHeader &header_;
  std::uint64_t seed_;
};

inline std::uint64_t SplitIndex::count(const Pattern &p, Access access) const noexcept {
  return with_list(access, p.source.low, p.target.low,
                   [&](const auto &map, HashIndex::Entry entry) noexcept { return map.count(entry, p.id); });
}

} // namespace doublets

// Layout `united`: two ordered indexes over all links.
//
// One counted B+tree by (source, target, id), one by (target, source, id): equality,
// prefixes, ranges and order on either end, and counts of ranges in two descents.
//
// Locks: reading needs the store's lock shared, changing it exclusive.
// Costs: add, remove, count O(log n); candidates O(log n + k).
#pragma once

#include <span>

#include "pattern.hpp"

namespace doublets {

struct UnitedHeader {
  std::uint32_t by_source;
  std::uint32_t by_target;
};

class UnitedIndex {
public:
  UnitedIndex(Heap &heap, UnitedHeader &header) noexcept
      : heap_(heap), by_source_(heap, header.by_source), by_target_(heap, header.by_target) {}

  struct Probe {
    BlockPlan blocks; // that add may take
  };
  Probe probe(std::int64_t, std::int64_t) const noexcept {
    Probe p{by_source_.plan()};
    p.blocks += by_target_.plan();
    return p;
  }

  // Requires: can_take(probe.blocks).
  void add(Ref<Version> version, const Probe &) noexcept {
    by_source_.insert(version);
    by_target_.insert(version);
  }
  // Requires: in the index, ends unchanged. Takes no memory.
  void remove(Ref<Version> version) noexcept {
    by_source_.erase(version);
    by_target_.erase(version);
  }
  // As SplitIndex, in one step.
  static constexpr unsigned kPrefetchSteps = 1;
  void prefetch(unsigned, std::int64_t source, std::int64_t target) const noexcept {
    by_source_.prefetch(key_from(source, target));
    by_target_.prefetch(key_from(target, source));
  }

  // As SplitIndex: the descents that adding makes, each made once.
  struct Ahead {
    std::uint32_t by_source;
    std::uint32_t by_target;
  };
  static constexpr unsigned kAddSteps = Tree<Order::kBySourceTarget>::kPrefetchSteps;
  void prefetch_add(unsigned step, std::int64_t source, std::int64_t target, Ahead &ahead) const noexcept {
    ahead.by_source = by_source_.prefetch(step, key_from(source, target), ahead.by_source);
    ahead.by_target = by_target_.prefetch(step, key_from(target, source), ahead.by_target);
  }

  // As SplitIndex: the descents to the leaf where the node's links begin.
  void prefetch_node(unsigned step, std::int64_t node, Access access, std::uint32_t &ahead) const noexcept {
    const auto ask = [&](const auto &tree) noexcept {
      ahead = step == 0 ? tree.run_parent(node) : tree.run_leaf(ahead, node);
    };
    access == Access::kSource ? ask(by_source_) : ask(by_target_);
  }
  static constexpr std::size_t kLong = Tree<Order::kBySourceTarget>::kLong;
  std::size_t links_of(std::int64_t node, Access access, std::uint32_t ahead, Ref<Version> *out,
                   std::size_t capacity) const noexcept {
    return access == Access::kSource ? by_source_.run(ahead, node, out, capacity)
                                     : by_target_.run(ahead, node, out, capacity);
  }

  static std::span<const std::uint32_t> at_hand(Access, std::int64_t, std::int64_t) noexcept { return {}; }

  void prefetch(std::int64_t source, std::int64_t target) const noexcept { prefetch(0, source, target); }

  // As SplitIndex.
  std::uint64_t count(const Pattern &p, Access access) const noexcept;
  static constexpr std::size_t kMaxCandidates = 1;
  Candidates candidates(const Search &search, Position &position, Ref<Version> *out,
                        std::size_t want) const noexcept;
  void resume_after(const Search &search, Position &position, Ref<Version> version) const noexcept;
  static bool counts(const Search &search, std::uint64_t) noexcept { return !needs_check(search); }
  static bool needs_check(const Search &search) noexcept {
    const Range &first = search.access == Access::kTarget ? search.pattern.target : search.pattern.source;
    const Range &second = search.access == Access::kTarget ? search.pattern.source : search.pattern.target;
    return first.is_point() && second.is_point() ? false
           : !search.pattern.id.is_all() || (!first.is_point() && !second.is_all());
  }
  // As SplitIndex, but ascending.
  std::size_t degrees(Access end, const Range &values, Position &position, Degree *out,
                      std::size_t capacity) const noexcept;
  void resume_at(Access, Position &position, std::int64_t value) const noexcept {
    position = {key_from(value), true, false};
  }

  std::uint64_t verify(std::uint64_t versions, void (*report)(void *, const char *),
                       void *context) const noexcept;
  bool covers(Ref<Version> version) const noexcept {
    return by_source_.contains(version) && by_target_.contains(version);
  }

private:
  Heap &heap_;
  Tree<Order::kBySourceTarget> by_source_;
  Tree<Order::kByTargetSource> by_target_;
};

} // namespace doublets

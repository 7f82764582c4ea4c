// What a search asks for, how it walks, and how far it has come.
#pragma once

#include <algorithm>

#include "tree.hpp"

namespace doublets {

// Values from `low` to `high`, both included; none if low > high.
struct Range {
  static constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

  std::int64_t low = kMin;
  std::int64_t high = kMax;

  static constexpr Range point(std::int64_t v) noexcept { return {v, v}; }

  constexpr bool is_all() const noexcept { return ((low ^ kMin) | (high ^ kMax)) == 0; }
  constexpr bool is_point() const noexcept { return low == high; }
  constexpr bool is_empty() const noexcept { return low > high; }
  constexpr bool contains(std::int64_t v) const noexcept { return low <= v && v <= high; }

  friend constexpr bool operator==(const Range&, const Range&) noexcept = default;
};

// The links wanted: each part within its range.
struct Pattern {
  Range id{};
  Range source{};
  Range target{};

  static constexpr Pattern pair(std::int64_t source, std::int64_t target) noexcept {
    return {.source = Range::point(source), .target = Range::point(target)};
  }

  constexpr bool is_all() const noexcept { return id.is_all() && source.is_all() && target.is_all(); }
  constexpr bool is_empty() const noexcept { return id.is_empty() || source.is_empty() || target.is_empty(); }
  constexpr bool matches(const Version& v) const noexcept {
    return id.contains(v.id) && source.contains(v.source) && target.contains(v.target);
  }
};

// Which index a search walks, and with that in which order it finds links:
//
//            split                             united
//   kId      any pattern; by id                the same
//   kSource  source a point; by id             any source; by (source, target, id)
//   kTarget  target a point; by id             any target; by (target, source, id)
//   kPair    both points; by id                both points; by id
//
// The walk is confined to the range of the order's first column, to that of the next one where the
// columns before it are points; the rest of the pattern is checked link by link. In `split` a node or
// pair with up to 125 versions is looked at whole and sorted, a larger one is entered at the id asked for.
enum class Access : std::uint8_t { kId, kSource, kTarget, kPair };

struct Search {
  Pattern pattern{};
  Access access = Access::kId;
  bool backward = false;  // the order turned round

  // The index made for the points of a pattern, whatever else it asks for; legal in both layouts.
  static constexpr Access access_of(const Pattern& p) noexcept {
    if (p.id.is_point()) return Access::kId;
    if (p.source.is_point()) return p.target.is_point() ? Access::kPair : Access::kSource;
    return p.target.is_point() ? Access::kTarget : Access::kId;
  }
  static constexpr Search of(const Pattern& p) noexcept { return {p, access_of(p)}; }

  // The index by ends that holds the links of a pattern behind one key, and no others there: both ends points, or one
  // and nothing else asked for. kId if there is none.
  static constexpr Access key_of(const Pattern& p) noexcept {
    if (!p.id.is_all()) return Access::kId;
    if (!p.source.is_point()) return p.target.is_point() && p.source.is_all() ? Access::kTarget : Access::kId;
    return p.target.is_point() ? Access::kPair : p.target.is_all() ? Access::kSource : Access::kId;
  }
};

// How far a search has come. A value; it stays meaningful while links come and go. A new one begins.
struct Position {
  // By the key of the order: forwards the first one not looked at, backwards the last one looked at.
  // By id, in both directions, the first one not looked at, as its first column.
  TreeKey at = kKeyMin;
  bool started = false;
  bool done = false;
};

// What a step of a walk has come upon.
struct Candidates {
  std::size_t n;
  bool sorted;  // in the order of the walk
};

// The keys in [from, upto).
struct KeyRange {
  TreeKey from;
  TreeKey upto;
};

// Keys of a tree by id.
constexpr KeyRange keys_of(const Range& id) noexcept {
  return {key_from(id.low), {id.high, Range::kMax, Range::kMax, kKeyMax.version}};
}

// The position after a version in the order of a tree.
template <Order O>
void move_past(Position& position, bool backward, const Heap& heap, Ref<Version> version) noexcept {
  position.started = true;
  position.done = false;
  position.at = key_of<O>(heap.at(version), version);
  position.at.version += !backward;
}

// The next versions of a walk over `keys`, at most `capacity`; done when there are fewer.
template <Order O>
std::size_t walk(const Heap& heap, const Tree<O>& tree, const KeyRange& keys, bool backward, Position& position,
                 Ref<Version>* out, std::size_t capacity) noexcept {
  std::size_t n;
  if (backward)
    n = tree.collect_backward(keys.from, position.started ? std::min(position.at, keys.upto) : keys.upto, out,
                              capacity);
  else
    n = tree.collect(position.started ? std::max(position.at, keys.from) : keys.from, keys.upto, out, capacity);
  if (n < capacity)
    position.done = true;
  else
    move_past<O>(position, backward, heap, out[n - 1]);
  return n;
}

// Number of versions of a tree in `keys`.
template <Order O>
std::uint64_t count_keys(const Tree<O>& tree, const KeyRange& keys) noexcept {
  return keys.from < keys.upto ? tree.count_below(keys.upto) - tree.count_below(keys.from) : 0;
}

}  // namespace doublets

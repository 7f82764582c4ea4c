// Searching the nodes of a Tree. Private to the tree's source files.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "tree.hpp"
#include "tree_node.hpp"

namespace doublets::tree_node {

// Runs of equal first columns up to this long are prefetched whole before they are searched.
inline constexpr unsigned kShortRun = 16;

// So many versions an insertion asks for at once.
inline constexpr unsigned kFewVersions = 4;

// A node and the child of it that a descent took.
struct Step {
  std::uint32_t node;
  unsigned index;
};

// Number of values below `key` (or, with kOrEqual, not above it) of the N, which ascend; the
// unused ones at the end are kUnused. First the last value of each cache line tells the line, then
// the values of that line are counted: two waits for the cache, where halving would wait six times. The steps are the same
// whatever the data and the number of values in use: their outcome is random, and a processor that does not have
// to guess it goes on to the next search while this one waits for memory.
template <bool kOrEqual, unsigned N>
[[gnu::always_inline]] inline unsigned rank(const std::int64_t (&values)[N], std::int64_t key) noexcept {
  constexpr unsigned kLine = 64 / sizeof(std::int64_t);
  constexpr unsigned kFirstLine = (64 - sizeof(Header)) / sizeof(std::int64_t);  // nodes are aligned to lines
  static_assert(offsetof(Leaf, first) == sizeof(Header) && offsetof(Inner, first) == sizeof(Header) && N >= kLine);
  const auto below = [&values, key](unsigned i) noexcept {
    return static_cast<unsigned>(kOrEqual ? values[i] <= key : values[i] < key);
  };
  unsigned lines = 0;
#pragma GCC unroll 16
  for (unsigned last = kFirstLine - 1; last < N; last += kLine) lines += below(last);
  // The last line may have fewer values than others: then some of the one before are counted again.
  const unsigned begin = lines == 0 ? 0 : std::min(kFirstLine + (lines - 1) * kLine, N - kLine);
  unsigned n = begin;
#pragma GCC unroll 8
  for (unsigned i = begin; i < begin + kLine; ++i) n += below(i);
  return n;
}


// Marks the places [from, upto) of a first column as unused.
inline void fill_unused(std::int64_t* first, unsigned from, unsigned upto) noexcept {
  for (unsigned i = from; i < upto; ++i) first[i] = kUnused;
}

inline void prefetch_bytes(const char* at, unsigned bytes) noexcept {
  for (unsigned i = 0; i < bytes; i += 64) ask_for(at + i);
}

inline bool is_least_tail(const TreeKey& key) noexcept {
  return key.second == kKeyMin.second && key.third == kKeyMin.third && key.version == kKeyMin.version;
}

inline bool is_greatest_tail(const TreeKey& key) noexcept {
  return key.second == kKeyMax.second && key.third == kKeyMax.third && key.version == kKeyMax.version;
}

// Moves [from, count) of an array by one place, to make or to close a gap.
template <class T>
inline void open_gap(T* array, unsigned at, unsigned count) noexcept {
  std::memmove(array + at + 1, array + at, (count - at) * sizeof(T));
}
template <class T>
inline void close_gap(T* array, unsigned at, unsigned count) noexcept {
  std::memmove(array + at, array + at + 1, (count - at - 1) * sizeof(T));
}
template <class T>
inline void copy_part(T* to, const T* from, unsigned count) noexcept {
  std::memcpy(to, from, count * sizeof(T));
}
template <class T>
inline void move_part(T* to, const T* from, unsigned count) noexcept {
  std::memmove(to, from, count * sizeof(T));
}

inline TreeKey separator(const Inner& node, unsigned i) noexcept {
  return {node.first[i], node.second[i], node.third[i], node.version[i]};
}

inline void set_separator(Inner& node, unsigned i, const TreeKey& key) noexcept {
  node.first[i] = key.first;
  node.second[i] = key.second;
  node.third[i] = key.third;
  node.version[i] = key.version;
}

// Calls f(array of `to`, array of `from`) for each column of an inner node.
template <class F>
inline void each_column(Inner& to, const Inner& from, F f) noexcept {
  f(to.first, from.first);
  f(to.second, from.second);
  f(to.third, from.third);
  f(to.version, from.version);
  f(to.child, from.child);
  f(to.entries, from.entries);
}

inline std::uint64_t entries_in(const Inner& node, unsigned first, unsigned last) noexcept {
  std::uint64_t sum = 0;
  for (unsigned i = first; i < last; ++i) sum += node.entries[i];
  return sum;
}

// The child whose range holds `key`.
[[gnu::always_inline]] inline unsigned child_index(const Inner& node, const TreeKey& key) noexcept {
  const unsigned count = node.header.count;
  // Separators not above the key by the first column; separator 0 is below everything.
  unsigned high = std::min(rank<true>(node.first, key.first), count) - 1;
  if (high == 0 || node.first[high] != key.first || separator(node, high) <= key) return high;
  // Separators with the key's first column, the last of them above the key.
  unsigned low = rank<false>(node.first, key.first);
  low = low == 0 ? 0 : low - 1;
  while (low + 1 < high) {  // separator low is not above the key (or low is 0), separator high is
    const unsigned middle = (low + high) / 2;
    if (separator(node, middle) <= key)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// The child where the entries with a first column begin, or would: no separator with that column is at or below all
// of them, so the other columns need not be looked at.
[[gnu::always_inline]] inline unsigned run_child(const Inner& node, std::int64_t first) noexcept {
  const unsigned below = rank<false>(node.first, first);
  return below - (below != 0);
}

// Whether an entry, whose first column equals key's, is below key: 1 or 0, without
// branches, as rank.
template <Order O>
[[gnu::always_inline]] inline unsigned entry_below(const Heap& heap, std::uint32_t version, const TreeKey& key) noexcept {
  std::int64_t second = 0;
  std::int64_t third = 0;
  if constexpr (O != Order::kById) {
    const Version& v = heap.at(Ref<Version>{version});
    second = O == Order::kBySourceTarget ? v.target : v.source;
    third = v.id;
  }
  const unsigned last = version < key.version;
  const unsigned rest = unsigned{third < key.third} | (unsigned{third == key.third} & last);
  return unsigned{second < key.second} | (unsigned{second == key.second} & rest);
}

inline void prefetch_version(const Heap& heap, std::uint32_t version) noexcept { ask_for(heap.address(version)); }

// Entries of a leaf: [low, high).
struct Run {
  unsigned low;
  unsigned high;
};

// The half of a run where `key` belongs.
template <Order O>
[[gnu::always_inline]] inline Run half_of(const Heap& heap, const Leaf& leaf, Run run, const TreeKey& key) noexcept {
  const unsigned half = (run.high - run.low) / 2;
  const unsigned above = half & (0u - entry_below<O>(heap, leaf.version[run.low + half - 1], key));
  return {run.low + above, run.high - half + above};
}

inline void prefetch_versions(const Heap& heap, const Leaf& leaf, const Run& run) noexcept {
  for (unsigned i = run.low; i < run.high; ++i) prefetch_version(heap, leaf.version[i]);
}

// Asks for the versions that the first two halvings of a run read.
inline void prefetch_pivots(const Heap& heap, const Leaf& leaf, const Run& run) noexcept {
  const unsigned half = (run.high - run.low) / 2;
  const unsigned quarter = (run.high - run.low - half) / 2;
  prefetch_version(heap, leaf.version[run.low + half - 1]);
  prefetch_version(heap, leaf.version[run.low + quarter - 1]);
  prefetch_version(heap, leaf.version[run.low + half + quarter - 1]);
}

// Number of entries of the leaf before `run`, whose first columns equal key's, and of those in it below `key`.
template <Order O, bool kAtHand>
inline unsigned run_rank(const Heap& heap, const Leaf& leaf, Run run, const TreeKey& key) noexcept {
  bool fetched = kAtHand || O == Order::kById;
  while (run.high - run.low > 1) {
    if (!fetched && run.high - run.low <= kShortRun) {
      prefetch_versions(heap, leaf, run);
      fetched = true;
    } else if (!fetched) {
      prefetch_pivots(heap, leaf, run);
    }
    run = half_of<O>(heap, leaf, run, key);
  }
  return run.low == run.high ? run.low : run.low + entry_below<O>(heap, leaf.version[run.low], key);
}

// Those whose first column is `first`.
[[gnu::always_inline]] inline Run run_of(const Leaf& leaf, std::int64_t first) noexcept {
  const unsigned count = leaf.header.count;
  return {rank<false>(leaf.first, first), std::min(rank<true>(leaf.first, first), count)};
}

// Number of entries of the leaf below `key`. kAtHand: the versions it reads have been asked for.
template <Order O, bool kAtHand = false>
inline unsigned leaf_rank(const Heap& heap, const Leaf& leaf, const TreeKey& key) noexcept {
  if (is_least_tail(key)) return rank<false>(leaf.first, key.first);
  const Run run = run_of(leaf, key.first);
  if (run.low >= run.high) return run.low;
  if (is_greatest_tail(key)) return run.high;
  return run_rank<O, kAtHand>(heap, leaf, run, key);
}

// The same, of an end of a range whose entries begin at `begin`. A range inside a run of equal
// first columns, the links of a pair, is short as a rule, and its versions are at hand.
template <Order O>
inline unsigned range_end(const Heap& heap, const Leaf& leaf, unsigned begin, const TreeKey& key) noexcept {
  const unsigned count = leaf.header.count;
  if (leaf.first[begin] == key.first && !is_least_tail(key) && !is_greatest_tail(key)) {
    for (unsigned end = begin; end < begin + 4; ++end)
      if (end == count || leaf.first[end] != key.first || entry_below<O>(heap, leaf.version[end], key) == 0) return end;
  }
  return std::max(begin, leaf_rank<O>(heap, leaf, key));
}

inline const Header& header_at(const Heap& heap, std::uint32_t node) noexcept { return heap.at(Ref<Header>{node}); }
inline Leaf& leaf_at(const Heap& heap, std::uint32_t node) noexcept { return heap.at(Ref<Leaf>{node}); }
inline Inner& inner_at(const Heap& heap, std::uint32_t node) noexcept { return heap.at(Ref<Inner>{node}); }

// Asks for the cache lines of a child that its search is likely to read.
[[gnu::always_inline]] inline void approach(const Heap& heap, std::uint32_t node, unsigned parent_level) noexcept {
  const char* at = heap.address(node);
  if (parent_level == 1) {
    prefetch_bytes(at, kLeafBytes);
  } else {
    prefetch_bytes(at, offsetof(Inner, second));
    prefetch_bytes(at + offsetof(Inner, child), 4 * kInnerCapacity);
  }
}

// The leaf whose range holds `key`, or the node above it on level `stop`. `visit(inner, index)` sees each step. kAtHand: the
// nodes have been asked for.
template <bool kAtHand = false, class Visit>
inline std::uint32_t descend(const Heap& heap, std::uint32_t root, const TreeKey& key, Visit visit,
                             unsigned stop = 0) noexcept {
  std::uint32_t node = root;
  unsigned level = header_at(heap, node).level;
  while (level > stop) {
    Inner& inner = inner_at(heap, node);
    const unsigned index = child_index(inner, key);
    const std::uint32_t child = inner.child[index];
    if constexpr (!kAtHand) approach(heap, child, level);
    visit(node, inner, index);
    node = child;
    --level;
  }
  return node;
}

// Asks for the leaves that a walk from one leaf to the next will come to, some ahead: what a leaf knows is only the
// next one, too late for memory to arrive. The node above knows more. A hint: wherever it stands, the walk is right.
class LeavesAhead {
 public:
  LeavesAhead(const Heap& heap, std::uint32_t root) noexcept : heap_(heap), root_(root) {}

  // The leaf whose range holds `key`, where the walk begins.
  std::uint32_t enter(const TreeKey& key) noexcept {
    parent_ = nullptr;
    index_ = 0;
    const std::uint32_t leaf =
        descend(heap_, root_, key, [this](std::uint32_t, const Inner& inner, unsigned index) noexcept {
          parent_ = &inner;
          index_ = index;
        });
    asked_ = index_;
    return leaf;
  }

  // The walk has come to the next leaf, which is this one.
  void step(const Leaf& leaf) noexcept {
    if (parent_ != nullptr && ++index_ == parent_->header.count)
      (void)enter({leaf.first[leaf.header.count - 1], kKeyMin.second, kKeyMin.third, kKeyMin.version});
  }

  // The walk will go on.
  void ask() noexcept {
    if (parent_ == nullptr) return;
    const unsigned last = std::min(index_ + kAhead, unsigned{parent_->header.count} - 1);
    while (asked_ < last) prefetch_bytes(heap_.address(parent_->child[++asked_]), kLeafBytes);
  }

 private:
  static constexpr unsigned kAhead = 4;

  const Heap& heap_;
  std::uint32_t root_;
  const Inner* parent_ = nullptr;
  unsigned index_ = 0;  // of the leaf
  unsigned asked_ = 0;  // up to this one
};

}  // namespace doublets::tree_node

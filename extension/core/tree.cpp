#include "tree.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "tree_node.hpp"

namespace doublets {
namespace {

using namespace tree_node;

// Runs of equal first columns up to this long are prefetched whole before they are searched.
constexpr unsigned kShortRun = 16;

// A node and the child of it that a descent took.
struct Step {
  std::uint32_t node;
  unsigned index;
};

// Number of values below `key` (or, with kOrEqual, not above it) of the N, which ascend; the
// unused ones at the end are kUnused. The steps are the same whatever the data and the
// number of values in use: their outcome is random, and a processor that does not have
// to guess it goes on to the next search while this one waits for memory.
template <bool kOrEqual, unsigned N>
[[gnu::always_inline]] inline unsigned rank(const std::int64_t (&values)[N], std::int64_t key) noexcept {
  unsigned base = 0;
  unsigned count = N;
#pragma GCC unroll 8
  while (count > 1) {
    const unsigned half = count / 2;
    const std::int64_t value = values[base + half - 1];
    base += half & (0u - static_cast<unsigned>(kOrEqual ? value <= key : value < key));
    count -= half;
  }
  return base + static_cast<unsigned>(kOrEqual ? values[base] <= key : values[base] < key);
}

// Marks the places [from, upto) of a first column as unused.
void fill_unused(std::int64_t* first, unsigned from, unsigned upto) noexcept {
  for (unsigned i = from; i < upto; ++i) first[i] = kUnused;
}

void prefetch_bytes(const char* at, unsigned bytes) noexcept {
  for (unsigned i = 0; i < bytes; i += 64) __builtin_prefetch(at + i);
}

bool is_least_tail(const TreeKey& key) noexcept {
  return key.second == kKeyMin.second && key.third == kKeyMin.third && key.version == kKeyMin.version;
}

bool is_greatest_tail(const TreeKey& key) noexcept {
  return key.second == kKeyMax.second && key.third == kKeyMax.third && key.version == kKeyMax.version;
}

// Moves [from, count) of an array by one place, to make or to close a gap.
template <class T>
void open_gap(T* array, unsigned at, unsigned count) noexcept {
  std::memmove(array + at + 1, array + at, (count - at) * sizeof(T));
}
template <class T>
void close_gap(T* array, unsigned at, unsigned count) noexcept {
  std::memmove(array + at, array + at + 1, (count - at - 1) * sizeof(T));
}
template <class T>
void copy_part(T* to, const T* from, unsigned count) noexcept {
  std::memcpy(to, from, count * sizeof(T));
}
template <class T>
void move_part(T* to, const T* from, unsigned count) noexcept {
  std::memmove(to, from, count * sizeof(T));
}

TreeKey separator(const Inner& node, unsigned i) noexcept {
  return {node.first[i], node.second[i], node.third[i], node.version[i]};
}

void set_separator(Inner& node, unsigned i, const TreeKey& key) noexcept {
  node.first[i] = key.first;
  node.second[i] = key.second;
  node.third[i] = key.third;
  node.version[i] = key.version;
}

// Calls f(array of `to`, array of `from`) for each column of an inner node.
template <class F>
void each_column(Inner& to, const Inner& from, F f) noexcept {
  f(to.first, from.first);
  f(to.second, from.second);
  f(to.third, from.third);
  f(to.version, from.version);
  f(to.child, from.child);
  f(to.entries, from.entries);
}

std::uint64_t entries_in(const Inner& node, unsigned first, unsigned last) noexcept {
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

void prefetch_version(const Heap& heap, std::uint32_t version) noexcept { __builtin_prefetch(heap.address(version)); }

// Number of entries in [low, high), a run of first columns equal to key's, below `key`.
template <Order O>
unsigned run_rank(const Heap& heap, const Leaf& leaf, unsigned low, unsigned high, const TreeKey& key) noexcept {
  const std::uint32_t* versions = leaf.version + low;
  unsigned count = high - low;
  unsigned base = 0;
  bool fetched = O == Order::kById;
  while (count > 1) {
    const unsigned half = count / 2;
    if (!fetched) {
      if (count <= kShortRun) {
        for (unsigned i = 0; i < count; ++i) prefetch_version(heap, versions[base + i]);
        fetched = true;
      } else {  // what this step and the next one look at
        prefetch_version(heap, versions[base + half - 1]);
        prefetch_version(heap, versions[base + half / 2 - 1]);
        prefetch_version(heap, versions[base + half + half / 2 - 1]);
      }
    }
    base += half & (0u - entry_below<O>(heap, versions[base + half - 1], key));
    count -= half;
  }
  if (count == 1) base += entry_below<O>(heap, versions[base], key);
  return base;
}

// The entries of the leaf whose first column is `first`: [low, high).
struct Run {
  unsigned low;
  unsigned high;
};
[[gnu::always_inline]] inline Run run_of(const Leaf& leaf, std::int64_t first) noexcept {
  const unsigned count = leaf.header.count;
  return {rank<false>(leaf.first, first), std::min(rank<true>(leaf.first, first), count)};
}

// Number of entries of the leaf below `key`.
template <Order O>
unsigned leaf_rank(const Heap& heap, const Leaf& leaf, const TreeKey& key) noexcept {
  if (is_least_tail(key)) return rank<false>(leaf.first, key.first);
  const Run run = run_of(leaf, key.first);
  if (run.low >= run.high) return run.low;
  if (is_greatest_tail(key)) return run.high;
  return run.low + run_rank<O>(heap, leaf, run.low, run.high, key);
}

// The same, of an end of a range whose entries begin at `begin`. A range inside a run of equal
// first columns, the links of a pair, is short as a rule, and its versions are at hand.
template <Order O>
unsigned range_end(const Heap& heap, const Leaf& leaf, unsigned begin, const TreeKey& key) noexcept {
  const unsigned count = leaf.header.count;
  if (leaf.first[begin] == key.first && !is_least_tail(key) && !is_greatest_tail(key)) {
    for (unsigned end = begin; end < begin + 4; ++end)
      if (end == count || leaf.first[end] != key.first || entry_below<O>(heap, leaf.version[end], key) == 0) return end;
  }
  return std::max(begin, leaf_rank<O>(heap, leaf, key));
}

const Header& header_at(const Heap& heap, std::uint32_t node) noexcept { return heap.at(Ref<Header>{node}); }
Leaf& leaf_at(const Heap& heap, std::uint32_t node) noexcept { return heap.at(Ref<Leaf>{node}); }
Inner& inner_at(const Heap& heap, std::uint32_t node) noexcept { return heap.at(Ref<Inner>{node}); }

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

// The leaf whose range holds `key`. `visit(inner, index)` sees each step.
template <class Visit>
std::uint32_t descend(const Heap& heap, std::uint32_t root, const TreeKey& key, Visit visit) noexcept {
  std::uint32_t node = root;
  unsigned level = header_at(heap, node).level;
  while (level > 0) {
    Inner& inner = inner_at(heap, node);
    const unsigned index = child_index(inner, key);
    const std::uint32_t child = inner.child[index];
    approach(heap, child, level);
    visit(node, inner, index);
    node = child;
    --level;
  }
  return node;
}

std::uint32_t make_leaf(Heap& heap) noexcept {
  const Ref<Leaf> ref = heap.take<Leaf>();
  heap.at(ref).header = {0, 0, kLeafTag, 0, 0};
  fill_unused(heap.at(ref).first, 0, kLeafCapacity);
  return ref.unit;
}

std::uint32_t make_inner(Heap& heap, unsigned level) noexcept {
  const Ref<Inner> ref = heap.take<Inner>();
  heap.at(ref).header = {static_cast<std::uint16_t>(level), 0, kInnerTag, 0, 0};
  fill_unused(heap.at(ref).first, 0, kInnerCapacity);
  return ref.unit;
}

void free_node(Heap& heap, std::uint32_t node) noexcept {
  if (header_at(heap, node).level == 0)
    heap.give_back(Ref<Leaf>{node});
  else
    heap.give_back(Ref<Inner>{node});
}

void link_after(Heap& heap, std::uint32_t left, std::uint32_t right) noexcept {
  Header& l = leaf_at(heap, left).header;
  Header& r = leaf_at(heap, right).header;
  r.prev = left;
  r.next = l.next;
  if (l.next != 0) leaf_at(heap, l.next).header.prev = right;
  l.next = right;
}

void unlink_leaf(Heap& heap, std::uint32_t node) noexcept {
  const Header& h = leaf_at(heap, node).header;
  if (h.prev != 0) leaf_at(heap, h.prev).header.next = h.next;
  if (h.next != 0) leaf_at(heap, h.next).header.prev = h.prev;
}

void insert_in_leaf(Leaf& leaf, unsigned at, std::int64_t first, std::uint32_t version) noexcept {
  const unsigned count = leaf.header.count;
  open_gap(leaf.first, at, count);
  open_gap(leaf.version, at, count);
  leaf.first[at] = first;
  leaf.version[at] = version;
  leaf.header.count = static_cast<std::uint16_t>(count + 1);
}

// A new child of an inner node: its separator, itself, the entries below it.
struct NewChild {
  TreeKey key;
  std::uint32_t node;
  std::uint32_t entries;
};

void insert_in_inner(Inner& inner, unsigned at, const NewChild& added) noexcept {
  const unsigned count = inner.header.count;
  each_column(inner, inner, [=](auto* column, const auto*) { open_gap(column, at, count); });
  set_separator(inner, at, added.key);
  inner.child[at] = added.node;
  inner.entries[at] = added.entries;
  inner.header.count = static_cast<std::uint16_t>(count + 1);
}

// Leaves the first `count` entries of a node.
template <class Node>
void cut(Node& node, unsigned count) noexcept {
  fill_unused(node.first, count, node.header.count);
  node.header.count = static_cast<std::uint16_t>(count);
}

// Moves the upper part of a node, from entry `kept` on, to the empty node `right`.
void move_upper(Leaf& left, Leaf& right, unsigned kept) noexcept {
  const unsigned moved = left.header.count - kept;
  copy_part(right.first, left.first + kept, moved);
  copy_part(right.version, left.version + kept, moved);
  cut(left, kept);
  right.header.count = static_cast<std::uint16_t>(moved);
}

void move_upper(Inner& left, Inner& right, unsigned kept) noexcept {
  const unsigned moved = left.header.count - kept;
  each_column(right, left, [=](auto* to, const auto* from) { copy_part(to, from + kept, moved); });
  cut(left, kept);
  right.header.count = static_cast<std::uint16_t>(moved);
}

// Splits the full leaf and inserts the entry. At the right end of the tree only the entry
// itself moves on, so that ascending loads fill the leaves.
template <Order O>
NewChild split_leaf(Heap& heap, std::uint32_t node, unsigned at, const TreeKey& key) noexcept {
  const std::uint32_t added = make_leaf(heap);
  Leaf& left = leaf_at(heap, node);
  Leaf& right = leaf_at(heap, added);
  const bool append = at == kLeafCapacity && left.header.next == 0;
  link_after(heap, node, added);
  if (!append) move_upper(left, right, at <= kLeafCapacity / 2 ? kLeafCapacity / 2 : kLeafCapacity / 2 + 1);
  if (!append && at <= kLeafCapacity / 2)
    insert_in_leaf(left, at, key.first, key.version);
  else
    insert_in_leaf(right, at - left.header.count, key.first, key.version);
  const Ref<Version> first{right.version[0]};
  return {first.unit == key.version ? key : key_of<O>(heap.at(first), first), added, right.header.count};
}

// The same for a full inner node.
NewChild split_inner(Heap& heap, std::uint32_t node, unsigned at, bool append, const NewChild& child) noexcept {
  Inner& left = inner_at(heap, node);
  const std::uint32_t added = make_inner(heap, left.header.level);
  Inner& right = inner_at(heap, added);
  if (!append) move_upper(left, right, at <= kInnerCapacity / 2 ? kInnerCapacity / 2 : kInnerCapacity / 2 + 1);
  if (!append && at <= kInnerCapacity / 2)
    insert_in_inner(left, at, child);
  else
    insert_in_inner(right, at - left.header.count, child);
  const TreeKey key = separator(right, 0);
  set_separator(right, 0, kKeyMin);
  return {key, added, static_cast<std::uint32_t>(entries_in(right, 0, right.header.count))};
}

void remove_child(Inner& inner, unsigned at) noexcept {
  const unsigned count = inner.header.count;
  each_column(inner, inner, [=](auto* column, const auto*) { close_gap(column, at, count); });
  if (at == 0 && count > 1) set_separator(inner, 0, kKeyMin);
  cut(inner, count - 1);
}

// Appends `count` entries of `right` to `left`. `between` is the separator of the two.
void append_part(Leaf& left, const Leaf& right, unsigned count, const TreeKey&) noexcept {
  const unsigned at = left.header.count;
  copy_part(left.first + at, right.first, count);
  copy_part(left.version + at, right.version, count);
  left.header.count = static_cast<std::uint16_t>(at + count);
}

void append_part(Inner& left, const Inner& right, unsigned count, const TreeKey& between) noexcept {
  const unsigned at = left.header.count;
  each_column(left, right, [=](auto* to, const auto* from) { copy_part(to + at, from, count); });
  if (at > 0) set_separator(left, at, between);
  left.header.count = static_cast<std::uint16_t>(at + count);
}

void drop_front(Leaf& node, unsigned count) noexcept {
  const unsigned rest = node.header.count - count;
  move_part(node.first, node.first + count, rest);
  move_part(node.version, node.version + count, rest);
  cut(node, rest);
}

void drop_front(Inner& node, unsigned count) noexcept {
  const unsigned rest = node.header.count - count;
  each_column(node, node, [=](auto* to, const auto* from) { move_part(to, from + count, rest); });
  cut(node, rest);
}

// Moves the last entries of `left`, from `kept` on, before those of `right`.
void prepend_part(const Leaf& left, Leaf& right, unsigned kept, const TreeKey&) noexcept {
  const unsigned moved = left.header.count - kept;
  move_part(right.first + moved, right.first, right.header.count);
  move_part(right.version + moved, right.version, right.header.count);
  copy_part(right.first, left.first + kept, moved);
  copy_part(right.version, left.version + kept, moved);
  right.header.count = static_cast<std::uint16_t>(right.header.count + moved);
}

void prepend_part(const Inner& left, Inner& right, unsigned kept, const TreeKey& between) noexcept {
  const unsigned moved = left.header.count - kept;
  const unsigned count = right.header.count;
  each_column(right, right, [=](auto* to, const auto* from) { move_part(to + moved, from, count); });
  each_column(right, left, [=](auto* to, const auto* from) { copy_part(to, from + kept, moved); });
  set_separator(right, moved, between);
  right.header.count = static_cast<std::uint16_t>(count + moved);
}

std::uint64_t entries_of(const Leaf& leaf) noexcept { return leaf.header.count; }
std::uint64_t entries_of(const Inner& inner) noexcept { return entries_in(inner, 0, inner.header.count); }

template <Order O>
TreeKey first_key(const Heap& heap, const Leaf& leaf) noexcept {
  const Ref<Version> first{leaf.version[0]};
  return key_of<O>(heap.at(first), first);
}
template <Order O>
TreeKey first_key(const Heap&, const Inner& inner) noexcept {
  return separator(inner, 0);  // moved up from where it divided two children
}

// Child `index` of `parent` is too empty and has a neighbour: merges the two if one node
// holds them (and frees the right one), else shares their entries evenly.
template <Order O, class Node>
void join_or_share(Heap& heap, Inner& parent, unsigned index, unsigned capacity) noexcept {
  if (index + 1 == parent.header.count) --index;
  const std::uint32_t right_ref = parent.child[index + 1];
  Node& left = heap.at(Ref<Node>{parent.child[index]});
  Node& right = heap.at(Ref<Node>{right_ref});
  const unsigned both = left.header.count + right.header.count;
  const TreeKey between = separator(parent, index + 1);
  if (both <= capacity) {
    append_part(left, right, right.header.count, between);
    if (left.header.level == 0) unlink_leaf(heap, right_ref);
    free_node(heap, right_ref);
    parent.entries[index] += parent.entries[index + 1];
    remove_child(parent, index + 1);
    return;
  }
  const unsigned kept = both / 2;
  if (left.header.count < kept) {
    const unsigned moved = kept - left.header.count;
    append_part(left, right, moved, between);
    drop_front(right, moved);
  } else {
    prepend_part(left, right, kept, between);
    cut(left, kept);
  }
  const std::uint64_t total = std::uint64_t{parent.entries[index]} + parent.entries[index + 1];
  parent.entries[index] = static_cast<std::uint32_t>(entries_of(left));
  parent.entries[index + 1] = static_cast<std::uint32_t>(total - parent.entries[index]);
  set_separator(parent, index + 1, first_key<O>(heap, right));
  if constexpr (std::is_same_v<Node, Inner>) set_separator(right, 0, kKeyMin);
}

constexpr unsigned kLeafClass = size_class(units_of<Leaf>());
constexpr unsigned kInnerClass = size_class(units_of<Inner>());

}  // namespace

template <Order O>
BlockPlan Tree<O>::plan() const noexcept {
  BlockPlan p;
  p.add(kLeafClass);
  if (root_ != 0) p.add(kInnerClass, header_at(heap_, root_).level + 1u);
  return p;
}

template <Order O>
void Tree<O>::insert(Ref<Version> version) noexcept {
  const TreeKey key = key_of<O>(heap_.at(version), version);
  if (root_ == 0) {
    root_ = make_leaf(heap_);
    insert_in_leaf(leaf_at(heap_, root_), 0, key.first, key.version);
    return;
  }
  Step path[kMaxLevels];
  unsigned depth = 0;
  const std::uint32_t leaf_ref = descend(heap_, root_, key, [&](std::uint32_t node, Inner& inner, unsigned index) {
    ++inner.entries[index];
    path[depth++] = {node, index};
  });
  Leaf& leaf = leaf_at(heap_, leaf_ref);
  const unsigned at = leaf_rank<O>(heap_, leaf, key);
  if (leaf.header.count < kLeafCapacity) {
    insert_in_leaf(leaf, at, key.first, key.version);
    return;
  }
  bool right_end = at == kLeafCapacity && leaf.header.next == 0;
  NewChild child = split_leaf<O>(heap_, leaf_ref, at, key);
  while (depth > 0) {
    const Step step = path[--depth];
    Inner& parent = inner_at(heap_, step.node);
    parent.entries[step.index] -= child.entries;
    if (parent.header.count < kInnerCapacity) {
      insert_in_inner(parent, step.index + 1, child);
      return;
    }
    right_end = right_end && step.index + 1 == kInnerCapacity;
    child = split_inner(heap_, step.node, step.index + 1, right_end, child);
  }
  const std::uint32_t left = root_;
  const unsigned level = header_at(heap_, left).level;
  root_ = make_inner(heap_, level + 1);
  Inner& root = inner_at(heap_, root_);
  const std::uint64_t below =
      level == 0 ? entries_of(leaf_at(heap_, left)) : entries_of(inner_at(heap_, left));
  insert_in_inner(root, 0, {kKeyMin, left, static_cast<std::uint32_t>(below)});
  insert_in_inner(root, 1, child);
}

template <Order O>
void Tree<O>::erase(Ref<Version> version) noexcept {
  const TreeKey key = key_of<O>(heap_.at(version), version);
  Step path[kMaxLevels];
  unsigned depth = 0;
  const std::uint32_t leaf_ref = descend(heap_, root_, key, [&](std::uint32_t node, Inner& inner, unsigned index) {
    --inner.entries[index];
    path[depth++] = {node, index};
  });
  Leaf& leaf = leaf_at(heap_, leaf_ref);
  unsigned count = leaf.header.count;
  unsigned at = rank<false>(leaf.first, key.first);
  while (leaf.version[at] != key.version) ++at;
  close_gap(leaf.first, at, count);
  close_gap(leaf.version, at, count);
  cut(leaf, --count);

  // From the leaf up: nodes below their minimum.
  std::uint32_t node = leaf_ref;
  bool low = count < kLeafMinimum;
  while (low && depth > 0) {
    const Step step = path[--depth];
    Inner& parent = inner_at(heap_, step.node);
    if (parent.header.count > 1) {
      if (parent.header.level == 1)
        join_or_share<O, Leaf>(heap_, parent, step.index, kLeafCapacity);
      else
        join_or_share<O, Inner>(heap_, parent, step.index, kInnerCapacity);
    } else if (header_at(heap_, node).count == 0) {  // the only child, at the right end
      if (parent.header.level == 1) unlink_leaf(heap_, node);
      free_node(heap_, node);
      parent.header.count = 0;
    } else {
      break;
    }
    node = step.node;
    low = parent.header.count < kInnerMinimum;
  }
  while (root_ != 0) {
    const Header& root = header_at(heap_, root_);
    if (root.count > 1 || (root.level == 0 && root.count == 1)) break;
    const std::uint32_t old = root_;
    root_ = root.count == 0 ? 0 : inner_at(heap_, old).child[0];
    free_node(heap_, old);
  }
}

template <Order O>
bool Tree<O>::contains(Ref<Version> version) const noexcept {
  if (root_ == 0) return false;
  const TreeKey key = key_of<O>(heap_.at(version), version);
  const Leaf& leaf = leaf_at(heap_, descend(heap_, root_, key, [](std::uint32_t, Inner&, unsigned) {}));
  const unsigned count = leaf.header.count;
  for (unsigned i = rank<false>(leaf.first, key.first); i < count && leaf.first[i] == key.first; ++i)
    if (leaf.version[i] == key.version) return true;
  return false;
}

template <Order O>
void Tree<O>::prefetch(const TreeKey& key) const noexcept {
  if (root_ != 0) (void)descend(heap_, root_, key, [](std::uint32_t, Inner&, unsigned) {});
}

template <Order O>
void Tree<O>::prefetch_run(std::int64_t first) const noexcept {
  if (root_ == 0) return;
  const Leaf& leaf = leaf_at(heap_, descend(heap_, root_, key_from(first), [](std::uint32_t, Inner&, unsigned) {}));
  const Run run = run_of(leaf, first);
  for (unsigned i = run.low; i < std::min(run.high, run.low + kShortRun); ++i) prefetch_version(heap_, leaf.version[i]);
}

template <Order O>
std::uint64_t Tree<O>::size() const noexcept {
  if (root_ == 0) return 0;
  return header_at(heap_, root_).level == 0 ? entries_of(leaf_at(heap_, root_)) : entries_of(inner_at(heap_, root_));
}

template <Order O>
std::uint64_t Tree<O>::count_below(const TreeKey& key) const noexcept {
  if (root_ == 0) return 0;
  std::uint64_t below = 0;
  const std::uint32_t leaf = descend(heap_, root_, key, [&](std::uint32_t, const Inner& inner, unsigned index) {
    below += entries_in(inner, 0, index);
  });
  return below + leaf_rank<O>(heap_, leaf_at(heap_, leaf), key);
}

template <Order O>
std::size_t Tree<O>::collect(const TreeKey& from, const TreeKey& upto, Ref<Version>* out,
                             std::size_t capacity) const noexcept {
  if (root_ == 0 || capacity == 0 || !(from < upto)) return 0;
  std::uint32_t node = descend(heap_, root_, from, [](std::uint32_t, Inner&, unsigned) {});
  unsigned begin = leaf_rank<O>(heap_, leaf_at(heap_, node), from);
  std::size_t found = 0;
  for (;;) {
    const Leaf& leaf = leaf_at(heap_, node);
    const unsigned count = leaf.header.count;
    const std::uint32_t next = leaf.header.next;
    unsigned end = count;
    if (begin < count && leaf.first[count - 1] >= upto.first) end = range_end<O>(heap_, leaf, begin, upto);
    const bool last = end < count || next == 0;
    if (!last) prefetch_bytes(heap_.address(next), kLeafBytes);
    const auto wanted = static_cast<unsigned>(std::min<std::size_t>(end - begin, capacity - found));
    for (unsigned i = begin; i < begin + wanted; ++i) {
      prefetch_version(heap_, leaf.version[i]);
      out[found++] = {leaf.version[i]};
    }
    if (last || found == capacity) return found;
    node = next;
    begin = 0;
  }
}

template <Order O>
std::size_t Tree<O>::collect_backward(const TreeKey& from, const TreeKey& upto, Ref<Version>* out,
                                      std::size_t capacity) const noexcept {
  if (root_ == 0 || capacity == 0 || !(from < upto)) return 0;
  std::uint32_t node = descend(heap_, root_, upto, [](std::uint32_t, Inner&, unsigned) {});
  unsigned end = leaf_rank<O>(heap_, leaf_at(heap_, node), upto);
  std::size_t found = 0;
  for (;;) {
    const Leaf& leaf = leaf_at(heap_, node);
    const std::uint32_t prev = leaf.header.prev;
    unsigned begin = 0;
    if (end > 0 && leaf.first[0] <= from.first) begin = std::min(end, leaf_rank<O>(heap_, leaf, from));
    const bool last = begin > 0 || prev == 0;
    if (!last) prefetch_bytes(heap_.address(prev), kLeafBytes);
    const auto wanted = static_cast<unsigned>(std::min<std::size_t>(end - begin, capacity - found));
    for (unsigned i = end; i > end - wanted; --i) {
      prefetch_version(heap_, leaf.version[i - 1]);
      out[found++] = {leaf.version[i - 1]};
    }
    if (last || found == capacity) return found;
    node = prev;
    end = leaf_at(heap_, node).header.count;
  }
}

template <Order O>
void Tree<O>::clear() noexcept {
  // Depth first; a step's index is the next child to free.
  Step path[kMaxLevels];
  unsigned depth = 0;
  std::uint32_t node = root_;
  root_ = 0;
  while (node != 0) {
    if (header_at(heap_, node).level > 0) {
      path[depth++] = {node, 0};
    } else {
      free_node(heap_, node);
    }
    node = 0;
    while (depth > 0 && node == 0) {
      Step& step = path[depth - 1];
      const Inner& inner = inner_at(heap_, step.node);
      if (step.index < inner.header.count) {
        node = inner.child[step.index++];
      } else {
        free_node(heap_, step.node);
        --depth;
      }
    }
  }
}

namespace {

// One walk over a tree that may be damaged: follows no reference it has not checked.
template <Order O>
class Verifier {
 public:
  Verifier(const Heap& heap, void (*report)(void*, const char*), void* context) noexcept
      : heap_(heap), report_(report), context_(context) {
    nodes_left_ = heap.header().allocated_bytes / kLeafBytes + 1;
  }

  std::uint64_t run(std::uint32_t root, std::uint64_t& units) noexcept;

 private:
  struct Level {
    std::uint32_t node;
    unsigned next_child;
    std::uint64_t entries_before;  // seen when the current child was entered
    TreeKey low;                   // the node's own range, [low, high)
    TreeKey high;
  };

  void fault(const char* text) noexcept { report_(context_, text); }
  template <class Node>
  void check_unused(const Node& node) noexcept {
    for (unsigned i = node.header.count; i < std::size(node.first); ++i)
      if (node.first[i] != kUnused) {
        fault("tree: an unused place of a node is not marked so");
        return;
      }
  }
  bool check_node(std::uint32_t node, unsigned level, std::uint64_t& units) noexcept;
  void check_leaf(std::uint32_t node, const TreeKey& low, const TreeKey& high) noexcept;
  void check_separators(const Inner& inner, const TreeKey& low, const TreeKey& high) noexcept;

  const Heap& heap_;
  void (*report_)(void*, const char*);
  void* context_;
  std::uint64_t nodes_left_;
  std::uint64_t entries_ = 0;
  std::uint32_t last_leaf_ = 0;
  TreeKey last_key_ = kKeyMin;
};

// Checks what a node says about itself; false if it must not be looked into.
template <Order O>
bool Verifier<O>::check_node(std::uint32_t node, unsigned level, std::uint64_t& units) noexcept {
  const unsigned size = level == 0 ? units_of<Leaf>() : units_of<Inner>();
  if (nodes_left_ == 0 || node % 2 != 0 || !heap_.contains(node, size)) {
    fault("tree: a node reference leads outside the tree's memory");
    return false;
  }
  --nodes_left_;
  units += std::uint64_t{1} << size_class(size);
  const Header& h = header_at(heap_, node);
  if (h.tag != (level == 0 ? kLeafTag : kInnerTag) || h.level != level) {
    fault("tree: a node has another level than its parent says");
    return false;
  }
  if (h.count == 0 || h.count > (level == 0 ? kLeafCapacity : kInnerCapacity)) {
    fault("tree: a node is empty or overfull");
    return false;
  }
  if (level > 0 && (h.next != 0 || h.prev != 0)) fault("tree: an inner node has neighbours");
  return true;
}

template <Order O>
void Verifier<O>::check_separators(const Inner& inner, const TreeKey& low, const TreeKey& high) noexcept {
  check_unused(inner);
  if (separator(inner, 0) != kKeyMin) fault("tree: the unused separator of a node is set");
  TreeKey before = low;
  for (unsigned i = 1; i < inner.header.count; ++i) {
    const TreeKey key = separator(inner, i);
    if (key < before || !(key < high)) fault("tree: a separator is outside its node's range");
    before = key;
  }
}

template <Order O>
void Verifier<O>::check_leaf(std::uint32_t node, const TreeKey& low, const TreeKey& high) noexcept {
  const Leaf& leaf = leaf_at(heap_, node);
  if (leaf.header.prev != last_leaf_) fault("tree: a leaf's link to its left neighbour is wrong");
  if (last_leaf_ != 0 && leaf_at(heap_, last_leaf_).header.next != node)
    fault("tree: a leaf's link to its right neighbour is wrong");
  last_leaf_ = node;
  check_unused(leaf);
  if (leaf.header.count < kLeafMinimum && high != kKeyMax) fault("tree: a leaf is too empty");
  for (unsigned i = 0; i < leaf.header.count; ++i) {
    const Ref<Version> ref{leaf.version[i]};
    if (!heap_.contains(ref.unit, units_of<Version>())) {
      fault("tree: an entry's version is outside the store's memory");
      continue;
    }
    const TreeKey key = key_of<O>(heap_.at(ref), ref);
    if (key.first != leaf.first[i]) fault("tree: an entry's first column differs from its version's");
    if (key < low || !(key < high)) fault("tree: an entry is outside its leaf's range");
    if (entries_ + i > 0 && !(last_key_ < key)) fault("tree: entries are out of order");
    last_key_ = key;
  }
  entries_ += leaf.header.count;
}

template <Order O>
std::uint64_t Verifier<O>::run(std::uint32_t root, std::uint64_t& units) noexcept {
  if (root % 2 != 0 || !heap_.contains(root, units_of<Leaf>())) {
    fault("tree: the root is outside the store's memory");
    return 0;
  }
  const unsigned top = header_at(heap_, root).level;
  if (top >= kMaxLevels) {
    fault("tree: the root's level is impossible");
    return 0;
  }
  if (!check_node(root, top, units)) return 0;
  if (top == 0) {
    check_leaf(root, kKeyMin, kKeyMax);
  } else {
    if (header_at(heap_, root).count < 2) fault("tree: the root has a single child");
    Level path[kMaxLevels];
    unsigned depth = 0;
    path[depth++] = {root, 0, 0, kKeyMin, kKeyMax};
    check_separators(inner_at(heap_, root), kKeyMin, kKeyMax);
    while (depth > 0) {
      Level& here = path[depth - 1];
      const Inner& inner = inner_at(heap_, here.node);
      const unsigned level = top - depth;  // of the children
      if (here.next_child > 0 && entries_ - here.entries_before != inner.entries[here.next_child - 1])
        fault("tree: the count of the entries below a child is wrong");
      if (here.next_child == inner.header.count) {
        --depth;
        continue;
      }
      const unsigned index = here.next_child++;
      here.entries_before = entries_;
      const std::uint32_t child = inner.child[index];
      const TreeKey low = index == 0 ? here.low : separator(inner, index);
      const TreeKey high = index + 1 == inner.header.count ? here.high : separator(inner, index + 1);
      if (!check_node(child, level, units)) continue;
      if (level == 0) {
        check_leaf(child, low, high);
      } else {
        check_separators(inner_at(heap_, child), low, high);
        path[depth++] = {child, 0, entries_, low, high};
      }
    }
  }
  if (last_leaf_ != 0 && leaf_at(heap_, last_leaf_).header.next != 0)
    fault("tree: the last leaf has a right neighbour");
  return entries_;
}

}  // namespace

template <Order O>
std::uint64_t Tree<O>::verify(void (*report)(void*, const char*), void* context,
                              std::uint64_t& units) const noexcept {
  if (root_ == 0) return 0;
  return Verifier<O>(heap_, report, context).run(root_, units);
}

template class Tree<Order::kById>;
template class Tree<Order::kBySourceTarget>;
template class Tree<Order::kByTargetSource>;

}  // namespace doublets

// Changing the nodes of a Tree: insertion into a node, splitting, merging. Private to tree.cpp.
#pragma once

#include <cstring>
#include <type_traits>

#include "tree_search.hpp"

namespace doublets::tree_node {

inline std::uint32_t make_leaf(Heap& heap) noexcept {
  const Ref<Leaf> ref = heap.take<Leaf>();
  heap.at(ref).header = {0, 0, kLeafTag, 0, 0};
  fill_unused(heap.at(ref).first, 0, kLeafCapacity);
  return ref.unit;
}

inline std::uint32_t make_inner(Heap& heap, unsigned level) noexcept {
  const Ref<Inner> ref = heap.take<Inner>();
  heap.at(ref).header = {static_cast<std::uint16_t>(level), 0, kInnerTag, 0, 0};
  fill_unused(heap.at(ref).first, 0, kInnerCapacity);
  return ref.unit;
}

inline void free_node(Heap& heap, std::uint32_t node) noexcept {
  if (header_at(heap, node).level == 0)
    heap.give_back(Ref<Leaf>{node});
  else
    heap.give_back(Ref<Inner>{node});
}

inline void link_after(Heap& heap, std::uint32_t left, std::uint32_t right) noexcept {
  Header& l = leaf_at(heap, left).header;
  Header& r = leaf_at(heap, right).header;
  r.prev = left;
  r.next = l.next;
  if (l.next != 0) leaf_at(heap, l.next).header.prev = right;
  l.next = right;
}

inline void unlink_leaf(Heap& heap, std::uint32_t node) noexcept {
  const Header& h = leaf_at(heap, node).header;
  if (h.prev != 0) leaf_at(heap, h.prev).header.next = h.next;
  if (h.next != 0) leaf_at(heap, h.next).header.prev = h.prev;
}

inline void insert_in_leaf(Leaf& leaf, unsigned at, std::int64_t first, std::uint32_t version) noexcept {
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

inline void insert_in_inner(Inner& inner, unsigned at, const NewChild& added) noexcept {
  const unsigned count = inner.header.count;
  each_column(inner, inner, [=](auto* column, const auto*) { open_gap(column, at, count); });
  set_separator(inner, at, added.key);
  inner.child[at] = added.node;
  inner.entries[at] = added.entries;
  inner.header.count = static_cast<std::uint16_t>(count + 1);
}

// Leaves the first `count` entries of a node.
template <class Node>
inline void cut(Node& node, unsigned count) noexcept {
  fill_unused(node.first, count, node.header.count);
  node.header.count = static_cast<std::uint16_t>(count);
}

// Moves the upper part of a node, from entry `kept` on, to the empty node `right`.
inline void move_upper(Leaf& left, Leaf& right, unsigned kept) noexcept {
  const unsigned moved = left.header.count - kept;
  copy_part(right.first, left.first + kept, moved);
  copy_part(right.version, left.version + kept, moved);
  cut(left, kept);
  right.header.count = static_cast<std::uint16_t>(moved);
}

inline void move_upper(Inner& left, Inner& right, unsigned kept) noexcept {
  const unsigned moved = left.header.count - kept;
  each_column(right, left, [=](auto* to, const auto* from) { copy_part(to, from + kept, moved); });
  cut(left, kept);
  right.header.count = static_cast<std::uint16_t>(moved);
}

// Where to divide so many entries in two, given their first columns: in the middle, or where a run of equal ones ends near
// it. So short runs, the links of a node, stay in one leaf, which whoever wants them all looks at once.
template <class FirstAt>
inline unsigned dividing_place(unsigned count, FirstAt first_at) noexcept {
  const unsigned middle = count / 2;
  for (unsigned away = 0; away <= kLeafCapacity / 6; ++away) {
    if (first_at(middle - away - 1) != first_at(middle - away)) return middle - away;
    if (first_at(middle + away - 1) != first_at(middle + away)) return middle + away;
  }
  return middle;
}

// The separator of two neighbours. Between two runs it is the greatest key before the second one: whoever searches that
// by its first column alone finds it without the other columns.
template <Order O>
inline TreeKey dividing_key(const Heap& heap, const Leaf& left, const Leaf& right) noexcept {
  if (left.first[left.header.count - 1] != right.first[0])
    return {right.first[0] - 1, kKeyMax.second, kKeyMax.third, kKeyMax.version};
  const Ref<Version> first{right.version[0]};
  return key_of<O>(heap.at(first), first);
}

// Splits the full leaf and inserts the entry. At the right end of the tree only the entry itself moves on, with others
// of a short run, so that ascending loads fill the leaves.
template <Order O>
inline NewChild split_leaf(Heap& heap, std::uint32_t node, unsigned at, const TreeKey& key) noexcept {
  const std::uint32_t added = make_leaf(heap);
  Leaf& left = leaf_at(heap, node);
  Leaf& right = leaf_at(heap, added);
  unsigned place;  // among the entries with the new one
  if (at == kLeafCapacity && left.header.next == 0) {
    place = rank<false>(left.first, key.first);
    if (kLeafCapacity - place > kLeafMinimum) place = kLeafCapacity;
  } else {
    place = dividing_place(kLeafCapacity + 1, [&left, &key, at](unsigned i) noexcept {
      return i == at ? key.first : left.first[i - (i > at)];
    });
  }
  link_after(heap, node, added);
  move_upper(left, right, place - (at < place));
  if (at < place)
    insert_in_leaf(left, at, key.first, key.version);
  else
    insert_in_leaf(right, at - place, key.first, key.version);
  return {dividing_key<O>(heap, left, right), added, right.header.count};
}

// The same for a full inner node.
inline NewChild split_inner(Heap& heap, std::uint32_t node, unsigned at, bool append, const NewChild& child) noexcept {
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

inline void remove_child(Inner& inner, unsigned at) noexcept {
  const unsigned count = inner.header.count;
  each_column(inner, inner, [=](auto* column, const auto*) { close_gap(column, at, count); });
  if (at == 0 && count > 1) set_separator(inner, 0, kKeyMin);
  cut(inner, count - 1);
}

// Appends `count` entries of `right` to `left`. `between` is the separator of the two. A node at the right
// end may have none left; then there is no child that the separator could go before.
inline void append_part(Leaf& left, const Leaf& right, unsigned count, const TreeKey&) noexcept {
  const unsigned at = left.header.count;
  copy_part(left.first + at, right.first, count);
  copy_part(left.version + at, right.version, count);
  left.header.count = static_cast<std::uint16_t>(at + count);
}

inline void append_part(Inner& left, const Inner& right, unsigned count, const TreeKey& between) noexcept {
  const unsigned at = left.header.count;
  each_column(left, right, [=](auto* to, const auto* from) { copy_part(to + at, from, count); });
  if (at > 0 && count > 0) set_separator(left, at, between);
  left.header.count = static_cast<std::uint16_t>(at + count);
}

inline void drop_front(Leaf& node, unsigned count) noexcept {
  const unsigned rest = node.header.count - count;
  move_part(node.first, node.first + count, rest);
  move_part(node.version, node.version + count, rest);
  cut(node, rest);
}

inline void drop_front(Inner& node, unsigned count) noexcept {
  const unsigned rest = node.header.count - count;
  each_column(node, node, [=](auto* to, const auto* from) { move_part(to, from + count, rest); });
  cut(node, rest);
}

// Moves the last entries of `left`, from `kept` on, before those of `right`.
inline void prepend_part(const Leaf& left, Leaf& right, unsigned kept, const TreeKey&) noexcept {
  const unsigned moved = left.header.count - kept;
  move_part(right.first + moved, right.first, right.header.count);
  move_part(right.version + moved, right.version, right.header.count);
  copy_part(right.first, left.first + kept, moved);
  copy_part(right.version, left.version + kept, moved);
  right.header.count = static_cast<std::uint16_t>(right.header.count + moved);
}

inline void prepend_part(const Inner& left, Inner& right, unsigned kept, const TreeKey& between) noexcept {
  const unsigned moved = left.header.count - kept;
  const unsigned count = right.header.count;
  each_column(right, right, [=](auto* to, const auto* from) { move_part(to + moved, from, count); });
  each_column(right, left, [=](auto* to, const auto* from) { copy_part(to, from + kept, moved); });
  set_separator(right, moved, between);
  right.header.count = static_cast<std::uint16_t>(count + moved);
}

inline std::uint64_t entries_of(const Leaf& leaf) noexcept { return leaf.header.count; }
inline std::uint64_t entries_of(const Inner& inner) noexcept { return entries_in(inner, 0, inner.header.count); }

// Child `index` of `parent` is too empty and has a neighbour: merges the two if one node
// holds them (and frees the right one), else shares their entries evenly.
template <Order O, class Node>
inline void join_or_share(Heap& heap, Inner& parent, unsigned index, unsigned capacity) noexcept {
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
  unsigned kept = both / 2;
  if constexpr (std::is_same_v<Node, Leaf>)
    kept = dividing_place(both, [&left, &right](unsigned i) noexcept {
      return i < left.header.count ? left.first[i] : right.first[i - left.header.count];
    });
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
  if constexpr (std::is_same_v<Node, Leaf>) {
    set_separator(parent, index + 1, dividing_key<O>(heap, left, right));
  } else {
    set_separator(parent, index + 1, separator(right, 0));  // moved up from where it divided two children
    set_separator(right, 0, kKeyMin);
  }
}

inline constexpr unsigned kLeafClass = size_class(units_of<Leaf>());
inline constexpr unsigned kInnerClass = size_class(units_of<Inner>());

}  // namespace doublets::tree_node

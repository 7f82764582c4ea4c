#include "link_list.hpp"
#include "tree_node.hpp"

#include <algorithm>
#include <cassert>

namespace doublets {
namespace {

using IdTree = Tree<Order::kById>;

constexpr std::uint32_t kUnitEntries = kUnitBytes / sizeof(std::uint32_t);

constexpr std::uint32_t capacity_of(unsigned cls) noexcept { return kUnitEntries << cls; }

constexpr unsigned kLargestArray = 4; // size class
constexpr unsigned kTreeLeaf = size_class(units_of<tree_node::Leaf>());
constexpr unsigned kTreeInner = size_class(units_of<tree_node::Inner>());
static_assert(capacity_of(kLargestArray) == LinkLists::kArrayMax);
static_assert(capacity_of(kTreeLeaf) >= LinkLists::kTreeMin);

constexpr std::uint32_t array_bits(std::uint32_t count, unsigned cls) noexcept {
  return count | cls << 8;
}

} // namespace

BlockPlan LinkLists::plan(const LinkList &list) const noexcept {
  BlockPlan p;
  if (list.tree) {
    std::uint32_t root = list.ref;
    return IdTree(heap_, root).plan();
  }
  const std::uint32_t count = list.count();
  if (count == kArrayMax) {
    // Inserting one by one leaves leaves half full at least.
    p.add(kTreeLeaf, 2 * (kArrayMax + 1) / tree_node::kLeafCapacity + 2);
    p.add(kTreeInner);
  } else if (count == 1)
    p.add(0);
  else if (count > 1 && count == capacity_of(list.array_class()))
    p.add(list.array_class() + 1);
  return p;
}

void LinkLists::add(LinkList &list, Ref<Version> version) noexcept {
  const std::uint32_t count = list.count();
  if (!list.tree && count == kArrayMax)
    to_tree(list);
  if (list.tree) {
    std::uint32_t root = list.ref;
    IdTree(heap_, root).insert(version);
    list.ref = root;
    list.bits = count + 1;
    return;
  }
  if (count == 0) {
    list = LinkList::of_one(version);
    return;
  }
  unsigned cls = list.array_class();
  if (count == 1) {
    const std::uint32_t only = list.ref;
    cls = 0;
    list.ref = heap_.take(cls);
    array(list)[0] = only;
  } else if (count == capacity_of(cls)) {
    const std::uint32_t larger = heap_.take(cls + 1);
    std::memcpy(heap_.address(larger), array(list), count * sizeof(std::uint32_t));
    heap_.give_back(list.ref, cls);
    list.ref = larger;
    ++cls;
  }
  array(list)[count] = version.unit;
  list.bits = array_bits(count + 1, cls);
}

void LinkLists::remove(LinkList &list, Ref<Version> version) noexcept {
  const std::uint32_t left = list.count() - 1;
  if (list.tree) {
    std::uint32_t root = list.ref;
    IdTree(heap_, root).erase(version);
    list.ref = root;
    list.bits = left;
    if (left == kTreeMin)
      to_array(list);
    return;
  }
  if (left == 0) {
    assert(list.ref == version.unit);
    list = {};
    return;
  }
  std::uint32_t *entries = array(list);
  std::uint32_t *found = std::find(entries, entries + left, version.unit);
  assert(*found == version.unit);
  *found = entries[left];
  const unsigned cls = list.array_class();
  if (left == 1) {
    const Ref<Version> only{entries[0]};
    heap_.give_back(list.ref, cls);
    list = LinkList::of_one(only);
    return;
  }
  list.bits = array_bits(left, cls);
  if (left <= capacity_of(cls) / 4)
    shrink(list);
}

// Moves a sparse array to a block of half its size, if one is free. Blocks are never
// cut: a store that grows and shrinks would turn all its memory into small ones.
void LinkLists::shrink(LinkList &list) noexcept {
  const unsigned cls = list.array_class();
  if (cls == 0 || !heap_.has_free(cls - 1))
    return;
  const std::uint32_t count = list.count();
  const std::uint32_t smaller = heap_.take(cls - 1);
  std::memcpy(heap_.address(smaller), array(list), count * sizeof(std::uint32_t));
  heap_.give_back(list.ref, cls);
  list.ref = smaller;
  list.bits = array_bits(count, cls - 1);
}

bool LinkLists::contains(const LinkList &list, Ref<Version> version) const noexcept {
  const std::uint32_t count = list.count();
  if (list.tree) {
    std::uint32_t root = list.ref;
    return IdTree(heap_, root).contains(version);
  }
  if (count <= 1)
    return count == 1 && list.ref == version.unit;
  return std::find(array(list), array(list) + count, version.unit) != array(list) + count;
}

std::size_t LinkLists::collect(const LinkList &list, const TreeKey &from, Ref<Version> *out,
                               std::size_t capacity) const noexcept {
  if (list.tree) {
    std::uint32_t root = list.ref;
    return IdTree(heap_, root).collect(from, kKeyMax, out, capacity);
  }
  const std::uint32_t count = list.count();
  if (count == 1) {
    out[0] = {list.ref};
    return 1;
  }
  const std::uint32_t *entries = array(list);
  for (std::uint32_t i = 0; i < count; ++i)
    out[i] = {entries[i]};
  return count;
}

std::uint64_t LinkLists::verify(const LinkList &list, void (*report)(void *, const char *),
                                void *context) const noexcept {
  if (!list.tree) {
    if (list.count() > 1 && list.count() > capacity_of(list.array_class()))
      report(context, "a list is longer than its array");
    return list.count() < 2 ? 0 : 1u << list.array_class();
  }
  std::uint64_t units = 0;
  std::uint32_t root = list.ref;
  if (IdTree(heap_, root).verify(report, context, units) != list.count())
    report(context, "a list counts other than its tree");
  return units;
}

void LinkLists::to_tree(LinkList &list) noexcept {
  std::uint32_t root = 0;
  IdTree tree(heap_, root);
  const std::uint32_t count = list.count();
  const std::uint32_t *entries = array(list);
  for (std::uint32_t i = 0; i < count; ++i)
    tree.insert({entries[i]});
  heap_.give_back(list.ref, list.array_class());
  list = {root, 1, count};
}

void LinkLists::to_array(LinkList &list) noexcept {
  Ref<Version> members[kTreeMin];
  std::uint32_t root = list.ref;
  IdTree tree(heap_, root);
  const auto n = static_cast<std::uint32_t>(tree.collect(kKeyMin, kKeyMax, members, kTreeMin));
  assert(n == list.count());
  tree.clear();
  list = {heap_.take(kTreeLeaf), 0, array_bits(n, kTreeLeaf)};
  for (std::uint32_t i = 0; i < n; ++i)
    array(list)[i] = members[i].unit;
}

} // namespace doublets

#include "link_list.hpp"

#include <algorithm>
#include <cassert>

namespace doublets {
namespace {

constexpr std::uint32_t kUnitEntries = kUnitBytes / sizeof(std::uint32_t);

// Size class of the array of a list of `count` >= 2 versions.
constexpr unsigned array_class(std::uint32_t count) noexcept {
  return size_class((count + kUnitEntries - 1) / kUnitEntries);
}

using IdTree = Tree<Order::kById>;

} // namespace

std::uint32_t LinkLists::plan_units(const LinkList &list) const noexcept {
  if (list.tree) {
    std::uint32_t root = list.ref;
    return IdTree(heap_, root).plan_units();
  }
  if (list.count == kArrayMax) {
    // A tree of kArrayMax + 1 entries has at least a third of each 512-byte node in use.
    constexpr std::uint32_t kNode = 17;
    return 16 * kNode;
  }
  return (1u << array_class(list.count + 1)) + 1;
}

void LinkLists::add(LinkList &list, Ref<Version> version) noexcept {
  if (list.tree) {
    std::uint32_t root = list.ref;
    IdTree(heap_, root).insert(version);
    list.ref = root;
  } else if (list.count == 0) {
    list.ref = version.unit;
  } else if (list.count == 1) {
    const std::uint32_t only = list.ref;
    list.ref = heap_.take(array_class(2));
    array(list)[0] = only;
    array(list)[1] = version.unit;
  } else if (list.count == kArrayMax) {
    to_tree(list);
    std::uint32_t root = list.ref;
    IdTree(heap_, root).insert(version);
    list.ref = root;
  } else {
    const unsigned now = array_class(list.count), then = array_class(list.count + 1);
    if (now != then) {
      const std::uint32_t larger = heap_.take(then);
      std::memcpy(heap_.address(larger), array(list), list.count * sizeof(std::uint32_t));
      heap_.give_back(list.ref, now);
      list.ref = larger;
    }
    array(list)[list.count] = version.unit;
  }
  ++list.count;
}

void LinkLists::remove(LinkList &list, Ref<Version> version) noexcept {
  assert(list.count > 0);
  if (list.tree) {
    std::uint32_t root = list.ref;
    IdTree(heap_, root).erase(version);
    list.ref = root;
    if (--list.count == kTreeMin)
      to_array(list);
    return;
  }
  if (list.count == 1) {
    assert(list.ref == version.unit);
    list = {};
    return;
  }
  std::uint32_t *entries = array(list);
  const std::uint32_t last = list.count - 1;
  std::uint32_t *found = std::find(entries, entries + last, version.unit);
  assert(*found == version.unit);
  *found = entries[last];
  const unsigned now = array_class(list.count);
  --list.count;
  if (last == 1) {
    const std::uint32_t only = entries[0], unit = list.ref;
    heap_.give_back(unit, now);
    list.ref = only;
  } else if (array_class(last) != now) {
    heap_.shrink(list.ref, now, array_class(last));
  }
}

bool LinkLists::contains(const LinkList &list, Ref<Version> version) const noexcept {
  if (list.tree) {
    std::uint32_t root = list.ref;
    return IdTree(heap_, root).contains(version);
  }
  if (list.count <= 1)
    return list.count == 1 && list.ref == version.unit;
  return std::find(array(list), array(list) + list.count, version.unit) != array(list) + list.count;
}

std::size_t LinkLists::collect(const LinkList &list, const TreeKey &from, Ref<Version> *out,
                               std::size_t capacity) const noexcept {
  if (list.tree) {
    std::uint32_t root = list.ref;
    return IdTree(heap_, root).collect(from, kKeyMax, out, capacity);
  }
  if (list.count == 1) {
    out[0] = {list.ref};
    return 1;
  }
  const std::uint32_t *entries = array(list);
  for (std::uint32_t i = 0; i < list.count; ++i)
    out[i] = {entries[i]};
  return list.count;
}

Ref<Version> LinkLists::any(const LinkList &list) const noexcept {
  if (list.tree) {
    Ref<Version> first{};
    std::uint32_t root = list.ref;
    (void)IdTree(heap_, root).collect(kKeyMin, kKeyMax, &first, 1);
    return first;
  }
  return {list.count == 1 ? list.ref : array(list)[0]};
}

std::uint64_t LinkLists::verify(const LinkList &list, void (*report)(void *, const char *),
                                void *context) const noexcept {
  if (!list.tree)
    return list.count < 2 ? 0 : 1u << array_class(list.count);
  std::uint64_t units = 0;
  std::uint32_t root = list.ref;
  if (IdTree(heap_, root).verify(report, context, units) != list.count)
    report(context, "a list counts other than its tree");
  return units;
}

void LinkLists::to_tree(LinkList &list) noexcept {
  std::uint32_t root = 0;
  IdTree tree(heap_, root);
  const std::uint32_t *entries = array(list);
  for (std::uint32_t i = 0; i < list.count; ++i)
    tree.insert({entries[i]});
  heap_.give_back(list.ref, array_class(list.count));
  list.ref = root;
  list.tree = 1;
}

void LinkLists::to_array(LinkList &list) noexcept {
  Ref<Version> members[kTreeMin];
  std::uint32_t root = list.ref;
  IdTree tree(heap_, root);
  const std::size_t n = tree.collect(kKeyMin, kKeyMax, members, kTreeMin);
  assert(n == list.count);
  // Removing may not need memory: the array begins in a node the tree gave back.
  tree.clear();
  constexpr unsigned kNodeClass = 4;
  static_assert(array_class(kTreeMin) < kNodeClass);
  list.ref = heap_.take(kNodeClass);
  heap_.shrink(list.ref, kNodeClass, array_class(list.count));
  for (std::size_t i = 0; i < n; ++i)
    array(list)[i] = members[i].unit;
  list.tree = 0;
}

} // namespace doublets

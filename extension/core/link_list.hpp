// The versions that share a key: the links out of a node, into a node, or of one pair.
//
// None or one version stands in the header itself; up to 128 in an unordered array in a
// block of a power-of-two size; more in a B+tree ordered by (id, version), so that a
// hub of millions is as cheap to change as a small node and can be read from any id
// onwards.
//
// Locks: reading needs the store's lock shared, changing it exclusive.
// Costs: add O(1), remove O(128) word compares, both O(log n) in a tree.
#pragma once

#include "tree.hpp"

namespace doublets {

struct LinkList {
  std::uint32_t ref; // the version, the array's or the tree root's unit
  std::uint32_t tree : 1;
  std::uint32_t bits : 31; // of a tree the count; else the count and from bit 8 the array's class

  static constexpr LinkList of_one(Ref<Version> version) noexcept { return {version.unit, 0, 1}; }

  std::uint32_t count() const noexcept { return tree ? bits : bits & 0xff; }
  unsigned array_class() const noexcept { return bits >> 8; }
};
static_assert(sizeof(LinkList) == 8);

class LinkLists {
public:
  static constexpr std::uint32_t kArrayMax = 128;  // entries; a longer list is a tree
  static constexpr std::uint32_t kTreeMin = 64;    // a tree this short becomes an array

  explicit LinkLists(Heap &heap) noexcept : heap_(heap) {}

  // Blocks add may take at the most.
  BlockPlan plan(const LinkList &list) const noexcept;

  // Requires: not in the list; can_take(plan(list)).
  void add(LinkList &list, Ref<Version> version) noexcept;

  // Requires: in the list. Takes no memory that is not free: an array moves to a smaller
  // block if there is one, and a tree that becomes an array leaves one.
  void remove(LinkList &list, Ref<Version> version) noexcept;

  bool contains(const LinkList &list, Ref<Version> version) const noexcept;

  // A list that is not a tree is written whole and unordered, whatever `from` is; a
  // tree in order of (id, version), from the key `from` on. Returns how many of at most
  // `capacity` (>= kArrayMax) were written. Requires: not empty.
  std::size_t collect(const LinkList &list, const TreeKey &from, Ref<Version> *out,
                      std::size_t capacity) const noexcept;

  // Asks for the array of a short list.
  void prefetch(const LinkList &list) const noexcept {
    if (!list.tree && list.count() > 1) {
      ask_for(array(list));
      ask_for(array(list) + list.count());
    }
  }

  // Units of the blocks the list holds, for accounting; reports faults as Tree::verify.
  std::uint64_t verify(const LinkList &list, void (*report)(void *, const char *),
                       void *context) const noexcept;

private:
  std::uint32_t *array(const LinkList &list) const noexcept {
    return reinterpret_cast<std::uint32_t *>(heap_.address(list.ref));
  }
  void to_tree(LinkList &list) noexcept;
  void to_array(LinkList &list) noexcept;
  void shrink(LinkList &list) noexcept;

  Heap &heap_;
};

} // namespace doublets

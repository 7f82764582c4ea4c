// The versions that share a key: the links out of a node, into a node, or of one pair.
//
// None or one version stands in the header itself; up to 128 in an unordered array
// whose capacity is the power of two above their number; more in a B+tree ordered
// by (id, version), so that a hub of millions is as cheap to change as a small node and
// can be read from any id onwards.
//
// Locks: reading needs the store's lock shared, changing it exclusive.
// Costs: add O(1), remove O(128) word compares, both O(log n) in a tree.
#pragma once

#include "tree.hpp"

namespace doublets {

struct LinkList {
  std::uint32_t ref;       // the version, the array's or the tree root's unit
  std::uint32_t count : 31;
  std::uint32_t tree : 1;
};
static_assert(sizeof(LinkList) == 8);

class LinkLists {
public:
  static constexpr std::uint32_t kArrayMax = 128;  // entries; a longer list is a tree
  static constexpr std::uint32_t kTreeMin = 64;    // a tree this short becomes an array

  explicit LinkLists(Heap &heap) noexcept : heap_(heap) {}

  // Units add may take at the most, each block counted one larger.
  std::uint32_t plan_units(const LinkList &list) const noexcept;

  // Requires: not in the list; can_take(plan_units(list)).
  void add(LinkList &list, Ref<Version> version) noexcept;

  // Requires: in the list. Takes no memory unless a tree becomes an array, for which it
  // takes blocks the tree gives back.
  void remove(LinkList &list, Ref<Version> version) noexcept;

  bool contains(const LinkList &list, Ref<Version> version) const noexcept;

  // A list that is not a tree is written whole and unordered, whatever `from` is; a
  // tree in order of (id, version), from the key `from` on. Returns how many of at most
  // `capacity` (>= kArrayMax) were written. Requires: not empty.
  std::size_t collect(const LinkList &list, const TreeKey &from, Ref<Version> *out,
                      std::size_t capacity) const noexcept;

  // Any member. Requires: not empty.
  Ref<Version> any(const LinkList &list) const noexcept;

  // Units of the blocks the list holds, for accounting; reports faults as Tree::verify.
  std::uint64_t verify(const LinkList &list, void (*report)(void *, const char *),
                       void *context) const noexcept;

private:
  std::uint32_t *array(const LinkList &list) const noexcept {
    return reinterpret_cast<std::uint32_t *>(heap_.address(list.ref));
  }
  void to_tree(LinkList &list) noexcept;
  void to_array(LinkList &list) noexcept;

  Heap &heap_;
};

} // namespace doublets

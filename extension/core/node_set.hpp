// The nodes that a traversal of a graph of links has met.
//
// A node is any 64-bit value: the source and the target of a link are its ends, and nodes that
// no link has are as good as others. The nodes stand in an array in the order in which they were
// met, so that those of one distance from the start are neighbours in it and the array is the queue of
// a breadth-first search.
//
// A table finds them. As a rule nodes are small numbers, ids of links or of things of the user's, and as many of
// those as the table has bytes for are looked up by themselves; the first one beyond makes it a hash with
// open addressing, until the set grows and there is room for them. Where a large set is searched at random, the former
// takes a quarter of the cache.
//
// The memory is the caller's, private to its process: a set says when it is full and is
// moved to a larger place. Nothing here knows a store or needs a lock.
#pragma once

#include <cstddef>
#include <limits>

#include "types.hpp"

namespace doublets {

// A node met.
struct Reached {
  std::int64_t node;
  LinkId via;          // the link that led to it; 0: none, it is a start
  std::uint32_t from;  // the place of the node at the other end of that link
};

// The other end of a link of a node.
using Neighbour = Reached;

class NodeSet {
 public:
  // Of the hash: the node beside its place, so that one that is known costs one cache miss.
  struct Slot {
    std::int64_t node;
    std::uint32_t place;  // + 1; 0: not in use
  };

  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t kMaxCapacity = 1u << 31;

  NodeSet() noexcept = default;
  explicit NodeSet(std::uint64_t seed) noexcept : seed_(seed) {}

  // Slots of the table of a set for that many nodes: a power of two, so that two thirds of them are
  // used at the most.
  static std::uint64_t slots_for(std::uint32_t capacity) noexcept;

  // Uses this memory from now on: room for `capacity` nodes, the first size() of which are those
  // the set has, and slots_for(capacity) slots, whatever is in them. O(capacity)
  void move_to(Reached* nodes, Slot* slots, std::uint32_t capacity) noexcept;

  std::uint32_t size() const noexcept { return size_; }
  std::uint32_t capacity() const noexcept { return capacity_; }
  const Reached& operator[](std::uint32_t place) const noexcept { return nodes_[place]; }

  // Adds those of met[0 .. n) that are not there yet. A node at place `level` or behind it that is
  // met again keeps the smallest of the links that led to it, so that the answer does not depend on the
  // order in which a store keeps its links. Returns how many were looked at: fewer than n if the set
  // is full.
  std::size_t add(const Neighbour* met, std::size_t n, std::uint32_t level) noexcept;

  // Asks for the memory where a node will be looked up.
  void ask(std::int64_t node) const noexcept {
    const auto bits = static_cast<std::uint64_t>(node);
    if (direct_)
      __builtin_prefetch(places() + (bits & (places_count() - 1)));
    else
      __builtin_prefetch(slots_ + home_of(node));
  }

  // The place of a node, or kNone.
  std::uint32_t find(std::int64_t node) const noexcept;

 private:
  std::uint32_t* places() const noexcept { return reinterpret_cast<std::uint32_t*>(slots_); }
  std::uint64_t places_count() const noexcept { return (mask_ + 1) * (sizeof(Slot) / sizeof(std::uint32_t)); }
  std::uint64_t home_of(std::int64_t node) const noexcept;
  Slot& slot_of(std::int64_t node, std::uint64_t home) const noexcept;
  void fill_table() noexcept;
  void ask(const Neighbour* met, std::size_t few, std::uint64_t* home) noexcept;
  void meet_again(const Neighbour& met, std::uint32_t place, std::uint32_t level) noexcept;

  Reached* nodes_ = nullptr;
  Slot* slots_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
  std::uint64_t mask_ = 0;  // number of slots - 1
  bool direct_ = false;     // the table is one of places + 1, 0 for none, by node
  std::uint64_t bits_ = 0;  // all that are set in any node
  std::uint64_t seed_ = 0;
};

}  // namespace doublets

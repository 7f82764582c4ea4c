#include "node_set.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "hash_index.hpp"

namespace doublets {
namespace {

constexpr std::size_t kFew = 64;  // nodes looked up together, so that their cache misses overlap

std::uint64_t width(std::int64_t node) noexcept {
  return static_cast<std::uint64_t>(node);
}

}  // namespace

std::uint64_t NodeSet::slots_for(std::uint32_t capacity) noexcept {
  return std::bit_ceil(std::uint64_t{capacity} + capacity / 2 + 1);
}

std::uint64_t NodeSet::home_of(std::int64_t node) const noexcept {
  return mix64(width(node) ^ seed_) & mask_;
}

// The slot of a node, or the one where it belongs.
NodeSet::Slot& NodeSet::slot_of(std::int64_t node, std::uint64_t home) const noexcept {
  while (slots_[home].place != 0 && slots_[home].node != node)
    home = (home + 1) & mask_;
  return slots_[home];
}

void NodeSet::fill_table() noexcept {
  direct_ = widest_ < (mask_ + 1) * kPlacesPerSlot;
  std::memset(slots_, 0, (mask_ + 1) * sizeof(Slot));
  for (std::uint32_t place = 0; place < size_; ++place) {
    const std::int64_t node = nodes_[place].node;
    if (direct_)
      places()[node] = place + 1;
    else
      slot_of(node, home_of(node)) = {node, place + 1};
  }
}

void NodeSet::move_to(Reached* nodes, Slot* slots, std::uint32_t capacity) noexcept {
  nodes_ = nodes;
  slots_ = slots;
  capacity_ = capacity;
  mask_ = slots_for(capacity) - 1;
  fill_table();
}

// `table` makes of a node where to look for it, asks for that, and then gives the place, which may be set with the
// node.
template <class Table>
std::size_t NodeSet::add_few(const Table& table, const Neighbour* met, std::size_t few, std::uint32_t level) noexcept {
  std::uint64_t home[kFew];
  for (std::size_t i = 0; i < few; ++i)
    home[i] = table.ask(met[i].node);
  for (std::size_t i = 0; i < few; ++i) {
    const Neighbour& neighbour = met[i];
    const auto entry = table.entry(neighbour.node, home[i]);
    if (entry.place() == 0) {
      if (size_ == capacity_) return i;
      nodes_[size_] = neighbour;
      entry.set(neighbour.node, ++size_);
    } else if (entry.place() > level) {
      Reached& known = nodes_[entry.place() - 1];
      if (known.via > neighbour.via) known = neighbour;
    }
  }
  return few;
}

std::size_t NodeSet::add(const Neighbour* met, std::size_t n, std::uint32_t level) noexcept {
  struct DirectEntry {
    std::uint32_t* at;
    std::uint32_t place() const noexcept { return *at; }
    void set(std::int64_t, std::uint32_t place) const noexcept { *at = place; }
  };
  struct DirectTable {
    std::uint32_t* places;
    std::uint64_t ask(std::int64_t node) const noexcept {
      __builtin_prefetch(places + node);
      return 0;
    }
    DirectEntry entry(std::int64_t node, std::uint64_t) const noexcept { return {places + node}; }
  };
  struct HashEntry {
    Slot* at;
    std::uint32_t place() const noexcept { return at->place; }
    void set(std::int64_t node, std::uint32_t place) const noexcept { *at = {node, place}; }
  };
  struct HashTable {
    const NodeSet& set;
    std::uint64_t ask(std::int64_t node) const noexcept {
      const std::uint64_t home = set.home_of(node);
      __builtin_prefetch(set.slots_ + home);
      return home;
    }
    HashEntry entry(std::int64_t node, std::uint64_t home) const noexcept { return {&set.slot_of(node, home)}; }
  };
  if (capacity_ == 0) return 0;
  for (std::size_t first = 0; first < n; first += kFew) {
    const std::size_t few = std::min(kFew, n - first);
    for (std::size_t i = 0; i < few; ++i)
      widest_ = std::max(widest_, width(met[first + i].node));
    if (direct_ && widest_ >= (mask_ + 1) * kPlacesPerSlot) fill_table();
    const std::size_t added = direct_ ? add_few(DirectTable{places()}, met + first, few, level)
                                      : add_few(HashTable{*this}, met + first, few, level);
    if (added < few) return first + added;
  }
  return n;
}

std::uint32_t NodeSet::find(std::int64_t node) const noexcept {
  if (!direct_) return slot_of(node, home_of(node)).place - 1;
  return width(node) < (mask_ + 1) * kPlacesPerSlot ? places()[node] - 1 : kNone;
}

}  // namespace doublets

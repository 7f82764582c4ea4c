#include "node_set.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "hash_index.hpp"

namespace doublets {

std::uint64_t NodeSet::slots_for(std::uint32_t capacity) noexcept {
  return std::bit_ceil(std::uint64_t{capacity} + capacity / 2 + 1);
}

std::uint32_t NodeSet::home_of(std::int64_t node) const noexcept {
  return static_cast<std::uint32_t>(mix64(static_cast<std::uint64_t>(node) ^ seed_)) & mask_;
}

NodeSet::Slot& NodeSet::slot_of(std::int64_t node, std::uint32_t home) const noexcept {
  while (slots_[home].place != 0 && slots_[home].node != node)
    home = (home + 1) & mask_;
  return slots_[home];
}

void NodeSet::move_to(Reached* nodes, Slot* slots, std::uint32_t capacity) noexcept {
  const std::uint64_t count = slots_for(capacity);
  nodes_ = nodes;
  slots_ = slots;
  capacity_ = capacity;
  mask_ = static_cast<std::uint32_t>(count - 1);
  std::memset(slots, 0, count * sizeof(Slot));
  for (std::uint32_t place = 0; place < size_; ++place)
    slot_of(nodes[place].node, home_of(nodes[place].node)) = {nodes[place].node, place + 1};
}

std::size_t NodeSet::add(const Neighbour* met, std::size_t n, std::uint32_t level) noexcept {
  // A few at a time, so that their cache misses overlap.
  constexpr std::size_t kFew = 64;
  if (capacity_ == 0) return 0;
  std::uint32_t home[kFew];
  for (std::size_t first = 0; first < n; first += kFew) {
    const std::size_t few = std::min(kFew, n - first);
    for (std::size_t i = 0; i < few; ++i) {
      home[i] = home_of(met[first + i].node);
      __builtin_prefetch(slots_ + home[i]);
    }
    for (std::size_t i = 0; i < few; ++i) {
      const Neighbour& neighbour = met[first + i];
      Slot& slot = slot_of(neighbour.node, home[i]);
      if (slot.place == 0) {
        if (size_ == capacity_) return first + i;
        nodes_[size_] = neighbour;
        slot = {neighbour.node, ++size_};
      } else if (slot.place > level) {
        Reached& known = nodes_[slot.place - 1];
        if (known.via > neighbour.via) known = neighbour;
      }
    }
  }
  return n;
}

std::uint32_t NodeSet::find(std::int64_t node) const noexcept {
  return slot_of(node, home_of(node)).place - 1;
}

}  // namespace doublets

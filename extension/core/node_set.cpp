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
  direct_ = bits_ < places_count();
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

// Notes how wide nodes are, and asks for the memory where they will be looked up; `home` is where that is in the hash.
void NodeSet::ask(const Neighbour* met, std::size_t few, std::uint64_t* home) noexcept {
  if (direct_) {
    for (std::size_t i = 0; i < few; ++i) {
      bits_ |= width(met[i].node);
      __builtin_prefetch(places() + (width(met[i].node) & (places_count() - 1)));
    }
    if (bits_ < places_count()) return;
    fill_table();
  }
  for (std::size_t i = 0; i < few; ++i) {
    bits_ |= width(met[i].node);
    home[i] = home_of(met[i].node);
    __builtin_prefetch(slots_ + home[i]);
  }
}

// A node that has been met, at place + 1 and maybe by a better way.
inline void NodeSet::meet_again(const Neighbour& met, std::uint32_t place, std::uint32_t level) noexcept {
  if (place <= level) return;
  Reached& known = nodes_[place - 1];
  if (known.via > met.via) known = met;
}

std::size_t NodeSet::add(const Neighbour* met, std::size_t n, std::uint32_t level) noexcept {
  if (capacity_ == 0) return 0;
  std::uint64_t home[kFew];
  for (std::size_t first = 0; first < n; first += kFew) {
    const std::size_t few = std::min(kFew, n - first);
    ask(met + first, few, home);
    for (std::size_t i = 0; i < few; ++i) {
      const Neighbour& neighbour = met[first + i];
      Slot* slot = nullptr;
      std::uint32_t place;
      if (direct_) {
        place = places()[neighbour.node];
      } else {
        slot = &slot_of(neighbour.node, home[i]);
        place = slot->place;
      }
      if (place != 0) {
        meet_again(neighbour, place, level);
        continue;
      }
      if (size_ == capacity_) return first + i;
      nodes_[size_++] = neighbour;
      if (direct_)
        places()[neighbour.node] = size_;
      else
        *slot = {neighbour.node, size_};
    }
  }
  return n;
}

std::uint32_t NodeSet::find(std::int64_t node) const noexcept {
  if (!direct_) return slot_of(node, home_of(node)).place - 1;
  return width(node) < places_count() ? places()[node] - 1 : kNone;
}

}  // namespace doublets

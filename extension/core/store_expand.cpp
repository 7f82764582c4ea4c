// The neighbours of many nodes at once: a step of a traversal.
#include <iterator>

#include "store.hpp"

namespace doublets {
namespace {

// Versions looked at in one step; bounds the time the store's lock is held.
constexpr std::size_t kStep = Store::kNeighbours;
static_assert(kStep >= 2 * SplitIndex::kMaxCandidates);

Search search_for(std::int64_t node, Access access) noexcept {
  Search search{.access = access};
  (access == Access::kSource ? search.pattern.source : search.pattern.target) = Range::point(node);
  return search;
}

}  // namespace

std::size_t Store::expand(const NodeSet& nodes, Expansion& expansion, const Visibility& seen_by,
                          Neighbour* out) const noexcept {
  Ref<Version> refs[kStep];
  std::uint32_t from[kStep];
  std::size_t n = 0;
  // Buckets or leaves, lists and versions are asked for ahead, so that their misses overlap.
  with_index([&](auto& index) noexcept {
    using Index = std::remove_reference_t<decltype(index)>;
    constexpr std::uint32_t kSteps = 2;  // of prefetch_node
    std::uint32_t ahead[4 * kStride];    // what a step leaves to the next one of its node, by place
    static_assert(std::size(ahead) > kSteps * kStride);
    const auto ask = [&](std::uint32_t step, std::uint32_t place) noexcept {
      if (place < expansion.end)
        index.prefetch_node(step, nodes[place].node, expansion.access, ahead[place % std::size(ahead)]);
    };
    for (std::uint32_t step = 0; step < kSteps; ++step)
      for (std::uint32_t i = 0; i < (kSteps - step) * kStride; ++i)
        ask(step, expansion.next + i);
    while (expansion.next < expansion.end && kStep - n >= SplitIndex::kMaxCandidates) {
      for (std::uint32_t step = 0; step < kSteps; ++step)
        ask(step, expansion.next + static_cast<std::uint32_t>((kSteps - step) * kStride));
      const std::int64_t node = nodes[expansion.next].node;
      std::size_t found = Index::kLong;
      if (!expansion.position.started)
        found = index.links_of(node, expansion.access, ahead[expansion.next % std::size(ahead)], refs + n, kStep - n);
      if (found != Index::kLong)
        expansion.position.done = true;
      else
        found = index.candidates(search_for(node, expansion.access), expansion.position, refs + n, kStep - n).n;
      for (std::size_t i = n; i < n + found; ++i) {
        ask_for(&heap_.at(refs[i]));
        from[i] = expansion.next;
      }
      n += found;
      if (!expansion.position.done) break;
      expansion.position = Position{};
      ++expansion.next;
    }
  });
  std::size_t seen = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!sees(refs[i], seen_by)) continue;
    const Version& v = heap_.at(refs[i]);
    out[seen++] = {expansion.access == Access::kSource ? v.target : v.source, v.id, from[i]};
  }
  return seen;
}

}  // namespace doublets

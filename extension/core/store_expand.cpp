// The links of many nodes at once: a step of a traversal or of a join.
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

// The next candidates of the nodes node_at(place), and by what place each was found; has asked for them.
template <class NodeAt>
std::size_t Store::meet(NodeAt&& node_at, Expansion& expansion, Ref<Version>* refs,
                        std::uint32_t* from) const noexcept {
  std::size_t n = 0;
  // Buckets or leaves, lists and versions are asked for ahead, so that their misses overlap.
  with_index([&](auto& index) noexcept {
    using Index = std::remove_reference_t<decltype(index)>;
    constexpr std::uint32_t kSteps = 2;  // of prefetch_node
    std::uint32_t ahead[4 * kStride];    // what a step leaves to the next one of its node, by place
    static_assert(std::size(ahead) > kSteps * kStride);
    const auto ask = [&](std::uint32_t step, std::uint32_t place) noexcept {
      if (place < expansion.end)
        index.prefetch_node(step, node_at(place), expansion.access, ahead[place % std::size(ahead)]);
    };
    for (std::uint32_t step = 0; step < kSteps; ++step)
      for (std::uint32_t i = 0; i < (kSteps - step) * kStride; ++i)
        ask(step, expansion.next + i);
    while (expansion.next < expansion.end && kStep - n >= SplitIndex::kMaxCandidates) {
      for (std::uint32_t step = 0; step < kSteps; ++step)
        ask(step, expansion.next + static_cast<std::uint32_t>((kSteps - step) * kStride));
      const std::int64_t node = node_at(expansion.next);
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
  return n;
}

std::size_t Store::expand(const NodeSet& nodes, Expansion& expansion, const Visibility& seen_by,
                          Neighbour* out) const noexcept {
  Ref<Version> refs[kStep];
  std::uint32_t from[kStep];
  const auto node_at = [&nodes](std::uint32_t place) noexcept { return nodes[place].node; };
  const std::size_t n = meet(node_at, expansion, refs, from);
  std::size_t seen = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!sees(refs[i], seen_by)) continue;
    const Version& v = heap_.at(refs[i]);
    out[seen++] = {expansion.access == Access::kSource ? v.target : v.source, v.id, from[i]};
  }
  return seen;
}

std::size_t Store::match(const std::int64_t* values, Expansion& expansion, const Visibility& seen_by, MatchedLink* out,
                         std::uint64_t& passed) const noexcept {
  Ref<Version> refs[kStep];
  std::uint32_t from[kStep];
  std::size_t n = 0, seen = 0;
  if (expansion.access == Access::kId) {
    // All heads first, so that their misses overlap.
    const IdIndex ids(heap_, header_.ids);
    for (; expansion.next < expansion.end && n < kStep / 2; ++expansion.next) {
      refs[n] = ids.head(values[expansion.next]);
      if (!refs[n]) continue;
      ask_for(&heap_.at(refs[n]));
      from[n++] = expansion.next;
    }
  } else {
    n = meet([values](std::uint32_t place) noexcept { return values[place]; }, expansion, refs, from);
  }
  const bool by_id = expansion.access == Access::kId;
  std::size_t looked = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (by_id && looked >= kStep) {
      expansion.next = from[i];
      break;
    }
    // By id a candidate is the newest version; two at the most are seen of it and those before, none before a settled
    // one.
    for (Ref<Version> ref = refs[i]; ref; ref = by_id && heap_.at(ref).flight ? heap_.at(ref).older : Ref<Version>{}) {
      const Version& v = heap_.at(ref);
      ++looked;
      if (sees(ref, seen_by))
        out[seen++] = {{v.id, v.source, v.target}, from[i]};
      else
        ++passed;
    }
  }
  return seen;
}

}  // namespace doublets

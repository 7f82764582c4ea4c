// A level of a graph search on its way to the next one, pushed or pulled.
#include "fdw_plan.hpp"
#include "graph_search.hpp"

namespace doublets::pg {
namespace {

// A level smaller than this is pushed, whatever there is beside it.
constexpr std::uint32_t kSmallLevel = 256;

// To find the next value at an end of links costs as much as to read so many links: rather more, but only once.
constexpr double kEndCost = 1;

constexpr Access other_end(Access end) {
  return end == Access::kSource ? Access::kTarget : Access::kSource;
}

UnmetEnds& unmet_of(GraphSearch& search, Access end) {
  return search.unmet[end == Access::kSource ? 0 : 1];
}

// Whether the links of the level are more than those of the nodes that would have to be looked at instead. Of the nodes
// that were met nearly all are values at the other end.
bool is_to_be_pulled(GraphSearch& search, StoreHandle* store, Access away, std::uint32_t level_size) {
  if (level_size < kSmallLevel) return false;
  const auto links = static_cast<double>(Store::size_hint(Store(store->heap).header()));
  double mean[kParts];
  mean_degrees(store, links, mean);
  const bool outgoing = away == Access::kSource;
  const double pushed = level_size * mean[outgoing ? kPartSource : kPartTarget];
  double links_each = mean[outgoing ? kPartTarget : kPartSource];
  const UnmetEnds& unmet = unmet_of(search, other_end(away));
  double ends = unmet.count;
  double unmet_now = ends - (search.met.size() - unmet.met);
  double end_cost = 1;
  if (!unmet.complete) {
    ends = links / links_each;
    unmet_now = ends - search.met.size();
    end_cost = kEndCost;
  }
  // Those that stay unmet may be hubs, whose links would be read in vain at each level.
  if (unmet.looked_at != 0)
    links_each = Max(links_each, static_cast<double>(unmet.links) / static_cast<double>(unmet.looked_at));
  return pushed > ends * end_cost + Max(unmet_now, 0) * links_each;
}

// Room for `count` ends; false: the search may not take as much memory.
bool make_room(UnmetEnds& unmet, const GraphSearch& search, std::uint32_t count) {
  if (count <= unmet.room) return true;
  const std::uint32_t room = Max(2 * unmet.room, 4 * Frontier::kEnds);
  const Size bytes = sizeof(std::int64_t) * room;
  const Size more = bytes - sizeof(std::int64_t) * unmet.room;
  if (more > *search.budget) return false;
  *search.budget -= more;
  unmet.ends = static_cast<std::int64_t*>(unmet.ends == nullptr ? MemoryContextAllocHuge(search.context, bytes)
                                                                : repalloc_huge(unmet.ends, bytes));
  unmet.room = room;
  return true;
}

std::size_t read_ends(Frontier& frontier, const UnmetEnds& unmet, StoreHandle* store) {
  // Forgotten meanwhile: from the beginning. To look twice does no harm.
  frontier.known = frontier.known && unmet.complete;
  if (frontier.known) {
    const std::uint32_t n = Min(Frontier::kEnds, unmet.count - frontier.next_unmet);
    std::copy_n(unmet.ends + frontier.next_unmet, n, frontier.ends);
    frontier.next_unmet += n;
    frontier.position.done = frontier.next_unmet == unmet.count;
    return n;
  }
  store_lock(store, LW_SHARED);
  const std::size_t n =
      Store(store->heap).ends(other_end(frontier.away), frontier.position, frontier.ends, Frontier::kEnds);
  store_unlock(store);
  return n;
}

// The next values at the other end that are not in the set, or have been added in this step, in which case a link with
// a smaller id may be found.
void next_ends(Frontier& frontier, GraphSearch& search, StoreHandle* store) {
  UnmetEnds& unmet = unmet_of(search, other_end(frontier.away));
  const std::size_t n = read_ends(frontier, unmet, store);
  for (std::size_t i = 0; i < n; ++i)
    search.met.ask(frontier.ends[i]);
  frontier.keeps = frontier.keeps && frontier.kept <= unmet.room &&
                   make_room(unmet, search, frontier.kept + static_cast<std::uint32_t>(n));
  std::uint32_t wanted = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t end = frontier.ends[i];
    const std::uint32_t place = search.met.find(end);
    if (place < frontier.end) continue;
    frontier.ends[wanted++] = end;
    if (place == NodeSet::kNone && frontier.keeps) unmet.ends[frontier.kept++] = end;
  }
  frontier.expansion = {other_end(frontier.away), 0, wanted};
  unmet.looked_at += wanted;
  if (!frontier.position.done || !frontier.keeps) return;
  unmet.count = frontier.kept;
  unmet.met = frontier.end;
  unmet.complete = true;
}

// Those of links that come from the level, turned round.
std::size_t from_level(const Frontier& frontier, const NodeSet& met, const MatchedLink* links, std::size_t n,
                       Neighbour* found) {
  const Part near_end = frontier.away == Access::kSource ? kPartSource : kPartTarget;
  for (std::size_t i = 0; i < n; ++i)
    met.ask(links[i].parts[near_end]);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t place = met.find(links[i].parts[near_end]);
    if (place >= frontier.begin && place < frontier.end)
      found[kept++] = {frontier.ends[links[i].from], links[i].parts[kPartId], place};
  }
  return kept;
}

void give_up_unmet(GraphSearch& search) {
  for (UnmetEnds& unmet : search.unmet) {
    if (unmet.ends == nullptr) continue;
    pfree(unmet.ends);
    *search.budget += sizeof(std::int64_t) * unmet.room;
    unmet = UnmetEnds{nullptr, 0, 0, 0, false, unmet.looked_at, unmet.links};  // what a level costs stays known
  }
}

}  // namespace

void begin_frontier(Frontier& frontier, GraphSearch& search, StoreHandle* store, Access away, std::uint32_t begin,
                    std::uint32_t end) {
  frontier.away = away;
  frontier.begin = begin;
  frontier.end = end;
  frontier.pulled = is_to_be_pulled(search, store, away, end - begin);
  if (!frontier.pulled) {
    frontier.expansion = {away, begin, end};
    return;
  }
  frontier.expansion = {other_end(away), 0, 0};
  UnmetEnds& unmet = unmet_of(search, other_end(away));
  unmet.looked_at = unmet.links = 0;
  frontier.position = Position{};
  frontier.known = unmet.complete;
  frontier.keeps = true;
  frontier.next_unmet = frontier.kept = 0;
}

std::size_t look_around(Frontier& frontier, GraphSearch& search, StoreHandle* store, SnapshotView& view,
                        Neighbour* found) {
  if (frontier.pulled && frontier.expansion.done()) next_ends(frontier, search, store);
  MatchedLink links[Store::kNeighbours];
  std::uint64_t passed = 0;
  store_lock(store, LW_SHARED);
  const Store core(store->heap);
  const std::size_t n = frontier.pulled
                            ? core.match(frontier.ends, frontier.expansion, view.visibility(), links, passed)
                            : core.expand(search.met, frontier.expansion, view.visibility(), found);
  store_unlock(store);
  view.report(store);
  if (!frontier.pulled) return n;
  unmet_of(search, other_end(frontier.away)).links += n + passed;
  return from_level(frontier, search.met, links, n, found);
}

void forget_unmet(GraphSearch& search) {
  give_up_unmet(search);
  if (search.partner != nullptr) give_up_unmet(*search.partner);
}

}  // namespace doublets::pg

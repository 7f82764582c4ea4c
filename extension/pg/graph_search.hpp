// Breadth-first search over the links of a store: what walk, reachable and shortest_path share.
//
// A node is any bigint: the links with that value as source lead away from it, those with it as
// target lead to it, whether or not it is the id of a link. A search goes level by level, all of it judged by one
// snapshot. The store's lock is held shared for a batch of links at a time, never while nodes are
// looked up; interrupts are served between batches.
//
// Memory: 24 bytes and one and a half to three slots of 16 bytes for each node met, in a memory context of
// the caller's; a session keeps memory for two small searches, because the kernel takes longer to give such memory than
// a small search to use it. All searches of a call together may take as much as one hash table of the executor,
// work_mem times hash_mem_multiplier: beyond it error 53200.
#pragma once

#include "functions_common.hpp"

namespace doublets::pg {

// Which links a search follows.
struct Direction {
  bool outgoing;
  bool incoming;
  Direction reversed() const { return {incoming, outgoing}; }
};

// Of a text that names it. Errors: 22023.
Direction direction_of(Datum name);

struct SearchMemory;  // graph_search.cpp

// The ends of links that a search had not met when they were last looked at.
struct UnmetEnds {
  std::int64_t* ends;
  std::uint32_t count;
  std::uint32_t room;
  std::uint32_t met;  // the size of the set then
  bool complete;      // all of them, for the snapshot of the search
  // How many were looked at in the newest level that was pulled, and their links: what the next one will cost.
  std::uint64_t looked_at;
  std::uint64_t links;
};

struct GraphSearch {
  NodeSet met;
  Direction direction;
  std::uint32_t level;  // place of the first node of the newest level
  Size* budget;         // bytes that searches of this call may still take
  MemoryContext context;
  // The memory of `met`, for `room` nodes. It stays from one search to the next in the same place.
  Reached* nodes;
  NodeSet::Slot* slots;
  std::uint32_t room;
  SearchMemory* kept;    // lent by the session; null: the memory is in the context
  GraphSearch* partner;  // shares the budget; null: none does
  UnmetEnds unmet[2];    // sources, targets

  std::uint32_t level_size() const { return met.size() - level; }
};

// What the searches of one call may take.
Size search_budget();

// Begins a search in zeroed memory or in the place of another one with the same context.
void begin_search(GraphSearch& search, Direction direction, Size* budget, MemoryContext context);

// Adds a node to those it starts from. Errors: 53200.
void add_start(GraphSearch& search, std::int64_t node);

// Makes room for more nodes. Errors: 53200.
void grow_search(GraphSearch& search);

// Frees what is known of unmet ends, of its partner's too, and the search may take that memory for others.
void forget_unmet(GraphSearch& search);

// Frees the memory of a search.
void end_search(GraphSearch& search);

// A level on its way to the next one, by the links of one direction. A small level is *pushed*: the links of its nodes
// are read. One that has more links than all nodes not met yet is *pulled*: those nodes, the ends of links that are not
// in the set, look among theirs for one that comes from the level. Near the end of a search that reaches most of a
// graph there are few such nodes, and few of the links are ever read. (The two steps of S. Beamer, K. Asanović and D.
// Patterson, "Direction-optimizing breadth-first search", 2012; here a node looks at all of its links, for the smallest
// that leads to it.)
struct Frontier {
  Access away;               // the end at which the links of the direction have the nodes of the level
  std::uint32_t begin, end;  // of the level, by place
  bool pulled;
  Expansion expansion;  // pushed: of the level; pulled: of `ends`
  Position position;    // pulled: among the values at the other end
  bool known;           // pulled: those that are unmet are known
  bool keeps;           // pulled: those that are unmet shall be known
  std::uint32_t next_unmet;
  std::uint32_t kept;
  static constexpr std::uint32_t kEnds = 256;
  std::int64_t ends[kEnds];

  bool done() const { return expansion.done() && (!pulled || position.done); }
};

// `end`: the level ends there, and nodes behind it are of the next one.
void begin_frontier(Frontier& frontier, GraphSearch& search, StoreHandle* store, Access away, std::uint32_t begin,
                    std::uint32_t end);

// The next of the nodes that are one link further, some of which may have been met: at most Store::kNeighbours to
// `found`. May write none and not be done. Errors: those of SnapshotView::report.
std::size_t look_around(Frontier& frontier, GraphSearch& search, StoreHandle* store, SnapshotView& view,
                        Neighbour* found);

// Goes one link further from the nodes of the newest level: those not met before are the next
// one. `store` may be null. After each batch `stop(first)` says whether to end early; the nodes at
// place `first` and behind are new. Returns whether it did. Errors: 53200, those of
// SnapshotView::report.
template <class Stop>
bool advance_search(GraphSearch& search, StoreHandle* store, SnapshotView& view, Stop&& stop) {
  const std::uint32_t begin = search.level;
  const std::uint32_t end = search.met.size();
  search.level = end;
  if (store == nullptr) return false;
  Neighbour found[Store::kNeighbours];
  for (const Access away : {Access::kSource, Access::kTarget}) {
    if (!(away == Access::kSource ? search.direction.outgoing : search.direction.incoming)) continue;
    Frontier frontier;
    for (begin_frontier(frontier, search, store, away, begin, end); !frontier.done();) {
      const std::size_t n = look_around(frontier, search, store, view, found);
      const std::uint32_t first = search.met.size();
      for (std::size_t added = 0; (added += search.met.add(found + added, n - added, end)) < n;)
        grow_search(search);
      if (stop(first)) return true;
      CHECK_FOR_INTERRUPTS();
    }
  }
  return false;
}

}  // namespace doublets::pg

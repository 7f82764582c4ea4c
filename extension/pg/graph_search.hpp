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
  SearchMemory* kept;  // lent by the session; null: the memory is in the context

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

// Frees the memory of a search.
void end_search(GraphSearch& search);

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
  for (const Access access : {Access::kSource, Access::kTarget}) {
    if (!(access == Access::kSource ? search.direction.outgoing : search.direction.incoming)) continue;
    for (Expansion expansion{access, begin, end}; !expansion.done();) {
      store_lock(store, LW_SHARED);
      const std::size_t n = Store(store->heap).expand(search.met, expansion, view.visibility(), found);
      store_unlock(store);
      view.report(store);
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

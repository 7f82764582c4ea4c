// A backend's view of one store: where its chunks are mapped, and how to lock it.
//
// A store's lock is several LWLocks: a reader shares that of the processor it is on, a writer takes all, so
// that readers on different processors do not take the same cache line from each other ("big reader lock").
//
// Order of locks: relation lock (heavyweight), growth lock (heavyweight: the
// relation's extension lock), store lock (LWLock), registry lock (LWLock). No two
// store locks are held at once. Nothing that may raise an ERROR is done under an
// LWLock.
#pragma once

#include "../core/heap.hpp"
#include "options.hpp"
#include "pg.hpp"
#include "registry.hpp"

namespace doublets::pg {

struct StoreTransaction;  // the adapter's transactions.cpp

// How many links a source and a target have on average, when the store had so many links; sampled.
struct MeanDegrees {
  double links;
  double source;
  double target;
};

// One per store and backend, in TopMemoryContext. Valid while its relation is
// locked and, after that, to the end of the transaction.
struct StoreHandle {
  Heap heap;            // the core's view; its content: the store's lock
  SharedStore* shared;  // never unmapped; see registry.hpp
  uint64 incarnation;   // of `shared` when attached
  StoreKey key;
  Layout layout;  // as the store was created
  bool unique_pairs;
  uint64 max_size;         // of the options as of the last store_open; 0: no limit
  dsm_segment** segments;  // of chunk i, null for chunks in an arena
  std::uint32_t segment_capacity;
  StoreHandle* next_lost;    // of pending.cpp
  LWLock* held;              // the one last taken as a reader; null: all of them as a writer
  bool settled_none;         // by the last statement that settled in passing
  unsigned passes;           // of statements that might have settled
  MeanDegrees mean_degrees;  // of fdw_statistics.cpp
  StoreTransaction*
      transaction;  // of transactions.cpp: of the innermost subtransaction that has written; null when attached
};

// The store of a relation; null if it has no memory (it is empty) and `create` is
// false. With `create` the store gets its first chunk.
// Requires: `rel` is open with a lock (RowExclusiveLock or stronger to create), no
// LWLock is held. Checks columns and options (cached).
// Errors: those of store_spec; 55000 layout or unique_pairs differ from the live
// store's; 0A000 during recovery; those of store_grow for the first chunk.
// Cost: one hash lookup when attached.
StoreHandle* store_open(Relation rel, bool create);

// Takes the store's lock with all its chunks mapped in this process. May raise an
// ERROR (53200, no memory to map a chunk) before it is taken, never while held.
void store_lock(StoreHandle* store, LWLockMode mode);

// The same, exclusive, if it can be had at once; may map chunks first.
bool store_lock_conditional(StoreHandle* store);

void store_unlock(StoreHandle* store);

// Makes room for blocks of `units` in all, or, where max_size forbids that, settles all
// that can be: the caller tries again, because others may have been faster. Requires: no
// LWLock is held. One backend grows a store at a time, under the relation's extension lock;
// others wait there, interruptibly. The memory is obtained without the store's
// lock and published under it.
// Errors, each leaving the store as it was: 53400 max_size reached, or no DSM slot
// left; 53100 /dev/shm or disk full; 53200 no memory; 54000 the store's 2^32 units
// are used up.
void store_grow(StoreHandle* store, uint32 units);

// Empties the store: TRUNCATE. The body it has is retired; it is freed at commit
// and comes back when the (sub)transaction is rolled back. A later store_open
// creates a new one. Requires: AccessExclusiveLock.
void store_truncate(Relation rel);

// --- For the rest of memory management: growth, ddl, stats ---

// As store_open without checks: null if the store has no memory.
StoreHandle* store_attach(Relation rel);

// The store of a relation of this database that is about to be dropped, or null.
StoreHandle* store_attach_dropped(Oid relation);

// Maps all chunks. Not under an LWLock. Errors: 53200.
void store_map(StoreHandle* store);

// Makes `segments` long enough for one more chunk. Errors: 53200.
void reserve_segment(StoreHandle* store);

// Error 55000 if the options no longer fit a live store.
void check_matches(Relation rel, const StoreSpec& spec, Layout layout, bool unique_pairs);

}  // namespace doublets::pg

// The registry: which stores have memory, and when it is given back.
//
// Main shared memory holds only a lock, tranche ids and the handle of a DSA area.
// The area holds the registry itself (a hash table over slots of type SharedStore),
// the memory of small stores and the first pieces of large ones. Nothing is
// allocated before the first row of the first store.
//
// A slot is never returned to the area, only reused: a backend may therefore keep
// a pointer to it forever, and finds out that its store is gone by comparing the
// incarnation. That, and states instead of removal, is what lets commit and abort
// do their part without allocating, attaching or failing.
#pragma once

#include "../core/heap.hpp"
#include "options.hpp"
#include "pg.hpp"

namespace doublets::pg {

// Stores are keyed by (database, relation, row type): a foreign table has no
// relfilenode, and the row type tells a reused relation oid from the old one.
struct StoreKey {
  Oid database;
  Oid relation;
  Oid row_type;
};

enum class StoreState : std::uint32_t {
  kFree,    // the slot is on the free list
  kLive,    // found by lookups
  kRetired, // truncated or dropped by an unfinished transaction; lookups pass it by
  kDead,    // nobody will look at its content again; the reaper frees it
};

// The shared part of one store with memory.
struct SharedStore {
  LWLock lock;                   // protects everything in the store's chunks
  pg_atomic_uint64 incarnation;  // 0: none; written under the registry lock, read by anyone
  StoreKey key;                  // this and the rest: the registry lock, and constant while live
  StoreState state;
  std::uint32_t next;            // in the bucket, or in the free or dead list; slot number + 1
  std::uint32_t slot;            // number of this slot
  Layout layout;
  bool unique_pairs;
  dsa_pointer root;              // chunk 0
};

// Called once by _PG_init.
void registry_init();

// To be called by the transaction callbacks, after the states of transaction slots
// have been set: from here on nobody may look at what the transaction's dropped or
// rolled back stores contained. They do not fail, allocate or attach. At the end of a
// top-level transaction StoreHandle pointers of stores that are gone become invalid.
void registry_at_xact_end(bool commit);
void registry_at_subxact_end(bool commit, SubTransactionId my_subid, SubTransactionId parent_subid);

// True if the transaction has created, truncated or dropped a store: such a
// transaction cannot be prepared (COMMIT PREPARED calls no extension code).
bool registry_has_pending();

} // namespace doublets::pg

// The registry: which stores have memory, and when it is given back.
//
// Main shared memory holds only a lock, tranche ids and the handle of a dynamic segment
// with the registry itself: a hash table over slots of type SharedStore, and the table of
// the arenas in which small stores live. Nothing is allocated before the first row of the
// first store.
//
// A slot is never unmapped, only reused: a backend may therefore keep
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
  kFree,     // the slot is on the free list
  kLive,     // found by lookups
  kRetired,  // truncated or dropped by an unfinished transaction; lookups pass it by
  kDead,     // its memory is being given back, or has been; the slot waits to be reused
};

inline constexpr uint32 kMaxStoreLocks = 4;

// The shared part of one store with memory. Padded: the locks of two stores do not share
// a cache line.
struct alignas(PG_CACHE_LINE_SIZE) SharedStore {
  pg_atomic_uint64 incarnation;  // 0: none; written under the registry lock, read by anyone
  pg_atomic_uint64 planned_size;  // versions when plans were last invalidated; written when a transaction commits
  // The registry lock; key, root, layout and unique_pairs are constant while live, so
  // whoever has the relation locked may read them without it.
  StoreKey key;
  uint64 root;  // handle of chunk 0
  Layout layout;
  StoreState state;
  std::uint32_t next;  // in the bucket or the free list; slot number + 1
  std::uint32_t next_dead;
  std::uint32_t slot;  // number of this slot; immutable
  bool unique_pairs;
  std::uint32_t lock_count;  // as many as there are processors, up to kMaxStoreLocks; immutable
  // The store's lock, which protects everything in its chunks: a reader has one of them shared, a
  // writer all of them exclusive.
  LWLockPadded locks[kMaxStoreLocks];
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

// --- For the rest of memory management: store_handle, growth, ddl, stats ---

struct StoreHandle;

// True if the registry exists and this process has it mapped; `create` makes it.
// Errors: those of store_grow.
bool registry_attach(bool create);
bool registry_is_attached();

// Requires registry_attach.
struct ArenaTable;
ArenaTable& registry_arenas();

// The live store of a key, or of a relation of this database whatever its row type;
// null if there is none. Requires registry_attach, and the relation locked.
SharedStore* registry_find(const StoreKey& key);
SharedStore* registry_find_relation(Oid relation);

// Makes sure there is a free slot, dead ones included, so that registry_insert rarely has to make one.
void registry_reserve();

// Registers a store whose first chunk is formatted, and returns it; another one if
// somebody was faster (`won` is false: the caller frees its chunk).
SharedStore* registry_insert(const StoreKey& key, const StoreSpec& spec, uint64 root, bool* won);

// Notes that the store was created by this transaction in a relation nobody else can
// see: it goes away with the current subtransaction. `handle` is attached.
void registry_created(StoreHandle* handle);

// Whether the current transaction has retired a store of the relation.
bool registry_has_retired(Oid relation);

// Takes a live store out of sight until the transaction ends, then frees it (commit) or
// puts it back (abort). Requires AccessExclusiveLock and an attached handle with all
// chunks mapped, so that their pages can be given back while others still map them.
void registry_retire(StoreHandle* handle);

// Changes a store's state. kDead also ends its incarnation and queues the slot for reuse.
// Cannot fail.
void registry_set_state(SharedStore* store, StoreState state);

// Looks at up to `limit` stores, going round, for those whose relation or database is
// gone, and frees them. Takes and releases relation locks, conditionally.
void registry_sweep(int limit);

}  // namespace doublets::pg

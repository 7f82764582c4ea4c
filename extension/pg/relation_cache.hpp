// What this backend knows about each store it has met: an entry per relation,
// kept until the end of the transaction after its invalidation.
// For options, definition and store_handle alone.
#pragma once

#include "store_handle.hpp"

namespace doublets::pg {

struct RelationEntry {
  Oid relation;          // the key
  bool spec_valid;       // cleared by a relcache invalidation
  bool suspect;          // invalidated: at transaction end, look whether the store is gone
  uint32 invalidations;  // counted, to notice one that arrives while the catalogs are read
  StoreSpec spec;
  StoreHandle* handle;  // of the live body; null: not attached, or none
};

// Called once by registry_init.
void relation_cache_init();

// The entry of a relation, made if absent. Stable until the end of the transaction.
RelationEntry* relation_entry(Oid relation);

// The same, or null. Allocates nothing.
RelationEntry* find_relation_entry(Oid relation);

// Whether the store the handle was attached to still has its memory.
inline bool handle_is_current(const StoreHandle& handle) {
  return pg_atomic_read_u64(&handle.shared->incarnation) == handle.incarnation;
}

// Forgets a handle and unmaps its chunks. Cannot fail.
void release_handle(StoreHandle* handle);

// At the end of a top-level transaction: lets go of stores that are gone. Cannot fail.
void release_stale_entries();

}  // namespace doublets::pg

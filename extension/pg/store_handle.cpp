// Opening, mapping and locking a store.
#include "store_handle.hpp"

#include <sched.h>

#include "chunks.hpp"
#include "relation_cache.hpp"

namespace doublets::pg {
namespace {

constexpr int kSweepPerCreate = 64;  // slots looked at by whoever makes a new store

// The lock is held for less than a microsecond as a rule. Whoever finds it taken looks again for about
// as long as falling asleep and being woken would take, so that he loses twice that at most.
constexpr int kSpins = 400;

void acquire(LWLock* lock, LWLockMode mode) {
  for (int i = 0; i < kSpins; ++i) {
    if (likely(LWLockConditionalAcquire(lock, mode))) return;
    SPIN_DELAY();
  }
  LWLockAcquire(lock, mode);
}

[[noreturn]] void out_of_memory() {
  ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory"),
                  errdetail("Failed while mapping the memory of a doublets store.")));
  pg_unreachable();
}

StoreHandle* attach(RelationEntry* entry, SharedStore* shared, const StoreKey& key) {
  const Chunk chunk = chunk_map(shared->root);
  if (!Heap::recognises(chunk.base))
    ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("the memory of a doublets store is damaged")));
  auto* handle = static_cast<StoreHandle*>(MemoryContextAllocZero(TopMemoryContext, sizeof(StoreHandle)));
  new (&handle->heap) Heap();
  handle->shared = shared;
  handle->incarnation = pg_atomic_read_u64(&shared->incarnation);
  handle->key = key;
  handle->layout = shared->layout;
  handle->unique_pairs = shared->unique_pairs;
  const auto* header = reinterpret_cast<HeapHeader*>(chunk.base);
  if (!handle->heap.reserve_local(static_cast<std::size_t>(header->chunks[0].units) * kUnitBytes)) {
    pfree(handle);
    out_of_memory();
  }
  if (chunk.segment != nullptr) {
    reserve_segment(handle);
    handle->segments[0] = chunk.segment;
  }
  handle->heap.map_next_chunk(chunk.base);
  entry->handle = handle;
  return handle;
}

// Makes the first chunk and registers it.
SharedStore* create(const StoreKey& key, const StoreSpec& spec, bool* won) {
  registry_attach(true);
  // The first new store of a session looks for everything that has lost its owner: nothing
  // tells anybody of DROP DATABASE.
  static bool swept = false;
  registry_sweep(swept ? kSweepPerCreate : PG_INT32_MAX);
  swept = true;
  registry_reserve();  // now, while there is no chunk an error would lose
  const Chunk chunk = chunk_create(kFirstChunkBytes, false);
  memset(chunk.base, 0, kFirstChunkBytes);
  Store::format(chunk.base, kFirstChunkBytes, chunk.handle, spec.layout, spec.unique_pairs,
                pg_prng_uint64(&pg_global_prng_state));
  SharedStore* shared = registry_insert(key, spec, chunk.handle, won);
  if (!*won) {
    chunk_give_back(chunk.handle, kFirstChunkBytes, chunk.segment);
    if (chunk.segment != nullptr) dsm_detach(chunk.segment);
  }
  return shared;
}

}  // namespace

void check_matches(Relation rel, const StoreSpec& spec, Layout layout, bool unique_pairs) {
  if (spec.layout == layout && spec.unique_pairs == unique_pairs) return;
  const bool layouts = spec.layout != layout;
  ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                  errmsg("option \"%s\" of store \"%s\" cannot be changed while the store has links",
                         layouts ? "layout" : "unique_pairs", RelationGetRelationName(rel)),
                  layouts ? errdetail("Its links are kept in layout \"%s\".", layout_name(layout))
                          : errdetail("The store was created with unique_pairs %s.", unique_pairs ? "on" : "off"),
                  errhint("Copy the links into a new store with the wanted options, or TRUNCATE this one first.")));
}

StoreHandle* store_attach(Relation rel) {
  const StoreKey key{MyDatabaseId, RelationGetRelid(rel), rel->rd_rel->reltype};
  RelationEntry* entry = relation_entry(key.relation);
  StoreHandle* handle = entry->handle;
  if (handle != nullptr) {
    if (likely(handle_is_current(*handle) && handle->key.row_type == key.row_type)) return handle;
    entry->handle = nullptr;
    release_handle(handle);
  }
  if (!registry_attach(false)) return nullptr;
  SharedStore* shared = registry_find(key);
  return shared != nullptr ? attach(entry, shared, key) : nullptr;
}

StoreHandle* store_open(Relation rel, bool create_it) {
  const StoreSpec* spec = store_spec(rel);
  if (RecoveryInProgress())
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("cannot access volatile store \"%s\" during recovery", RelationGetRelationName(rel)),
                    errhint("Its links are in the memory of the primary server.")));
  StoreHandle* handle = store_attach(rel);
  if (handle == nullptr) {
    if (!create_it) return nullptr;
    if (spec->max_size != 0 && spec->max_size < kFirstChunkBytes)
      ereport(ERROR, (errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
                      errmsg("store \"%s\" would exceed its max_size", RelationGetRelationName(rel)),
                      errhint("The smallest store has %zu kB.", kFirstChunkBytes / 1024)));
    const StoreKey key{MyDatabaseId, RelationGetRelid(rel), rel->rd_rel->reltype};
    bool won;
    SharedStore* shared = create(key, *spec, &won);
    handle = attach(relation_entry(key.relation), shared, key);
    // Only if nobody else can have written to it may it go when this transaction fails.
    if (won && (rel->rd_createSubid != InvalidSubTransactionId || registry_has_retired(key.relation)))
      registry_created(handle);
  }
  check_matches(rel, *spec, handle->layout, handle->unique_pairs);
  handle->max_size = spec->max_size;
  return handle;
}

StoreHandle* store_attach_dropped(Oid relation) {
  if (!registry_attach(false)) return nullptr;
  RelationEntry* entry = find_relation_entry(relation);
  if (entry != nullptr && entry->handle != nullptr && handle_is_current(*entry->handle)) return entry->handle;
  SharedStore* shared = registry_find_relation(relation);
  if (shared == nullptr) return nullptr;
  entry = relation_entry(relation);
  if (entry->handle != nullptr) release_handle(entry->handle);
  entry->handle = nullptr;
  return attach(entry, shared, shared->key);
}

void release_handle(StoreHandle* handle) {
  for (uint32 i = 0; i < handle->heap.mapped_chunks() && i < handle->segment_capacity; ++i)
    if (handle->segments[i] != nullptr) dsm_detach(handle->segments[i]);
  if (handle->segments != nullptr) pfree(handle->segments);
  handle->heap.release_local();
  pfree(handle);
}

void reserve_segment(StoreHandle* store) {
  const uint32 needed = store->heap.mapped_chunks() + 1;
  if (needed <= store->segment_capacity) return;
  const uint32 capacity = Max(needed, store->segment_capacity * 2);
  auto* grown = static_cast<dsm_segment**>(MemoryContextAllocZero(TopMemoryContext, capacity * sizeof(dsm_segment*)));
  if (store->segments != nullptr) {
    memcpy(grown, store->segments, store->segment_capacity * sizeof(dsm_segment*));
    pfree(store->segments);
  }
  store->segments = grown;
  store->segment_capacity = capacity;
}

void store_map(StoreHandle* store) {
  Heap& heap = store->heap;
  while (!heap.fully_mapped()) {
    const uint32 number = heap.mapped_chunks();
    // An entry is constant once it is counted, and counted by an atomic increment.
    const ChunkEntry chunk = heap.header().chunks[number];
    reserve_segment(store);
    if (!heap.reserve_local(static_cast<std::size_t>(chunk.units) * kUnitBytes)) out_of_memory();
    const Chunk mapped = chunk_map(chunk.handle);
    store->segments[number] = mapped.segment;
    heap.map_next_chunk(mapped.base);
  }
}

void store_lock(StoreHandle* store, LWLockMode mode) {
  SharedStore* shared = store->shared;
  for (;;) {
    if (mode == LW_SHARED) {
      store->held = &shared->locks[static_cast<uint32>(sched_getcpu()) % shared->lock_count].lock;
      acquire(store->held, LW_SHARED);
    } else {
      store->held = nullptr;
      for (uint32 i = 0; i < shared->lock_count; ++i)
        acquire(&shared->locks[i].lock, LW_EXCLUSIVE);
    }
    if (likely(store->heap.fully_mapped())) return;
    store_unlock(store);
    store_map(store);
  }
}

bool store_lock_conditional(StoreHandle* store) {
  SharedStore* shared = store->shared;
  for (;;) {
    store->held = nullptr;
    for (uint32 i = 0; i < shared->lock_count; ++i)
      if (!LWLockConditionalAcquire(&shared->locks[i].lock, LW_EXCLUSIVE)) {
        while (i > 0)
          LWLockRelease(&shared->locks[--i].lock);
        return false;
      }
    if (likely(store->heap.fully_mapped())) return true;
    store_unlock(store);
    store_map(store);
  }
}

void store_unlock(StoreHandle* store) {
  SharedStore* shared = store->shared;
  if (store->held != nullptr) {
    LWLockRelease(store->held);
    return;
  }
  for (uint32 i = shared->lock_count; i > 0;)
    LWLockRelease(&shared->locks[--i].lock);
}

void store_truncate(Relation rel) {
  StoreHandle* handle = store_attach(rel);
  if (handle == nullptr) return;
  store_map(handle);
  // Others' plans counted the links; their handles are let go.
  CacheInvalidateRelcache(rel);
  registry_retire(handle);
}

}  // namespace doublets::pg

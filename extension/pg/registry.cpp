// The registry: finding, adding and freeing stores. What transactions do to it is in
// pending.cpp.
#include "registry.hpp"

#include <unistd.h>

#include "arenas.hpp"
#include "chunks.hpp"
#include "relation_cache.hpp"

extern "C" {
#include "common/hashfn.h"
}

namespace doublets::pg {
namespace {

constexpr uint32 kBuckets = 1024;   // chains of a few even with thousands of stores
constexpr uint32 kFirstSlab = 256;  // slots; each slab has twice as many as the one before
constexpr uint32 kMaxSlabs = 16;    // 16 million stores

// In main shared memory: taken from the slack every server has.
struct Root {
  LWLock lock;           // the registry lock
  int registry_tranche;  // the tranches are immutable after creation
  int store_tranche;
  int memory_tranche;
  dsm_handle control;  // the registry lock; written once
  uint32 layout;       // kSharedLayout of the library that made it; immutable
};

// A segment of its own. Protected by the registry lock, but for slab_count and arenas.
struct Control {
  pg_atomic_uint32 slab_count;  // written under the lock; read by anyone, who then finds the slabs
  uint32 free_head;             // slot number + 1; 0: none
  uint32 dead_head;
  uint32 sweep_next;  // slot the sweeper looks at next
  uint64 last_incarnation;
  ArenaTable arenas;            // has its own lock
  dsm_handle slabs[kMaxSlabs];  // constant once counted; the first is below
  uint32 buckets[kBuckets];
  SharedStore first_slab[kFirstSlab];
};

// Tells libraries apart whose ideas of shared memory differ: a new one may be installed
// while backends with the old one run.
constexpr uint32 kSharedLayout =
    kHeapFormat << 24 ^ static_cast<uint32>(sizeof(SharedStore)) << 16 ^
    static_cast<uint32>(sizeof(Control)) << 8 ^ static_cast<uint32>(sizeof(StoreHeader));

// This process's view.
Root* root;
Control* control;
SharedStore* slabs[kMaxSlabs];
uint32 mapped_slabs;

uint32 slots_in(uint32 slab_count) {
  return kFirstSlab * ((1u << slab_count) - 1);
}

SharedStore* slot_at(uint32 slot) {
  const uint32 slab = 31u - static_cast<uint32>(__builtin_clz(slot / kFirstSlab + 1));
  return &slabs[slab][slot - slots_in(slab)];
}

uint32& bucket_of(const StoreKey& key) {
  return control->buckets[hash_combine(murmurhash32(key.database), murmurhash32(key.relation)) % kBuckets];
}

void attach_root() {
  if (root != nullptr) return;
  bool found;
  LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
  auto* shared = static_cast<Root*>(ShmemInitStruct("doublets", sizeof(Root), &found));
  if (!found) {
    shared->registry_tranche = LWLockNewTrancheId();
    shared->store_tranche = LWLockNewTrancheId();
    shared->memory_tranche = LWLockNewTrancheId();
    shared->control = DSM_HANDLE_INVALID;
    shared->layout = kSharedLayout;
    LWLockInitialize(&shared->lock, shared->registry_tranche);
  }
  LWLockRelease(AddinShmemInitLock);
  if (shared->layout != kSharedLayout)
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("the doublets library was replaced while the server was running"),
                    errdetail("Stores in shared memory were made by another version of it."),
                    errhint("Restart the server, which empties volatile stores.")));
  LWLockRegisterTranche(shared->registry_tranche, "DoubletsRegistry");
  LWLockRegisterTranche(shared->store_tranche, "DoubletsStore");
  LWLockRegisterTranche(shared->memory_tranche, "DoubletsMemory");
  root = shared;
}

// Makes the slots of a slab a list of free ones.
void format_slab(SharedStore* slab, uint32 number) {
  const uint32 count = kFirstSlab << number;
  const uint32 lock_count =
      static_cast<uint32>(Max(1, Min(sysconf(_SC_NPROCESSORS_ONLN), static_cast<long>(kMaxStoreLocks))));
  for (uint32 i = 0; i < count; ++i) {
    for (LWLockPadded& part : slab[i].locks)
      LWLockInitialize(&part.lock, root->store_tranche);
    slab[i].lock_count = lock_count;
    pg_atomic_init_u64(&slab[i].incarnation, 0);
    pg_atomic_init_u64(&slab[i].planned_size, 0);
    slab[i].state = StoreState::kFree;
    slab[i].slot = slots_in(number) + i;
    slab[i].next = i + 1 < count ? slab[i].slot + 2 : 0;
  }
}

// Maps the control segment, which another process has made.
void map_control(dsm_handle handle) {
  dsm_segment* segment = dsm_attach(handle);
  if (segment == nullptr) elog(ERROR, "the registry of doublets stores is gone");
  dsm_pin_mapping(segment);
  control = static_cast<Control*>(dsm_segment_address(segment));
}

// Makes the control segment, unless another process is faster: false.
bool create_control() {
  ErrorContextCallback hints;
  begin_memory_hints(&hints);
  dsm_segment* segment = dsm_create(sizeof(Control), 0);
  end_memory_hints(&hints);
  auto* fresh = static_cast<Control*>(dsm_segment_address(segment));
  memset(static_cast<void*>(fresh), 0, sizeof(Control));
  arenas_format(&fresh->arenas, root->memory_tranche);
  format_slab(fresh->first_slab, 0);
  fresh->free_head = 1;
  pg_atomic_init_u32(&fresh->slab_count, 1);
  dsm_pin_segment(segment);
  dsm_pin_mapping(segment);

  LWLockAcquire(&root->lock, LW_EXCLUSIVE);
  const bool won = root->control == DSM_HANDLE_INVALID;
  if (won) root->control = dsm_segment_handle(segment);
  LWLockRelease(&root->lock);
  if (won) {
    control = fresh;
  } else {
    dsm_unpin_segment(dsm_segment_handle(segment));
    dsm_detach(segment);
  }
  return won;
}

void map_slab(uint32 number) {
  if (number == 0) {
    slabs[0] = control->first_slab;
    return;
  }
  dsm_segment* segment = dsm_attach(control->slabs[number]);
  if (segment == nullptr) elog(ERROR, "a part of the registry of doublets stores is gone");
  dsm_pin_mapping(segment);
  slabs[number] = static_cast<SharedStore*>(dsm_segment_address(segment));
}

// Takes the registry lock with all slabs mapped.
void lock_registry(LWLockMode mode) {
  for (;;) {
    const uint32 count = pg_atomic_read_u32(&control->slab_count);
    pg_read_barrier();  // the slabs' handles are read after the count
    for (; mapped_slabs < count; ++mapped_slabs)
      map_slab(mapped_slabs);
    LWLockAcquire(&root->lock, mode);
    if (mapped_slabs == pg_atomic_read_u32(&control->slab_count)) return;
    LWLockRelease(&root->lock);
  }
}

// Requires the registry lock.
SharedStore* find_locked(const StoreKey& key, bool any_row_type) {
  for (uint32 link = bucket_of(key); link != 0;) {
    SharedStore* store = slot_at(link - 1);
    if (store->state == StoreState::kLive && store->key.relation == key.relation &&
        store->key.database == key.database && (any_row_type || store->key.row_type == key.row_type))
      return store;
    link = store->next;
  }
  return nullptr;
}

// Requires the registry lock, exclusive.
void unlink_locked(SharedStore* store) {
  uint32* link = &bucket_of(store->key);
  while (*link != store->slot + 1)
    link = &slot_at(*link - 1)->next;
  *link = store->next;
}

// Makes more slots. Called without a lock.
void add_slab() {
  const uint32 number = mapped_slabs;
  if (number == kMaxSlabs)
    ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("too many doublets stores")));
  ErrorContextCallback hints;
  begin_memory_hints(&hints);
  dsm_segment* segment = segment_create((kFirstSlab << number) * sizeof(SharedStore));
  end_memory_hints(&hints);
  auto* slab = static_cast<SharedStore*>(dsm_segment_address(segment));
  format_slab(slab, number);

  LWLockAcquire(&root->lock, LW_EXCLUSIVE);
  const bool won = pg_atomic_read_u32(&control->slab_count) == number;
  if (won) {
    slab[(kFirstSlab << number) - 1].next = control->free_head;
    control->free_head = slab[0].slot + 1;
    control->slabs[number] = dsm_segment_handle(segment);
    pg_write_barrier();
    pg_atomic_write_u32(&control->slab_count, number + 1);
    slabs[number] = slab;
    mapped_slabs = number + 1;
  }
  LWLockRelease(&root->lock);
  if (!won) {
    segment_give_up(dsm_segment_handle(segment), segment);
    dsm_detach(segment);
  }
}

// Makes a slot that is in no bucket and no list free. Requires the registry lock.
void free_slot_locked(SharedStore* store) {
  store->state = StoreState::kFree;
  store->next = control->free_head;
  control->free_head = store->slot + 1;
}

// Frees the slots of dead stores. Requires the registry lock, exclusive.
void reap_locked() {
  while (control->dead_head != 0) {
    SharedStore* store = slot_at(control->dead_head - 1);
    control->dead_head = store->next_dead;
    unlink_locked(store);
    free_slot_locked(store);
  }
}

// Whether a key still has its relation, as far as the catalogs show.
bool relation_exists(const StoreKey& key) {
  if (key.database != MyDatabaseId) return SearchSysCacheExists1(DATABASEOID, ObjectIdGetDatum(key.database));
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(key.relation));
  if (!HeapTupleIsValid(tuple)) return false;
  const bool same = reinterpret_cast<Form_pg_class>(GETSTRUCT(tuple))->reltype == key.row_type;
  ReleaseSysCache(tuple);
  return same;
}

// Frees a store whose relation is gone. The relation's lock excludes an unfinished
// CREATE (the catalogs do not show it yet), and another sweeper. A lock this
// transaction already holds proves nothing: its own DROP may yet be rolled back.
void sweep_store(const StoreKey& key, uint64 incarnation) {
  if (relation_exists(key)) return;
  LOCKTAG tag;
  SET_LOCKTAG_RELATION(tag, key.database, key.relation);
  if (lock_held_by_me(&tag, AccessExclusiveLock)) return;
  // As strong as a DROP needs against others; AccessExclusiveLock itself would be logged
  // for standbys and cost a transaction id.
  if (LockAcquire(&tag, ExclusiveLock, false, true) == LOCKACQUIRE_NOT_AVAIL) return;
  AcceptInvalidationMessages();
  SharedStore* store = relation_exists(key) ? nullptr : registry_find(key);
  if (store != nullptr && pg_atomic_read_u64(&store->incarnation) == incarnation) {
    const Chunk first = chunk_map(store->root);  // may fail, so first
    registry_set_state(store, StoreState::kDead);
    chunks_give_back_all(reinterpret_cast<HeapHeader*>(first.base), &first.segment, 1);
  }
  LockRelease(&tag, ExclusiveLock, false);
}

}  // namespace

void registry_init() {
  relation_cache_init();
}

bool registry_attach(bool create) {
  if (control != nullptr) return true;
  attach_root();
  for (;;) {
    LWLockAcquire(&root->lock, LW_SHARED);
    const dsm_handle handle = root->control;
    LWLockRelease(&root->lock);
    if (handle != DSM_HANDLE_INVALID) {
      map_control(handle);
      return true;
    }
    if (!create) return false;
    if (create_control()) return true;
  }
}

bool registry_is_attached() {
  return control != nullptr;
}

ArenaTable& registry_arenas() {
  return control->arenas;
}

SharedStore* registry_find(const StoreKey& key) {
  lock_registry(LW_SHARED);
  SharedStore* store = find_locked(key, false);
  LWLockRelease(&root->lock);
  return store;
}

SharedStore* registry_find_relation(Oid relation) {
  lock_registry(LW_SHARED);
  SharedStore* store = find_locked(StoreKey{MyDatabaseId, relation, InvalidOid}, true);
  LWLockRelease(&root->lock);
  return store;
}

void registry_reserve() {
  lock_registry(LW_EXCLUSIVE);
  reap_locked();
  const bool slot = control->free_head != 0;
  LWLockRelease(&root->lock);
  if (!slot) add_slab();
}

SharedStore* registry_insert(const StoreKey& key, const StoreSpec& spec, uint64 chunk, bool* won) {
  for (;;) {
    lock_registry(LW_EXCLUSIVE);
    SharedStore* store = find_locked(key, false);
    *won = store == nullptr;
    if (*won && control->free_head != 0) {
      store = slot_at(control->free_head - 1);
      control->free_head = store->next;
      store->key = key;
      store->root = chunk;
      store->layout = spec.layout;
      store->unique_pairs = spec.unique_pairs;
      pg_atomic_write_u64(&store->planned_size, 0);
      store->state = StoreState::kLive;
      uint32& bucket = bucket_of(key);
      store->next = bucket;
      bucket = store->slot + 1;
      pg_atomic_write_u64(&store->incarnation, ++control->last_incarnation);
    }
    LWLockRelease(&root->lock);
    if (store != nullptr) return store;
    add_slab();
  }
}

void registry_set_state(SharedStore* store, StoreState state) {
  // Touches only the store's own slot and the control block: all of it is mapped.
  LWLockAcquire(&root->lock, LW_EXCLUSIVE);
  store->state = state;
  if (state == StoreState::kDead) {
    pg_atomic_write_u64(&store->incarnation, 0);
    store->next_dead = control->dead_head;
    control->dead_head = store->slot + 1;
  }
  LWLockRelease(&root->lock);
}

void registry_sweep(int limit) {
  while (limit > 0) {
    StoreKey keys[32];
    uint64 incarnations[32];
    int found = 0;
    lock_registry(LW_EXCLUSIVE);
    const uint32 slots = slots_in(mapped_slabs);
    limit = static_cast<int>(Min(static_cast<uint32>(limit), slots));
    while (limit > 0 && found < 32) {
      const SharedStore* store = slot_at(control->sweep_next % slots);
      control->sweep_next = (control->sweep_next + 1) % slots;
      --limit;
      if (store->state != StoreState::kLive) continue;
      keys[found] = store->key;
      incarnations[found++] = pg_atomic_read_u64(const_cast<pg_atomic_uint64*>(&store->incarnation));
    }
    LWLockRelease(&root->lock);
    for (int i = 0; i < found; ++i)
      sweep_store(keys[i], incarnations[i]);
  }
}

}  // namespace doublets::pg

// Growing a store. The chunk is made without the store's lock, because the system takes
// its time to reserve gigabytes, and published under it.
#include "store_handle.hpp"

#include "chunks.hpp"
#include "transactions.hpp"

namespace doublets::pg {
namespace {

constexpr std::size_t kGranule = 4096;

enum class Growth { kDone, kMaxSize, kNoAddressSpace, kNoLocalMemory };

// Requires the growth lock: nobody else adds chunks.
Growth add_chunk(StoreHandle* store, uint32 units) {
  Heap& heap = store->heap;
  store_lock(store, LW_SHARED);
  const bool enough = heap.can_take(units);
  const std::size_t allocated = heap.header().allocated_bytes;
  const bool directory_full = heap.mapped_chunks() >= kMaxChunks;
  std::size_t bytes = Heap::next_chunk_bytes(heap.header(), units);
  store_unlock(store);

  if (enough) return Growth::kDone;
  if (directory_full) return Growth::kNoAddressSpace;
  if (store->max_size != 0 && allocated + bytes > store->max_size) {
    // A last, smaller piece, if it is large enough.
    const std::size_t rest = store->max_size > allocated ? (store->max_size - allocated) / kGranule * kGranule : 0;
    if (rest < static_cast<std::size_t>(units) * kUnitBytes || rest == 0) return Growth::kMaxSize;
    bytes = rest;
  }
  // All that may fail comes before the chunk exists, and its making before the lock.
  reserve_segment(store);
  if (!heap.reserve_local(bytes)) return Growth::kNoLocalMemory;
  const Chunk chunk = chunk_create(bytes, allocated + bytes > kSmallStoreBytes);
  store_lock(store, LW_EXCLUSIVE);  // fully mapped: nobody else grows it
  const uint32 number = heap.mapped_chunks();
  const Status status = heap.add_chunk(chunk.handle, chunk.base, bytes);
  store_unlock(store);
  if (status != Status::kOk) {
    chunk_give_back(chunk.handle, bytes, chunk.segment);
    if (chunk.segment != nullptr) dsm_detach(chunk.segment);
    return Growth::kNoAddressSpace;
  }
  store->segments[number] = chunk.segment;
  return Growth::kDone;
}

// What a store does that may not grow: joins its free blocks. True if `units` fit now.
bool join_free_blocks(StoreHandle* store, uint32 units) {
  store_lock(store, LW_SHARED);
  const std::size_t bytes = store->heap.coalesce_bytes();
  store_unlock(store);
  auto* scratch = static_cast<std::uint8_t*>(
      MemoryContextAllocExtended(CurrentMemoryContext, bytes, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO));
  store_lock(store, LW_EXCLUSIVE);
  // Chunks are only added under the growth lock, which is ours.
  store->heap.coalesce(scratch);
  const bool enough = store->heap.can_take(units);
  store_unlock(store);
  pfree(scratch);
  return enough;
}

}  // namespace

void store_grow(StoreHandle* store, uint32 units) {
  // The relation's extension lock, which does for tables what is wanted here: one at
  // a time, waiting is interruptible, an error releases it. No other heavyweight lock may be taken
  // while it is held, hence errors that name the relation come after.
  LOCKTAG tag;
  SET_LOCKTAG_RELATION_EXTEND(tag, store->key.database, store->key.relation);
  (void)LockAcquire(&tag, ExclusiveLock, false, false);
  Growth growth = add_chunk(store, units);
  if ((growth == Growth::kMaxSize || growth == Growth::kNoAddressSpace) && join_free_blocks(store, units))
    growth = Growth::kDone;
  LockRelease(&tag, ExclusiveLock, false);
  if (growth == Growth::kDone) return;
  // Links nobody can see any more may hold what is needed: the caller tries again, and
  // there is an end to it because each time something has been settled.
  if (growth == Growth::kMaxSize && settle_all(store) > 0) return;

  const char* name = get_rel_name(store->key.relation);
  if (name == nullptr) name = "?";
  switch (growth) {
    case Growth::kMaxSize:
      ereport(ERROR,
              (errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED), errmsg("store \"%s\" would exceed its max_size", name),
               errhint("Delete links, or raise the option max_size (ALTER FOREIGN TABLE).")));
      break;
    case Growth::kNoAddressSpace:
      ereport(ERROR,
              (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("store \"%s\" has used up its address space", name),
               errdetail("A store has at most 2^32 units of %zu bytes.", kUnitBytes)));
      break;
    default:
      ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory"),
                      errdetail("Failed while mapping the memory of store \"%s\".", name)));
  }
}

}  // namespace doublets::pg

#include "chunks.hpp"

#include <sys/mman.h>

#include "registry.hpp"

namespace doublets::pg {
namespace {

constexpr const char *kSlotsHint =
    "The server has 64 segments and 5 more per allowed connection: raise max_connections, or drop stores.";

void add_memory_hint(void *) {
  switch (geterrcode()) {
    case ERRCODE_DISK_FULL:
      errhint("Enlarge /dev/shm (for Docker: --shm-size), or the disk behind dynamic_shared_memory_type = mmap.");
      break;
    case ERRCODE_INSUFFICIENT_RESOURCES: // the server's code for a full table of segments
      errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED);
      errhint("%s", kSlotsHint);
      break;
    default:
      break;
  }
}

} // namespace

void begin_memory_hints(ErrorContextCallback *callback) {
  callback->callback = add_memory_hint;
  callback->arg = nullptr;
  callback->previous = error_context_stack;
  error_context_stack = callback;
}

void end_memory_hints(ErrorContextCallback *callback) { error_context_stack = callback->previous; }

Chunk chunk_create(std::size_t bytes, bool own_segment) {
  ErrorContextCallback hints;
  begin_memory_hints(&hints);
  Chunk chunk{};
  if (own_segment) {
    chunk.segment = dsm_create(bytes, 0);
    dsm_pin_segment(chunk.segment);
    dsm_pin_mapping(chunk.segment);
    chunk.base = static_cast<char *>(dsm_segment_address(chunk.segment));
    chunk.handle = kOwnSegment | dsm_segment_handle(chunk.segment);
  } else {
    dsa_area *area = registry_area();
    chunk.handle = dsa_allocate_extended(area, bytes, DSA_ALLOC_ZERO);
    chunk.base = static_cast<char *>(dsa_get_address(area, chunk.handle));
  }
  end_memory_hints(&hints);
  return chunk;
}

void chunk_destroy(const Chunk &chunk) {
  if (chunk.segment == nullptr) {
    dsa_free(registry_area(), chunk.handle);
    return;
  }
  dsm_unpin_segment(segment_of(chunk.handle));
  dsm_detach(chunk.segment);
}

Chunk chunk_map(uint64 handle) {
  Chunk chunk{handle, nullptr, nullptr};
  if (!has_own_segment(handle)) {
    chunk.base = static_cast<char *>(dsa_get_address(registry_area(), handle));
    return chunk;
  }
  chunk.segment = dsm_attach(segment_of(handle));
  if (chunk.segment == nullptr) elog(ERROR, "dynamic shared memory segment %u of a store is gone", segment_of(handle));
  dsm_pin_mapping(chunk.segment);
  chunk.base = static_cast<char *>(dsm_segment_address(chunk.segment));
  return chunk;
}

void chunk_discard_pages(dsm_segment *segment) {
#ifdef MADV_REMOVE
  // An odd handle is a piece of main shared memory, which goes back to the server's own
  // free list.
  if ((dsm_segment_handle(segment) & 1) == 0)
    (void)madvise(dsm_segment_address(segment), dsm_segment_map_length(segment), MADV_REMOVE);
#endif
}

} // namespace doublets::pg

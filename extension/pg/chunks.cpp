#include "chunks.hpp"

#include "arenas.hpp"

namespace doublets::pg {
namespace {

constexpr uint64 kOwnSegment = uint64{1} << 63;

bool has_own_segment(uint64 handle) {
  return (handle & kOwnSegment) != 0;
}
dsm_handle segment_of(uint64 handle) {
  return static_cast<dsm_handle>(handle);
}

void add_memory_hint(void*) {
  switch (geterrcode()) {
    case ERRCODE_DISK_FULL:
      errhint("Enlarge /dev/shm (for Docker: --shm-size), or the disk behind dynamic_shared_memory_type = mmap.");
      break;
    case ERRCODE_INSUFFICIENT_RESOURCES:  // the server's code for a full table of segments
      errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED);
      errhint("Raise max_connections, or drop stores.");
      break;
    default:
      break;
  }
}

}  // namespace

void begin_memory_hints(ErrorContextCallback* callback) {
  callback->callback = add_memory_hint;
  callback->arg = nullptr;
  callback->previous = error_context_stack;
  error_context_stack = callback;
}

void end_memory_hints(ErrorContextCallback* callback) {
  error_context_stack = callback->previous;
}

Chunk chunk_create(std::size_t bytes, bool own_segment) {
  ErrorContextCallback hints;
  begin_memory_hints(&hints);
  Chunk chunk{};
  if (!own_segment) chunk.handle = arena_take(bytes);
  if (chunk.handle != 0) {
    chunk.base = arena_address(chunk.handle);
  } else {
    chunk.segment = segment_create(bytes, &chunk.base);
    chunk.handle = kOwnSegment | dsm_segment_handle(chunk.segment);
  }
  end_memory_hints(&hints);
  return chunk;
}

Chunk chunk_map(uint64 handle) {
  Chunk chunk{handle, nullptr, nullptr};
  if (!has_own_segment(handle)) {
    chunk.base = arena_address(handle);
    return chunk;
  }
  chunk.segment = dsm_find_mapping(segment_of(handle));  // if this process made it
  if (chunk.segment == nullptr) chunk.segment = dsm_attach(segment_of(handle));
  if (chunk.segment == nullptr) elog(ERROR, "dynamic shared memory segment %u of a store is gone", segment_of(handle));
  chunk.base = segment_address(chunk.segment);
  dsm_pin_mapping(chunk.segment);
  return chunk;
}

void chunk_give_back(uint64 handle, std::size_t bytes, dsm_segment* mapped) {
  if (has_own_segment(handle))
    segment_give_up(segment_of(handle), mapped);
  else
    arena_give_back(handle, bytes);
}

void chunks_give_back_all(const HeapHeader* header, dsm_segment* const* segments, uint32 mapped) {
  // From the last to the first, which holds the header.
  for (uint32 i = header->chunk_count.load(std::memory_order_acquire); i-- > 0;) {
    const ChunkEntry chunk = header->chunks[i];
    chunk_give_back(chunk.handle, static_cast<std::size_t>(chunk.units) * kUnitBytes,
                    i < mapped ? segments[i] : nullptr);
  }
}

}  // namespace doublets::pg

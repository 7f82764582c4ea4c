// Pieces of memory of a store: where they come from and how they are named.
//
// A chunk's handle is what the core keeps in its directory: blocks of an arena (small
// stores share segments), or, with the highest bit set, a dynamic shared memory segment
// of its own.
#pragma once

#include "../core/heap.hpp"
#include "pg.hpp"

namespace doublets::pg {

struct Chunk {
  uint64 handle;
  char* base;
  dsm_segment* segment;  // null: in an arena
};

// Obtains memory, to be given back by chunk_give_back; a segment of its own also has to be
// detached. Zeroed unless it is in an arena. Requires registry_attach.
// Errors: 53100, 53200, 53400, with hints.
Chunk chunk_create(std::size_t bytes, bool own_segment);

// Maps a chunk, to the end of the session. Errors: 53200.
Chunk chunk_map(uint64 handle);

// Frees a chunk's memory; `mapped` is its own segment if mapped here, else null. Nobody may
// look at it any more. Cannot fail.
void chunk_give_back(uint64 handle, std::size_t bytes, dsm_segment* mapped);

// Frees all chunks of the store whose first chunk is at `header`; segments[0 .. mapped) are
// mapped here. Cannot fail.
void chunks_give_back_all(const HeapHeader* header, dsm_segment* const* segments, uint32 mapped);

// Between begin and end, errors about memory get our SQLSTATE and a hint. No cleanup is
// needed when an error passes.
void begin_memory_hints(ErrorContextCallback* callback);
void end_memory_hints(ErrorContextCallback* callback);

}  // namespace doublets::pg

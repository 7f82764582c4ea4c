// Pieces of memory of a store: where they come from and how they are named.
//
// A chunk's handle is what the core keeps in its directory: a dsa_pointer into the
// registry's area (small stores share its segments), or, with the highest bit set,
// the handle of a dynamic shared memory segment of its own.
#pragma once

#include "pg.hpp"

namespace doublets::pg {

inline constexpr uint64 kOwnSegment = uint64{1} << 63;

inline bool has_own_segment(uint64 handle) { return (handle & kOwnSegment) != 0; }
inline dsm_handle segment_of(uint64 handle) { return static_cast<dsm_handle>(handle); }

struct Chunk {
  uint64 handle;
  char *base;
  dsm_segment *segment; // null: in the registry's area
};

// Obtains memory; zeroed if it is in the area. The segment and its mapping last until
// they are given back. Errors: 53100, 53200, 53400 (no slot left), with hints.
Chunk chunk_create(std::size_t bytes, bool own_segment);

// Gives back a chunk no other process has seen.
void chunk_destroy(const Chunk &chunk);

// Maps a chunk another process created, to the end of the session.
Chunk chunk_map(uint64 handle);

// Gives the pages of a segment back to the system although other processes have it mapped.
// Cannot fail.
void chunk_discard_pages(dsm_segment *segment);

// Between begin and end, errors about memory get our SQLSTATE and a hint. No cleanup is
// needed when an error passes.
void begin_memory_hints(ErrorContextCallback *callback);
void end_memory_hints(ErrorContextCallback *callback);

} // namespace doublets::pg

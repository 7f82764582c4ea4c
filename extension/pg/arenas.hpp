// Memory shared by small stores: segments cut into blocks of 32 KiB.
//
// A segment of its own for each store would use up the server's table of segments
// (64 and 5 per allowed connection) with a few hundred stores, and its parallel
// queries need that table too. So the first MiB of a store comes from arenas. The server's DSA
// would serve as well, but never returns a segment that held large objects, and creates
// segments under an LWLock.
#pragma once

#include "../core/heap.hpp"
#include "pg.hpp"

namespace doublets::pg {

inline constexpr std::size_t kBlockBytes = kFirstChunkBytes;
inline constexpr uint32 kMaxArenaBlocks = 2048;  // 64 MiB
inline constexpr uint32 kMaxArenas = 256;

struct Arena {
  dsm_handle segment;  // DSM_HANDLE_INVALID: unused entry
  uint32 blocks;
  uint32 used;  // blocks taken
  uint32 reserved;
  uint64 taken[kMaxArenaBlocks / 64];
};

// In the registry's control block.
struct ArenaTable {
  LWLock lock;                // protects arenas, count and blocks; taken after the registry lock
  pg_atomic_uint32 segments;  // of all stores, arenas included; no lock
  pg_atomic_uint32 departed;  // arenas given back so far; changes under the lock, read by anyone
  uint32 count;               // arenas in use
  uint64 blocks;              // of all arenas
  Arena arenas[kMaxArenas];   // an entry's segment is constant while a block of it is taken
};

void arenas_format(ArenaTable* table, int tranche);

// A new segment, pinned and mapped to the end of the session, counted against the share
// of the server's segments that stores may have. With `base`, for one store, its pages are
// brought in and `base` is where to use it. Errors: 53100, 53200, 53400.
dsm_segment* segment_create(std::size_t bytes, char** base = nullptr);

// Where to use the segment of one store that is mapped here, until it is detached: where huge
// pages fit, if it is large. To be called once. Errors: 53200.
char* segment_address(dsm_segment* segment);

// Gives a segment up; `mapped` null: not mapped here. If it is, its pages go back to the
// system at once, although idle sessions may have it mapped too. Nobody may touch its content
// any more. The own mapping remains. Cannot fail.
void segment_give_up(dsm_handle handle, dsm_segment* mapped);

// Takes contiguous blocks for `bytes`; content undefined. 0 if there is no entry left for
// a new arena. Errors: those of segment_create.
uint64 arena_take(std::size_t bytes);

// Gives them back. Cannot fail.
void arena_give_back(uint64 handle, std::size_t bytes);

// Where they are in this process. Errors: 53200.
char* arena_address(uint64 handle);

// Unmaps arenas that are gone. Cannot fail. Only between transactions: pointers into them
// may be kept, though not followed, until then.
void arenas_unmap_departed();

}  // namespace doublets::pg

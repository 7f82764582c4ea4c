#include "arenas.hpp"

#include <sys/mman.h>

#include "../core/huge_pages.hpp"
#include "registry.hpp"

namespace doublets::pg {
namespace {

constexpr uint32 kLeastBlocks = 16;  // 512 KiB

// The arenas mapped here. An entry whose segment differs from the shared one is of an
// arena that is gone.
struct Mapping {
  dsm_handle handle;
  dsm_segment* segment;
};
Mapping mappings[kMaxArenas];
uint32 seen_departed;

// A handle names an arena (from 1) and its first block.
uint64 handle_of(uint32 arena, uint32 block) {
  return (uint64{arena + 1} << 32) | block;
}
uint32 arena_of(uint64 handle) {
  return static_cast<uint32>(handle >> 32) - 1;
}
uint32 block_of(uint64 handle) {
  return static_cast<uint32>(handle);
}

uint32 blocks_for(std::size_t bytes) {
  return static_cast<uint32>((bytes + kBlockBytes - 1) / kBlockBytes);
}

bool is_taken(const Arena& arena, uint32 block) {
  return (arena.taken[block / 64] >> (block % 64) & 1) != 0;
}

// The first of `needed` free blocks in a row; arena.blocks if there are none.
uint32 find_run(const Arena& arena, uint32 needed) {
  if (arena.blocks - arena.used < needed) return arena.blocks;
  uint32 run = 0;
  for (uint32 block = 0; block < arena.blocks; ++block) {
    run = is_taken(arena, block) ? 0 : run + 1;
    if (run == needed) return block + 1 - needed;
  }
  return arena.blocks;
}

void flip(Arena& arena, uint32 first, uint32 count) {
  for (uint32 block = first; block < first + count; ++block)
    arena.taken[block / 64] ^= uint64{1} << (block % 64);
}

bool is_mapped(uint32 number, dsm_handle handle) {
  return mappings[number].segment != nullptr && mappings[number].handle == handle;
}

// Maps an arena. False if it has gone meanwhile.
bool map(uint32 number, dsm_handle handle) {
  Mapping& mapping = mappings[number];
  if (mapping.segment != nullptr) dsm_detach(mapping.segment);
  mapping = {};
  dsm_segment* segment = dsm_attach(handle);
  if (segment == nullptr) return false;
  dsm_pin_mapping(segment);
  mapping = {handle, segment};
  return true;
}

// Adds an arena with room for `needed` blocks. False if there is no entry left.
bool add_arena(ArenaTable& table, uint32 needed) {
  // An eighth of what there is: few segments, and little unused.
  LWLockAcquire(&table.lock, LW_SHARED);
  const uint64 share = table.blocks / 8;
  const bool full = table.count == kMaxArenas;
  LWLockRelease(&table.lock);
  if (full) return false;
  const auto blocks = static_cast<uint32>(Max(needed, Min(Max(share, uint64{kLeastBlocks}), kMaxArenaBlocks)));

  dsm_segment* segment = segment_create(blocks * kBlockBytes);
  const dsm_handle handle = dsm_segment_handle(segment);
  LWLockAcquire(&table.lock, LW_EXCLUSIVE);
  uint32 number = 0;
  while (number < kMaxArenas && table.arenas[number].segment != DSM_HANDLE_INVALID)
    ++number;
  if (number < kMaxArenas) {
    Arena& arena = table.arenas[number];
    memset(&arena, 0, sizeof(arena));
    arena.segment = handle;
    arena.blocks = blocks;
    ++table.count;
    table.blocks += blocks;
  }
  LWLockRelease(&table.lock);
  if (number == kMaxArenas) {
    segment_give_up(handle, segment);
    dsm_detach(segment);
    return false;
  }
  if (mappings[number].segment != nullptr) dsm_detach(mappings[number].segment);
  mappings[number] = {handle, segment};
  return true;
}

// Of a segment that is being detached.
void drop_aligned(dsm_segment* segment, Datum aligned) {
  auto** at = reinterpret_cast<char**>(DatumGetPointer(aligned));
  if (*at != nullptr) unmap_aligned(*at, dsm_segment_map_length(segment));
  pfree(at);
}

}  // namespace

void arenas_format(ArenaTable* table, int tranche) {
  LWLockInitialize(&table->lock, tranche);
  pg_atomic_init_u32(&table->segments, 0);
  pg_atomic_init_u32(&table->departed, 0);
  for (Arena& arena : table->arenas)
    arena.segment = DSM_HANDLE_INVALID;
}

char* segment_address(dsm_segment* segment) {
  auto* base = static_cast<char*>(dsm_segment_address(segment));
  const std::size_t bytes = dsm_segment_map_length(segment);
  if (bytes < kHugePageBytes) return base;
  // What may fail comes before there is a mapping to lose.
  auto** aligned = static_cast<char**>(MemoryContextAllocZero(TopMemoryContext, sizeof(char*)));
  on_dsm_detach(segment, drop_aligned, PointerGetDatum(aligned));
  *aligned = map_aligned(base, bytes);
  return *aligned != nullptr ? *aligned : base;
}

dsm_segment* segment_create(std::size_t bytes, char** base) {
  // The size of the server's table as dsm.c has it; the other half is for the queries.
  const int slots = 64 + 5 * MaxBackends;
  ArenaTable& table = registry_arenas();
  if (pg_atomic_read_u32(&table.segments) >= static_cast<uint32>(slots / 2))
    ereport(ERROR, (errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
                    errmsg("too many shared memory segments of doublets stores"),
                    errdetail("Stores may have half of the server's %d segments.", slots),
                    errhint("Raise max_connections, or drop stores.")));
  dsm_segment* segment = dsm_create(bytes, 0);
  if (base != nullptr) {
    *base = segment_address(segment);
    bring_in(*base, bytes);
  }
  dsm_pin_segment(segment);
  dsm_pin_mapping(segment);
  pg_atomic_fetch_add_u32(&table.segments, 1);
  return segment;
}

void segment_give_up(dsm_handle handle, dsm_segment* mapped) {
#ifdef MADV_REMOVE
  // An odd handle is a piece of main shared memory, which goes back to the server's own
  // free list.
  if (mapped != nullptr && (handle & 1) == 0)
    (void)madvise(dsm_segment_address(mapped), dsm_segment_map_length(mapped), MADV_REMOVE);
#endif
  dsm_unpin_segment(handle);
  pg_atomic_fetch_sub_u32(&registry_arenas().segments, 1);
}

uint64 arena_take(std::size_t bytes) {
  ArenaTable& table = registry_arenas();
  const uint32 needed = blocks_for(bytes);
  for (;;) {
    // An arena is mapped before blocks are taken from it: an error then loses nothing.
    uint32 unmapped = kMaxArenas;
    dsm_handle unmapped_handle = DSM_HANDLE_INVALID;
    LWLockAcquire(&table.lock, LW_EXCLUSIVE);
    for (uint32 number = 0; number < kMaxArenas; ++number) {
      Arena& arena = table.arenas[number];
      if (arena.segment == DSM_HANDLE_INVALID) continue;
      const uint32 block = find_run(arena, needed);
      if (block == arena.blocks) continue;
      if (is_mapped(number, arena.segment)) {
        flip(arena, block, needed);
        arena.used += needed;
        LWLockRelease(&table.lock);
        return handle_of(number, block);
      }
      if (unmapped == kMaxArenas) {
        unmapped = number;
        unmapped_handle = arena.segment;
      }
    }
    LWLockRelease(&table.lock);
    if (unmapped != kMaxArenas)
      (void)map(unmapped, unmapped_handle);
    else if (!add_arena(table, needed))
      return 0;
  }
}

void arena_give_back(uint64 handle, std::size_t bytes) {
  ArenaTable& table = registry_arenas();
  const uint32 number = arena_of(handle);
  const uint32 count = blocks_for(bytes);
  dsm_handle departed = DSM_HANDLE_INVALID;
  LWLockAcquire(&table.lock, LW_EXCLUSIVE);
  Arena& arena = table.arenas[number];
  flip(arena, block_of(handle), count);
  arena.used -= count;
  // A last small one stays, so that a store made and dropped in a loop makes no segments.
  if (arena.used == 0 && (table.count > 1 || arena.blocks > kLeastBlocks)) {
    departed = arena.segment;
    arena.segment = DSM_HANDLE_INVALID;
    --table.count;
    table.blocks -= arena.blocks;
    pg_atomic_fetch_add_u32(&table.departed, 1);
  }
  LWLockRelease(&table.lock);
  if (departed != DSM_HANDLE_INVALID)
    segment_give_up(departed, is_mapped(number, departed) ? mappings[number].segment : nullptr);
}

char* arena_address(uint64 handle) {
  const uint32 number = arena_of(handle);
  const dsm_handle segment = registry_arenas().arenas[number].segment;
  if (!is_mapped(number, segment) && !map(number, segment))
    elog(ERROR, "dynamic shared memory segment %u of small stores is gone", segment);
  return static_cast<char*>(dsm_segment_address(mappings[number].segment)) + block_of(handle) * kBlockBytes;
}

void arenas_unmap_departed() {
  ArenaTable& table = registry_arenas();
  const uint32 departed = pg_atomic_read_u32(&table.departed);
  if (departed == seen_departed) return;
  seen_departed = departed;
  for (uint32 number = 0; number < kMaxArenas; ++number) {
    Mapping& mapping = mappings[number];
    if (mapping.segment == nullptr) continue;
    LWLockAcquire(&table.lock, LW_SHARED);
    const bool gone = table.arenas[number].segment != mapping.handle;
    LWLockRelease(&table.lock);
    if (!gone) continue;
    dsm_detach(mapping.segment);
    mapping = {};
  }
}

}  // namespace doublets::pg

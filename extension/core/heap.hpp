// Memory of one store: a chunk directory and a size-class allocator.
//
// A store's address space is 2^32 units of 32 bytes. It is covered by chunks,
// contiguous pieces of memory obtained from a provider (PostgreSQL's dynamic
// shared memory, mapped files) that every process may see at another address.
// Nothing ever moves, so a unit number is a stable reference; a process-local
// table turns the number of a 64 KiB page into an address with one load.
//
// Blocks have 1, 2, 4 ... 128 units. Freed blocks go to a list per size class;
// new ones come first from there, then from the unused end of the newest chunk.
// Blocks of two units and more begin at an even unit, so that nothing of at most
// 64 bytes lies across two cache lines.
//
// Locks: HeapHeader is protected by the store's lock (readers shared, everyone
// who allocates, frees or adds a chunk exclusive), except chunk_count, which may be
// read without a lock as a hint. A Heap object belongs to one process.
//
// Invariants: every unit of every chunk is in exactly one of: the header,
// an allocated block, a free list, the unused end [bump_next, bump_end).
// Chunks are only added; memory is given back when the whole store is released.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "types.hpp"

namespace doublets {

inline constexpr std::size_t kUnitBytes = 32;
inline constexpr unsigned kUnitsPerPageLog2 = 11; // 64 KiB
inline constexpr std::uint32_t kUnitsPerPage = 1u << kUnitsPerPageLog2;
inline constexpr unsigned kSizeClasses = 8;       // 1 .. 128 units (4 KiB)
inline constexpr std::uint32_t kMaxBlockUnits = 1u << (kSizeClasses - 1);
inline constexpr std::uint32_t kMaxChunks = 160;
inline constexpr std::size_t kFirstChunkBytes = 32 * 1024;
inline constexpr std::size_t kSmallStoreBytes = 1024 * 1024;

struct ChunkEntry {
  std::uint64_t handle; // the provider's name of the chunk
  std::uint32_t first_unit;
  std::uint32_t units;
};

// How many blocks of each size class an operation takes at the most.
struct BlockPlan {
  std::uint16_t blocks[kSizeClasses] = {};

  constexpr void add(unsigned cls, unsigned n = 1) noexcept {
    blocks[cls] = static_cast<std::uint16_t>(blocks[cls] + n);
  }
  constexpr BlockPlan &operator+=(const BlockPlan &other) noexcept {
    for (unsigned cls = 0; cls < kSizeClasses; ++cls)
      add(cls, other.blocks[cls]);
    return *this;
  }
  // Units that suffice whatever the free lists hold. Alignment may cost a unit per block.
  constexpr std::uint32_t units() const noexcept {
    std::uint32_t sum = 0;
    for (unsigned cls = 0; cls < kSizeClasses; ++cls)
      sum += blocks[cls] * ((1u << cls) + 1);
    return sum;
  }
};

// Begins chunk 0 of a store. All fields: the store's lock.
struct HeapHeader {
  std::uint64_t magic;
  std::uint32_t format;
  std::atomic<std::uint32_t> chunk_count;
  std::uint64_t allocated_bytes; // of all chunks
  std::uint64_t used_bytes;      // header and allocated blocks
  std::uint32_t bump_next;       // unused end of the newest chunk
  std::uint32_t bump_end;
  std::uint32_t next_page;       // first page number no chunk covers
  std::uint32_t header_units;
  std::uint32_t free_heads[kSizeClasses];
  std::uint32_t free_blocks[kSizeClasses]; // length of each free list
  ChunkEntry chunks[kMaxChunks];
};
static_assert(std::is_trivially_copyable_v<ChunkEntry> && sizeof(ChunkEntry) == 16);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

inline constexpr std::uint64_t kHeapMagic = 0x32736b6e696c7464; // "dtlinks2"
inline constexpr std::uint32_t kHeapFormat = 2;

// Size class of a block of `units`, 1 <= units <= kMaxBlockUnits.
constexpr unsigned size_class(std::uint32_t units) noexcept {
  return units <= 1 ? 0u : 32u - static_cast<unsigned>(__builtin_clz(units - 1));
}

template <class T>
constexpr std::uint32_t units_of() noexcept {
  return static_cast<std::uint32_t>((sizeof(T) + kUnitBytes - 1) / kUnitBytes);
}

// Asks for the cache line at `at`, whatever is there. A function that does nothing but prefetch
// has no effect as GCC sees it, and calls of it are dropped; the empty statement is one.
inline void ask_for(const void *at) noexcept {
  __builtin_prefetch(at);
  asm volatile("");
}

// One process's view of a store's memory.
class Heap {
public:
  Heap() noexcept = default;
  Heap(const Heap &) = delete;
  Heap &operator=(const Heap &) = delete;

  // Makes `base` (zeroed, `bytes` long, a multiple of 4 KiB) the first chunk of a
  // new store whose header takes `header_bytes`.
  static void format(char *base, std::size_t bytes, std::uint64_t handle,
                     std::size_t header_bytes) noexcept;

  // True if `base` begins with the header of a store of this format.
  static bool recognises(const char *base) noexcept;

  // Size of the chunk to add next: doubling while small, then an eighth of what
  // the store has, so that at most a ninth of a large store was never used: with what a
  // load in one transaction needs for its in-flight records, and blocks that are free in the wrong
  // size class, allocated memory stays below 1.25 of that in use. In whole
  // huge pages if it is larger than one. At least `units` fit.
  static std::size_t next_chunk_bytes(const HeapHeader &header, std::uint32_t units) noexcept;

  // Grows the local page table for a chunk of `bytes` more than now mapped.
  // False if the process has no memory. Not under a lock.
  bool reserve_local(std::size_t bytes) noexcept;

  // Notes where chunk number mapped_chunks() is in this process. The first call
  // passes chunk 0. Requires reserve_local for its size.
  void map_next_chunk(char *base) noexcept;

  // Publishes a chunk the caller created and reserved local space for. Requires
  // the store's lock, exclusive, and all earlier chunks mapped. kOk or
  // kNoAddressSpace (directory full). Maps it too.
  Status add_chunk(std::uint64_t handle, char *base, std::size_t bytes) noexcept;

  // Joins free blocks that lie side by side, whatever their classes, and makes the largest
  // free run the unused end that can_take(units) looks at: the last resort of a store
  // that may not grow. `scratch`: coalesce_bytes() zeroed bytes. Requires the store's
  // lock, exclusive. O(units of the store), the one operation that is not short.
  std::size_t coalesce_bytes() const noexcept {
    return static_cast<std::size_t>(header().next_page) * (kUnitsPerPage / 8);
  }
  void coalesce(std::uint8_t *scratch) noexcept;

  // Frees the local page table; the chunks are the provider's.
  void release_local() noexcept;

  std::uint32_t mapped_chunks() const noexcept { return mapped_chunks_; }
  bool fully_mapped() const noexcept {
    return mapped_chunks_ == header().chunk_count.load(std::memory_order_acquire);
  }

  HeapHeader &header() const noexcept { return *reinterpret_cast<HeapHeader *>(pages_[0]); }

  char *address(std::uint32_t unit) const noexcept {
    return pages_[unit >> kUnitsPerPageLog2] +
           static_cast<std::size_t>(unit & (kUnitsPerPage - 1)) * kUnitBytes;
  }

  template <class T>
  T &at(Ref<T> ref) const noexcept {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= kUnitBytes);
    return *reinterpret_cast<T *>(address(ref.unit));
  }

  // True if the blocks of `plan` can be taken without adding a chunk.
  bool can_take(const BlockPlan &plan) const noexcept {
    return can_take(plan.units()) || can_take_freed(plan);
  }

  // True if the unused end of the newest chunk has `units`.
  bool can_take(std::uint32_t units) const noexcept {
    const HeapHeader &h = header();
    return h.bump_end - h.bump_next >= units;
  }

  // True if units [unit, unit + units) lie in one mapped chunk behind the store's header: for
  // checks of references that may be damaged.
  bool contains(std::uint32_t unit, std::uint32_t units) const noexcept;

  // True if a block of the class is free, so that taking it needs no plan.
  bool has_free(unsigned cls) const noexcept { return header().free_heads[cls] != 0; }

  // Takes a block of a size class; its content is undefined. Requires that
  // can_take held for it (plan before apply).
  std::uint32_t take(unsigned cls) noexcept;
  void give_back(std::uint32_t unit, unsigned cls) noexcept;

  template <class T>
  Ref<T> take() noexcept {
    return Ref<T>{take(size_class(units_of<T>()))};
  }
  template <class T>
  void give_back(Ref<T> ref) noexcept {
    give_back(ref.unit, size_class(units_of<T>()));
  }

private:
  bool can_take_freed(const BlockPlan &plan) const noexcept;
  void free_bump(unsigned cls) noexcept;
  void free_all_bump() noexcept;

  char **pages_ = nullptr;
  std::uint32_t page_capacity_ = 0;
  std::uint32_t mapped_pages_ = 0;
  std::uint32_t mapped_chunks_ = 0;
};

} // namespace doublets

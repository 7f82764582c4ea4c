// Large pieces of shared memory on huge pages, where the system lets us have them.
//
// A store's links lie all over its memory, so it suffers more than most from small pages:
// every 4 KiB costs each process a fault, and nearly every access a walk through the page
// tables. Shared memory is made of small pages unless an administrator says otherwise
// (shmem_enabled), but since Linux 6.1 a process may ask for huge ones on the spot, with
// madvise(MADV_COLLAPSE), whatever the settings are. They need addresses that are
// multiples of their size, which nobody promises for a mapping; so a large one is mapped once
// more where it fits.
//
// All of it is a favour: what the system refuses changes speed only.
#pragma once

#include <cstddef>

namespace doublets {

inline constexpr std::size_t kHugePageBytes = 2 * 1024 * 1024;

// Maps the `bytes` of shared memory that are mapped at `base` once more, at a multiple of
// kHugePageBytes. Null if they are less than that, or if it cannot be done. The new mapping
// lives until unmap_aligned, whatever becomes of the other one.
char *map_aligned(char *base, std::size_t bytes) noexcept;
void unmap_aligned(char *aligned, std::size_t bytes) noexcept;

// For memory nobody uses yet: makes huge pages of what is aligned, else brings in small ones
// all at once, which is cheaper than a fault for each.
void bring_in(char *base, std::size_t bytes) noexcept;

} // namespace doublets

#include "huge_pages.hpp"

#ifdef __linux__

#include <sys/mman.h>

#include <cstdint>

namespace doublets {
namespace {

// Headers older than the kernel lack these.
constexpr int kPopulateWrite = 23; // MADV_POPULATE_WRITE, Linux 5.14
constexpr int kCollapse = 25;      // MADV_COLLAPSE, Linux 6.1

} // namespace

char *map_aligned(char *base, std::size_t bytes) noexcept {
  if (bytes < kHugePageBytes)
    return nullptr;
  // Room that surely has an aligned place, around which the rest is given back.
  const std::size_t room = bytes + kHugePageBytes;
  void *reserved = ::mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED)
    return nullptr;
  char *const begin = static_cast<char *>(reserved);
  const std::size_t before = (0 - reinterpret_cast<std::uintptr_t>(begin)) % kHugePageBytes;
  char *const aligned = begin + before;
  // An old size of 0 duplicates a shared mapping.
  if (::mremap(base, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, aligned) == MAP_FAILED) {
    ::munmap(begin, room);
    return nullptr;
  }
  if (before != 0)
    ::munmap(begin, before);
  ::munmap(aligned + bytes, kHugePageBytes - before);
  return aligned;
}

void unmap_aligned(char *aligned, std::size_t bytes) noexcept { ::munmap(aligned, bytes); }

void bring_in(char *base, std::size_t bytes) noexcept {
  const std::size_t huge = bytes / kHugePageBytes * kHugePageBytes;
  const bool collapsed = reinterpret_cast<std::uintptr_t>(base) % kHugePageBytes == 0 && huge != 0 &&
                         ::madvise(base, huge, kCollapse) == 0;
  const std::size_t done = collapsed ? huge : 0;
  if (done < bytes)
    (void)::madvise(base + done, bytes - done, kPopulateWrite);
}

} // namespace doublets

#else

namespace doublets {

char *map_aligned(char *, std::size_t) noexcept { return nullptr; }
void unmap_aligned(char *, std::size_t) noexcept {}
void bring_in(char *, std::size_t) noexcept {}

} // namespace doublets

#endif

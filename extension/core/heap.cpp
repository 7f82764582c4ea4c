#include "heap.hpp"
#include "huge_pages.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace doublets {
namespace {

constexpr std::size_t kChunkGranule = 4096;

std::uint32_t pages_of(std::size_t bytes) noexcept {
  const std::size_t page_bytes = kUnitBytes << kUnitsPerPageLog2;
  return static_cast<std::uint32_t>((bytes + page_bytes - 1) / page_bytes);
}

std::size_t round_up(std::size_t bytes) noexcept {
  return (bytes + kChunkGranule - 1) / kChunkGranule * kChunkGranule;
}

} // namespace

void Heap::format(char *base, std::size_t bytes, std::uint64_t handle,
                  std::size_t header_bytes) noexcept {
  auto *h = new (base) HeapHeader{};
  const auto units = static_cast<std::uint32_t>(bytes / kUnitBytes);
  h->format = kHeapFormat;
  h->allocated_bytes = bytes;
  h->header_units = static_cast<std::uint32_t>((header_bytes + kUnitBytes - 1) / kUnitBytes);
  h->used_bytes = h->header_units * kUnitBytes;
  h->bump_next = h->header_units;
  h->bump_end = units;
  h->next_page = pages_of(bytes);
  h->chunks[0] = {handle, 0, units};
  h->chunk_count.store(1, std::memory_order_release);
  h->magic = kHeapMagic; // last: a half-made header is not recognised
}

bool Heap::recognises(const char *base) noexcept {
  const auto *h = reinterpret_cast<const HeapHeader *>(base);
  return h->magic == kHeapMagic && h->format == kHeapFormat;
}

std::size_t Heap::next_chunk_bytes(const HeapHeader &header, std::uint32_t units) noexcept {
  const std::size_t have = header.allocated_bytes;
  std::size_t wanted =
      have < kSmallStoreBytes ? have : std::max<std::size_t>(kSmallStoreBytes, have / 8);
  if (wanted >= kHugePageBytes)
    wanted -= wanted % kHugePageBytes;
  return round_up(std::max(wanted, static_cast<std::size_t>(units) * kUnitBytes));
}

bool Heap::reserve_local(std::size_t bytes) noexcept {
  const std::uint32_t needed = mapped_pages_ + pages_of(bytes);
  if (needed <= page_capacity_)
    return true;
  const std::uint32_t capacity = std::max({needed, page_capacity_ + page_capacity_ / 2, 2u});
  auto *grown = static_cast<char **>(std::realloc(pages_, capacity * sizeof(char *)));
  if (grown == nullptr)
    return false;
  pages_ = grown;
  page_capacity_ = capacity;
  return true;
}

void Heap::map_next_chunk(char *base) noexcept {
  std::size_t bytes;
  if (mapped_chunks_ == 0)
    bytes = static_cast<std::size_t>(
                reinterpret_cast<HeapHeader *>(base)->chunks[0].units) * kUnitBytes;
  else
    bytes = static_cast<std::size_t>(header().chunks[mapped_chunks_].units) * kUnitBytes;
  const std::uint32_t pages = pages_of(bytes);
  for (std::uint32_t i = 0; i < pages; ++i)
    pages_[mapped_pages_ + i] = base + static_cast<std::size_t>(i) * (kUnitBytes << kUnitsPerPageLog2);
  mapped_pages_ += pages;
  ++mapped_chunks_;
}

Status Heap::add_chunk(std::uint64_t handle, char *base, std::size_t bytes) noexcept {
  HeapHeader &h = header();
  const std::uint32_t count = h.chunk_count.load(std::memory_order_relaxed);
  const std::uint32_t pages = pages_of(bytes);
  constexpr std::uint32_t kAllPages = 1u << (32 - kUnitsPerPageLog2);
  if (count >= kMaxChunks || pages > kAllPages - 1 || h.next_page > kAllPages - 1 - pages)
    return Status::kNoAddressSpace;
  free_all_bump();
  const std::uint32_t first = h.next_page << kUnitsPerPageLog2;
  h.chunks[count] = {handle, first, static_cast<std::uint32_t>(bytes / kUnitBytes)};
  h.bump_next = first;
  h.bump_end = first + static_cast<std::uint32_t>(bytes / kUnitBytes);
  h.next_page += pages;
  h.allocated_bytes += bytes;
  h.chunk_count.store(count + 1, std::memory_order_release);
  map_next_chunk(base);
  return Status::kOk;
}

void Heap::release_local() noexcept {
  std::free(pages_);
  pages_ = nullptr;
  page_capacity_ = mapped_pages_ = mapped_chunks_ = 0;
}

// The unused end has to serve only what the free lists do not.
bool Heap::can_take_freed(const BlockPlan &plan) const noexcept {
  const HeapHeader &h = header();
  BlockPlan missing;
  for (unsigned cls = 0; cls < kSizeClasses; ++cls)
    if (plan.blocks[cls] > h.free_blocks[cls])
      missing.add(cls, plan.blocks[cls] - h.free_blocks[cls]);
  return can_take(missing.units());
}

bool Heap::contains(std::uint32_t unit, std::uint32_t units) const noexcept {
  const HeapHeader &h = header();
  if (unit < h.header_units)
    return false;
  std::uint32_t low = 0, high = mapped_chunks_;
  while (low + 1 < high) { // the last chunk that begins at or before the unit
    const std::uint32_t middle = (low + high) / 2;
    if (h.chunks[middle].first_unit <= unit)
      low = middle;
    else
      high = middle;
  }
  return std::uint64_t{unit} + units <=
         std::uint64_t{h.chunks[low].first_unit} + h.chunks[low].units;
}

std::uint32_t Heap::take(unsigned cls) noexcept {
  HeapHeader &h = header();
  const std::uint32_t units = 1u << cls;
  h.used_bytes += units * kUnitBytes;
  std::uint32_t unit = h.free_heads[cls];
  if (unit != 0) {
    std::memcpy(&h.free_heads[cls], address(unit), sizeof(std::uint32_t));
    if (h.free_heads[cls] != 0) ask_for(address(h.free_heads[cls])); // the next taker reads it
    --h.free_blocks[cls];
    return unit;
  }
  if (cls > 0 && (h.bump_next & 1) != 0)
    free_bump(0);
  unit = h.bump_next;
  h.bump_next += units;
  return unit;
}

void Heap::give_back(std::uint32_t unit, unsigned cls) noexcept {
  HeapHeader &h = header();
  std::memcpy(address(unit), &h.free_heads[cls], sizeof(std::uint32_t));
  h.free_heads[cls] = unit;
  ++h.free_blocks[cls];
  h.used_bytes -= static_cast<std::uint64_t>(1u << cls) * kUnitBytes;
}

// Moves a block from the start of the unused end to its free list.
void Heap::free_bump(unsigned cls) noexcept {
  HeapHeader &h = header();
  const std::uint32_t units = 1u << cls;
  h.used_bytes += units * kUnitBytes; // give_back subtracts it
  give_back(h.bump_next, cls);
  h.bump_next += units;
}

// The whole unused end, largest blocks first.
void Heap::free_all_bump() noexcept {
  HeapHeader &h = header();
  while (h.bump_next < h.bump_end) {
    unsigned cls = (h.bump_next & 1) != 0 ? 0 : kSizeClasses - 1;
    while ((1u << cls) > h.bump_end - h.bump_next)
      --cls;
    free_bump(cls);
  }
}

void Heap::coalesce(std::uint8_t *scratch) noexcept {
  HeapHeader &h = header();
  const auto is_free = [scratch](std::uint32_t unit) noexcept {
    return (scratch[unit / 8] >> (unit % 8) & 1) != 0;
  };
  // Every free unit is marked, and the lists are emptied.
  free_all_bump();
  for (unsigned cls = 0; cls < kSizeClasses; ++cls) {
    for (std::uint32_t unit = h.free_heads[cls]; unit != 0;) {
      for (std::uint32_t i = unit; i < unit + (1u << cls); ++i)
        scratch[i / 8] = static_cast<std::uint8_t>(scratch[i / 8] | 1u << (i % 8));
      std::memcpy(&unit, address(unit), sizeof(unit));
    }
    h.free_heads[cls] = h.free_blocks[cls] = 0;
  }
  // Runs of marked units, which end with their chunk, become lists again but for the largest.
  std::uint32_t best = 0, best_end = 0;
  for (std::uint32_t c = 0; c < h.chunk_count.load(std::memory_order_relaxed); ++c) {
    const std::uint32_t end = h.chunks[c].first_unit + h.chunks[c].units;
    for (std::uint32_t unit = h.chunks[c].first_unit; unit < end;) {
      if (!is_free(unit)) {
        ++unit;
        continue;
      }
      std::uint32_t run = unit;
      while (unit < end && is_free(unit))
        ++unit;
      std::uint32_t run_end = unit;
      if (run_end - run > best_end - best) {
        std::swap(run, best);
        std::swap(run_end, best_end);
      }
      h.bump_next = run;
      h.bump_end = run_end;
      free_all_bump();
    }
  }
  h.bump_next = best;
  h.bump_end = best_end;
}

} // namespace doublets

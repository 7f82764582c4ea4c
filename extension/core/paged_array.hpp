// A growing array of fixed-size elements in 4 KiB pages, reached through a radix
// directory of the same pages (1024 references each). Elements never move.
//
// Locks: as the owner of the header; appending needs the store's lock exclusive.
// Costs: access O(depth), depth <= 3; a one-page array has no directory.
#pragma once

#include "heap.hpp"

namespace doublets {

struct PagedArrayHeader {
  std::uint32_t root; // the page itself, or the top directory; 0: no page
  std::uint32_t pages;
};

template <class T>
class PagedArray {
public:
  static constexpr std::uint32_t kPageBytes = kMaxBlockUnits * kUnitBytes;
  static constexpr std::uint32_t kPerPage = kPageBytes / sizeof(T);

  PagedArray(Heap &heap, PagedArrayHeader &header) noexcept : heap_(heap), header_(header) {}

  std::uint64_t size() const noexcept {
    return static_cast<std::uint64_t>(header_.pages) * kPerPage;
  }

  // Requires: index < size().
  T &operator[](std::uint64_t index) const noexcept {
    auto *page = reinterpret_cast<T *>(heap_.address(page_unit(static_cast<std::uint32_t>(index / kPerPage))));
    return page[index % kPerPage];
  }

  // Blocks append_page may take.
  BlockPlan plan() const noexcept {
    const std::uint32_t directories =
        header_.pages == 0        ? 0
        : header_.pages == 1 || header_.pages % kFan == 0 ? depth(header_.pages) + 1
                                  : 0;
    BlockPlan p;
    p.add(kSizeClasses - 1, 1 + directories);
    return p;
  }

  // Adds a zeroed page. Requires: can_take(plan()).
  void append_page() noexcept {
    const std::uint32_t page = take_zeroed();
    const std::uint32_t number = header_.pages++;
    if (number == 0) {
      header_.root = page;
      return;
    }
    const unsigned new_depth = depth(header_.pages);
    if (new_depth != depth(number)) { // the old root is the first child of a new one
      const std::uint32_t root = take_zeroed();
      directory(root)[0] = header_.root;
      header_.root = root;
    }
    std::uint32_t node = header_.root;
    for (unsigned level = new_depth - 1; level > 0; --level) {
      std::uint32_t &child = directory(node)[(number >> (level * kFanLog2)) % kFan];
      if (child == 0)
        child = take_zeroed();
      node = child;
    }
    directory(node)[number % kFan] = page;
  }

  // Units of all pages and directories, for accounting.
  std::uint64_t units() const noexcept {
    std::uint64_t blocks = header_.pages;
    for (std::uint64_t n = header_.pages; n > 1;) {
      n = (n + kFan - 1) / kFan;
      blocks += n;
    }
    return blocks * kMaxBlockUnits;
  }

private:
  static constexpr unsigned kFanLog2 = 10;
  static constexpr std::uint32_t kFan = 1u << kFanLog2;
  static_assert(kPageBytes == kFan * sizeof(std::uint32_t));

  static constexpr unsigned depth(std::uint32_t pages) noexcept {
    return pages <= 1 ? 0 : pages <= kFan ? 1 : pages <= kFan * kFan ? 2 : 3;
  }

  std::uint32_t *directory(std::uint32_t unit) const noexcept {
    return reinterpret_cast<std::uint32_t *>(heap_.address(unit));
  }

  std::uint32_t page_unit(std::uint32_t number) const noexcept {
    std::uint32_t node = header_.root;
    for (unsigned level = depth(header_.pages); level > 0; --level)
      node = directory(node)[(number >> ((level - 1) * kFanLog2)) % kFan];
    return node;
  }

  std::uint32_t take_zeroed() noexcept {
    const std::uint32_t unit = heap_.take(kSizeClasses - 1);
    std::memset(heap_.address(unit), 0, kPageBytes);
    return unit;
  }

  Heap &heap_;
  PagedArrayHeader &header_;
};

} // namespace doublets

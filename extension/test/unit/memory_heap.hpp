// A store's heap over ordinary memory, for tests and benchmarks of parts of the core.
#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "core/heap.hpp"

namespace doublets::test {

class MemoryHeap {
 public:
  explicit MemoryHeap(std::size_t first_bytes = kFirstChunkBytes, std::size_t header_bytes = sizeof(HeapHeader))
      : MemoryHeap(first_bytes, [=](char* base, std::size_t bytes) { Heap::format(base, bytes, 0, header_bytes); }) {}

  // format(base, bytes) makes the zeroed first chunk a store.
  template <class Format, class = std::enable_if_t<std::is_invocable_v<Format, char*, std::size_t>>>
  MemoryHeap(std::size_t first_bytes, Format format) {
    char* base = allocate(first_bytes);
    format(base, first_bytes);
    if (!heap_.reserve_local(first_bytes)) std::abort();
    heap_.map_next_chunk(base);
  }
  ~MemoryHeap() { heap_.release_local(); }

  Heap& heap() { return heap_; }
  HeapHeader& header() { return heap_.header(); }

  // Adds one chunk of `bytes`, of the heap's own choice if 0, so that `units` fit.
  Status grow(std::uint32_t units, std::size_t bytes = 0) {
    if (bytes == 0) bytes = Heap::next_chunk_bytes(header(), units);
    if (!heap_.reserve_local(bytes)) std::abort();
    return heap_.add_chunk(chunks_.size(), allocate(bytes), bytes);
  }

  // Makes can_take(units) hold.
  void ensure(std::uint32_t units) {
    if (!heap_.can_take(units) && grow(units) != Status::kOk) std::abort();
  }

 private:
  struct Free {
    void operator()(char* p) const { std::free(p); }
  };

  char* allocate(std::size_t bytes) {
    auto* p = static_cast<char*>(std::aligned_alloc(4096, bytes));
    if (p == nullptr) std::abort();
    std::memset(p, 0, bytes);
    chunks_.emplace_back(p);
    return p;
  }

  std::vector<std::unique_ptr<char, Free>> chunks_;
  Heap heap_;
};

}  // namespace doublets::test

// The heap: size classes, alignment, growth, accounting, and plans that are kept.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "core/huge_pages.hpp"
#include "memory_heap.hpp"

namespace doublets {
namespace {

using test::MemoryHeap;

// Checks the invariant: every unit is in the header, in a block of `taken`, free, or unused.
void check_accounts(Heap& heap, const std::map<std::uint32_t, unsigned>& taken) {
  const HeapHeader& h = heap.header();
  std::uint64_t used = h.header_units;
  for (const auto& [unit, cls] : taken) used += std::uint64_t{1} << cls;
  ASSERT_EQ(used * kUnitBytes, h.used_bytes);
  std::uint64_t all = used + h.bump_end - h.bump_next;
  for (unsigned cls = 0; cls < kSizeClasses; ++cls) {
    std::uint32_t blocks = 0;
    for (std::uint32_t unit = h.free_heads[cls]; unit != 0; ++blocks) {
      ASSERT_LT(blocks, h.allocated_bytes / kUnitBytes);
      ASSERT_EQ(taken.count(unit), 0u);
      std::memcpy(&unit, heap.address(unit), sizeof(unit));
    }
    ASSERT_EQ(blocks, h.free_blocks[cls]);
    all += std::uint64_t{blocks} << cls;
  }
  ASSERT_EQ(all * kUnitBytes, h.allocated_bytes);
}

TEST(HeapTest, SizeClassesCoverTheirUnits) {
  for (std::uint32_t units = 1; units <= kMaxBlockUnits; ++units) {
    const unsigned cls = size_class(units);
    EXPECT_GE(1u << cls, units);
    EXPECT_TRUE(cls == 0 || (1u << (cls - 1)) < units);
  }
  EXPECT_EQ(size_class(kMaxBlockUnits), kSizeClasses - 1);
}

TEST(HeapTest, BlocksAreDisjointAlignedAndAccountedFor) {
  std::mt19937_64 random(1);
  MemoryHeap memory(8192);
  Heap& heap = memory.heap();
  std::map<std::uint32_t, unsigned> taken;
  std::vector<std::uint32_t> order;
  for (int step = 0; step < 20000; ++step) {
    if (order.empty() || random() % 100 < (step < 12000 ? 60u : 35u)) {
      const auto cls = static_cast<unsigned>(random() % kSizeClasses);
      BlockPlan plan;
      plan.add(cls);
      if (!heap.can_take(plan)) {
        ASSERT_EQ(memory.grow(plan.units(), 4096 * (2 + random() % 9)), Status::kOk);
      }
      const std::uint32_t unit = heap.take(cls);
      ASSERT_LE(heap.header().bump_next, heap.header().bump_end);
      ASSERT_NE(unit, 0u);
      if (cls > 0) {
        ASSERT_EQ(unit % 2, 0u);
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(heap.address(unit)) % 64, 0u);
      }
      const auto after = taken.lower_bound(unit);
      ASSERT_TRUE(after == taken.end() || after->first >= unit + (1u << cls));
      ASSERT_TRUE(after == taken.begin() || std::prev(after)->first + (1u << std::prev(after)->second) <= unit);
      std::memset(heap.address(unit), static_cast<int>(unit & 0xff), kUnitBytes << cls);
      taken[unit] = cls;
      order.push_back(unit);
    } else {
      std::swap(order[random() % order.size()], order.back());
      const std::uint32_t unit = order.back();
      order.pop_back();
      for (std::size_t i = 0; i < kUnitBytes << taken[unit]; ++i)
        ASSERT_EQ(static_cast<unsigned char>(heap.address(unit)[i]), unit & 0xff);
      heap.give_back(unit, taken[unit]);
      taken.erase(unit);
    }
    if (step % 500 == 0) check_accounts(heap, taken);
    if (step % 1700 == 0) {
      std::vector<std::uint8_t> scratch(heap.coalesce_bytes());
      heap.coalesce(scratch.data());
      check_accounts(heap, taken);
    }
  }
  check_accounts(heap, taken);
}

TEST(HeapTest, AFreedBlockIsTheNextOneTakenOfItsClass) {
  MemoryHeap memory;
  Heap& heap = memory.heap();
  for (unsigned cls = 0; cls < kSizeClasses; ++cls) {
    const std::uint32_t a = heap.take(cls), b = heap.take(cls);
    heap.give_back(a, cls);
    heap.give_back(b, cls);
    EXPECT_EQ(heap.take(cls), b);
    EXPECT_EQ(heap.take(cls), a);
  }
}

// Whatever the state of the heap, what can_take promises can be taken, in any order.
TEST(HeapTest, AGrantedPlanIsNeverExceeded) {
  std::mt19937_64 random(7);
  int granted = 0, refused = 0;
  for (int round = 0; round < 3000; ++round) {
    MemoryHeap memory(8192);
    Heap& heap = memory.heap();
    std::vector<std::pair<std::uint32_t, unsigned>> blocks;
    for (auto n = random() % 12; n > 0; --n) {
      const auto cls = static_cast<unsigned>(random() % 5);
      BlockPlan one;
      one.add(cls);
      if (heap.can_take(one)) blocks.emplace_back(heap.take(cls), cls);
    }
    for (const auto& [unit, cls] : blocks)
      if (random() % 2 == 0) heap.give_back(unit, cls);
    BlockPlan plan;
    std::vector<unsigned> wanted;
    for (auto n = 1 + random() % 12; n > 0; --n) {
      wanted.push_back(static_cast<unsigned>(random() % 6));
      plan.add(wanted.back());
    }
    // Just about enough: the interesting border.
    HeapHeader& h = heap.header();
    const std::uint32_t end = h.bump_end;
    h.bump_end = std::min<std::uint32_t>(end, h.bump_next + static_cast<std::uint32_t>(random() % (plan.units() + 2)));
    if (heap.can_take(plan)) {
      ++granted;
      for (const unsigned cls : wanted) {
        heap.take(cls);
        ASSERT_LE(h.bump_next, h.bump_end);
      }
    } else {
      ++refused;
    }
    h.bump_end = end;
  }
  EXPECT_GT(granted, 300);
  EXPECT_GT(refused, 300);
}

TEST(HeapTest, GrowthDoublesThenAddsAnEighth) {
  MemoryHeap memory;
  while (memory.header().allocated_bytes < (std::size_t{64} << 20)) {
    const std::size_t have = memory.header().allocated_bytes;
    const std::size_t next = Heap::next_chunk_bytes(memory.header(), 1);
    EXPECT_EQ(next % (next < kHugePageBytes ? 4096 : kHugePageBytes), 0u);
    EXPECT_LE(next, std::max(have, kSmallStoreBytes));
    if (have >= 8 * kSmallStoreBytes) {
      EXPECT_LE(next, have / 8 + 4096);
    }
    ASSERT_EQ(memory.grow(1), Status::kOk);
  }
  EXPECT_GE(Heap::next_chunk_bytes(memory.header(), 1u << 22), (std::size_t{1} << 22) * kUnitBytes);
}

TEST(HeapTest, TheDirectoryIsNotFullBeforeTheAddressSpaceIs) {
  HeapHeader header{};
  header.allocated_bytes = kFirstChunkBytes;
  std::uint32_t chunks = 1;
  while (header.allocated_bytes < (std::uint64_t{1} << 32) * kUnitBytes) {
    header.allocated_bytes += Heap::next_chunk_bytes(header, 1);
    ++chunks;
  }
  EXPECT_LE(chunks, kMaxChunks);
}

TEST(HeapTest, TheRestOfAChunkIsNotLostWhenTheNextIsAdded) {
  MemoryHeap memory;
  const std::uint32_t single = memory.heap().take(0);  // leaves an odd unit next
  ASSERT_EQ(memory.grow(1), Status::kOk);
  check_accounts(memory.heap(), {{single, 0u}});
}

TEST(HeapTest, AFullChunkDirectoryIsAnAnswer) {
  MemoryHeap memory(8192);
  for (std::uint32_t n = 1; n < kMaxChunks; ++n) ASSERT_EQ(memory.grow(1, 4096), Status::kOk);
  EXPECT_EQ(memory.grow(1, 4096), Status::kNoAddressSpace);
  check_accounts(memory.heap(), {});
}

TEST(HeapTest, OnlyAHeadOfThisFormatIsRecognised) {
  MemoryHeap memory;
  char* base = memory.heap().address(0);
  EXPECT_TRUE(Heap::recognises(base));
  ++memory.header().format;
  EXPECT_FALSE(Heap::recognises(base));
  --memory.header().format;
  ++memory.header().magic;
  EXPECT_FALSE(Heap::recognises(base));
}

}  // namespace
}  // namespace doublets

// Store::verify finds every kind of damage planted in a store that has one of everything: settled
// links, links in flight, a hub, a pair with several links, freed ids and ids far away.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "auto_store.hpp"
#include "core/tree_node.hpp"

namespace doublets {
namespace {

using test::AutoStore;

class DamageTest : public ::testing::TestWithParam<Layout> {
 protected:
  void SetUp() override {
    for (int i = 0; i < 300; ++i) ASSERT_NE(links_.create(7, i % 40), 0);   // a hub, ids 1 .. 300
    for (int i = 0; i < 60; ++i) ASSERT_NE(links_.create(i + 100, 8), 0);   // arrays, ids 301 .. 360
    for (int i = 0; i < 4; ++i) ASSERT_NE(links_.create(1, 2), 0);          // a pair, ids 361 .. 364
    for (int i = 0; i < 50; ++i) ASSERT_NE(links_.create(i, i, 1000000 + i), 0);
    for (const LinkId id : {10, 20, 30}) ASSERT_TRUE(links_.remove(id));
    links_.settle_at_once = false;
    ASSERT_TRUE(links_.update(40, 5, 5));
    ASSERT_TRUE(links_.update(41, 5, 5));
    ASSERT_TRUE(links_.remove(42));
    ASSERT_NE(links_.create(3, 3, 2000000), 0);
    ASSERT_EQ(faults(), "");
  }

  std::string faults() {
    std::string text;
    links_.store().verify(
        [](void* to, const char* fault) { *static_cast<std::string*>(to) += std::string(fault) + "\n"; }, &text);
    return text;
  }

  // Sets a field, expects a report, sets it back.
  template <class Field, class Value>
  void plant(const std::string& what, Field& field, Value value) {
    const Field saved = field;
    field = static_cast<Field>(value);
    EXPECT_NE(faults(), "") << "not found: " << what;
    field = saved;
    ASSERT_EQ(faults(), "") << "after " << what;
  }

  Ref<Version> head(LinkId id) { return IdIndex(links_.heap(), links_.header().ids).head(id); }
  Version& version(LinkId id) { return links_.heap().at(head(id)); }
  Flight& flight(LinkId id) { return links_.heap().at(version(id).flight); }

  AutoStore links_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Layouts, DamageTest, ::testing::Values(Layout::kSplit, Layout::kUnited),
                         [](const auto& info) { return info.param == Layout::kSplit ? "Split" : "United"; });

TEST_P(DamageTest, InVersions) {
  for (const LinkId id : {LinkId{50}, LinkId{310}, LinkId{362}, LinkId{1000003}}) {
    Version& v = version(id);
    plant("another id", v.id, v.id + 1);
    plant("another source", v.source, v.source + 1);
    plant("another target", v.target, v.target + 1);
    plant("an in-flight record of another", v.flight, version(40).flight);
    plant("an older version of another id", v.older, head(51));
  }
  plant("a lost older version", version(40).older, Ref<Version>{});
  plant("a lost in-flight record", version(40).flight, Ref<Flight>{});
  plant("the record of another", version(40).flight, version(41).flight);
}

TEST_P(DamageTest, InInFlightRecords) {
  StoreHeader& h = links_.header();
  Flight& f = flight(40);
  plant("another version", f.version, head(50));
  plant("no transaction", f.inserter, Ref<TxnSlot>{});
  plant("a cut queue", f.next, Ref<Flight>{});
  plant("a looped queue", f.next, version(40).flight);
  TxnSlot& slot = links_.heap().at(f.inserter);
  plant("a slot without references", slot.references, 0);
  plant("a slot with more references", slot.references, slot.references + 1);
  plant("a slot without transaction", slot.xid, 0);
  plant("a lost queue", h.queue_head, Ref<Flight>{});
  plant("another tail", h.queue_tail, h.queue_head);
  plant("a wrong count of records", h.flights, h.flights + 1);
  plant("a wrong count of records", h.flights, h.flights - 1);
  plant("a wrong count of slots", h.slots, h.slots + 1);
  plant("a wrong count of versions", h.versions, h.versions + 1);
  plant("a wrong count of versions", h.versions, h.versions - 1);
}

TEST_P(DamageTest, InIds) {
  IdIndexHeader& ids = links_.header().ids;
  PagedArray<IdEntry> dense(links_.heap(), ids.dense);
  plant("a higher counter", ids.fresh, ids.fresh + 1);
  plant("a lower counter", ids.fresh, 15);
  plant("a lost list of free ids", ids.free_head, 0);
  plant("an id in use on the list", ids.free_head, 50);
  plant("a shortened list", ids.free_head, 20);
  plant("a wrong count of far ids", ids.sparse_count, ids.sparse_count + 1);
  plant("a lost tree of far ids", ids.sparse_root, 0);
  plant("the version of another id", dense[50].word0, head(51).unit);
  plant("an id in use that is marked unused", dense[50].word1, 0);
  plant("an id in use without a version", dense[50].word0, 0);
  plant("a free id that is marked unused", dense[20].word1, 0);
  plant("a free id that is marked in use", dense[20].word1, IdEntry::kInUse);
  plant("a broken link between free ids", dense[20].word0, 10);
  plant("an unused id that is marked in use", dense[400].word1, IdEntry::kInUse);
}

TEST_P(DamageTest, InMemoryAccounts) {
  HeapHeader& h = links_.header().heap;
  plant("too few bytes in use", h.used_bytes, h.used_bytes - 32);
  plant("too many bytes", h.allocated_bytes, h.allocated_bytes + 4096);
  plant("a lost block", h.bump_next, h.bump_next + 1);
  plant("a block twice", h.bump_next, h.bump_next - 1);
  for (unsigned cls = 0; cls < kSizeClasses; ++cls) {
    if (h.free_heads[cls] == 0) continue;
    plant("a lost free list", h.free_heads[cls], 0);
    plant("a wrong length of a free list", h.free_blocks[cls], h.free_blocks[cls] + 1);
    plant("a free list that leads out", h.free_heads[cls], 0xfffffff0u);
    plant("a looped free list", *reinterpret_cast<std::uint32_t*>(links_.heap().address(h.free_heads[cls])),
          h.free_heads[cls]);
  }
}

TEST_P(DamageTest, InTheSplitIndex) {
  if (GetParam() != Layout::kSplit) GTEST_SKIP() << "the other layout's structures";
  Heap& heap = links_.heap();
  SplitHeader& split = links_.header().split;
  using Ends = VersionList<MapKey::kSource>;  // and of a target
  using Pair = VersionList<MapKey::kPair>;
  const auto list_of = [&]<class List>(HashIndexHeader& index, std::int64_t key, List*) {
    List* found = nullptr;
    HashIndex(heap, index).for_each([&](std::uint32_t, std::uint32_t ref, bool tag, bool) {
      if (tag && heap.at(Ref<List>{ref}).key.column[0] == key) found = &heap.at(Ref<List>{ref});
    });
    return found;
  };
  Ends* hub = list_of(split.by_source, 7, hub);
  Ends* array = list_of(split.by_target, 8, array);
  Ends* small = list_of(split.by_source, 3, small);
  Pair* pair = list_of(split.by_pair, 1, pair);
  ASSERT_NE(hub, nullptr);
  ASSERT_NE(array, nullptr);
  ASSERT_NE(small, nullptr);
  ASSERT_NE(pair, nullptr);
  ASSERT_TRUE(hub->tree);
  const auto plant_bits = [&](const std::string& what, auto& list, std::uint32_t tree, std::uint32_t bits) {
    const auto saved = list;
    list.tree = tree;
    list.bits = bits;
    EXPECT_NE(faults(), "") << "not found: " << what;
    list = saved;
    ASSERT_EQ(faults(), "") << "after " << what;
  };
  plant("another key", hub->key.column[0], 12345);
  plant("another key", array->key.column[0], 9);
  plant("another pair", pair->key.column[0], 99);
  plant("another pair", pair->key.column[1], 99);
  plant("a lost tree", hub->version[0], 0);
  plant_bits("a shorter tree", *hub, 1, hub->bits - 1);
  plant_bits("a tree that is none", *hub, 0, hub->bits);
  plant_bits("a shorter list", *array, 0, array->bits - 1);
  plant_bits("a longer list", *array, 0, array->bits + 1);
  plant_bits("a list in a larger block", *array, 0, array->bits + (1u << 8));
  plant_bits("a list in no block there is", *array, 0, array->bits + (1u << 20));
  plant_bits("a list of none", *small, 0, 0);
  plant_bits("a shorter pair", *pair, 0, pair->bits - 1);
  plant("an entry of another node", array->version[3], head(50).unit);
  plant("an entry twice", array->version[3], array->version[4]);
  plant("the link of another", small->version[0], head(50).unit);
  for (HashIndexHeader* index : {&split.by_source, &split.by_target, &split.by_pair}) {
    plant("a wrong number of entries", index->entries, index->entries + 1);
    plant("a wrong number of overflow buckets", index->overflow_buckets, index->overflow_buckets + 1);
    plant("a lost bucket", index->bucket_count, index->bucket_count - 1);
    PagedArray<HashBucket> buckets(heap, index->buckets);
    std::uint32_t used = 0;
    while (buckets[used].count == 0) ++used;
    HashBucket& bucket = buckets[used];
    plant("another hash", bucket.hash[0], bucket.hash[0] ^ 0x10000);
    plant("a lost entry", bucket.count, bucket.count - 1);
    plant("another tag", bucket.tags, bucket.tags ^ 1);
  }
}

TEST_P(DamageTest, InTheUnitedIndex) {
  if (GetParam() != Layout::kUnited) GTEST_SKIP() << "the other layout's structures";
  UnitedHeader& united = links_.header().united;
  plant("a lost index", united.by_source, 0);
  plant("a lost index", united.by_target, 0);
  plant("the same index twice", united.by_source, united.by_target);
  auto& root = links_.heap().at(Ref<tree_node::Inner>{united.by_source});
  ASSERT_GT(root.header.level, 0);
  plant("a wrong count", root.entries[0], root.entries[0] + 1);
  plant("another separator", root.first[1], root.first[1] + 50);
  auto& leaf = links_.heap().at(Ref<tree_node::Leaf>{root.child[0]});
  plant("another version", leaf.version[0], leaf.version[1]);
  plant("a lost entry", leaf.header.count, leaf.header.count - 1);
}

}  // namespace
}  // namespace doublets

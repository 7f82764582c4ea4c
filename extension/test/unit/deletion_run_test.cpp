// Runs of deleted versions: that a command deletes many settled links with few in-flight records, and that nothing else
// can be told from a record each, also after a rollback, where ids come into use again, and while settling has to wait.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "core/store.hpp"
#include "memory_heap.hpp"

namespace doublets::test {
namespace {

constexpr LinkId kLinks = 5000;

class DeletionRuns : public ::testing::TestWithParam<Layout> {
 protected:
  // A transaction that writes by its first command.
  struct Txn {
    TxnId xid;
    Ref<TxnSlot> slot{};
  };

  DeletionRuns()
      : memory_(kFirstChunkBytes,
                [](char* base, std::size_t bytes) { Store::format(base, bytes, 0, GetParam(), false, 7); }) {
    Txn load = begin();
    for (LinkId id = 1; id <= kLinks; ++id)
      insert(load, id);
    end(load, TxnState::kCommitted);
    settle();
  }

  Store store() { return Store(memory_.heap()); }
  Txn begin() { return {next_xid_++}; }
  void end(Txn& txn, TxnState state) {
    if (txn.slot) store_state(memory_.heap().at(txn.slot), state);
  }
  Writer writer(Txn& txn) { return {txn.xid, 1, txn.slot, {fate, &txn.xid}}; }

  template <class Change>
  Status change(Change&& change) {
    for (;;) {
      const WriteResult r = change();
      if (r.status != Status::kNeedMemory) return r.status;
      if (memory_.grow(r.units) != Status::kOk) std::abort();
    }
  }
  void insert(Txn& txn, LinkId id) {
    LinkInput link{id, id % 50, id % 7, {}};
    std::size_t done = 0;
    EXPECT_EQ(change([&] { return store().insert(&link, 1, writer(txn), done); }), Status::kOk) << id;
  }
  void erase(Txn& txn, LinkId id) {
    const Ref<Version> v = newest(id);
    ASSERT_TRUE(v) << id;
    EXPECT_EQ(change([&] { return store().erase(v, writer(txn)); }), Status::kOk) << id;
  }
  void update(Txn& txn, LinkId id) {
    const Ref<Version> v = newest(id);
    ASSERT_TRUE(v) << id;
    LinkInput link{id, id % 50, id % 7, {}};
    EXPECT_EQ(change([&] { return store().update(v, link, writer(txn)); }), Status::kOk) << id;
  }

  // What a transaction sees that begins when all have ended.
  std::set<LinkId> links() {
    std::set<LinkId> found;
    LinkRow batch[256];
    std::uint64_t passed = 0;
    for (Position position; !position.done;) {
      const std::size_t n = store().scan(Search{}, position, kCommitted, batch, std::size(batch), passed);
      for (std::size_t i = 0; i < n; ++i)
        found.insert(batch[i].id);
    }
    return found;
  }
  Ref<Version> newest(LinkId id) { return store().find(id, kCommitted); }

  void verify() {
    store().verify([](void*, const char* text) { ADD_FAILURE() << text; }, nullptr);
  }
  // In small steps, with a look at everything after each.
  void settle() {
    for (bool more = true; more;) {
      (void)store().settle(next_xid_, 700, &more);
      verify();
    }
  }

  static constexpr Visibility kCommitted{
      [](void*, const TxnSlot& slot, CommandId) noexcept { return load_state(slot) == TxnState::kCommitted; }, nullptr};

  MemoryHeap memory_;
  TxnId next_xid_ = 1;

 private:
  static Fate fate(void* own, const TxnSlot& slot) noexcept {
    switch (load_state(slot)) {
      case TxnState::kCommitted:
        return Fate::kCommitted;
      case TxnState::kAborted:
        return Fate::kAborted;
      default:
        return slot.xid == *static_cast<TxnId*>(own) ? Fate::kOwn : Fate::kRunning;
    }
  }
};

std::set<LinkId> ids(LinkId from, LinkId upto) {
  std::set<LinkId> all;
  for (LinkId id = from; id <= upto; ++id)
    all.insert(id);
  return all;
}

TEST_P(DeletionRuns, TakeFewRecordsAndEndAsTheyShould) {
  Txn txn = begin();
  for (LinkId id = 1; id <= 4000; ++id)
    erase(txn, id);
  verify();
  EXPECT_LE(store().header().records, 4000u / FlightRun::kMaxMembers + 1);
  EXPECT_EQ(store().header().flights, 4000u);
  EXPECT_EQ(links(), ids(1, kLinks));
  // While the transaction runs settling has nothing to do, and may turn the queue.
  EXPECT_EQ(store().settle(next_xid_, 10000), 0u);
  verify();
  end(txn, TxnState::kCommitted);
  EXPECT_EQ(links(), ids(4001, kLinks));
  // Somebody may still see them.
  EXPECT_EQ(store().settle(txn.xid, 10000), 0u);
  settle();
  EXPECT_EQ(store().header().versions, std::uint64_t{kLinks} - 4000);
  EXPECT_EQ(store().header().records, 0u);
  EXPECT_EQ(links(), ids(4001, kLinks));
}

TEST_P(DeletionRuns, ThatFailLeaveLinksToOthers) {
  Txn first = begin();
  for (LinkId id = 1; id <= 3000; ++id)
    erase(first, id);
  end(first, TxnState::kAborted);
  EXPECT_EQ(links(), ids(1, kLinks));
  // Others change them before the run is settled, from its ends and its middle.
  Txn second = begin();
  for (LinkId id = 1; id <= 100; ++id)
    erase(second, id);
  for (LinkId id = 1500; id <= 1600; ++id)
    update(second, id);
  for (LinkId id = 2901; id <= 3000; ++id)
    erase(second, id);
  verify();
  (void)store().settle(next_xid_, 500);
  verify();
  end(second, TxnState::kCommitted);
  settle();
  std::set<LinkId> left = ids(101, kLinks);
  for (LinkId id = 2901; id <= 3000; ++id)
    left.erase(id);
  EXPECT_EQ(links(), left);
  EXPECT_EQ(store().header().versions, left.size());
}

TEST_P(DeletionRuns, OutliveWhatTakesTheirIds) {
  for (const TxnState state : {TxnState::kCommitted, TxnState::kAborted}) {
    Txn txn = begin();
    for (LinkId id = 1; id <= 2000; ++id)
      erase(txn, id);
    // Every other id is in use again.
    for (LinkId id = 2; id <= 2000; id += 2)
      insert(txn, id);
    verify();
    // The runs go behind the records of what has left them.
    (void)store().settle(next_xid_, 10000);
    verify();
    end(txn, state);
    settle();
    if (state == TxnState::kCommitted) {
      std::set<LinkId> left = ids(2001, kLinks);
      for (LinkId id = 2; id <= 2000; id += 2)
        left.insert(id);
      EXPECT_EQ(links(), left);
      Txn again = begin();
      for (LinkId id = 1; id <= 2000; id += 2)
        insert(again, id);
      end(again, TxnState::kCommitted);
      settle();
    }
    EXPECT_EQ(links(), ids(1, kLinks));
    EXPECT_EQ(store().header().versions, std::uint64_t{kLinks});
  }
}

// A run all of whose members have left it.
TEST_P(DeletionRuns, MayBecomeEmpty) {
  Txn txn = begin();
  for (LinkId id = 1; id <= 20; ++id)
    erase(txn, id);
  for (LinkId id = 1; id <= 20; ++id)
    insert(txn, id);
  verify();
  for (LinkId id = 21; id <= 40; ++id)
    erase(txn, id);
  verify();
  end(txn, TxnState::kCommitted);
  settle();
  std::set<LinkId> left = ids(1, 20);
  left.merge(ids(41, kLinks));
  EXPECT_EQ(links(), left);
}

INSTANTIATE_TEST_SUITE_P(Layouts, DeletionRuns, ::testing::Values(Layout::kSplit, Layout::kUnited),
                         [](const auto& info) { return info.param == Layout::kSplit ? "Split" : "United"; });

}  // namespace
}  // namespace doublets::test

// A link whose pair is undecided: it has its id while it waits, as a row that waits for an entry of a second unique index.
#include <gtest/gtest.h>

#include <string>

#include "core/store.hpp"
#include "memory_heap.hpp"

namespace doublets::test {
namespace {

class UndecidedPair : public ::testing::TestWithParam<Layout> {
 protected:
  struct Transaction {
    TxnId xid;
    Ref<TxnSlot> slot{};
  };

  UndecidedPair()
      : memory_(kFirstChunkBytes, [](char* base, std::size_t bytes) {
          Store::format(base, bytes, 0, GetParam(), true, 7);
        }) {}

  Oracle oracle(const Transaction& t) {
    return {[](void* own, const TxnSlot& slot) noexcept {
              switch (load_state(slot)) {
                case TxnState::kCommitted:
                  return Fate::kCommitted;
                case TxnState::kAborted:
                  return Fate::kAborted;
                default:
                  return slot.xid == static_cast<const Transaction*>(own)->xid ? Fate::kOwn : Fate::kRunning;
              }
            },
            const_cast<Transaction*>(&t)};
  }
  Writer writer(Transaction& t) { return {t.xid, 1, t.slot, oracle(t)}; }
  Store store() { return Store(memory_.heap()); }
  void end(Transaction& t, TxnState state) { store_state(memory_.heap().at(t.slot), state); }

  WriteResult insert(Transaction& t, LinkInput& link) {
    std::size_t done = 0;
    return store().insert(&link, 1, writer(t), done);
  }
  LinkInput link(LinkId id, std::int64_t source) { return {id, source, 0, {}}; }

  void expect_sound() {
    std::string broken;
    store().verify([](void* text, const char* line) { *static_cast<std::string*>(text) += line; }, &broken);
    EXPECT_EQ(broken, "");
  }
  void expect_wait(const WriteResult& r, const Transaction& t) {
    EXPECT_EQ(r.status, Status::kWait);
    EXPECT_EQ(r.wait_for, t.xid);
  }

  MemoryHeap memory_;
  Transaction first_{10}, second_{11}, third_{12};
};

TEST_P(UndecidedPair, HasItsIdButNotThePair) {
  LinkInput a = link(1, 5), b = link(2, 5), c = link(2, 6), d = link(3, 5);
  ASSERT_EQ(insert(first_, a).status, Status::kOk);
  const WriteResult waiting = insert(second_, b);
  expect_wait(waiting, first_);
  EXPECT_TRUE(waiting.applied);
  expect_wait(insert(third_, c), second_);  // for the id
  expect_wait(insert(third_, d), first_);   // for the pair; not for the second, who waits as well
  LinkInput assigned = link(0, 7);
  Transaction fourth{13};
  ASSERT_EQ(insert(fourth, assigned).status, Status::kOk);
  EXPECT_GT(assigned.id, 3);
  expect_sound();

  // The first gives up: whoever looks again first has the pair.
  end(first_, TxnState::kAborted);
  EXPECT_EQ(store().confirm(b.version, oracle(second_)).status, Status::kOk);
  expect_wait(store().confirm(d.version, oracle(third_)), second_);
  end(second_, TxnState::kCommitted);
  EXPECT_EQ(store().confirm(d.version, oracle(third_)).status, Status::kDuplicatePair);
  end(third_, TxnState::kAborted);
  end(fourth, TxnState::kCommitted);
  (void)store().settle(100, 100);
  EXPECT_EQ(store().header().versions, 2u);
  expect_sound();
}

TEST_P(UndecidedPair, IsNotInsertedByThePatient) {
  LinkInput a = link(1, 5), b = link(2, 5);
  ASSERT_EQ(insert(first_, a).status, Status::kOk);
  b.patient = true;
  const WriteResult waiting = insert(second_, b);
  expect_wait(waiting, first_);
  EXPECT_FALSE(waiting.applied);
  EXPECT_EQ(store().header().versions, 1u);
}

TEST_P(UndecidedPair, OfAnUpdateReplacesTheRow) {
  LinkInput a = link(1, 5), b = link(2, 6);
  ASSERT_EQ(insert(first_, a).status, Status::kOk);
  ASSERT_EQ(insert(second_, b).status, Status::kOk);
  LinkInput changed = link(2, 5);
  const WriteResult waiting = store().update(b.version, changed, writer(second_));
  expect_wait(waiting, first_);
  EXPECT_TRUE(waiting.applied);
  EXPECT_EQ(store().fate(b.version, oracle(second_)).status, Status::kSelfModified);
  end(first_, TxnState::kAborted);
  EXPECT_EQ(store().confirm(changed.version, oracle(second_)).status, Status::kOk);
  end(second_, TxnState::kCommitted);
  (void)store().settle(100, 100);
  EXPECT_EQ(store().header().versions, 1u);
  expect_sound();
}

INSTANTIATE_TEST_SUITE_P(Layouts, UndecidedPair, ::testing::Values(Layout::kSplit, Layout::kUnited));

}  // namespace
}  // namespace doublets::test

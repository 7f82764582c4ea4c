// Changes of many links at once beside the same changes one by one: the same answers, the same links, also where
// something is in the way in the middle, and where memory runs out.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "core/store.hpp"
#include "memory_heap.hpp"

namespace doublets::test {
namespace {

struct Outcome {
  std::size_t done = 0;
  Status status = Status::kOk;
  TxnId wait_for = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// A store, a transaction that changes it and one that is in the way.
class Side {
 public:
  Side(Layout layout, bool unique)
      : memory_(kFirstChunkBytes,
                [=](char* base, std::size_t bytes) { Store::format(base, bytes, 0, layout, unique, 5); }) {}

  Store store() { return Store(memory_.heap()); }
  Writer mine() { return {xid_, 1, mine_, {fate, &xid_}}; }
  Writer other() { return {xid_ + 1, 1, other_, {fate, &other_xid_}}; }

  // change(done) on the rest until it is done, or stuck for another reason than memory.
  template <class Change>
  Outcome run(std::size_t n, Change change) {
    Outcome out;
    while (out.done < n) {
      std::size_t now = 0;
      const WriteResult r = change(out.done, now);
      out.done += now;
      if (r.status == Status::kNeedMemory) {
        ++refusals;
        // No more than is asked for, so that it happens again.
        const std::size_t bytes = (std::size_t{r.units} * kUnitBytes + 4095) / 4096 * 4096;
        if (memory_.grow(r.units, bytes) != Status::kOk) std::abort();
        continue;
      }
      out.status = r.status;
      out.wait_for = r.wait_for;
      if (r.status != Status::kOk) break;
    }
    return out;
  }

  // Both end, for good or not.
  void end(bool commit) {
    for (Ref<TxnSlot>* slot : {&mine_, &other_}) {
      if (*slot) store_state(memory_.heap().at(*slot), commit ? TxnState::kCommitted : TxnState::kAborted);
      *slot = {};
    }
    xid_ += 2;
    other_xid_ = xid_ + 1;
    (void)store().settle(xid_, ~std::uint64_t{0});
  }

  std::vector<LinkRow> rows() {
    std::vector<LinkRow> found;
    LinkRow batch[256];
    std::uint64_t passed = 0;
    const Visibility committed{
        [](void*, const TxnSlot& slot, CommandId) noexcept { return load_state(slot) == TxnState::kCommitted; },
        nullptr};
    for (Position position; !position.done;) {
      const std::size_t n = store().scan(Search{}, position, committed, batch, std::size(batch), passed);
      found.insert(found.end(), batch, batch + n);
    }
    return found;
  }

  std::map<LinkId, std::pair<std::int64_t, std::int64_t>> links() {
    std::map<LinkId, std::pair<std::int64_t, std::int64_t>> found;
    for (const LinkRow& r : rows())
      found[r.id] = {r.source, r.target};
    return found;
  }

  void verify() {
    store().verify([](void*, const char* text) { ADD_FAILURE() << text; }, nullptr);
  }

  int refusals = 0;

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

  MemoryHeap memory_;
  TxnId xid_ = 1;
  TxnId other_xid_ = 2;
  Ref<TxnSlot> mine_{};
  Ref<TxnSlot> other_{};
};

class Batches : public ::testing::TestWithParam<std::tuple<Layout, bool>> {
 protected:
  Batches()
      : one_by_one_(std::get<0>(GetParam()), std::get<1>(GetParam())),
        at_once_(std::get<0>(GetParam()), std::get<1>(GetParam())) {}

  std::int64_t end() { return std::uniform_int_distribution<std::int64_t>(-20, 20)(random_); }
  bool one_in(unsigned n) { return random_() % n == 0; }

  void fill(Side& side, const std::vector<LinkInput>& links) {
    std::vector<LinkInput> copy = links;
    const Outcome out = side.run(copy.size(), [&](std::size_t first, std::size_t& done) {
      WriteResult r = side.store().insert(copy.data() + first, copy.size() - first, side.mine(), done);
      if (r.status == Status::kDuplicatePair) {
        ++done;
        r = {};
      }
      return r;
    });
    EXPECT_EQ(out.status, Status::kOk);
    side.end(true);
  }

  // The same rows of a side, by the places of `picks`.
  static std::vector<LinkRow> pick(Side& side, const std::vector<std::size_t>& picks) {
    const std::vector<LinkRow> all = side.rows();
    std::vector<LinkRow> rows;
    for (const std::size_t i : picks)
      rows.push_back(all[i]);
    return rows;
  }

  std::vector<std::size_t> some_places(std::size_t n) {
    std::vector<std::size_t> places(n);
    for (std::size_t i = 0; i < n; ++i)
      places[i] = i;
    std::shuffle(places.begin(), places.end(), random_);
    places.resize(std::min<std::size_t>(n, 1 + random_() % 200));
    return places;
  }

  // Another transaction deletes the row in the middle of those to be changed.
  void block(Side& side, const LinkRow& row) {
    const Outcome out = side.run(1, [&](std::size_t, std::size_t& done) {
      const WriteResult r = side.store().erase(row.version, side.other());
      done = r.status == Status::kOk;
      return r;
    });
    EXPECT_EQ(out.done, 1u);
  }

  std::mt19937 random_{17};
  Side one_by_one_;
  Side at_once_;
};

TEST_P(Batches, AnswerAndLeaveTheSameAsSingleChanges) {
  std::vector<LinkInput> links(600);
  for (LinkInput& link : links)
    link = {0, end() * 50, end(), {}};
  fill(one_by_one_, links);
  fill(at_once_, links);
  ASSERT_EQ(one_by_one_.links(), at_once_.links());
  int stuck = 0;
  for (int round = 0; round < 60 && one_by_one_.links().size() > 20; ++round) {
    const std::vector<std::size_t> places = some_places(one_by_one_.links().size());
    const std::vector<LinkRow> a = pick(one_by_one_, places), b = pick(at_once_, places);
    const std::size_t n = places.size();
    if (one_in(3)) {
      block(one_by_one_, a[n / 2]);
      block(at_once_, b[n / 2]);
    }
    Outcome expected, got;
    if (one_in(4)) {
      expected = one_by_one_.run(n, [&](std::size_t i, std::size_t& done) {
        const WriteResult r = one_by_one_.store().erase(a[i].version, one_by_one_.mine());
        done = r.status == Status::kOk;
        return r;
      });
      got = at_once_.run(n, [&](std::size_t i, std::size_t& done) {
        return at_once_.store().erase(b.data() + i, n - i, at_once_.mine(), done);
      });
    } else {
      std::vector<LinkInput> next(n);
      for (std::size_t i = 0; i < n; ++i)
        next[i] = {one_in(9) ? 100000 + static_cast<LinkId>(random_() % 300) : a[i].id,
                   one_in(2) ? a[i].source : end(),
                   end(),
                   {}};
      std::vector<LinkInput> copy = next;
      expected = one_by_one_.run(n, [&](std::size_t i, std::size_t& done) {
        const WriteResult r = one_by_one_.store().update(a[i].version, next[i], one_by_one_.mine());
        done = r.status == Status::kOk;
        return r;
      });
      got = at_once_.run(n, [&](std::size_t i, std::size_t& done) {
        return at_once_.store().update(b.data() + i, copy.data() + i, n - i, at_once_.mine(), done);
      });
    }
    EXPECT_EQ(expected, got) << "round " << round;
    stuck += expected.status != Status::kOk;
    const bool commit = !one_in(4);
    one_by_one_.end(commit);
    at_once_.end(commit);
    ASSERT_EQ(one_by_one_.links(), at_once_.links()) << "round " << round;
    at_once_.verify();
  }
  EXPECT_GT(stuck, 5);
  EXPECT_GT(at_once_.refusals, 3);
}

INSTANTIATE_TEST_SUITE_P(Layouts, Batches,
                         ::testing::Combine(::testing::Values(Layout::kSplit, Layout::kUnited), ::testing::Bool()));

}  // namespace
}  // namespace doublets::test

// Row locks against a model: random transactions with subtransactions lock, update and delete a few links.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/store.hpp"
#include "memory_heap.hpp"

namespace doublets::test {
namespace {

TEST(Locks, ConflictAsInTheHeap) {
  constexpr bool kExpected[4][4] = {// KEY SHARE, SHARE, NO KEY UPDATE, UPDATE
                                    {false, false, false, true},
                                    {false, false, true, true},
                                    {false, true, true, true},
                                    {true, true, true, true}};
  for (unsigned a = 0; a < 4; ++a)
    for (unsigned b = 0; b < 4; ++b)
      EXPECT_EQ(conflict(LockStrength{a}, LockStrength{b}), kExpected[a][b]) << a << " " << b;
}

// A transaction is a stack of subtransactions, each with a slot of its own.
struct Level {
  TxnId xid;
  Ref<TxnSlot> slot{};
};
struct Transaction {
  std::vector<std::unique_ptr<Level>> levels;
};

class LockModel : public ::testing::TestWithParam<std::tuple<Layout, bool, unsigned>> {
 protected:
  static constexpr LinkId kLinks = 6;
  static constexpr std::size_t kTransactions = 4;

  struct Hold {
    Transaction* owner;
    std::size_t depth;
    LockStrength strength;
    TxnId xid;
  };
  // What one subtransaction has made of a link.
  struct Change {
    Transaction* owner;
    std::size_t depth;
    LockStrength strength;
    TxnId xid;
    Ref<Version> before;
    Ref<Version> after;  // null: deleted
  };
  struct Link {
    Ref<Version> committed{};
    std::vector<Change> changes;  // of one running transaction
    std::vector<Hold> holds;
  };

  LockModel()
      : unique_(std::get<1>(GetParam())),
        random_(std::get<2>(GetParam())),
        memory_(kFirstChunkBytes, [](char* base, std::size_t bytes) {
          Store::format(base, bytes, 0, std::get<0>(GetParam()), std::get<1>(GetParam()), 7);
        }) {}

  void SetUp() override {
    begin(transactions_[0]);
    for (LinkId id = 1; id <= kLinks; ++id) {
      LinkInput link{id, id, -id, {}};
      ASSERT_EQ(act(transactions_[0], [&](Store& s, const Writer& w) {
                  std::size_t done = 0;
                  return s.insert(&link, 1, w, done);
                }).status,
                Status::kOk);
      links_[index(id)].committed = link.version;
    }
    end(transactions_[0], TxnState::kCommitted);
    for (Transaction& t : transactions_) begin(t);
  }

  void begin(Transaction& t) { t.levels.push_back(std::make_unique<Level>(Level{next_xid_++})); }

  // Ends the innermost level, or, of the last one, the transaction.
  void end(Transaction& t, TxnState state) {
    const std::size_t depth = t.levels.size() - 1;
    if (state == TxnState::kCommitted && depth > 0) {  // RELEASE: a level merges with the one around it
      released_.push_back({&t, depth - 1, t.levels.back()->slot});
      for (Released& r : released_)
        if (r.owner == &t && r.depth == depth) r.depth = depth - 1;
      reassign(t, depth);
    } else {
      if (t.levels.back()->slot) store_state(memory_.heap().at(t.levels.back()->slot), state);
      std::erase_if(released_, [&](const Released& r) {
        if (r.owner != &t || r.depth != depth) return false;
        if (r.slot) store_state(memory_.heap().at(r.slot), state);
        return true;
      });
      forget(t, depth, state);
    }
    t.levels.pop_back();
  }

  void reassign(const Transaction& t, std::size_t depth) {
    for (Link& link : links_) {
      for (Hold& h : link.holds)
        if (h.owner == &t && h.depth == depth) h.depth = depth - 1;
      for (Change& c : link.changes)
        if (c.owner == &t && c.depth == depth) c.depth = depth - 1;
    }
  }

  void forget(const Transaction& t, std::size_t depth, TxnState state) {
    for (Link& link : links_) {
      std::erase_if(link.holds, [&](const Hold& h) { return h.owner == &t && h.depth == depth; });
      if (state == TxnState::kCommitted && !link.changes.empty() && link.changes[0].owner == &t)
        link.committed = link.changes.back().after;
      std::erase_if(link.changes, [&](const Change& c) { return c.owner == &t && c.depth == depth; });
    }
  }

  template <class Act>
  WriteResult act(Transaction& t, Act&& action) {
    Level& level = *t.levels.back();
    const auto context = std::make_pair(this, &t);
    const Oracle oracle{[](void* c, const TxnSlot& slot) noexcept {
                          const auto& [self, txn] = *static_cast<std::pair<LockModel*, Transaction*>*>(c);
                          switch (load_state(slot)) {
                            case TxnState::kCommitted:
                              return Fate::kCommitted;
                            case TxnState::kAborted:
                              return Fate::kAborted;
                            default:
                              return self->is_own(*txn, slot.xid) ? Fate::kOwn : Fate::kRunning;
                          }
                        },
                        const_cast<std::pair<LockModel*, Transaction*>*>(&context)};
    const Writer writer{level.xid, ++command_, level.slot, oracle};
    Store store(memory_.heap());
    for (;;) {
      const WriteResult r = action(store, writer);
      if (r.status != Status::kNeedMemory) return r;
      EXPECT_EQ(memory_.grow(r.units), Status::kOk);
    }
  }

  bool is_own(const Transaction& t, TxnId xid) const {
    for (const auto& level : t.levels)
      if (level->xid == xid) return true;
    return std::any_of(released_.begin(), released_.end(), [&](const Released& r) {
      return r.owner == &t && r.slot && heap().at(r.slot).xid == xid;
    });
  }

  // What an attempt of this strength on what `t` sees has to answer; 0: it may go on.
  TxnId wait_for(const Transaction& t, const Link& link, LockStrength strength, bool lock_only) const {
    TxnId oldest = 0;
    const auto in_the_way = [&oldest](TxnId xid) { oldest = oldest == 0 ? xid : std::min(oldest, xid); };
    if (lock_only)
      for (const Hold& h : link.holds)
        if (h.owner == &t && h.strength >= strength) return 0;
    if (!link.changes.empty() && link.changes[0].owner != &t) {
      // Who wants the key alone is stopped by the first change of it, and by that alone.
      if (lock_only && strength == LockStrength::kKeyShare) {
        for (const Change& c : link.changes)
          if (conflict(c.strength, strength)) return c.xid;
      } else {
        in_the_way(link.changes[0].xid);
      }
    }
    for (const Hold& h : link.holds)
      if (h.owner != &t && conflict(h.strength, strength)) in_the_way(h.xid);
    return oldest;
  }

  void try_one(Transaction& t) {
    Link& link = links_[random_() % kLinks];
    const bool own = !link.changes.empty() && link.changes[0].owner == &t;
    const Ref<Version> version = own ? link.changes.back().after : link.committed;
    if (!version && (own || link.changes.empty())) {  // deleted: make it again
      LinkInput again{&link - links_.data() + 1, --next_end_, 0, {}};
      const WriteResult r = act(t, [&](Store& s, const Writer& w) {
        std::size_t done = 0;
        return s.insert(&again, 1, w, done);
      });
      ASSERT_EQ(r.status, Status::kOk);
      link.changes.push_back(
          {&t, t.levels.size() - 1, LockStrength::kUpdate, t.levels.back()->xid, {}, again.version});
    }
    if (!version) return;
    const LinkRow row = Store(memory_.heap()).row(version);
    const unsigned kind = random_() % 8;
    LockStrength strength{};
    WriteResult r;
    LinkInput input{};
    if (kind < 4) {
      strength = LockStrength{kind};
      r = act(t, [&](Store& s, const Writer& w) { return s.lock(version, strength, w); });
    } else if (kind < 7) {
      // A pair of its own, or the same one; now and then the key.
      input = {row.id, row.source, kind == 4 ? row.target : --next_end_, {}};
      strength = unique_ && kind != 4 ? LockStrength::kUpdate : LockStrength::kNoKeyUpdate;
      r = act(t, [&](Store& s, const Writer& w) { return s.update(version, input, w); });
    } else {
      strength = LockStrength::kUpdate;
      r = act(t, [&](Store& s, const Writer& w) { return s.erase(version, w); });
    }
    const TxnId expected = wait_for(t, link, strength, kind < 4);
    if (expected != 0) {
      ASSERT_EQ(r.status, Status::kWait) << "kind " << kind;
      ASSERT_EQ(r.wait_for, expected) << "kind " << kind;
      return;
    }
    ASSERT_EQ(r.status, Status::kOk) << "kind " << kind;
    const Hold hold{&t, t.levels.size() - 1, strength, t.levels.back()->xid};
    if (kind < 4) {
      const bool held = std::any_of(link.holds.begin(), link.holds.end(), [&](const Hold& h) {
        return h.owner == &t && h.strength >= strength;
      });
      if (!held) link.holds.push_back(hold);
    } else {
      // Who has the link FOR UPDATE changes its key, whatever comes of it.
      if (std::any_of(link.holds.begin(), link.holds.end(),
                      [&](const Hold& h) { return h.owner == &t && h.strength == LockStrength::kUpdate; }))
        strength = LockStrength::kUpdate;
      link.changes.push_back({&t, hold.depth, strength, hold.xid, version, input.version});
    }
  }

  Heap& heap() const { return const_cast<MemoryHeap&>(memory_).heap(); }
  static std::size_t index(LinkId id) { return static_cast<std::size_t>(id - 1); }

  struct Released {
    Transaction* owner;
    std::size_t depth;
    Ref<TxnSlot> slot;
  };

  bool unique_;
  std::mt19937 random_;
  MemoryHeap memory_;
  std::array<Transaction, kTransactions> transactions_;
  std::array<Link, kLinks> links_;
  std::vector<Released> released_;  // slots of released levels, by the level they belong to now
  TxnId next_xid_ = 100;
  CommandId command_ = 0;
  std::int64_t next_end_ = -1000;
};

TEST_P(LockModel, AnswersAsTheModelDoes) {
  constexpr int kSteps = 4000;
  for (int step = 0; step < kSteps; ++step) {
    Transaction& t = transactions_[random_() % kTransactions];
    const unsigned what = random_() % 20;
    if (what < 14) {
      ASSERT_NO_FATAL_FAILURE(try_one(t)) << "step " << step;
    } else if (what < 16 && t.levels.size() < 4) {
      begin(t);
    } else if (what < 19) {
      end(t, what == 16 ? TxnState::kAborted : TxnState::kCommitted);
      if (t.levels.empty()) begin(t);
    } else {
      // Nothing that is older than the oldest running transaction is needed by anybody.
      TxnId horizon = next_xid_;
      for (const Transaction& other : transactions_) horizon = std::min(horizon, other.levels[0]->xid);
      Store store(memory_.heap());
      (void)store.settle(horizon, 64);
      (void)store.settle_locks(random_() % 32);
    }
    if (step % 50 == 0) {
      std::string broken;
      Store(memory_.heap()).verify([](void* text, const char* line) { *static_cast<std::string*>(text) += line; },
                                   &broken);
      ASSERT_EQ(broken, "") << "step " << step;
    }
  }
  for (Transaction& t : transactions_)
    while (!t.levels.empty()) end(t, TxnState::kAborted);
  Store store(memory_.heap());
  while (store.header().locks.lockers > 0) ASSERT_GT(store.settle_locks(8), 0u);
  (void)store.settle(next_xid_, ~std::uint64_t{0});
  EXPECT_EQ(store.header().slots, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, LockModel,
                         ::testing::Combine(::testing::Values(Layout::kSplit, Layout::kUnited),
                                            ::testing::Bool(), ::testing::Range(1u, 6u)));

}  // namespace
}  // namespace doublets::test

// The naive model of a store: what was written by whom, what each snapshot sees of it, and what
// a change must answer.
//
// The model is a list of versions with the transactions that wrote them, searched from end
// to end. It has its own table of transactions and judges visibility and conflicts with
// it, as PostgreSQL would: by snapshot, by command, newest state for writers. The store's
// oracles use the states of its transaction slots, so that slots are tested too.
//
// A difference is thrown as Difference; unit tests report it, the fuzzer crashes.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/store.hpp"

namespace doublets::test {

struct Difference : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void demand(bool holds, const std::string& what) {
  if (!holds) throw Difference(what);
}

// Where the decisions of a run come from.
class Choices {
 public:
  virtual ~Choices() = default;
  virtual std::uint32_t below(std::uint32_t n) = 0;  // 0 .. n-1, n >= 1
  virtual bool more() const { return true; }

  bool one_in(std::uint32_t n) { return below(n) == 0; }
};

struct StoreOptions {
  Layout layout = Layout::kSplit;
  bool unique_pairs = false;
  std::uint32_t values = 8;         // distinct sources and targets, extreme ones included
  std::uint32_t hub_one_in = 0;     // > 0: this often the source is always the same
  std::uint32_t explicit_one_in = 5;  // how often a link's id is given
  bool squeeze = true;              // try changes with too little memory first
};

class ModelHistory {
 protected:
  explicit ModelHistory(const StoreOptions& options) : options_(options) {}

  static constexpr std::size_t kNone = ~std::size_t{0};

  struct ModelVersion {
    LinkId id;
    std::int64_t source;
    std::int64_t target;
    TxnId inserter;
    CommandId cmin;
    TxnId deleter = 0;
    CommandId cmax = 0;
    std::size_t successor = kNone;
    Ref<Version> ref{};
  };

  struct Info {
    TxnId top;
    TxnState state;
  };

  struct Snapshot {
    TxnId xmax;
    std::set<TxnId> running;
    TxnId xmin;
  };

  struct Sub {
    TxnId xid;
    Ref<TxnSlot> slot{};
  };

  struct Txn {
    TxnId top;
    bool repeatable;
    CommandId command = 1;
    Snapshot snapshot;
    std::vector<Sub> subs;  // the innermost last; the first is the transaction itself
    std::vector<Sub> done;  // committed subtransactions, ended with the transaction
  };

  struct View {
    ModelHistory* model;
    const Snapshot* snapshot;
    TxnId own;  // top transaction id, 0: none
    CommandId command;
  };

  // A scan that goes on while the store changes.
  struct Cursor {
    Snapshot snapshot;
    Search search;
    Position position;
    bool counts_degrees = false;  // of the end that search.access names
    std::vector<LinkRow> rows;
    std::vector<Degree> degrees;
    std::vector<std::size_t> expected;  // what there is of search.pattern
  };


  // ---- visibility -------------------------------------------------------------------

  Snapshot take_snapshot(TxnId) {
    Snapshot s;
    s.xmax = next_xid_;
    s.xmin = next_xid_;
    for (const auto& [xid, info] : xacts_)
      if (info.state == TxnState::kRunning) s.running.insert(xid);
    if (!s.running.empty()) s.xmin = *s.running.begin();
    return s;
  }

  View view(Txn& t) { return View{this, &t.snapshot, t.top, t.command}; }

  bool in_snapshot(const View& v, TxnId xid, CommandId command, TxnState state, TxnId top) const {
    if (v.own != 0 && top == v.own) return state != TxnState::kAborted && command < v.command;
    if (xid >= v.snapshot->xmax || v.snapshot->running.count(xid) != 0) return false;
    return state == TxnState::kCommitted;
  }

  bool sees(const View& v, const ModelVersion& m) const {
    const auto effect = [&](TxnId xid, CommandId command) {
      const Info& info = xacts_.at(xid);
      return in_snapshot(v, xid, command, info.state, info.top);
    };
    return effect(m.inserter, m.cmin) && !(m.deleter != 0 && effect(m.deleter, m.cmax));
  }

  std::vector<std::size_t> visible(const View& v) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < versions_.size(); ++i)
      if (sees(v, versions_[i])) found.push_back(i);
    return found;
  }

  static bool includes(void* context, const TxnSlot& slot, CommandId command) noexcept {
    const View& v = *static_cast<View*>(context);
    const auto info = v.model->xacts_.find(slot.xid);
    if (info == v.model->xacts_.end()) std::abort();  // the slot is damaged
    return v.model->in_snapshot(v, slot.xid, command, load_state(slot), info->second.top);
  }

  struct Judge {
    ModelHistory* model;
    TxnId own;
  };
  static Fate fate(void* context, const TxnSlot& slot) noexcept {
    const Judge& j = *static_cast<Judge*>(context);
    const auto info = j.model->xacts_.find(slot.xid);
    if (info == j.model->xacts_.end()) std::abort();
    switch (load_state(slot)) {
      case TxnState::kCommitted:
        return Fate::kCommitted;
      case TxnState::kAborted:
        return Fate::kAborted;
      default:
        return info->second.top == j.own ? Fate::kOwn : Fate::kRunning;
    }
  }
  Fate model_fate(TxnId xid, TxnId own) const {
    const Info& info = xacts_.at(xid);
    if (info.state == TxnState::kCommitted) return Fate::kCommitted;
    if (info.state == TxnState::kAborted) return Fate::kAborted;
    return info.top == own ? Fate::kOwn : Fate::kRunning;
  }

  // ---- what the model expects of a change ---------------------------------------------

  struct Standing {
    std::vector<std::size_t> living;  // in the newest state
    std::set<TxnId> undecided;        // transactions that decide about others
  };

  template <class Matches>
  Standing standing(TxnId own, std::size_t except, Matches matches) const {
    Standing s;
    for (std::size_t i = 0; i < versions_.size(); ++i) {
      const ModelVersion& m = versions_[i];
      if (i == except || !matches(m)) continue;
      const Fate inserted = model_fate(m.inserter, own);
      if (inserted == Fate::kAborted) continue;
      if (inserted == Fate::kRunning) {
        s.undecided.insert(m.inserter);
        continue;
      }
      if (m.deleter != 0) {
        const Fate deleted = model_fate(m.deleter, own);
        if (deleted == Fate::kOwn || deleted == Fate::kCommitted) continue;
        if (deleted == Fate::kRunning) {
          s.undecided.insert(m.deleter);
          continue;
        }
      }
      s.living.push_back(i);
    }
    return s;
  }

  // Checks the answer to an insertion of `link` (as it was passed) or an update to it;
  // true if it was carried out.
  bool expected_answer(TxnId own, const LinkInput& link, const WriteResult& r, std::size_t except) {
    const bool given = link.id != 0 && (except == kNone || versions_[except].id != link.id);
    Standing ids, pairs;
    if (given) ids = standing(own, except, [&](const ModelVersion& m) { return m.id == link.id; });
    const std::int64_t source = link.point && link.id != 0 ? link.id : link.source;
    const std::int64_t target = link.point && link.id != 0 ? link.id : link.target;
    const bool known_pair = !link.point || link.id != 0;
    if (options_.unique_pairs && known_pair)
      pairs = standing(own, except, [&](const ModelVersion& m) { return m.source == source && m.target == target; });
    switch (r.status) {
      case Status::kDuplicateId:
        demand(contains_ref(ids.living, r.other), "a duplicate id was found where there is none");
        ++conflicts_;
        return false;
      case Status::kDuplicatePair:
        demand(options_.unique_pairs, "a duplicate pair was refused though pairs need not be unique");
        demand(!known_pair || contains_ref(pairs.living, r.other), "a duplicate pair was found where there is none");
        ++conflicts_;
        return false;
      case Status::kWait:
        demand(ids.undecided.count(r.wait_for) + pairs.undecided.count(r.wait_for) > 0 || !known_pair,
               "waiting for a transaction that decides nothing");
        ++waits_;
        return false;
      case Status::kOk:
        demand(ids.living.empty(), "a duplicate id was accepted");
        demand(ids.undecided.empty(), "an undecided id was accepted");
        demand(pairs.living.empty(), "a duplicate pair was accepted");
        demand(pairs.undecided.empty(), "an undecided pair was accepted");
        return true;
      default:
        throw Difference("an unexpected status: " + std::to_string(static_cast<int>(r.status)));
    }
  }

  bool contains_ref(const std::vector<std::size_t>& among, Ref<Version> ref) const {
    return std::any_of(among.begin(), among.end(), [&](std::size_t i) { return versions_[i].ref == ref; });
  }

  void record(Txn& t, const LinkInput& passed, const LinkInput& written) {
    demand(written.id >= 1, "an id out of range was assigned");
    if (passed.id == 0) {
      const Standing s = standing(t.top, kNone, [&](const ModelVersion& m) { return m.id == written.id; });
      demand(s.living.empty() && s.undecided.empty(), "an id in use was assigned");
      for (const Snapshot* snapshot : snapshots()) {
        const View v{this, snapshot, 0, 0};
        for (const ModelVersion& m : versions_)
          demand(m.id != written.id || !sees(v, m), "an id was assigned that a snapshot can still see");
      }
    } else {
      demand(written.id == passed.id, "a given id was not used");
    }
    ModelVersion m{written.id, passed.source, passed.target, t.subs.back().xid, t.command, 0, 0, kNone, written.version};
    if (passed.point) m.source = m.target = written.id;
    demand(written.source == m.source && written.target == m.target, "the ends written are not those passed");
    versions_.push_back(m);
  }

  std::vector<const Snapshot*> snapshots() const {
    std::vector<const Snapshot*> all;
    for (const Txn& t : open_) all.push_back(&t.snapshot);
    for (const Cursor& c : cursors_) all.push_back(&c.snapshot);
    return all;
  }

  StoreOptions options_;
  std::vector<ModelVersion> versions_;
  std::map<TxnId, Info> xacts_;
  std::vector<Txn> open_;
  std::vector<Cursor> cursors_;
  TxnId next_xid_ = 100;
  std::uint64_t waits_ = 0;
  std::uint64_t conflicts_ = 0;
};

}  // namespace doublets::test

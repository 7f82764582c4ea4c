// A store beside a naive model of it, changed together and compared: for unit tests, driven
// by random numbers, and for fuzzing, driven by the fuzzer's bytes.
#pragma once

#include "store_comparison.hpp"

namespace doublets::test {

class StoreModel : private StoreComparison {
 public:
  StoreModel(const StoreOptions& options, Choices& choices) : StoreComparison(options, choices) {}

  // One random action.
  void step();

  // Ends every transaction, settles everything.
  void quiesce() {
    while (!open_.empty()) end(0, choices_.one_in(3));
    cursors_.clear();
    settle_all();
    demand(store().header().flights == 0, "records are in flight though nothing runs");
    demand(store().header().slots == 0, "transaction slots are left over");
  }

  // Deletes all links, committed and settled.
  void delete_everything() {
    quiesce();
    begin();
    for (const std::size_t v : visible(view(open_[0]))) {
      const WriteResult r = erase(0, v);
      demand(r.status == Status::kOk, "a settled link cannot be deleted");
    }
    end(0, true);
    settle_all();
    demand(store().header().versions == 0, "versions are left after everything was deleted");
  }

  // Compares every shape of search for every open snapshot and a fresh one, and verifies.
  void compare_all() {
    verify();
    for (Txn& t : open_) compare(view(t));
    const Snapshot fresh = take_snapshot(0);
    compare(View{this, &fresh, 0, 0});
  }

  void verify() {
    std::string text;
    store().verify(
        [](void* to, const char* fault) {
          auto& s = *static_cast<std::string*>(to);
          if (s.size() < 500) s += std::string(s.empty() ? "" : "; ") + fault;
        },
        &text);
    demand(text.empty(), "verify: " + text);
    const HeapHeader& h = memory_.header();
    demand(h.bump_next <= h.bump_end, "more memory was taken than there was");
  }

  using StoreComparison::store;
  MemoryHeap& memory() { return memory_; }
  std::size_t links() {
    const Snapshot fresh = take_snapshot(0);
    return visible(View{this, &fresh, 0, 0}).size();
  }
  std::uint64_t refusals() const { return refusals_; }
  std::uint64_t waits() const { return waits_; }
  std::uint64_t conflicts() const { return conflicts_; }

 private:
  // ---- memory --------------------------------------------------------------------------

  // All that a refused change must leave alone, except that the id directory may have
  // grown by an empty page.
  std::string state_of_structures() {
    const StoreHeader& h = store().header();
    const auto* bytes = reinterpret_cast<const char*>(&h);
    std::string state(bytes + sizeof(HeapHeader), sizeof(StoreHeader) - sizeof(HeapHeader));
    std::memset(state.data() + (offsetof(StoreHeader, ids) - sizeof(HeapHeader)), 0, sizeof(IdIndexHeader));
    return state;
  }

  void grow(std::uint32_t units) {
    ++grown_;
    if (choices_.one_in(8)) {
      std::vector<std::uint8_t> scratch(memory_.heap().coalesce_bytes());
      memory_.heap().coalesce(scratch.data());
      if (memory_.heap().can_take(units)) return;
    }
    // Small chunks at first, to make changes meet the end of memory often.
    const std::size_t bytes = grown_ < 90 ? (std::size_t{units} * kUnitBytes + 4095) / 4096 * 4096 : 0;
    demand(memory_.grow(units, bytes) == Status::kOk, "the heap cannot grow");
  }

  // Repeats `change` until it needs no more memory. When squeezing, it is first offered too
  // little: nothing at all, then one unit less than it asks for, and only then what it
  // asks for, often without the free blocks of earlier use; it must refuse, change
  // nothing, and at last take no more than offered.
  template <class Change>
  WriteResult with_memory(Ref<TxnSlot>& slot, Change change) {
    HeapHeader& h = memory_.header();
    const bool squeeze = options_.squeeze && choices_.one_in(6);
    if (!squeeze) {
      for (int tries = 0;; ++tries) {
        const std::string before = state_of_structures();
        const WriteResult r = change();
        demand(h.bump_next <= h.bump_end, "more memory was taken than there was");
        if (r.status != Status::kNeedMemory) return r;
        ++refusals_;
        demand(r.units > 0 && tries < 8, "memory is asked for in vain");
        (void)before;
        grow(r.units);
      }
    }
    const bool hide_free = choices_.one_in(2);
    std::uint32_t offered = 0;
    for (int tries = 0;; ++tries) {
      demand(tries < 40, "memory is asked for in vain");
      if (h.bump_end - h.bump_next < offered) grow(offered);
      demand(h.bump_end - h.bump_next >= offered, "a grown heap has less than was asked for");
      const std::uint32_t end = h.bump_end;
      std::uint32_t free_heads[kSizeClasses] = {};
      std::uint32_t free_blocks[kSizeClasses] = {};
      if (hide_free) {
        std::swap(free_heads, h.free_heads);
        std::swap(free_blocks, h.free_blocks);
      }
      h.bump_end = h.bump_next + offered;
      const std::string before = state_of_structures();
      const Ref<TxnSlot> slot_before = slot;
      const WriteResult r = change();
      demand(h.bump_next <= h.bump_end, "more memory was taken than was planned");
      h.bump_end = end;
      for (unsigned cls = 0; cls < kSizeClasses; ++cls) {  // the old list goes behind the new one
        std::uint32_t* at = &h.free_heads[cls];
        while (*at != 0) at = reinterpret_cast<std::uint32_t*>(memory_.heap().address(*at));
        *at = free_heads[cls];
        h.free_blocks[cls] += free_blocks[cls];
      }
      if (r.status != Status::kNeedMemory) return r;
      ++refusals_;
      demand(partly_done_ || (before == state_of_structures() && slot == slot_before),
             "a refused change has changed something");
      demand(r.units > 0, "no memory is asked for");
      offered = offered + 1 < r.units ? r.units - 1 : std::max(r.units, offered + 1);
    }
  }

  // ---- actions ---------------------------------------------------------------------------

  void begin() {
    Txn t;
    t.top = next_xid_++;
    t.repeatable = choices_.one_in(2);
    t.subs.push_back({t.top, {}});
    xacts_[t.top] = {t.top, TxnState::kRunning};
    t.snapshot = take_snapshot(t.top);
    open_.push_back(std::move(t));
  }

  void set_state(Sub& sub, TxnState state) {
    if (sub.slot) store_state(memory_.heap().at(sub.slot), state);
    xacts_[sub.xid].state = state;
  }

  void end(std::size_t index, bool commit) {
    Txn t = std::move(open_[index]);
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(index));
    for (auto* list : {&t.subs, &t.done})
      for (Sub& sub : *list) set_state(sub, commit ? TxnState::kCommitted : TxnState::kAborted);
  }

  void savepoint(Txn& t) {
    const TxnId xid = next_xid_++;
    t.subs.push_back({xid, {}});
    xacts_[xid] = {t.top, TxnState::kRunning};
  }

  void end_savepoint(Txn& t, bool keep) {
    if (t.subs.size() < 2) return;
    const TxnId xid = t.subs.back().xid;
    if (keep) {
      t.done.push_back(t.subs.back());
    } else {
      // With it go the subtransactions it has absorbed: those begun after it.
      set_state(t.subs.back(), TxnState::kAborted);
      std::vector<Sub> rest;
      for (Sub& sub : t.done) {
        if (sub.xid > xid)
          set_state(sub, TxnState::kAborted);
        else
          rest.push_back(sub);
      }
      t.done = std::move(rest);
    }
    t.subs.pop_back();
  }

  LinkInput new_link() {
    LinkInput link{0, value(), value(), {}};
    link.patient = true;  // or it would be there while it waits, which has tests of its own
    if (options_.hub_one_in != 0 && choices_.one_in(options_.hub_one_in))
      (choices_.one_in(4) ? link.target : link.source) = 7;
    if (choices_.one_in(options_.explicit_one_in)) link.id = given_id();
    link.point = choices_.one_in(16);
    return link;
  }

  Writer writer(Txn& t, Judge& judge) {
    return Writer{t.subs.back().xid, t.command, t.subs.back().slot, Oracle{fate, &judge}};
  }

  void insert(std::size_t index) {
    Txn& t = open_[index];
    Judge judge{this, t.top};
    const Writer w = writer(t, judge);
    std::vector<LinkInput> passed(1 + choices_.below(choices_.one_in(8) ? 40 : 3));
    for (LinkInput& link : passed) link = new_link();
    std::vector<LinkInput> links = passed;
    std::size_t done = 0;
    const WriteResult r = with_memory(t.subs.back().slot, [&] {
      std::size_t now = 0;
      const WriteResult answer = store().insert(links.data() + done, links.size() - done, w, now);
      partly_done_ = now > 0;
      for (std::size_t i = done; i < done + now; ++i) {
        demand(expected_answer(t.top, passed[i], WriteResult{}, kNone), "");
        record(t, passed[i], links[i]);
      }
      done += now;
      return answer;
    });
    partly_done_ = false;
    if (r.status == Status::kOk)
      demand(done == links.size(), "all were inserted, but fewer counted");
    else
      demand(!expected_answer(t.top, passed[done], r, kNone), "");
    advance(t);
  }

  void get_or_insert(std::size_t index) {
    Txn& t = open_[index];
    Judge judge{this, t.top};
    const Writer w = writer(t, judge);
    const LinkInput passed{0, value(), value(), {}};
    LinkInput link = passed;
    const auto same = [&](const ModelVersion& m) { return m.source == passed.source && m.target == passed.target; };
    const Standing s = standing(t.top, kNone, same);
    const WriteResult r = with_memory(t.subs.back().slot, [&] {
      link = passed;
      return store().get_or_insert(link, w);
    });
    if (!s.living.empty()) {
      std::size_t least = s.living.front();
      for (const std::size_t i : s.living)
        if (versions_[i].id < versions_[least].id) least = i;
      demand(r.status == Status::kOk && link.version == versions_[least].ref && link.id == versions_[least].id,
             "the link of a pair was not found");
    } else if (!s.undecided.empty()) {
      demand(r.status == Status::kWait && s.undecided.count(r.wait_for) == 1, "an undecided pair was not waited for");
      ++waits_;
    } else {
      demand(r.status == Status::kOk, "a new pair was not inserted");
      record(t, passed, link);
    }
    advance(t);
  }

  // What update and erase must answer about the version itself.
  bool expected_check(TxnId own, const ModelVersion& m, const WriteResult& r) {
    if (m.deleter == 0) return true;
    const Ref<Version> successor = m.successor == kNone ? Ref<Version>{} : versions_[m.successor].ref;
    switch (model_fate(m.deleter, own)) {
      case Fate::kAborted:
        return true;
      case Fate::kOwn:
        demand(r.status == Status::kSelfModified && r.command == m.cmax, "an own change was not recognised");
        break;
      case Fate::kRunning:
        demand(r.status == Status::kWait && r.wait_for == m.deleter, "a running change was not waited for");
        ++waits_;
        return false;
      case Fate::kCommitted:
        demand(r.status == (m.successor == kNone ? Status::kDeleted : Status::kUpdated), "a concurrent change was missed");
        break;
    }
    demand(r.other == successor, "the successor is another version");
    ++conflicts_;
    return false;
  }

  WriteResult erase(std::size_t index, std::size_t v) {
    Txn& t = open_[index];
    Judge judge{this, t.top};
    const Writer w = writer(t, judge);
    const WriteResult r =
        with_memory(t.subs.back().slot, [&] { return store().erase(versions_[v].ref, w); });
    if (expected_check(t.top, versions_[v], r)) {
      demand(r.status == Status::kOk, "a link cannot be deleted");
      mark(t, v, kNone);
    }
    return r;
  }

  void mark(Txn& t, std::size_t v, std::size_t successor) {
    versions_[v].deleter = t.subs.back().xid;
    versions_[v].cmax = t.command;
    versions_[v].successor = successor;
  }

  void update(std::size_t index, std::size_t v) {
    Txn& t = open_[index];
    Judge judge{this, t.top};
    const Writer w = writer(t, judge);
    LinkInput passed = new_link();
    if (passed.id == 0) passed.id = versions_[v].id;
    LinkInput link = passed;
    const WriteResult r = with_memory(t.subs.back().slot, [&] {
      link = passed;
      return store().update(versions_[v].ref, link, w);
    });
    if (!expected_check(t.top, versions_[v], r)) return;
    if (!expected_answer(t.top, passed, r, v)) return;
    record(t, passed, link);
    mark(t, v, versions_.size() - 1);
  }

  void advance(Txn& t) {
    if (choices_.below(4) != 0) ++t.command;
    if (!t.repeatable) t.snapshot = take_snapshot(t.top);
  }

  TxnId horizon() const {
    TxnId h = next_xid_;
    for (const auto& [xid, info] : xacts_)
      if (info.state == TxnState::kRunning) h = std::min(h, xid);
    for (const Snapshot* s : snapshots()) h = std::min(h, s->xmin);
    return h;
  }

  void settle_all() {
    // A call may drop nothing and yet have looked at records: the queue is finite.
    for (int calls = 0; store().header().flights > 0 && calls < 100000; ++calls)
      if (store().settle(horizon(), 1 + choices_.below(50)) == 0 && store().settle(horizon(), ~std::uint64_t{0}) == 0) break;
  }

  int grown_ = 0;
  bool partly_done_ = false;
  std::uint64_t refusals_ = 0;
};

inline void StoreModel::step() {
  const std::uint32_t action = choices_.below(32);
  if (open_.empty() || (action == 0 && open_.size() < 5)) {
    begin();
    return;
  }
  const std::size_t index = choices_.below(static_cast<std::uint32_t>(open_.size()));
  Txn& t = open_[index];
  const auto some_visible = [&]() -> std::size_t {
    const std::vector<std::size_t> seen = visible(view(t));
    return seen.empty() ? kNone : seen[choices_.below(static_cast<std::uint32_t>(seen.size()))];
  };
  switch (action) {
    case 1:
    case 2:
      end(index, true);
      break;
    case 3:
      end(index, false);
      break;
    case 4:
      if (t.subs.size() < 4) savepoint(t);
      break;
    case 5:
      end_savepoint(t, true);
      break;
    case 6:
      end_savepoint(t, false);
      break;
    case 7:
    case 8:
      (void)store().settle(horizon(), choices_.below(30));
      break;
    case 9:
      start_cursor();
      break;
    case 10:
    case 11:
      if (!cursors_.empty()) advance_cursor(choices_.below(static_cast<std::uint32_t>(cursors_.size())));
      break;
    case 12:
    case 13:
      get_or_insert(index);
      break;
    case 14:
    case 15:
    case 16:
    case 17:
    case 18:
      if (const std::size_t v = some_visible(); v != kNone) update(index, v);
      advance(t);
      break;
    case 19:
    case 20:
    case 21:
    case 22:
      if (const std::size_t v = some_visible(); v != kNone) (void)erase(index, v);
      advance(t);
      break;
    default:
      insert(index);
  }
}

}  // namespace doublets::test

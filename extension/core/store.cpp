#include "store.hpp"

#include <algorithm>
#include <cassert>

namespace doublets {
namespace {

// What every write may take besides its indexes: version, in-flight records of the new
// version, the old one and the one that had its id before, slot.
constexpr BlockPlan record_plan() noexcept {
  BlockPlan p;
  p.add(size_class(units_of<Version>()));
  p.add(size_class(units_of<Flight>()), 3);
  p.add(size_class(units_of<TxnSlot>()));
  return p;
}

} // namespace

Store::Store(Heap &heap) noexcept
    : heap_(heap), header_(reinterpret_cast<StoreHeader &>(heap.header())) {}

void Store::format(char *base, std::size_t bytes, std::uint64_t handle, Layout layout,
                   bool unique_pairs, std::uint64_t seed) noexcept {
  auto *h = reinterpret_cast<StoreHeader *>(base);
  h->layout = layout;
  h->unique_pairs = unique_pairs;
  h->seed = seed;
  h->ids.fresh = 1;
  Heap::format(base, bytes, handle, sizeof(StoreHeader));
}

// ---------------------------------------------------------------------------
// Conflicts, judged by the newest state

// kOk if `version` is dead or `except`; `duplicate` if it lives; kWait if that is open.
WriteResult Store::conflict_of(Ref<Version> version, Ref<Version> except, Status duplicate,
                               const Oracle &oracle) const noexcept {
  WriteResult r;
  if (version == except)
    return r;
  r.other = version;
  r.status = duplicate;
  const Ref<Flight> f = heap_.at(version).flight;
  if (!f)
    return r;
  const Flight &flight = heap_.at(f);
  // Two who wait for the same pair do not wait for each other: whoever looks again first has it.
  if (duplicate == Status::kDuplicatePair && flight.unconfirmed())
    return {};
  if (flight.inserter) {
    const TxnSlot &slot = heap_.at(flight.inserter);
    const Fate fate = oracle.fate(oracle.context, slot);
    if (fate == Fate::kAborted)
      r.status = Status::kOk;
    if (fate == Fate::kRunning) {
      r.status = Status::kWait;
      r.wait_for = slot.xid;
    }
    if (r.status != duplicate)
      return r;
  }
  if (flight.deleter) {
    const TxnSlot &slot = heap_.at(flight.deleter);
    const Fate fate = oracle.fate(oracle.context, slot);
    if (fate == Fate::kOwn || fate == Fate::kCommitted)
      r.status = Status::kOk;
    if (fate == Fate::kRunning) {
      r.status = Status::kWait;
      r.wait_for = slot.xid;
    }
  }
  return r;
}

WriteResult Store::check_id(LinkId id, Ref<Version> except, const Oracle &oracle) const noexcept {
  const IdIndex ids(heap_, header_.ids);
  // The oldest, which a search of a table's index meets first: subtransactions that made others may end before.
  WriteResult oldest;
  for (Ref<Version> v = ids.head(id); v; v = heap_.at(v).older) {
    const WriteResult r = conflict_of(v, except, Status::kDuplicateId, oracle);
    if (r.status != Status::kOk)
      oldest = r;
  }
  return oldest;
}

WriteResult Store::check_pair(std::int64_t source, std::int64_t target, Ref<Version> except,
                              const Oracle &oracle) const noexcept {
  const Search search = Search::of(Pattern::pair(source, target));
  WriteResult found, wait;
  Ref<Version> refs[kStep];
  // Batches come by id, so the first one that has a live version has the smallest.
  for (Position position; !position.done && found.status == Status::kOk;) {
    const Candidates met = with_index([&](auto &index) noexcept {
      return index.candidates(search, position, refs, kStep);
    });
    for (std::size_t i = 0; i < met.n; ++i) {
      const WriteResult r = conflict_of(refs[i], except, Status::kDuplicatePair, oracle);
      if (r.status == Status::kDuplicatePair &&
          (found.status == Status::kOk || heap_.at(r.other).id < heap_.at(found.other).id))
        found = r;
      else if (r.status == Status::kWait)
        wait = r;
    }
  }
  return found.status != Status::kOk ? found : wait;
}

WriteResult Store::find_pair_newest(std::int64_t source, std::int64_t target,
                                    const Oracle &oracle) const noexcept {
  WriteResult r = check_pair(source, target, {}, oracle);
  if (r.status == Status::kDuplicatePair)
    r.status = Status::kOk;
  else if (r.status == Status::kOk)
    r.other = {};
  return r;
}

bool Store::inserted_by(Ref<Version> version, Fate fate, const Oracle &oracle) const noexcept {
  const Ref<Flight> f = heap_.at(version).flight;
  return f && heap_.at(f).inserter &&
         oracle.fate(oracle.context, heap_.at(heap_.at(f).inserter)) == fate;
}

WriteResult Store::fate(Ref<Version> version, const Oracle &oracle) const noexcept {
  WriteResult r;
  const Ref<Flight> f = heap_.at(version).flight;
  if (!f || !heap_.at(f).deleter)
    return r;
  const Flight &flight = heap_.at(f);
  const TxnSlot &slot = heap_.at(flight.deleter);
  switch (oracle.fate(oracle.context, slot)) {
  case Fate::kAborted:
    break;
  case Fate::kOwn:
    r.status = Status::kSelfModified;
    r.command = flight.deleted_by();
    r.other = flight.successor;
    break;
  case Fate::kRunning:
    r.status = Status::kWait;
    r.changing = true;
    r.wait_for = slot.xid;
    r.other = version;
    break;
  case Fate::kCommitted:
    r.other = flight.successor;
    r.status = flight.successor ? Status::kUpdated : Status::kDeleted;
    break;
  }
  return r;
}

// ---------------------------------------------------------------------------
// Writing

Ref<TxnSlot> Store::hold_slot(const Writer &writer) noexcept {
  if (!writer.slot) {
    writer.slot = heap_.take<TxnSlot>();
    heap_.at(writer.slot) = TxnSlot{writer.xid, static_cast<std::uint32_t>(TxnState::kRunning), 0, {}};
    ++header_.slots;
  }
  ++heap_.at(writer.slot).references;
  return writer.slot;
}

void Store::let_go(Ref<TxnSlot> slot) noexcept {
  if (!slot || --heap_.at(slot).references != 0)
    return;
  // Its owner still writes to a running slot; only finished transactions let go.
  assert(load_state(heap_.at(slot)) != TxnState::kRunning);
  heap_.give_back(slot);
  --header_.slots;
}

Ref<Flight> Store::new_flight(Ref<Version> version) noexcept {
  const auto f = heap_.take<Flight>();
  heap_.at(f) = Flight{};
  heap_.at(f).version = version;
  header_.flights += !heap_.at(version).flight;
  ++header_.records;
  heap_.at(version).flight = f;
  if (header_.queue_tail)
    heap_.at(header_.queue_tail).next = f;
  else
    header_.queue_head = f;
  header_.queue_tail = f;
  return f;
}

// Whether a version the writer inserts now may share the record of the one before.
bool Store::joins_insertions(const Writer &writer) const noexcept {
  if (!header_.open_run)
    return false;
  const Flight &open = heap_.at(header_.open_run);
  return writer.slot && open.inserter == writer.slot && open.cmin == writer.command && !open.deleter &&
         (open.version || FlightRun::count(open) < FlightRun::kMaxMembers);
}

// The same of one it deletes. Only a settled version, of which there is nothing else to say.
bool Store::joins_deletions(Ref<Version> version, const Writer &writer) const noexcept {
  if (!header_.open_run || heap_.at(version).flight)
    return false;
  const Flight &open = heap_.at(header_.open_run);
  return writer.slot && open.deleter == writer.slot && open.cmax == writer.command && !open.inserter &&
         !open.successor && (open.version ? open.aux == 0 : FlightRun::count(open) < FlightRun::kMaxMembers);
}

bool Store::in_deletion_run(Ref<Version> version) const noexcept {
  const Ref<Flight> f = version ? heap_.at(version).flight : Ref<Flight>{};
  return f && !heap_.at(f).version && heap_.at(f).deleter;
}

// Blocks that join may take.
void Store::plan_join(BlockPlan &plan) const noexcept {
  const Flight &open = heap_.at(header_.open_run);
  if (open.version)
    plan.add(0);
  else if (FlightRun::count(open) == FlightRun::capacity(open) && FlightRun::count(open) < FlightRun::kMaxMembers)
    plan.add(FlightRun::block_class(open) + 1);
}

// Adds a version to the record of the one before, which becomes a run if it is none.
void Store::join(Ref<Version> version) noexcept {
  Flight &open = heap_.at(header_.open_run);
  if (open.version) {
    open.aux = heap_.take(0);
    members(open)[0] = open.version.unit;
    open.version = {};
    FlightRun::set(open, 1, 0);
  } else if (FlightRun::count(open) == FlightRun::capacity(open)) {
    const unsigned cls = FlightRun::block_class(open);
    const std::uint32_t larger = heap_.take(cls + 1);
    std::memcpy(heap_.address(larger), members(open), kUnitBytes << cls);
    heap_.give_back(open.aux, cls);
    open.aux = larger;
    FlightRun::set(open, FlightRun::count(open), cls + 1);
  }
  members(open)[FlightRun::count(open)] = version.unit;
  FlightRun::set(open, FlightRun::count(open) + 1, FlightRun::block_class(open));
  heap_.at(version).flight = header_.open_run;
  ++header_.flights;
}

// Gives a version of a run a record of its own that says the same.
Ref<Flight> Store::take_out(Ref<Version> version) noexcept {
  const Ref<Flight> in = heap_.at(version).flight;
  const Ref<Flight> f = new_flight(version);
  Flight &run = heap_.at(in);
  Flight &alone = heap_.at(f);
  if (run.inserter) {
    alone.inserter = run.inserter;
    alone.cmin = run.cmin;
    ++header_.passed_over;
  } else {
    alone.deleter = run.deleter;
    alone.cmax = run.cmax;
    const std::uint32_t last = FlightRun::count(run) - 1;
    *std::find(members(run), members(run) + last, version.unit) = members(run)[last];
    FlightRun::set(run, last, FlightRun::block_class(run));
  }
  ++heap_.at(run.inserter ? run.inserter : run.deleter).references;
  return f;
}

// Puts a version that is being inserted in flight: into the run its predecessor made, or
// into a record of its own, which its successors may turn into a run.
void Store::fly(Ref<Version> version, const Writer &writer) noexcept {
  if (joins_insertions(writer))
    join(version);
  else
    header_.open_run = fly_alone(version, writer);
}

Ref<Flight> Store::fly_alone(Ref<Version> version, const Writer &writer) noexcept {
  const Ref<Flight> f = new_flight(version);
  Flight &flight = heap_.at(f);
  flight.inserter = hold_slot(writer);
  flight.cmin = writer.command;
  return f;
}

// Checks, plans and applies the insertion of one version. `except` is the version it
// replaces, which does not count as a duplicate.
template <class Index>
WriteResult Store::put(Index &index, LinkInput &link, Ref<Version> except,
                       const Writer &writer) noexcept {
  WriteResult r;
  IdIndex ids(heap_, header_.ids);
  LinkId id = link.id;
  if (id == 0) {
    BlockPlan wanted;
    r.status = ids.assign(id, wanted);
    r.units = wanted.units();
  } else if (!except || heap_.at(except).id != id) {
    r = check_id(id, except, writer.oracle);
  }
  if (link.point)
    link.source = link.target = id;
  WriteResult pair;
  if (r.status == Status::kOk && header_.unique_pairs != 0)
    pair = check_pair(link.source, link.target, except, writer.oracle);
  pair.applied = pair.status == Status::kWait && !link.patient;
  if (r.status != Status::kOk)
    return r;
  if (pair.status != Status::kOk && !pair.applied)
    return pair;
  typename Index::Probe probe = index.probe(link.source, link.target);
  probe.blocks += record_plan();
  probe.blocks += ids.plan(id);
  if (joins_insertions(writer))
    plan_join(probe.blocks);
  if (!heap_.can_take(probe.blocks)) {
    r.status = Status::kNeedMemory;
    r.units = probe.blocks.units();
    return r;
  }
  // Nothing fails from here on. What the index does beyond its plan leaves room for all of it.
  const auto version = heap_.take<Version>();
  heap_.at(version) = Version{id, link.source, link.target, {}, ids.head(id)};
  if (pair.applied)
    heap_.at(fly_alone(version, writer)).cmax = Flight::kUnconfirmed;
  else if constexpr (kVersioned)
    fly(version, writer);
  index.add(version, probe);
  ids.push(id, version);
  const Ref<Version> older = heap_.at(version).older;
  if (in_deletion_run(older))
    (void)take_out(older);
  note_newer(older, version);
  ++header_.versions;
  link.id = id;
  link.version = version;
  return pair;
}

WriteResult Store::confirm(Ref<Version> version, const Oracle &oracle) noexcept {
  const Version &v = heap_.at(version);
  WriteResult r = check_pair(v.source, v.target, version, oracle);
  if (r.status == Status::kOk)
    heap_.at(v.flight).cmax = 0;
  return r;
}

// Makes `change(i)` for the links in order, asking ahead for what their ends will touch in the index.
template <class Index, class Change>
WriteResult Store::each_ahead(Index &index, const LinkInput *links, std::size_t n, std::size_t &done,
                              Change &&change) noexcept {
  constexpr std::size_t kSteps = Index::kAddSteps;
  constexpr std::size_t kRing = 32;
  static_assert(kRing > kSteps * kStride);
  typename Index::Ahead ahead[kRing] = {};
  const auto ask = [&](std::size_t step, std::size_t i) noexcept {
    if (i >= n)
      return;
    if constexpr (kVersioned)
      index.prefetch_add(static_cast<unsigned>(step), links[i].source, links[i].target, ahead[i % kRing]);
    else if (step == 0) // changes remove too
      index.prefetch(links[i].source, links[i].target);
  };
  WriteResult r;
  for (std::size_t step = 0; step < kSteps; ++step)
    for (std::size_t i = 0; i < (kSteps - step) * kStride; ++i)
      ask(step, i);
  for (done = 0; done < n; ++done) {
    for (std::size_t step = 0; step < kSteps; ++step)
      ask(step, done + (kSteps - step) * kStride);
    r = change(done);
    if (r.status != Status::kOk)
      break;
  }
  return r;
}

WriteResult Store::insert(LinkInput *links, std::size_t n, const Writer &writer,
                          std::size_t &done) noexcept {
  return with_index([&](auto &index) noexcept {
    return each_ahead(index, links, n, done, [&](std::size_t i) noexcept {
      return put(index, links[i], {}, writer);
    });
  });
}

WriteResult Store::get_or_insert(LinkInput &link, const Writer &writer) noexcept {
  link.patient = true;
  const WriteResult r = find_pair_newest(link.source, link.target, writer.oracle);
  if (r.status != Status::kOk)
    return r;
  if (r.other) {
    link.id = heap_.at(r.other).id;
    link.version = r.other;
    return r;
  }
  return with_index([&](auto &index) noexcept { return put(index, link, {}, writer); });
}

// Tells the record of `version`, if it has one of its own, which version stands before it
// in the chain of its id. So the oldest of a long chain leaves without a walk.
void Store::note_newer(Ref<Version> version, Ref<Version> newer) noexcept {
  if (!version || !heap_.at(version).flight)
    return;
  Flight &flight = heap_.at(heap_.at(version).flight);
  if (flight.version)
    flight.aux = newer.unit;
}

// Takes a version that is no longer in flight out of all structures. `newer`: the version before
// it in the chain of its id, if known.
template <class Index>
void Store::remove(Index &index, Ref<Version> version, Ref<Version> newer) noexcept {
  index.remove(version);
  const Ref<Version> older = heap_.at(version).older;
  note_newer(older, IdIndex(heap_, header_.ids).remove(version, newer));
  heap_.give_back(version);
  --header_.versions;
}

void Store::mark_deleted(Ref<Version> version, Ref<Version> successor,
                         const Writer &writer) noexcept {
  if constexpr (!kVersioned)
    return with_index([&](auto &index) noexcept { remove(index, version, {}); });
  if (!successor && joins_deletions(version, writer)) {
    join(version);
    return;
  }
  Ref<Flight> f = heap_.at(version).flight;
  if (!f) {
    f = new_flight(version);
    if (!successor)
      header_.open_run = f;
  } else if (!heap_.at(f).version) {
    f = take_out(version);
  }
  Flight &flight = heap_.at(f);
  const Ref<TxnSlot> aborted = flight.deleter;
  flight.deleter = hold_slot(writer);
  flight.cmax = writer.command;
  flight.successor = successor;
  if (successor && heap_.at(successor).older == version)
    flight.aux = successor.unit;
  let_go(aborted);
}

// Checks, plans and applies the replacement of a version.
template <class Index>
WriteResult Store::replace(Index &index, Ref<Version> version, LinkInput &link,
                           const Writer &writer) noexcept {
  const bool keeps_key = same_key(heap_.at(version), link.id, link.source, link.target);
  WriteResult r = check(version, keeps_key ? LockStrength::kNoKeyUpdate : LockStrength::kUpdate,
                        writer.oracle);
  if (r.status != Status::kOk) {
    r.conflicts = true;
    return r;
  }
  const bool locked = holds(heap_.at(version).id, LockStrength::kUpdate, writer.oracle);
  const LockStrength wanted = r.wanted;
  r = put(index, link, version, writer);
  r.wanted = wanted;
  if (r.status == Status::kOk || r.applied) {
    mark_deleted(version, link.version, writer);
    if (kVersioned && locked)
      heap_.at(heap_.at(version).flight).cmax |= Flight::kKeyChanged;
  }
  return r;
}

WriteResult Store::update(Ref<Version> version, LinkInput &link, const Writer &writer) noexcept {
  return with_index([&](auto &index) noexcept {
    index.prefetch(link.source, link.target);
    return replace(index, version, link, writer);
  });
}

WriteResult Store::update(const LinkRow *rows, LinkInput *links, std::size_t n, const Writer &writer,
                          std::size_t &done) noexcept {
  return with_index([&](auto &index) noexcept {
    return each_ahead(index, links, n, done, [&](std::size_t i) noexcept {
      return replace(index, rows[i].version, links[i], writer);
    });
  });
}

WriteResult Store::erase(const LinkRow *rows, std::size_t n, const Writer &writer,
                         std::size_t &done) noexcept {
  WriteResult r;
  for (done = 0; done < n; ++done) {
    r = erase(rows[done].version, writer);
    if (r.status != Status::kOk)
      break;
  }
  return r;
}

WriteResult Store::erase(Ref<Version> version, const Writer &writer) noexcept {
  WriteResult r = check(version, LockStrength::kUpdate, writer.oracle);
  if (r.status != Status::kOk)
    return r;
  BlockPlan plan = record_plan();
  if (joins_deletions(version, writer))
    plan_join(plan);
  if (!heap_.can_take(plan)) {
    r.status = Status::kNeedMemory;
    r.units = plan.units();
    return r;
  }
  mark_deleted(version, {}, writer);
  return r;
}

template void Store::remove(SplitIndex &, Ref<Version>, Ref<Version>) noexcept;
template void Store::remove(UnitedIndex &, Ref<Version>, Ref<Version>) noexcept;

} // namespace doublets

// Aggregates computed by the store: one row for all links that meet the conditions, or one for each node.
#include "fdw_scan.hpp"

namespace doublets::pg {

struct Aggregate {
  List* outputs;
  bool counts, least, greatest;  // what is asked for
  Part group;                    // kParts: no groups
  bool done;
  int listed;  // the next of the alternatives, if the conditions list groups
  static constexpr std::size_t kBatch = 128;
  Degree degrees[kBatch];
  std::size_t count;
  std::size_t next;
};

namespace {

struct Totals {
  std::uint64_t count;
  LinkId least, greatest;  // 0: none
};

// By looking at each of them.
std::uint64_t count_one_by_one(ScanState* state, const Search& search) {
  enlarge_batch(state, kMostRows);
  std::uint64_t n = 0;
  for (Position position; !position.done;) {
    CHECK_FOR_INTERRUPTS();
    store_lock(state->store, LW_SHARED);
    const std::size_t found =
        Store(state->store->heap)
            .scan(search, position, state->view->visibility(), state->rows, state->row_capacity, state->passed);
    store_unlock(state->store);
    state->view->report(state->store);
    n += found;
  }
  state->found += n;
  return n;
}

std::uint64_t count_links(ScanState* state, const Pattern& pattern) {
  bool exact;
  store_lock(state->store, LW_SHARED);
  const Store store(state->store->heap);
  const std::uint64_t n = store.count(pattern, state->view->visibility(), exact);
  const Search search{pattern, exact ? Access::kId : store.best_access(pattern), false};
  store_unlock(state->store);
  state->view->report(state->store);
  return exact ? n : count_one_by_one(state, search);
}

LinkId find_edge(ScanState* state, const Pattern& pattern, bool largest) {
  store_lock(state->store, LW_SHARED);
  const Search search = Store(state->store->heap).edge_search(pattern, largest);
  store_unlock(state->store);
  LinkId id = 0;
  for (Position position; !position.done;) {
    CHECK_FOR_INTERRUPTS();
    store_lock(state->store, LW_SHARED);
    Store(state->store->heap).edge(search, position, state->view->visibility(), id, state->passed);
    store_unlock(state->store);
    state->view->report(state->store);
  }
  return id;
}

void add_least(Totals* totals, LinkId id) {
  if (id != 0 && (totals->least == 0 || id < totals->least)) totals->least = id;
}
void add_greatest(Totals* totals, LinkId id) {
  if (id > totals->greatest) totals->greatest = id;
}

Totals totals_of(ScanState* state) {
  const Aggregate* a = state->aggregate;
  Totals totals{};
  if (!start_scan(state)) return totals;
  if (!state->filter) {
    do {
      CHECK_FOR_INTERRUPTS();
      const Pattern& pattern = state->search.pattern;
      if (a->counts) totals.count += count_links(state, pattern);
      if (a->least) add_least(&totals, find_edge(state, pattern, false));
      if (a->greatest) add_greatest(&totals, find_edge(state, pattern, true));
    } while (next_search(state));
    return totals;
  }
  // Lists of alternatives that no index answers.
  enlarge_batch(state, kMostRows);
  for (fill_scan(state); state->row_count > 0; fill_scan(state)) {
    totals.count += state->row_count;
    for (std::size_t i = 0; i < state->row_count; ++i) {
      add_least(&totals, state->rows[i].id);
      add_greatest(&totals, state->rows[i].id);
    }
  }
  return totals;
}

Pattern group_pattern(Part group, std::int64_t value) {
  Pattern pattern{};
  (group == kPartSource ? pattern.source : pattern.target) = Range::point(value);
  return pattern;
}

// The next node that has links; false after the last.
bool next_group(ScanState* state, Degree* degree) {
  Aggregate* a = state->aggregate;
  const Allowed& allowed = state->allowed[a->group];
  if (!state->started && !start_scan(state)) return false;
  while (allowed.values != nullptr && a->listed < allowed.n) {
    CHECK_FOR_INTERRUPTS();
    const std::int64_t value = allowed.values[a->listed++];
    *degree = {value, count_links(state, group_pattern(a->group, value)), true};
    if (degree->links > 0) return true;
  }
  if (allowed.values != nullptr || state->finished) return false;
  while (a->next == a->count && !state->position.done) {
    CHECK_FOR_INTERRUPTS();
    store_lock(state->store, LW_SHARED);
    a->count = Store(state->store->heap)
                   .degrees(a->group == kPartSource ? Access::kSource : Access::kTarget, allowed.range, state->position,
                            state->view->visibility(), a->degrees, Aggregate::kBatch);
    store_unlock(state->store);
    state->view->report(state->store);
    a->next = 0;
    // Many changes are in flight.
    std::size_t kept = 0;
    for (std::size_t i = 0; i < a->count; ++i) {
      Degree& d = a->degrees[i];
      if (!d.exact) d.links = count_links(state, group_pattern(a->group, d.value));
      if (d.links > 0) a->degrees[kept++] = d;
    }
    a->count = kept;
  }
  if (a->next == a->count) return false;
  *degree = a->degrees[a->next++];
  return true;
}

void store_outputs(const Aggregate* a, const Totals& totals, std::int64_t group, TupleTableSlot* slot) {
  ExecClearTuple(slot);
  int i = 0;
  ListCell* cell;
  foreach (cell, a->outputs) {
    const auto output = static_cast<Output>(lfirst_int(cell));
    std::int64_t value = 0;
    if (output == Output::kCount) value = static_cast<std::int64_t>(totals.count);
    if (output == Output::kLeastId) value = totals.least;
    if (output == Output::kGreatestId) value = totals.greatest;
    if (output == Output::kGroup) value = group;
    slot->tts_isnull[i] =
        output == Output::kNone || (value == 0 && (output == Output::kLeastId || output == Output::kGreatestId));
    slot->tts_values[i++] = Int64GetDatum(value);
  }
  ExecStoreVirtualTuple(slot);
}

}  // namespace

void prepare_aggregate(ScanState* state, ForeignScanState* node) {
  const auto* plan = castNode(ForeignScan, node->ss.ps.plan);
  auto* a = static_cast<Aggregate*>(palloc0(sizeof(Aggregate)));
  state->aggregate = a;
  a->outputs = scan_outputs(plan);
  a->group = scan_group(plan);
  a->counts = list_member_int(a->outputs, static_cast<int>(Output::kCount));
  a->least = list_member_int(a->outputs, static_cast<int>(Output::kLeastId));
  a->greatest = list_member_int(a->outputs, static_cast<int>(Output::kGreatestId));
  // The conditions are there for EXPLAIN: rows of aggregates do not have what they are about.
  node->fdw_recheck_quals = nullptr;
}

void restart_aggregate(ScanState* state) {
  Aggregate* a = state->aggregate;
  a->done = false;
  a->listed = 0;
  a->count = a->next = 0;
}

TupleTableSlot* next_aggregate(ScanState* state, TupleTableSlot* slot) {
  Aggregate* a = state->aggregate;
  if (a->group == kParts) {
    if (a->done) return ExecClearTuple(slot);
    a->done = true;
    store_outputs(a, totals_of(state), 0, slot);
    return slot;
  }
  Degree degree;
  if (!next_group(state, &degree)) return ExecClearTuple(slot);
  store_outputs(a, {degree.links, 0, 0}, degree.value, slot);
  return slot;
}

// EvalPlanQual has no row of its own for what is not one relation's: the aggregate is computed again.
extern "C" bool doublets_recheck_scan(ForeignScanState* node, TupleTableSlot* slot) {
  auto* state = static_cast<ScanState*>(node->fdw_state);
  return state->aggregate == nullptr || !TupIsNull(next_aggregate(state, slot));
}

}  // namespace doublets::pg

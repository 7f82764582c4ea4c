// Reading a store: batches of visible links are copied under the shared lock and
// handed to the executor one by one without it.
#include "fdw_scan.hpp"

#include <algorithm>

namespace doublets::pg {
namespace {

constexpr std::size_t kGrowth = 4;              // of a batch to the next
constexpr std::size_t kLeastRows = 2;           // that Store::scan has to have room for
constexpr std::uint64_t kReaderSettles = 1024;  // records a reader settles when the lock is free
constexpr double kMaxPairs = 1024;              // of alternatives, each searched for

constexpr Part kEachPart[] = {kPartId, kPartSource, kPartTarget};

Range& range_of(Pattern& pattern, Part part) noexcept {
  return part == kPartId ? pattern.id : part == kPartSource ? pattern.source : pattern.target;
}

// Parts of whose alternatives each search by an index takes one, the leading one first.
int iterated_parts(const ScanState* state, Access access, Part (&parts)[2]) noexcept {
  if (access == Access::kId) {
    parts[0] = kPartId;
    return 1;
  }
  parts[0] = access == Access::kTarget ? kPartTarget : kPartSource;
  parts[1] = access == Access::kTarget ? kPartSource : kPartTarget;
  if (access == Access::kPair) return 2;
  // An ordered index is entered at the second part too where the first is fixed, if that is worth it.
  const Allowed& lead = state->allowed[parts[0]];
  const double pairs = 1.0 * lead.alternatives() * state->allowed[parts[1]].alternatives();
  const bool enter = state->spec->layout == Layout::kUnited && (lead.values != nullptr || lead.range.is_point());
  return enter && pairs <= kMaxPairs ? 2 : 1;
}

// What searching by an index costs, in searches and links looked at; the store says for some of many
// alternatives. Negative: the index is not for these conditions. Requires the store's lock.
double cost_of(const ScanState* state, const Store& store, Access access) noexcept {
  constexpr int kMaxProbes = 16;
  Part parts[2];
  const int n = iterated_parts(state, access, parts);
  double searches = 1;
  for (int i = 0; i < n; ++i)
    searches *= state->allowed[parts[i]].alternatives();
  if (access == Access::kPair && searches > kMaxPairs) return -1;
  const int probes = static_cast<int>(std::min(searches, 1.0 * kMaxProbes));
  std::uint64_t sum = 0;
  for (int probe = 0; probe < probes; ++probe) {
    Pattern pattern = state->search.pattern;
    int rest = probe;
    for (int i = 0; i < n; ++i) {
      const Allowed& allowed = state->allowed[parts[i]];
      range_of(pattern, parts[i]) = allowed.alternative(rest % allowed.alternatives());
      rest /= allowed.alternatives();
    }
    if (!store.offers(pattern, access)) return -1;
    sum += store.estimate(pattern, access);
  }
  return searches + static_cast<double>(sum) * (searches / probes);
}

// Makes one of the alternatives the present one.
void select_alternative(ScanState* state, int alternative) noexcept {
  state->alternative = alternative;
  state->allowed = state->alternatives[alternative].parts;
  for (const Part part : kEachPart)
    range_of(state->search.pattern, part) = state->allowed[part].range;
}

// Finds the best index for the present alternative, and what searching by it costs.
double find_access(ScanState* state) {
  Access& best = state->alternatives[state->alternative].access;
  best = Access::kId;
  store_lock(state->store, LW_SHARED);
  const Store store(state->store->heap);
  double least = cost_of(state, store, best);
  for (const Access access : {Access::kSource, Access::kTarget, Access::kPair}) {
    const double cost = cost_of(state, store, access);
    if (cost >= 0 && cost <= least) {
      best = access;
      least = cost;
    }
  }
  store_unlock(state->store);
  return least;
}

Access cheapest_access(ScanState* state) {
  const Pattern& bounds = state->search.pattern;
  bool lists = false;
  for (const Part part : kEachPart)
    lists |= state->allowed[part].values != nullptr;
  // What is fixed speaks for itself, most of the time.
  if (!lists && (bounds.id.is_point() || (bounds.source.is_point() && bounds.target.is_point() && bounds.id.is_all())))
    return Search::access_of(bounds);
  if (!lists && bounds.id.is_all() && (bounds.source.is_all() || bounds.target.is_all()) &&
      (bounds.source.is_point() || bounds.target.is_point() || bounds.is_all()))
    return Search::access_of(bounds);
  (void)find_access(state);
  return state->alternatives[state->alternative].access;
}

// Whether the branches of an OR are better searched for one by one than by looking at all links that meet the other
// conditions.
bool prefers_branches(ScanState* state) {
  if (state->alternative_count == 1 || state->parallel != nullptr) return false;
  if (state->plan.ordered) return state->plan.stepwise;
  select_alternative(state, 0);
  const double all = find_access(state);
  double sum = 0;
  for (int i = 1; i < state->alternative_count && sum < all; ++i) {
    select_alternative(state, i);
    sum += find_access(state);
  }
  return sum < all;
}

// Makes the pattern that of the present combination of alternatives.
void set_search(ScanState* state) noexcept {
  for (int i = 0; i < state->iterated_count; ++i) {
    const Allowed& allowed = state->allowed[state->iterated[i]];
    const int at = state->search.backward ? allowed.alternatives() - 1 - state->at[i] : state->at[i];
    range_of(state->search.pattern, state->iterated[i]) = allowed.alternative(at);
  }
  state->position = Position{};
  ++state->searches;
}

// Whether a link that the search has found is wanted, and no branch before has given it.
bool passes(const ScanState* state, const LinkRow& row) noexcept {
  const AllowedParts* all = state->alternatives;
  const AllowedParts* present = all + state->alternative;
  const auto meets = [&row](const AllowedParts& branch) noexcept { return branch.contain(row); };
  if (!meets(*present)) return false;
  if (present != all) return std::none_of(all + 1, present, meets);
  return state->alternative_count == 1 || std::any_of(all + 1, all + state->alternative_count, meets);
}

// Sets up the first search for the present alternative, by an index.
void start_searches(ScanState* state, Access access) {
  state->search.access = access;
  state->search.backward = state->plan.backward;
  state->iterated_count = state->parallel == nullptr ? iterated_parts(state, access, state->iterated) : 0;
  state->filter = state->alternative_count > 1;
  for (const Part part : kEachPart) {
    const auto end = state->iterated + state->iterated_count;
    state->filter |= state->allowed[part].values != nullptr && std::find(state->iterated, end, part) == end;
  }
  if (access != Access::kId || state->plan.ordered || !state->allowed[kPartId].range.is_all())
    state->indexes |= index_bit(access);
  state->at[0] = state->at[1] = 0;
  if (state->parallel == nullptr)
    set_search(state);
  else
    state->finished = !next_search(state);
}

}  // namespace

ScanState* make_scan(ForeignScanState* node, Relation rel, int eflags) {
  const auto* plan = castNode(ForeignScan, node->ss.ps.plan);
  EState* estate = node->ss.ps.state;
  auto* state = static_cast<ScanState*>(palloc0(sizeof(ScanState)));
  state->spec = store_spec(rel);
  state->plan = scan_choice(plan);
  state->search.access = state->plan.access;
  if ((eflags & EXEC_FLAG_EXPLAIN_ONLY) != 0) return state;

  begin_read(rel, estate->es_snapshot);
  state->store = store_open(rel, false);
  state->econtext = node->ss.ps.ps_ExprContext;
  state->conditions = prepare_conditions(scan_codes(plan), plan->fdw_exprs, &node->ss.ps);
  state->alternatives =
      static_cast<AllowedParts*>(palloc0(sizeof(AllowedParts) * static_cast<Size>(state->conditions.branches + 1)));
  state->allowed = state->alternatives->parts;
  state->view = new (palloc(sizeof(SnapshotView))) SnapshotView(estate->es_snapshot);
  state->rows = state->few;
  state->row_capacity = ScanState::kFirstRows;
  if (state->store != nullptr && !IsParallelWorker()) settle_in_passing(state->store, kReaderSettles, false);
  return state;
}

void enlarge_batch(ScanState* state, std::size_t rows) {
  if (state->rows == state->few)
    state->rows = static_cast<LinkRow*>(
        MemoryContextAlloc(state->econtext->ecxt_estate->es_query_cxt, sizeof(LinkRow) * kMostRows));
  state->row_capacity = std::min(rows, kMostRows);
}

void restart_scan(ScanState* state) {
  state->started = state->finished = false;
  state->row_count = state->next_row = 0;
  state->gathered.count = state->gathered.next = 0;
}

bool start_scan(ScanState* state) {
  state->started = true;
  state->row_count = state->next_row = 0;
  state->alternative_count =
      state->store == nullptr ? 0 : evaluate_conditions(state->conditions, state->econtext, state->alternatives);
  state->finished = state->alternative_count == 0;
  if (state->finished) return false;
  const bool branches = prefers_branches(state);
  select_alternative(state, branches ? 1 : 0);
  Access access = Access::kId;
  if (state->parallel == nullptr)
    access = state->plan.ordered ? state->plan.access
             : branches          ? state->alternatives[1].access
                                 : cheapest_access(state);
  start_searches(state, access);
  if (!state->finished) set_patience(state);
  return !state->finished;
}

bool next_search(ScanState* state) {
  while (state->parallel != nullptr) {
    Range& ids = state->search.pattern.id;
    if (!next_range(state->parallel, ids)) return false;
    const Range& allowed = state->allowed[kPartId].range;
    ids = {std::max(ids.low, allowed.low), std::min(ids.high, allowed.high)};
    if (ids.is_empty()) continue;
    set_search(state);
    return true;
  }
  for (int i = state->iterated_count - 1; i >= 0; --i) {
    if (++state->at[i] < state->allowed[state->iterated[i]].alternatives()) {
      set_search(state);
      return true;
    }
    state->at[i] = 0;
  }
  return false;
}

std::size_t keep_wanted(const ScanState* state, LinkRow* rows, std::size_t n) noexcept {
  if (!state->filter) return n;
  const auto end = std::remove_if(rows, rows + n, [state](const LinkRow& r) noexcept { return !passes(state, r); });
  return static_cast<std::size_t>(end - rows);
}

void fill_scan(ScanState* state) {
  constexpr int kSearchesPerLock = 64;
  // The first batches are small, for whoever wants few rows.
  if (state->row_count > 0 && !state->finished && state->row_capacity < kMostRows)
    enlarge_batch(state, state->row_capacity * kGrowth);
  state->row_count = state->next_row = 0;
  while (state->row_count == 0 && !state->finished) {
    CHECK_FOR_INTERRUPTS();
    if (!is_patient(state)) {
      gather_rest(state);
      break;
    }
    store_lock(state->store, LW_SHARED);
    const Store store(state->store->heap);
    for (int i = 0; i < kSearchesPerLock; ++i) {
      state->row_count +=
          store.scan(state->search, state->position, state->view->visibility(), state->rows + state->row_count,
                     state->row_capacity - state->row_count, state->passed);
      if (state->position.done && !next_search(state)) {
        state->finished = true;
        break;
      }
      if (state->row_capacity - state->row_count < kLeastRows || !is_patient(state)) break;
    }
    store_unlock(state->store);
    state->view->report(state->store);
    state->found += state->row_count;
    state->row_count = keep_wanted(state, state->rows, state->row_count);
    if (state->finished && state->alternative > 0 && state->alternative + 1 < state->alternative_count) {
      select_alternative(state, state->alternative + 1);
      state->finished = false;
      start_searches(state, state->plan.ordered ? state->plan.access : state->alternatives[state->alternative].access);
    }
  }
  if (state->row_count == 0) take_gathered(state);
}

void show_link(const StoreSpec* spec, const LinkRow& row, TupleTableSlot* slot) {
  // The slot holds the row before, of the same kind, unless somebody has materialised that.
  if (unlikely(TTS_EMPTY(slot) || TTS_SHOULDFREE(slot))) {
    ExecClearTuple(slot);
    ExecStoreVirtualTuple(slot);
  }
  slot->tts_values[spec->id - 1] = Int64GetDatum(row.id);
  slot->tts_values[spec->source - 1] = Int64GetDatum(row.source);
  slot->tts_values[spec->target - 1] = Int64GetDatum(row.target);
  set_tid(&slot->tts_tid, row.version);
}

// Columns that are not parts of a link were dropped and stay null.
void prepare_slot(const StoreSpec* spec, TupleTableSlot* slot) {
  std::memset(slot->tts_isnull, true, static_cast<std::size_t>(spec->natts));
  slot->tts_isnull[spec->id - 1] = false;
  slot->tts_isnull[spec->source - 1] = false;
  slot->tts_isnull[spec->target - 1] = false;
}

extern "C" void doublets_begin_scan(ForeignScanState* node, int eflags) {
  Relation rel = node->ss.ss_currentRelation;
  const bool aggregate = rel == nullptr;
  if (aggregate) {
    const int index = bms_singleton_member(castNode(ForeignScan, node->ss.ps.plan)->fs_relids);
    rel = ExecGetRangeTableRelation(node->ss.ps.state, static_cast<Index>(index));
  }
  ScanState* state = make_scan(node, rel, eflags);
  node->fdw_state = state;
  if (aggregate) prepare_aggregate(state, node);
  if (aggregate || (eflags & EXEC_FLAG_EXPLAIN_ONLY) != 0) return;
  prepare_slot(state->spec, node->ss.ss_ScanTupleSlot);
  if (state->store != nullptr && scan_locks_for(castNode(ForeignScan, node->ss.ps.plan)) != CMD_UNKNOWN) {
    state->locking = static_cast<WriteTarget*>(palloc(sizeof(WriteTarget)));
    *state->locking = {rel, state->spec, state->store, node->ss.ps.state->es_output_cid};
  }
}

extern "C" TupleTableSlot* doublets_iterate_scan(ForeignScanState* node) {
  auto* state = static_cast<ScanState*>(node->fdw_state);
  TupleTableSlot* slot = node->ss.ss_ScanTupleSlot;
  if (state->aggregate != nullptr) return next_aggregate(state, slot);
  do {
    const LinkRow* row = next_link(state);
    if (row == nullptr) return ExecClearTuple(slot);
    show_link(state->spec, *row, slot);
  } while (unlikely(state->locking != nullptr) && !lock_scanned_row(node, *state->locking, slot));
  return slot;
}

extern "C" void doublets_rescan(ForeignScanState* node) {
  auto* state = static_cast<ScanState*>(node->fdw_state);
  restart_scan(state);
  if (state->aggregate != nullptr) restart_aggregate(state);
}

extern "C" void doublets_end_scan(ForeignScanState*) {}

}  // namespace doublets::pg

// Reading a store: batches of visible links are copied under the shared lock and
// handed to the executor one by one without it.
#include "fdw.hpp"

#include <algorithm>

namespace doublets::pg {
namespace {

constexpr std::size_t kSearchRows = 256; // of a search by condition: a step of Store::scan
constexpr std::size_t kScanRows = 1024;  // of a scan of everything
constexpr std::uint64_t kReaderSettles = 1024; // records a reader settles when the lock is free

// The values a pushed condition allows, sorted and distinct.
struct ValueSet {
  bool given;       // there is a condition for this part
  bool array;
  ExprState *expr;
  Oid type;         // of the expression
  int n;
  std::int64_t one; // storage of a single value
  std::int64_t *values;

  bool contains(std::int64_t v) const noexcept {
    return n == 1 ? *values == v : std::binary_search(values, values + n, v);
  }
};

struct ScanState {
  StoreHandle *store; // null: no memory, no links
  const StoreSpec *spec;
  SnapshotView *view;
  WriteTarget *locking; // null: rows are read without locking them
  ExprContext *econtext;
  MemoryContext value_context; // arrays of the present values
  ValueSet parts[kParts];
  bool started;    // values are evaluated, the position is that of the first search
  bool finished;
  bool filter;     // the search leaves conditions to be checked row by row
  int at[kParts];  // which combination of values is being searched
  bool searched[kParts]; // which parts the search is by
  Search search;
  Position position;
  LinkRow *rows;
  std::size_t row_capacity;
  std::size_t row_count;
  std::size_t next_row;
  std::uint64_t searches; // for EXPLAIN ANALYZE
  std::uint64_t visited;
  std::uint64_t passed;
};

// Fixes the parts of the pattern that the present combination of values stands for.
void set_pattern(ScanState *state) {
  Pattern p;
  if (state->searched[kPartId])
    p.id = Range::point(state->parts[kPartId].values[state->at[kPartId]]);
  if (state->searched[kPartSource])
    p.source = Range::point(state->parts[kPartSource].values[state->at[kPartSource]]);
  if (state->searched[kPartTarget])
    p.target = Range::point(state->parts[kPartTarget].values[state->at[kPartTarget]]);
  state->search = Search::of(p);
  state->position = Position{};
  ++state->searches;
}

// Evaluates the conditions and sets up the first search.
void start(ScanState *state) {
  state->started = true;
  state->finished = state->store == nullptr;
  state->row_count = state->next_row = 0;
  if (state->finished)
    return;
  if (state->value_context != nullptr)
    MemoryContextReset(state->value_context);
  bool many = false;
  for (ValueSet &set : state->parts) {
    if (!set.given)
      continue;
    set.n = 0;
    bool null;
    const Datum datum = ExecEvalExprSwitchContext(set.expr, state->econtext, &null);
    if (!null && set.array) {
      set.values = array_values(datum, state->value_context, &set.n);
      many |= set.n > 1;
    } else if (!null) {
      set.one = integer_value(datum, set.type);
      set.values = &set.one;
      set.n = 1;
    }
    if (set.n == 0) {
      state->finished = true;
      return;
    }
  }
  // One search per id if ids are given; else per (source, target) if both are and the
  // combinations are few; else per source or per target, whichever is fewer. What is
  // not searched by is checked row by row.
  const ValueSet &id = state->parts[kPartId];
  const ValueSet &source = state->parts[kPartSource];
  const ValueSet &target = state->parts[kPartTarget];
  constexpr double kMaxPairs = 1024;
  state->searched[kPartSource] = state->searched[kPartTarget] = false;
  state->searched[kPartId] = id.given;
  if (!id.given) {
    const bool both = source.given && target.given;
    const bool pairs = both && (!many || 1.0 * source.n * target.n <= kMaxPairs);
    state->searched[kPartSource] = source.given && (!both || pairs || source.n <= target.n);
    state->searched[kPartTarget] = target.given && (!both || pairs || source.n > target.n);
  }
  state->filter = !id.given ? (source.given && !state->searched[kPartSource]) ||
                                  (target.given && !state->searched[kPartTarget])
                            : source.given || target.given;
  for (int &at : state->at)
    at = 0;
  set_pattern(state);
}

// Goes on to the next combination of values; false after the last.
bool next_search(ScanState *state) {
  for (int p = kParts - 1; p >= 0; --p) {
    if (!state->searched[p])
      continue;
    if (++state->at[p] < state->parts[p].n) {
      set_pattern(state);
      return true;
    }
    state->at[p] = 0;
  }
  return false;
}

bool passes(const ScanState *state, const LinkRow &row) noexcept {
  const ValueSet *parts = state->parts;
  return (!parts[kPartId].given || parts[kPartId].contains(row.id)) &&
         (!parts[kPartSource].given || parts[kPartSource].contains(row.source)) &&
         (!parts[kPartTarget].given || parts[kPartTarget].contains(row.target));
}

// Searches until there are rows or nothing is left to search.
void fill(ScanState *state) {
  constexpr int kSearchesPerLock = 64;
  state->row_count = state->next_row = 0;
  while (state->row_count == 0 && !state->finished) {
    CHECK_FOR_INTERRUPTS();
    store_lock(state->store, LW_SHARED);
    const Store store(state->store->heap);
    for (int i = 0; i < kSearchesPerLock; ++i) {
      const std::size_t n =
          store.scan(state->search, state->position, state->view->visibility(),
                     state->rows + state->row_count, state->row_capacity - state->row_count,
                     state->passed);
      state->row_count += n;
      if (state->position.done && !next_search(state)) {
        state->finished = true;
        break;
      }
      if (state->row_capacity - state->row_count < kSearchRows)
        break;
    }
    store_unlock(state->store);
    state->view->report(state->store);
    state->visited += state->row_count;
    if (!state->filter)
      continue;
    const auto end = std::remove_if(state->rows, state->rows + state->row_count,
                                    [state](const LinkRow &r) noexcept { return !passes(state, r); });
    state->row_count = static_cast<std::size_t>(end - state->rows);
  }
}

void store_row(const ScanState *state, const LinkRow &row, TupleTableSlot *slot) {
  const StoreSpec *spec = state->spec;
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

// Columns that are not parts of a link were dropped and stay null. Nobody but
// store_row writes to the slot of a scan.
void prepare_slot(const ScanState *state, TupleTableSlot *slot) {
  const StoreSpec *spec = state->spec;
  std::memset(slot->tts_isnull, true, static_cast<std::size_t>(spec->natts));
  slot->tts_isnull[spec->id - 1] = false;
  slot->tts_isnull[spec->source - 1] = false;
  slot->tts_isnull[spec->target - 1] = false;
}

} // namespace

extern "C" void doublets_begin_scan(ForeignScanState *node, int eflags) {
  const Relation rel = node->ss.ss_currentRelation;
  const auto *plan = castNode(ForeignScan, node->ss.ps.plan);
  EState *estate = node->ss.ps.state;
  auto *state = static_cast<ScanState *>(palloc0(sizeof(ScanState)));
  node->fdw_state = state;
  state->spec = store_spec(rel);

  bool arrays = false;
  ListCell *part_cell, *expr_cell;
  forboth (part_cell, scan_parts(plan), expr_cell, plan->fdw_exprs) {
    ValueSet &set = state->parts[lfirst_int(part_cell) & ~kArrayFlag];
    auto *expr = static_cast<Expr *>(lfirst(expr_cell));
    set.given = true;
    set.array = (lfirst_int(part_cell) & kArrayFlag) != 0;
    arrays |= set.array;
    set.type = exprType(reinterpret_cast<Node *>(expr));
    set.expr = ExecInitExpr(expr, &node->ss.ps);
  }
  if ((eflags & EXEC_FLAG_EXPLAIN_ONLY) != 0)
    return;

  begin_read(rel, estate->es_snapshot);
  state->store = store_open(rel, false);
  state->econtext = node->ss.ps.ps_ExprContext;
  if (arrays)
    state->value_context = AllocSetContextCreate(estate->es_query_cxt, "doublets scan values",
                                                 ALLOCSET_SMALL_SIZES);
  prepare_slot(state, node->ss.ss_ScanTupleSlot);
  state->view = new (palloc(sizeof(SnapshotView))) SnapshotView(estate->es_snapshot);
  state->row_capacity = plan->fdw_exprs == NIL ? kScanRows : kSearchRows;
  state->rows = static_cast<LinkRow *>(palloc(sizeof(LinkRow) * state->row_capacity));
  if (state->store != nullptr)
    settle_in_passing(state->store, kReaderSettles, false);
  if (state->store != nullptr && scan_locks_for(plan) != CMD_UNKNOWN) {
    state->locking = static_cast<WriteTarget *>(palloc(sizeof(WriteTarget)));
    *state->locking = {rel, state->spec, state->store, estate->es_output_cid};
  }
}

extern "C" TupleTableSlot *doublets_iterate_scan(ForeignScanState *node) {
  auto *state = static_cast<ScanState *>(node->fdw_state);
  TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;
  do {
    if (state->next_row == state->row_count) {
      if (!state->started)
        start(state);
      fill(state);
      if (state->row_count == 0)
        return ExecClearTuple(slot);
    }
    store_row(state, state->rows[state->next_row++], slot);
  } while (unlikely(state->locking != nullptr) && !lock_scanned_row(node, *state->locking, slot));
  return slot;
}

extern "C" void doublets_rescan(ForeignScanState *node) {
  auto *state = static_cast<ScanState *>(node->fdw_state);
  state->started = false;
  state->finished = false;
  state->row_count = state->next_row = 0;
}

extern "C" void doublets_end_scan(ForeignScanState *) {}

extern "C" void doublets_explain_scan(ForeignScanState *node, ExplainState *es) {
  auto *state = static_cast<ScanState *>(node->fdw_state);
  const auto *plan = castNode(ForeignScan, node->ss.ps.plan);
  const ValueSet *parts = state->parts;
  ExplainPropertyText("Layout", layout_name(state->spec->layout), es);
  ExplainPropertyText("Persistence", persistence_name(state->spec->persistence), es);
  const char *index = parts[kPartId].given                                   ? "id"
                      : parts[kPartSource].given && parts[kPartTarget].given ? "source, target"
                      : parts[kPartSource].given                             ? "source"
                      : parts[kPartTarget].given                             ? "target"
                                                                             : nullptr;
  if (index != nullptr)
    ExplainPropertyText("Index", index, es);
  if (plan->fdw_recheck_quals != NIL) {
    List *context = set_deparse_context_plan(es->deparse_cxt, node->ss.ps.plan, NIL);
    ExplainPropertyText(
        "Index Cond",
        deparse_expression(reinterpret_cast<Node *>(make_ands_explicit(plan->fdw_recheck_quals)),
                           context, es->verbose || list_length(es->rtable) > 1, false),
        es);
  }
  if (es->analyze && es->verbose) {
    ExplainPropertyInteger("Searches", nullptr, static_cast<int64>(state->searches), es);
    ExplainPropertyInteger("Links Visited", nullptr, static_cast<int64>(state->visited), es);
    ExplainPropertyInteger("Versions Skipped", nullptr, static_cast<int64>(state->passed), es);
  }
}

} // namespace doublets::pg

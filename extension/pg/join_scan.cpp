// Executes the join of any rows with the links of a store (join_scan.hpp).
//
// Rows of the child are read in batches and kept, by value, until the links of all of them have been found and joined.
// The first batches are small, for whoever wants few rows. Links are copied under the shared lock, at most kNeighbours
// at a time, and joined without it.
#include "join_scan.hpp"

#include "fdw_scan.hpp"

namespace doublets::pg {
namespace {

constexpr std::uint32_t kMostOuterRows = 256;
constexpr std::uint32_t kGrowth = 4;            // of a batch to the next
constexpr std::uint64_t kReaderSettles = 1024;  // as a plain scan
constexpr std::uint32_t kNone = ~std::uint32_t{0};

// Where a column of a row that is made comes from: a column of the child's rows, or a part of a link.
struct Copied {
  int to;
  int from;
};

// A row that is made: of the join before it is projected, or at once of its result.
struct Made {
  TupleTableSlot* slot;
  Copied* outer;
  int outer_count;
  Copied* parts;
  int part_count;
};

struct JoinScan {
  CustomScanState css;  // first
  PlanState* child;
  ResourceOwner owner;
  SnapshotView* view;
  StoreHandle* store;  // null: no links
  OpenStore function_store;
  bool of_function;
  bool opened;

  ExprState* value;  // looked for; null: it is a column of the child's row
  int value_column;  // then
  Oid value_type;
  Made row;       // before projection
  Made* made;     // what is made of each link: `row`, or `result`
  Made result;    // where nothing is to be checked, and only columns to be projected
  bool as_it_is;  // what is made is what is returned

  // The batch.
  int width;  // of the child's rows
  Datum* values;
  bool* nulls;
  std::int64_t* keys;
  std::uint32_t room;     // in rows
  std::uint32_t wanted;   // of the next batch
  MemoryContext context;  // of values that are not in their datums; null: there are none
  bool child_done;
  Expansion expansion;

  MatchedLink* links;  // kNeighbours
  std::size_t link_count;
  std::size_t next_link;
  std::uint32_t shown;  // the row of the batch that `made` has

  std::uint64_t searches;
  std::uint64_t found;
  std::uint64_t passed;
};

JoinScan* scan_of(CustomScanState* node) {
  return reinterpret_cast<JoinScan*>(node);
}

// Makes sure that a slot may be written to. True: it has lost what it had.
bool renew(TupleTableSlot* slot) {
  if (likely(!TTS_EMPTY(slot) && !TTS_SHOULDFREE(slot))) return false;
  ExecClearTuple(slot);
  ExecStoreVirtualTuple(slot);
  return true;
}

void copy_outer(const Made& made, const Datum* values, const bool* nulls) {
  for (int i = 0; i < made.outer_count; ++i) {
    const Copied& c = made.outer[i];
    made.slot->tts_values[c.to] = values[c.from];
    made.slot->tts_isnull[c.to] = nulls[c.from];
  }
}

// The value that a row of the child looks for; false: NULL.
bool key_of(JoinScan& scan, TupleTableSlot* outer, std::int64_t* key) {
  bool null;
  Datum value;
  if (scan.value == nullptr) {
    value = outer->tts_values[scan.value_column];
    null = outer->tts_isnull[scan.value_column];
  } else {
    ExprContext* econtext = scan.css.ss.ps.ps_ExprContext;
    (void)renew(scan.row.slot);
    copy_outer(scan.row, outer->tts_values, outer->tts_isnull);
    econtext->ecxt_scantuple = scan.row.slot;
    ResetExprContext(econtext);
    value = ExecEvalExprSwitchContext(scan.value, econtext, &null);
  }
  if (!null) *key = integer_value(value, scan.value_type);
  return !null;
}

void make_room(JoinScan& scan) {
  if (scan.room >= scan.wanted) return;
  if (scan.room > 0) {
    pfree(scan.values);
    pfree(scan.nulls);
    pfree(scan.keys);
  }
  const MemoryContext context = scan.css.ss.ps.state->es_query_cxt;
  const Size n = Max(scan.wanted, kGrowth * kGrowth);
  scan.values = static_cast<Datum*>(MemoryContextAlloc(context, sizeof(Datum) * n * static_cast<Size>(scan.width)));
  scan.nulls = static_cast<bool*>(MemoryContextAlloc(context, sizeof(bool) * n * static_cast<Size>(scan.width)));
  scan.keys = static_cast<std::int64_t*>(MemoryContextAlloc(context, sizeof(std::int64_t) * n));
  scan.room = static_cast<std::uint32_t>(n);
}

// Keeps the values of a row of the child as the n-th of the batch.
void keep(JoinScan& scan, TupleTableSlot* outer, std::uint32_t n) {
  const auto width = static_cast<std::size_t>(scan.width);
  Datum* values = scan.values + n * width;
  std::memcpy(values, outer->tts_values, sizeof(Datum) * width);
  std::memcpy(scan.nulls + n * width, outer->tts_isnull, sizeof(bool) * width);
  if (scan.context == nullptr) return;
  const MemoryContext caller = MemoryContextSwitchTo(scan.context);
  for (int i = 0; i < scan.width; ++i) {
    const Form_pg_attribute a = TupleDescAttr(outer->tts_tupleDescriptor, i);
    if (!a->attbyval && !outer->tts_isnull[i]) values[i] = datumCopy(values[i], false, a->attlen);
  }
  MemoryContextSwitchTo(caller);
}

// As a scan of the function alone: its store is opened when it is first called.
void open_for_function(JoinScan& scan) {
  if (!scan.opened) {
    const auto* plan = castNode(CustomScan, scan.css.ss.ps.plan);
    const auto* store = castNode(Const, linitial(joined_call(plan)->args));
    const NullableDatum argument{store->constvalue, store->constisnull};
    scan.function_store = open_store(argument, scan.owner, scan.css.ss.ps.state->es_snapshot);
    scan.store = scan.function_store.handle;
    scan.opened = true;
  }
  // See read_store.
  if (unlikely(scan.store == nullptr || !handle_is_current(*scan.store)))
    scan.store = reopen_for_read(scan.function_store.oid);
}

// Reads the next batch of the child's rows, without those that look for NULL; false: there are none.
bool read_batch(JoinScan& scan) {
  if (scan.child_done) return false;
  make_room(scan);
  if (scan.context != nullptr) MemoryContextReset(scan.context);
  scan.shown = kNone;
  std::uint32_t n = 0;
  while (n < scan.wanted) {
    TupleTableSlot* outer = ExecProcNode(scan.child);
    if (TupIsNull(outer)) {
      scan.child_done = true;
      break;
    }
    if (unlikely(scan.of_function && !scan.opened)) open_for_function(scan);
    slot_getallattrs(outer);
    if (key_of(scan, outer, &scan.keys[n])) keep(scan, outer, n++);
  }
  scan.wanted = Min(scan.wanted * kGrowth, kMostOuterRows);
  scan.expansion.next = 0;
  scan.expansion.end = n;
  return n > 0;
}

// Looks for more links of the batch.
void search(JoinScan& scan) {
  CHECK_FOR_INTERRUPTS();
  if (scan.of_function) open_for_function(scan);
  scan.next_link = scan.link_count = 0;
  const std::uint32_t first = scan.expansion.next;
  if (scan.store == nullptr) {
    scan.expansion.next = scan.expansion.end;
  } else {
    store_lock(scan.store, LW_SHARED);
    scan.link_count =
        Store(scan.store->heap).match(scan.keys, scan.expansion, scan.view->visibility(), scan.links, scan.passed);
    store_unlock(scan.store);
    scan.view->report(scan.store);
  }
  scan.searches += scan.expansion.next - first;
  scan.found += scan.link_count;
}

// Makes the row of the next link; false: there is none in the batch.
bool make_row(JoinScan& scan) {
  if (unlikely(scan.next_link == scan.link_count)) {
    while (!scan.expansion.done() && scan.next_link == scan.link_count)
      search(scan);
    if (scan.next_link == scan.link_count) return false;
  }
  const MatchedLink& link = scan.links[scan.next_link++];
  const Made& made = *scan.made;
  if (unlikely(renew(made.slot)) || link.from != scan.shown) {
    const std::size_t at = static_cast<std::size_t>(link.from) * static_cast<std::size_t>(scan.width);
    copy_outer(made, scan.values + at, scan.nulls + at);
    scan.shown = link.from;
  }
  for (int i = 0; i < made.part_count; ++i)
    made.slot->tts_values[made.parts[i].to] = Int64GetDatum(link.parts[made.parts[i].from]);
  return true;
}

extern "C" TupleTableSlot* doublets_exec_join_scan(CustomScanState* node) {
  JoinScan& scan = *scan_of(node);
  for (;;) {
    if (unlikely(!make_row(scan))) {
      if (!read_batch(scan)) return ExecClearTuple(scan.made->slot);
      continue;
    }
    if (likely(scan.as_it_is)) return scan.made->slot;
    ExprContext* econtext = node->ss.ps.ps_ExprContext;
    ResetExprContext(econtext);
    econtext->ecxt_scantuple = scan.made->slot;
    if (node->ss.ps.qual != nullptr && !ExecQual(node->ss.ps.qual, econtext)) {
      InstrCountFiltered1(node, 1);
      continue;
    }
    return node->ss.ps.ps_ProjInfo != nullptr ? ExecProject(node->ss.ps.ps_ProjInfo) : scan.made->slot;
  }
}

// ---------------------------------------------------------------------------
// Preparation

// Prepares a row whose columns are columns of the join before it is projected, by their numbers in `numbers` from 1, or
// all of those if that is null.
Made prepare_made(TupleTableSlot* slot, const List* columns, const int* numbers, int n) {
  Made made{slot, nullptr, 0, nullptr, 0};
  made.outer = static_cast<Copied*>(palloc(sizeof(Copied) * static_cast<Size>(Max(n, 1))));
  made.parts = static_cast<Copied*>(palloc(sizeof(Copied) * static_cast<Size>(Max(n, 1))));
  for (int i = 0; i < n; ++i) {
    const int column = list_nth_int(columns, numbers == nullptr ? i : numbers[i] - 1);
    if (column >= 0) {
      made.outer[made.outer_count++] = {i, column};
    } else {
      made.parts[made.part_count++] = {i, part_of_column(column)};
      slot->tts_isnull[i] = false;
    }
  }
  return made;
}

// Prepares what is made of each link.
void prepare_rows(JoinScan& scan, const CustomScan* plan) {
  const List* columns = join_columns(plan);
  PlanState& state = scan.css.ss.ps;
  scan.row = prepare_made(scan.css.ss.ss_ScanTupleSlot, columns, nullptr, list_length(columns));
  scan.made = &scan.row;
  scan.as_it_is = state.qual == nullptr && state.ps_ProjInfo == nullptr;
  if (state.qual != nullptr || state.ps_ProjInfo == nullptr) return;
  int* numbers = static_cast<int*>(palloc(sizeof(int) * static_cast<Size>(list_length(state.plan->targetlist) + 1)));
  int n = 0;
  ListCell* cell;
  foreach (cell, state.plan->targetlist) {
    const Expr* expression = lfirst_node(TargetEntry, cell)->expr;
    if (!IsA(expression, Var)) return;
    numbers[n++] = reinterpret_cast<const Var*>(expression)->varattno;
  }
  scan.result = prepare_made(state.ps_ResultTupleSlot, columns, numbers, n);
  scan.made = &scan.result;
  scan.as_it_is = true;
}

void prepare_value(JoinScan& scan, const CustomScan* plan) {
  auto* value = static_cast<Expr*>(linitial(plan->custom_exprs));
  scan.value_type = exprType(reinterpret_cast<::Node*>(value));
  if (IsA(value, Var))
    scan.value_column = list_nth_int(join_columns(plan), reinterpret_cast<Var*>(value)->varattno - 1);
  else
    scan.value = ExecInitExpr(value, &scan.css.ss.ps);
}

void prepare_batch(JoinScan& scan, const CustomScan* plan) {
  const TupleDesc desc = ExecGetResultType(scan.child);
  scan.width = desc->natts;
  for (int i = 0; i < desc->natts && scan.context == nullptr; ++i)
    if (!TupleDescAttr(desc, i)->attbyval)
      scan.context = AllocSetContextCreate(scan.css.ss.ps.state->es_query_cxt, "doublets join", ALLOCSET_DEFAULT_SIZES);
  scan.links = static_cast<MatchedLink*>(palloc(sizeof(MatchedLink) * Store::kNeighbours));
  scan.expansion = {join_access(plan), 0, 0};
  scan.wanted = 1;
  scan.shown = kNone;
}

extern "C" void doublets_begin_join_scan(CustomScanState* node, EState* estate, int eflags) {
  JoinScan& scan = *scan_of(node);
  const auto* plan = castNode(CustomScan, node->ss.ps.plan);
  scan.child = ExecInitNode(static_cast<Plan*>(linitial(plan->custom_plans)), estate, eflags);
  node->custom_ps = list_make1(scan.child);
  const FuncExpr* call = joined_call(plan);
  scan.of_function = call != nullptr;
  if (scan.of_function) check_execute(call->funcid);
  if ((eflags & EXEC_FLAG_EXPLAIN_ONLY) != 0) return;

  prepare_rows(scan, plan);
  prepare_value(scan, plan);
  prepare_batch(scan, plan);
  scan.owner = CurrentResourceOwner;
  scan.view = new (palloc(sizeof(SnapshotView))) SnapshotView(estate->es_snapshot);
  if (scan.of_function) return;
  const Relation rel = ExecGetRangeTableRelation(estate, joined_relation(plan));
  begin_read(rel, estate->es_snapshot);
  scan.store = store_open(rel, false);
  if (scan.store != nullptr && !IsParallelWorker()) settle_in_passing(scan.store, kReaderSettles, false);
}

extern "C" void doublets_rescan_join_scan(CustomScanState* node) {
  JoinScan& scan = *scan_of(node);
  // The executor does this for children it knows.
  if (node->ss.ps.chgParam != nullptr) UpdateChangedParamSet(scan.child, node->ss.ps.chgParam);
  if (scan.child->chgParam == nullptr) ExecReScan(scan.child);
  ExecClearTuple(scan.made->slot);
  scan.child_done = false;
  scan.wanted = 1;
  scan.shown = kNone;
  scan.expansion = {scan.expansion.access, 0, 0};
  scan.link_count = scan.next_link = 0;
}

extern "C" void doublets_end_join_scan(CustomScanState* node) {
  JoinScan& scan = *scan_of(node);
  ExecEndNode(scan.child);
  if (scan.opened && scan.of_function) close_stores(&scan.function_store, 1, scan.owner);
  scan.opened = false;
}

// ---------------------------------------------------------------------------
// EXPLAIN

extern "C" void doublets_explain_join_scan(CustomScanState* node, List* ancestors, ExplainState* es) {
  const JoinScan& scan = *scan_of(node);
  const auto* plan = castNode(CustomScan, node->ss.ps.plan);
  List* context = set_deparse_context_plan(es->deparse_cxt, node->ss.ps.plan, ancestors);
  const auto text = [&](const void* expression) {
    return deparse_expression(static_cast<::Node*>(const_cast<void*>(expression)), context, true, false);
  };
  const Access access = join_access(plan);
  if (const FuncExpr* call = joined_call(plan)) {
    ExplainPropertyText("Function Call", text(call), es);
  } else {
    const Index number = joined_relation(plan);
    const RangeTblEntry* rte = rt_fetch(number, es->rtable);
    const char* alias =
        quote_identifier(static_cast<const char*>(list_nth(es->rtable_names, static_cast<int>(number) - 1)));
    const char* name = quote_identifier(get_rel_name(rte->relid));
    if (es->verbose)
      name = quote_qualified_identifier(get_namespace_name_or_temp(get_rel_namespace(rte->relid)),
                                        get_rel_name(rte->relid));
    ExplainPropertyText("Links Of", strcmp(alias, name) == 0 ? name : psprintf("%s %s", name, alias), es);
    ExplainPropertyText("Index", index_name(access), es);
    const StoreSpec* spec = store_spec(ExecGetRangeTableRelation(node->ss.ps.state, number));
    const AttrNumber column = access == Access::kId       ? spec->id
                              : access == Access::kSource ? spec->source
                                                          : spec->target;
    ExplainPropertyText("Index Cond",
                        psprintf("(%s.%s = %s)", alias,
                                 quote_identifier(get_rte_attribute_name(const_cast<RangeTblEntry*>(rte), column)),
                                 text(linitial(plan->custom_exprs))),
                        es);
  }
  if (es->analyze && es->verbose) {
    ExplainPropertyInteger("Searches", nullptr, static_cast<int64>(scan.searches), es);
    ExplainPropertyInteger("Links Visited", nullptr, static_cast<int64>(scan.found + scan.passed), es);
    ExplainPropertyInteger("Versions Skipped", nullptr, static_cast<int64>(scan.passed), es);
  }
}

constexpr CustomExecMethods kJoinExecMethods{
    .CustomName = "doublets join",
    .BeginCustomScan = doublets_begin_join_scan,
    .ExecCustomScan = doublets_exec_join_scan,
    .EndCustomScan = doublets_end_join_scan,
    .ReScanCustomScan = doublets_rescan_join_scan,
    .MarkPosCustomScan = nullptr,
    .RestrPosCustomScan = nullptr,
    .EstimateDSMCustomScan = nullptr,
    .InitializeDSMCustomScan = nullptr,
    .ReInitializeDSMCustomScan = nullptr,
    .InitializeWorkerCustomScan = nullptr,
    .ShutdownCustomScan = nullptr,
    .ExplainCustomScan = doublets_explain_join_scan,
};

extern "C" ::Node* doublets_create_join_scan(CustomScan*) {
  auto* scan = static_cast<JoinScan*>(palloc0(sizeof(JoinScan)));
  NodeSetTag(scan, T_CustomScanState);
  scan->css.methods = &kJoinExecMethods;
  return reinterpret_cast<::Node*>(scan);
}

}  // namespace

const CustomScanMethods kJoinScanMethods{"doublets join", doublets_create_join_scan};

}  // namespace doublets::pg

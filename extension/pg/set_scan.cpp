// Executes a set function that stands alone in FROM.
//
// The store is opened when the first row is asked for, as a call of the function would, but as if when the execution
// began: its lock and reference belong to the resource owner of that time, and stay when a savepoint is rolled back
// over an open cursor. While they are held nobody replaces the store's memory, not even the session itself, for which
// TRUNCATE and DROP are refused as for a table that is being read.
#include "set_scan.hpp"

namespace doublets::pg {
namespace {

struct FilterValue {
  ExprState* value;
  Oid type;
  Range* part;  // of the call's filter
};

struct SetScan {
  CustomScanState css;  // first
  const SetFunction* function;
  ExprState* arguments[kMaxSetArguments];
  FilterValue filter[3];
  int filter_count;
  ResourceOwner owner;
  OpenStore* stores;  // all that the arguments have named so far
  int store_count;
  ReadCall call;
  void* stream;
  bool started;
  bool finished;
  TupleDesc row;                    // of the function
  int columns[kMaxSetColumns + 1];  // of the scan's rows, as in the plan
  int column_count;
  bool columns_only;           // no whole row, which has to be freed again
  bool counts;                 // one row, with the number of the function's
  TupleTableSlot* given_slot;  // for a row that is given by EvalPlanQual
};

SetScan* scan_of(CustomScanState* node) {
  return reinterpret_cast<SetScan*>(node);
}

// Makes the store that the arguments name the one to be read.
void choose_store(SetScan& scan, const NullableDatum& store) {
  if (scan.store_count > 0 && !store.isnull && scan.call.relation == DatumGetObjectId(store.value)) return;
  const OpenStore* found = nullptr;
  for (int i = 0; i < scan.store_count && found == nullptr && !store.isnull; ++i)
    if (scan.stores[i].oid == DatumGetObjectId(store.value)) found = &scan.stores[i];
  if (found == nullptr) {
    const OpenStore opened = open_store(store, scan.owner, scan.css.ss.ps.state->es_snapshot);
    const Size size = sizeof(OpenStore) * static_cast<Size>(scan.store_count + 1);
    scan.stores = static_cast<OpenStore*>(scan.stores == nullptr ? MemoryContextAlloc(scan.call.context, size)
                                                                 : repalloc(scan.stores, size));
    found = &(scan.stores[scan.store_count++] = opened);
  }
  scan.call.relation = found->oid;
  scan.call.store = found->handle;
}

std::int64_t integer_of(Datum datum, Oid type) {
  return type == INT2OID ? DatumGetInt16(datum) : type == INT4OID ? DatumGetInt32(datum) : DatumGetInt64(datum);
}

// Evaluates the arguments and begins the stream. False: it has no rows.
bool start(SetScan& scan) {
  ExprContext* econtext = scan.css.ss.ps.ps_ExprContext;
  NullableDatum arguments[kMaxSetArguments];
  for (int i = 0; i < scan.function->arguments; ++i)
    arguments[i].value = ExecEvalExprSwitchContext(scan.arguments[i], econtext, &arguments[i].isnull);
  choose_store(scan, arguments[0]);
  for (int i = 0; i < scan.filter_count; ++i) {
    const FilterValue& filter = scan.filter[i];
    bool null;
    const Datum value = ExecEvalExprSwitchContext(filter.value, econtext, &null);
    if (null) return false;
    *filter.part = Range::point(integer_of(value, filter.type));
  }
  const MemoryContext caller = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
  const bool begun = scan.function->begin(scan.stream, scan.call, arguments);
  MemoryContextSwitchTo(caller);
  return begun;
}

// The function's row as a value, in memory that lasts until the next one.
Datum whole_row(const SetScan& scan, const Datum* values, const bool* nulls) {
  const MemoryContext caller = MemoryContextSwitchTo(scan.css.ss.ps.ps_ExprContext->ecxt_per_tuple_memory);
  const Datum row = HeapTupleGetDatum(heap_form_tuple(scan.row, const_cast<Datum*>(values), const_cast<bool*>(nulls)));
  MemoryContextSwitchTo(caller);
  return row;
}

// Makes a row of the scan of one of the function.
TupleTableSlot* store_row(const SetScan& scan, const Datum* values, const bool* nulls, TupleTableSlot* slot) {
  for (int i = 0; i < scan.column_count; ++i) {
    const int column = scan.columns[i];
    slot->tts_values[i] = likely(column > 0) ? values[column - 1] : whole_row(scan, values, nulls);
    slot->tts_isnull[i] = column > 0 && nulls[column - 1];
  }
  return ExecStoreVirtualTuple(slot);
}

TupleTableSlot* next_row(ScanState* state) {
  SetScan& scan = *scan_of(reinterpret_cast<CustomScanState*>(state));
  TupleTableSlot* slot = state->ss_ScanTupleSlot;
  ExecClearTuple(slot);
  if (unlikely(!scan.started)) {
    scan.finished = !start(scan);
    scan.started = true;
  }
  Datum values[kMaxSetColumns];
  bool nulls[kMaxSetColumns];
  if (!scan.finished && scan.function->next(scan.stream, scan.call, values, nulls))
    return store_row(scan, values, nulls, slot);
  scan.finished = true;
  return slot;
}

// How many rows the stream has left.
std::int64_t count_left(SetScan& scan) {
  if (scan.function->count != nullptr) return scan.function->count(scan.stream, scan.call);
  Datum values[kMaxSetColumns];
  bool nulls[kMaxSetColumns];
  std::int64_t n = 0;
  for (; scan.function->next(scan.stream, scan.call, values, nulls); ++n)
    CHECK_FOR_INTERRUPTS();
  return n;
}

// The row of a scan that counts.
TupleTableSlot* next_count(ScanState* state) {
  SetScan& scan = *scan_of(reinterpret_cast<CustomScanState*>(state));
  TupleTableSlot* slot = ExecClearTuple(state->ss_ScanTupleSlot);
  if (scan.started) return slot;
  const std::int64_t n = start(scan) ? count_left(scan) : 0;
  scan.started = true;
  slot->tts_values[0] = Int64GetDatum(n);
  slot->tts_isnull[0] = false;
  return ExecStoreVirtualTuple(slot);
}

// The row that EvalPlanQual holds fixed while it looks at a newer version of another one. As ExecScanFetch does for
// scans of relations; to the executor this one has none.
bool given_row(ScanState* state, TupleTableSlot* slot) {
  SetScan& scan = *scan_of(reinterpret_cast<CustomScanState*>(state));
  EPQState* epq = state->ps.state->es_epq_active;
  const auto rti = static_cast<Index>(bms_singleton_member(castNode(CustomScan, state->ps.plan)->custom_relids));
  if (epq->relsubs_done[rti - 1]) return false;
  epq->relsubs_done[rti - 1] = true;
  if (epq->relsubs_rowmark[rti - 1] == nullptr || !EvalPlanQualFetchRowMark(epq, rti, scan.given_slot) ||
      TupIsNull(scan.given_slot))
    return false;
  slot_getallattrs(scan.given_slot);
  ExecClearTuple(slot);
  (void)store_row(scan, scan.given_slot->tts_values, scan.given_slot->tts_isnull, slot);
  return true;
}

extern "C" void doublets_begin_set_scan(CustomScanState* node, EState* estate, int eflags) {
  SetScan& scan = *scan_of(node);
  const auto* plan = castNode(CustomScan, node->ss.ps.plan);
  const FuncExpr* call = scanned_call(plan);
  check_execute(call->funcid);
  scan.function = set_function_of(call);
  if (scan.function == nullptr) elog(ERROR, "function %u is not what it was when it was planned", call->funcid);
  for (int i = 0; i < scan.function->arguments; ++i)
    scan.arguments[i] = ExecInitExpr(static_cast<Expr*>(list_nth(call->args, i)), &node->ss.ps);
  if ((eflags & EXEC_FLAG_EXPLAIN_ONLY) != 0) return;

  scan.owner = CurrentResourceOwner;
  scan.call.context = estate->es_query_cxt;
  scan.call.open = true;
  scan.call.view = new (palloc(sizeof(SnapshotView))) SnapshotView(estate->es_snapshot);
  scan.stream = palloc0(scan.function->stream_bytes);
  ListCell* cell;
  foreach (cell, made_columns(plan))
    scan.columns[scan.column_count++] = lfirst_int(cell);
  scan.columns_only = !list_member_int(made_columns(plan), 0);
  scan.counts = list_member_int(made_columns(plan), kCountColumn);
  foreach (cell, filtered_parts(plan)) {
    auto* value = static_cast<Expr*>(list_nth(plan->custom_exprs, scan.filter_count + 1));
    Pattern& filter = scan.call.filter;
    Range* const parts[] = {&filter.id, &filter.source, &filter.target};
    scan.filter[scan.filter_count++] = {ExecInitExpr(value, &node->ss.ps), exprType(reinterpret_cast<::Node*>(value)),
                                        parts[lfirst_int(cell)]};
  }
  scan.row = BlessTupleDesc(get_expr_result_tupdesc(reinterpret_cast<::Node*>(const_cast<FuncExpr*>(call)), false));
  scan.given_slot = ExecInitExtraTupleSlot(estate, scan.row, &TTSOpsVirtual);
}

extern "C" TupleTableSlot* doublets_exec_set_scan(CustomScanState* node) {
  const ExecScanAccessMtd next = scan_of(node)->counts ? next_count : next_row;
  // Most scans have nothing left to be done to their rows.
  if (node->ss.ps.qual == nullptr && node->ss.ps.ps_ProjInfo == nullptr &&
      node->ss.ps.state->es_epq_active == nullptr && likely(scan_of(node)->columns_only))
    return next(&node->ss);
  return ExecScan(&node->ss, next, given_row);
}

extern "C" void doublets_rescan_set_scan(CustomScanState* node) {
  SetScan& scan = *scan_of(node);
  ExecScanReScan(&node->ss);
  // Where ExecScan is passed by, nothing else frees what the arguments left behind.
  ResetExprContext(node->ss.ps.ps_ExprContext);
  scan.started = false;
}

extern "C" void doublets_end_set_scan(CustomScanState* node) {
  SetScan& scan = *scan_of(node);
  close_stores(scan.stores, scan.store_count, scan.owner);
  scan.store_count = 0;
}

extern "C" void doublets_explain_set_scan(CustomScanState* node, List* ancestors, ExplainState* es) {
  const auto* plan = castNode(CustomScan, node->ss.ps.plan);
  List* context = set_deparse_context_plan(es->deparse_cxt, node->ss.ps.plan, ancestors);
  const bool prefix = es->verbose || list_length(es->rtable) > 1;
  ExplainPropertyText("Function Call",
                      deparse_expression(static_cast<::Node*>(linitial(plan->custom_exprs)), context, prefix, false),
                      es);
  if (list_member_int(made_columns(plan), kCountColumn))
    ExplainPropertyList("Aggregates", list_make1(pstrdup("count(*)")), es);
  constexpr const char* kParts[] = {"id", "source", "target"};
  List* parts = NIL;
  const List* filtered = filtered_parts(plan);
  for (int i = 0; i < list_length(filtered); ++i)
    parts = lappend(parts, psprintf("%s = %s", kParts[list_nth_int(filtered, i)],
                                    deparse_expression(static_cast<::Node*>(list_nth(plan->custom_exprs, i + 1)),
                                                       context, prefix, false)));
  if (parts != NIL) ExplainPropertyList("Narrowed To", parts, es);
}

constexpr CustomExecMethods kSetExecMethods{
    .CustomName = "doublets function",
    .BeginCustomScan = doublets_begin_set_scan,
    .ExecCustomScan = doublets_exec_set_scan,
    .EndCustomScan = doublets_end_set_scan,
    .ReScanCustomScan = doublets_rescan_set_scan,
    .MarkPosCustomScan = nullptr,
    .RestrPosCustomScan = nullptr,
    .EstimateDSMCustomScan = nullptr,
    .InitializeDSMCustomScan = nullptr,
    .ReInitializeDSMCustomScan = nullptr,
    .InitializeWorkerCustomScan = nullptr,
    .ShutdownCustomScan = nullptr,
    .ExplainCustomScan = doublets_explain_set_scan,
};

extern "C" ::Node* doublets_create_set_scan(CustomScan*) {
  auto* scan = static_cast<SetScan*>(palloc0(sizeof(SetScan)));
  NodeSetTag(scan, T_CustomScanState);
  scan->css.methods = &kSetExecMethods;
  scan->call.filter = Pattern{};
  return reinterpret_cast<::Node*>(scan);
}

}  // namespace

void check_execute(Oid function) {
  const AclResult result = pg_proc_aclcheck(function, GetUserId(), ACL_EXECUTE);
  if (result != ACLCHECK_OK) aclcheck_error(result, OBJECT_FUNCTION, get_func_name(function));
  InvokeFunctionExecuteHook(function);
}

OpenStore open_store(const NullableDatum& store, ResourceOwner owner, Snapshot snapshot) {
  const ResourceOwner caller = CurrentResourceOwner;
  // An ERROR puts the owner right by itself, as it ends the (sub)transaction.
  CurrentResourceOwner = owner;
  const Relation rel = open_argument(store, AccessShareLock, ACL_SELECT);
  CurrentResourceOwner = caller;
  begin_read(rel, snapshot);
  StoreHandle* handle = store_open(rel, false);
  if (handle != nullptr) settle_for_reader(handle);
  return {RelationGetRelid(rel), rel, handle};
}

void close_stores(const OpenStore* stores, int n, ResourceOwner owner) {
  const ResourceOwner caller = CurrentResourceOwner;
  CurrentResourceOwner = owner;
  for (int i = 0; i < n; ++i)
    relation_close(stores[i].rel, NoLock);
  CurrentResourceOwner = caller;
}

const CustomScanMethods kSetScanMethods{"doublets function", doublets_create_set_scan};

}  // namespace doublets::pg

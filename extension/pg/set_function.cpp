#include "set_function.hpp"

namespace doublets::pg {
namespace {

constexpr const SetFunction* kSetFunctions[] = {&kEach, &kOutgoing,     &kIncoming, &kUsages,
                                                &kWalk, &kWalkFromMany, &kHubs};

// What a call in a SELECT list keeps for the next one, followed by the stream.
struct Progress {
  ReadCall call;
  bool done;
  void* stream() { return this + 1; }
};

Progress* begin(FunctionCallInfo fcinfo, const SetFunction& function, MemoryContext context) {
  auto* progress = static_cast<Progress*>(MemoryContextAllocZero(context, sizeof(Progress) + function.stream_bytes));
  StoreHandle* store = open_for_read(fcinfo);
  progress->call = {PG_GETARG_OID(0), store, true, nullptr, Pattern{}, context};
  progress->done = !function.begin(progress->stream(), progress->call, fcinfo->args);
  return progress;
}

bool next(Progress* progress, const SetFunction& function, Datum* values, bool* nulls) {
  return !progress->done && function.next(progress->stream(), progress->call, values, nulls);
}

Datum next_row(FunctionCallInfo fcinfo, const SetFunction& function) {
  FuncCallContext* call = SRF_PERCALL_SETUP();
  auto* progress = static_cast<Progress*>(call->user_fctx);
  Datum values[kMaxSetColumns];
  bool nulls[kMaxSetColumns];
  const bool found = next(progress, function, values, nulls);
  // Until the next call the store may be gone.
  progress->call.open = false;
  if (!found) SRF_RETURN_DONE(call);
  SRF_RETURN_NEXT(call, HeapTupleGetDatum(heap_form_tuple(call->tuple_desc, values, nulls)));
}

void fill(FunctionCallInfo fcinfo, ReturnSetInfo* result, const SetFunction& function) {
  const MemoryContext caller = MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
  const bool random = (result->allowedModes & SFRM_Materialize_Random) != 0;
  result->returnMode = SFRM_Materialize;
  result->setResult = tuplestore_begin_heap(random, false, work_mem);
  MemoryContextSwitchTo(caller);
  Progress* progress = begin(fcinfo, function, caller);
  Datum values[kMaxSetColumns];
  bool nulls[kMaxSetColumns];
  while (next(progress, function, values, nulls))
    tuplestore_putvalues(result->setResult, result->expectedDesc, values, nulls);
}

}  // namespace

const SetFunction* set_function_of(const FuncExpr* call) {
  // Libraries are not loaded for this: nothing happens before it is clear that the function is in this one.
  const HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(call->funcid));
  if (!HeapTupleIsValid(tuple)) return nullptr;
  const auto* proc = reinterpret_cast<Form_pg_proc>(GETSTRUCT(tuple));
  bool ours = proc->prolang == ClanguageId && proc->proretset && proc->prosupport != InvalidOid;
  if (ours) {
    bool null;
    const Datum symbol = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosrc, &null);
    ours = !null && strncmp(TextDatumGetCString(symbol), "doublets_", 9) == 0;
  }
  ReleaseSysCache(tuple);
  if (!ours) return nullptr;
  FmgrInfo info;
  fmgr_info(call->funcid, &info);
  for (const SetFunction* function : kSetFunctions)
    if (info.fn_addr == function->body && info.fn_nargs == function->arguments &&
        list_length(call->args) == function->arguments)
      return function;
  return nullptr;
}

Datum return_set(FunctionCallInfo fcinfo, const SetFunction& function) {
  auto* result = reinterpret_cast<ReturnSetInfo*>(fcinfo->resultinfo);
  if (fcinfo->flinfo->fn_extra != nullptr) return next_row(fcinfo, function);
  if (result == nullptr || !IsA(result, ReturnSetInfo))
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("set-valued function called in context that cannot accept a set")));
  if (result->expectedDesc == nullptr || result->expectedDesc->natts != function.columns)
    elog(ERROR, "a row type of %d columns is expected", function.columns);
  if ((result->allowedModes & SFRM_Materialize_Preferred) != 0) {
    fill(fcinfo, result, function);
    return Datum{0};
  }
  FuncCallContext* call = SRF_FIRSTCALL_INIT();
  const MemoryContext caller = MemoryContextSwitchTo(call->multi_call_memory_ctx);
  call->tuple_desc = BlessTupleDesc(CreateTupleDescCopy(result->expectedDesc));
  MemoryContextSwitchTo(caller);
  call->user_fctx = begin(fcinfo, function, call->multi_call_memory_ctx);
  return next_row(fcinfo, function);
}

}  // namespace doublets::pg

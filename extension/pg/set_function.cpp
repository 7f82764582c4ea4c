#include "set_function.hpp"

namespace doublets::pg {
namespace {

Datum next_row(FunctionCallInfo fcinfo, const SetFunction& function) {
  FuncCallContext* call = SRF_PERCALL_SETUP();
  Datum values[kMaxSetColumns];
  bool nulls[kMaxSetColumns];
  if (call->user_fctx == nullptr || !function.next(call->user_fctx, values, nulls)) SRF_RETURN_DONE(call);
  SRF_RETURN_NEXT(call, HeapTupleGetDatum(heap_form_tuple(call->tuple_desc, values, nulls)));
}

void fill(FunctionCallInfo fcinfo, ReturnSetInfo* result, const SetFunction& function) {
  const MemoryContext caller = MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
  const bool random = (result->allowedModes & SFRM_Materialize_Random) != 0;
  result->returnMode = SFRM_Materialize;
  result->setResult = tuplestore_begin_heap(random, false, work_mem);
  MemoryContextSwitchTo(caller);
  void* stream = function.begin(fcinfo);
  Datum values[kMaxSetColumns];
  bool nulls[kMaxSetColumns];
  while (stream != nullptr && function.next(stream, values, nulls))
    tuplestore_putvalues(result->setResult, result->expectedDesc, values, nulls);
}

}  // namespace

Datum return_set(FunctionCallInfo fcinfo, const SetFunction& function) {
  auto* result = reinterpret_cast<ReturnSetInfo*>(fcinfo->resultinfo);
  if (fcinfo->flinfo->fn_extra != nullptr) return next_row(fcinfo, function);
  if (result == nullptr || !IsA(result, ReturnSetInfo))
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("set-valued function called in context that cannot accept a set")));
  if (result->expectedDesc == nullptr || result->expectedDesc->natts > kMaxSetColumns)
    elog(ERROR, "a row type of at most %d columns is expected", kMaxSetColumns);
  if ((result->allowedModes & SFRM_Materialize_Preferred) != 0) {
    fill(fcinfo, result, function);
    return Datum{0};
  }
  FuncCallContext* call = SRF_FIRSTCALL_INIT();
  const MemoryContext caller = MemoryContextSwitchTo(call->multi_call_memory_ctx);
  call->tuple_desc = BlessTupleDesc(CreateTupleDescCopy(result->expectedDesc));
  call->user_fctx = function.begin(fcinfo);
  MemoryContextSwitchTo(caller);
  return next_row(fcinfo, function);
}

}  // namespace doublets::pg

// Functions that return links: each, outgoing, incoming, usages.
//
// In a SELECT list they give one link per call from a batch, and go on by position, so
// LIMIT reads no more than a batch too many. In FROM the executor keeps the whole result
// in a tuplestore anyway; there they fill it themselves, which saves a tuple per link.
#include "functions_common.hpp"

namespace doublets::pg {
namespace {

// How far the search of one call has come.
struct LinkSearch {
  Oid relation;
  StoreHandle* store;  // of the present batch; null: no links
  Search wanted;
  Position position;
  bool usages;  // of used_id: by source, then by target
  LinkId used_id;
};

// Leaves out the link itself and what was found by its source. Returns how many stay.
std::size_t keep_usages(const LinkSearch& search, LinkRow* rows, std::size_t n) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (rows[i].id != search.used_id && !(search.wanted.access == Access::kTarget && rows[i].source == search.used_id))
      rows[kept++] = rows[i];
  return kept;
}

// The next links, at most kRowsPerBatch; 0 at the end.
std::size_t next_links(LinkSearch& search, LinkRow* rows) {
  if (search.store == nullptr) return 0;
  SnapshotView view(GetActiveSnapshot());
  std::uint64_t passed = 0;
  for (;;) {
    if (search.position.done) {
      if (!search.usages || search.wanted.access == Access::kTarget) return 0;
      search.wanted = Search::of(ends_pattern({}, {true, search.used_id}));
      search.position = Position{};
    }
    store_lock(search.store, LW_SHARED);
    std::size_t n =
        Store(search.store->heap).scan(search.wanted, search.position, view.visibility(), rows, kRowsPerBatch, passed);
    store_unlock(search.store);
    view.report(search.store);
    if (search.usages) n = keep_usages(search, rows, n);
    if (n > 0) return n;
    CHECK_FOR_INTERRUPTS();
  }
}

bool exhausted(const LinkSearch& search) {
  return search.position.done && (!search.usages || search.wanted.access == Access::kTarget);
}

void fill(ReturnSetInfo* result, LinkSearch& search) {
  const MemoryContext caller = MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
  const bool random = (result->allowedModes & SFRM_Materialize_Random) != 0;
  result->returnMode = SFRM_Materialize;
  result->setResult = tuplestore_begin_heap(random, false, work_mem);
  MemoryContextSwitchTo(caller);
  LinkRow rows[kRowsPerBatch];
  bool nulls[] = {false, false, false};
  do {
    const std::size_t n = next_links(search, rows);
    for (std::size_t i = 0; i < n; ++i) {
      Datum values[] = {Int64GetDatum(rows[i].id), Int64GetDatum(rows[i].source), Int64GetDatum(rows[i].target)};
      tuplestore_putvalues(result->setResult, result->expectedDesc, values, nulls);
    }
    CHECK_FOR_INTERRUPTS();
  } while (search.store != nullptr && !exhausted(search));
}

// What a call in a SELECT list keeps for the next one.
struct LinkStream {
  LinkSearch search;
  std::size_t next;
  std::size_t count;
  std::size_t capacity;
  LinkRow* rows;
};

// Keeps a batch no longer than it has to be: most searches have few links.
void refill(LinkStream& stream, MemoryContext context) {
  LinkRow rows[kRowsPerBatch];
  stream.next = 0;
  stream.count = next_links(stream.search, rows);
  if (stream.count > stream.capacity) {
    if (stream.rows != nullptr) pfree(stream.rows);
    stream.rows = static_cast<LinkRow*>(MemoryContextAlloc(context, stream.count * sizeof(LinkRow)));
    stream.capacity = stream.count;
  }
  std::memcpy(static_cast<void*>(stream.rows), rows, stream.count * sizeof(LinkRow));
}

Datum next_value(FunctionCallInfo fcinfo, const ReturnSetInfo* result) {
  FuncCallContext* call = SRF_PERCALL_SETUP();
  auto& stream = *static_cast<LinkStream*>(call->user_fctx);
  if (stream.next == stream.count && !exhausted(stream.search)) {
    stream.search.store = reopen_for_read(stream.search.relation);
    refill(stream, call->multi_call_memory_ctx);
  }
  if (stream.next == stream.count) SRF_RETURN_DONE(call);
  const LinkRow& row = stream.rows[stream.next++];
  Datum values[] = {Int64GetDatum(row.id), Int64GetDatum(row.source), Int64GetDatum(row.target)};
  bool nulls[] = {false, false, false};
  SRF_RETURN_NEXT(call, HeapTupleGetDatum(heap_form_tuple(result->expectedDesc, values, nulls)));
}

// The body of all four. `describe` sets what is searched for; false: nothing is found.
template <class Describe>
Datum links(FunctionCallInfo fcinfo, Describe&& describe) {
  auto* result = reinterpret_cast<ReturnSetInfo*>(fcinfo->resultinfo);
  if (fcinfo->flinfo->fn_extra != nullptr) return next_value(fcinfo, result);

  if (result == nullptr || !IsA(result, ReturnSetInfo))
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("set-valued function called in context that cannot accept a set")));
  if (result->expectedDesc == nullptr || result->expectedDesc->natts != 3)
    elog(ERROR, "a row type of three columns is expected");
  LinkSearch search{};
  search.store = open_for_read(fcinfo);
  search.relation = PG_GETARG_OID(0);
  if (!describe(search)) search.store = nullptr;
  if (search.store == nullptr) {
    search.position.done = true;
    search.usages = false;
  }

  if ((result->allowedModes & SFRM_Materialize_Preferred) != 0) {
    fill(result, search);
    return Datum{0};
  }
  FuncCallContext* call = SRF_FIRSTCALL_INIT();
  auto* stream = static_cast<LinkStream*>(MemoryContextAllocZero(call->multi_call_memory_ctx, sizeof(LinkStream)));
  stream->search = search;
  refill(*stream, call->multi_call_memory_ctx);
  call->user_fctx = stream;
  return next_value(fcinfo, result);
}

}  // namespace
}  // namespace doublets::pg

using namespace doublets::pg;
using doublets::Search;

// each(store regclass, id bigint, source bigint, target bigint) returns setof doublets.link
DOUBLETS_FUNCTION(doublets_each) {
  return links(fcinfo, [fcinfo](LinkSearch& search) {
    search.wanted = Search::of(pattern_arguments(fcinfo, 1));
    return true;
  });
}

// outgoing(store regclass, source bigint) returns setof doublets.link
DOUBLETS_FUNCTION(doublets_outgoing) {
  return links(fcinfo, [fcinfo](LinkSearch& search) {
    const OptionalValue source = optional_argument(fcinfo, 1);
    search.wanted = Search::of(ends_pattern(source, {}));
    return source.given;
  });
}

// incoming(store regclass, target bigint) returns setof doublets.link
DOUBLETS_FUNCTION(doublets_incoming) {
  return links(fcinfo, [fcinfo](LinkSearch& search) {
    const OptionalValue target = optional_argument(fcinfo, 1);
    search.wanted = Search::of(ends_pattern({}, target));
    return target.given;
  });
}

// usages(store regclass, id bigint) returns setof doublets.link
DOUBLETS_FUNCTION(doublets_usages) {
  return links(fcinfo, [fcinfo](LinkSearch& search) {
    const OptionalValue id = optional_argument(fcinfo, 1);
    search.wanted = Search::of(ends_pattern(id, {}));
    search.usages = true;
    search.used_id = id.value;
    return id.given;
  });
}

// Functions that return sets of rows, apart from how the executor wants them.
//
// Such a function is a stream: it begins with the arguments of a call and gives one row after the other.
// Three ways lead to it:
//
//   set_function.cpp  the SQL function: in a SELECT list the executor takes the rows one by one, and a LIMIT leaves
//                     the rest unmade; in ROWS FROM and WITH ORDINALITY it asks for a tuplestore
//   set_plan.cpp, set_scan.cpp
//                     a scan of its own in place of the executor's FunctionScan, wherever such a function stands
//                     alone in FROM: no tuplestore, and the store is opened once for all calls of a join
//   set_estimate.cpp  what the planner wants to know
#pragma once

#include "functions_common.hpp"
#include "relation_cache.hpp"

namespace doublets::pg {

// How the calls of a function read their store.
struct ReadCall {
  Oid relation;
  StoreHandle* store;     // null: no links
  bool open;              // `store` may be used; else it has to be opened again
  SnapshotView* view;     // of a scan, which has one for all its calls; null: each read makes its own
  Pattern filter;         // the links wanted, whatever the arguments; a function may give others too
  MemoryContext context;  // what a stream keeps from one row to the next is in here
};

// Calls read(store, view), where the store may be null.
template <class Read>
auto read_store(ReadCall& call, Read&& read) {
  if (call.view != nullptr) {
    // ROLLBACK TO takes away what has come to be since the savepoint, under an open cursor too, and brings back what was
    // there before.
    if (unlikely(call.store == nullptr || !handle_is_current(*call.store))) call.store = reopen_for_read(call.relation);
    return read(call.store, *call.view);
  }
  if (!call.open) call.store = reopen_for_read(call.relation);
  call.open = true;
  SnapshotView view(GetActiveSnapshot());
  return read(call.store, view);
}

// What the planner is to expect of the rows.
enum class SetKind : std::uint8_t { kLinks, kUsages, kWalk, kHubs };

inline constexpr int kMaxSetColumns = 3;
inline constexpr int kMaxSetArguments = 4;

struct SetFunction {
  PGFunction body;  // that SQL calls: return_set with this
  int arguments;    // the first is the store
  int columns;
  SetKind kind;
  int parts[3];  // kLinks: numbers of the arguments that stand for id, source and target; 0: none
  bool any;      // kLinks: a null argument stands for any value, else nothing is found

  Size stream_bytes;
  // Begins a stream in memory that is zeroed, or as an earlier stream of the same function has left it. False: it is
  // empty. Arguments are as in a function call, and gone afterwards.
  bool (*begin)(void* stream, ReadCall& call, const NullableDatum* arguments);
  // The next row; false at the end.
  bool (*next)(void* stream, ReadCall& call, Datum* values, bool* nulls);
  // The number of rows left, which are passed; null: they are taken one by one.
  std::int64_t (*count)(void* stream, ReadCall& call) = nullptr;
};

extern const SetFunction kEach, kOutgoing, kIncoming, kUsages;  // functions_sets.cpp
extern const SetFunction kWalk, kWalkFromMany;                  // functions_graph.cpp
extern const SetFunction kHubs;                                 // functions_hubs.cpp

// The function that an expression calls, if it is one of these; else null. It is taken for what it is whatever its
// name, and not at all if something is to be done around it (SET, SECURITY DEFINER).
const SetFunction* set_function_of(const FuncExpr* call);

// The body of the SQL function.
Datum return_set(FunctionCallInfo fcinfo, const SetFunction& function);

// What a call will find: rows, and links looked at. `filter` has, for id, source and target, an expression that the
// part is to be equal to, or null. Rows the planner knows nothing of are guessed by the store's averages.
struct SetEstimate {
  double rows;
  double visited;
};
// What it costs to look at them: a call is two or three cache misses more.
inline Cost set_call_cost(const SetEstimate& estimate) {
  constexpr double kCallOperators = 8;
  return (kCallOperators + estimate.visited) * cpu_operator_cost;
}
SetEstimate estimate_set(PlannerInfo* root, const SetFunction& function, const FuncExpr* call, ::Node* const* filter);

// Called once by _PG_init.
void set_plan_init();

}  // namespace doublets::pg

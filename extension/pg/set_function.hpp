// Functions that return sets of rows without being tied to how the executor wants them.
//
// Such a function is a stream: it begins with a call's arguments and gives one row after the other. In a
// SELECT list the executor takes them one by one, and a LIMIT leaves the rest unmade; in FROM it
// asks for a tuplestore.
#pragma once

#include "pg.hpp"

namespace doublets::pg {

struct SetFunction {
  // Begins a stream for the arguments of a call, in the current memory context, where all of it must
  // stay; null: no rows.
  void* (*begin)(FunctionCallInfo fcinfo);
  // The next row; false at the end.
  bool (*next)(void* stream, Datum* values, bool* nulls);
};

// The body of an SQL function of at most kMaxSetColumns columns.
inline constexpr int kMaxSetColumns = 4;
Datum return_set(FunctionCallInfo fcinfo, const SetFunction& function);

}  // namespace doublets::pg

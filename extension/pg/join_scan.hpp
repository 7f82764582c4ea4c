// The join of any rows with the links of a store: what its planning and its execution share.
//
// For each row of its one child it looks for the links that have a value, made of the row's columns, as one of their
// parts: those of a foreign table or of outgoing() or incoming(). A nested loop would search the store once for each
// row; this reads some rows ahead and searches for all of them at once, so that the cache misses of the searches
// overlap, and makes the rows of the join itself.
//
//   join_plan.cpp  offers it to the planner, beside the server's own joins
//   join_scan.cpp  executes it
#pragma once

#include "fdw_conditions.hpp"
#include "set_scan.hpp"

namespace doublets::pg {

// CustomScan.custom_exprs: the value looked for and, of a function, its call. CustomScan.custom_private: the Access by
// which it is looked for, and an integer list that says what each column of custom_scan_tlist is: a column of the
// child's rows by its number from 0, or a part of a link as inner_column has it. There is at least one of the latter.
extern const CustomScanMethods kJoinScanMethods;

inline int inner_column(Part part) {
  return -1 - part;
}
inline Part part_of_column(int column) {
  return static_cast<Part>(-1 - column);
}
inline Access join_access(const CustomScan* plan) {
  return static_cast<Access>(intVal(linitial(plan->custom_private)));
}
inline List* join_columns(const CustomScan* plan) {
  return static_cast<List*>(lsecond(plan->custom_private));
}
inline const FuncExpr* joined_call(const CustomScan* plan) {
  return list_length(plan->custom_exprs) > 1 ? castNode(FuncExpr, lsecond(plan->custom_exprs)) : nullptr;
}
// The number of the relation or function whose links are looked for. It is known by a column of theirs, which has kept
// up with the numbers while the plan was put together.
inline Index joined_relation(const CustomScan* plan) {
  int i = 0;
  while (list_nth_int(join_columns(plan), i) >= 0)
    ++i;
  return static_cast<Index>(castNode(Var, list_nth_node(TargetEntry, plan->custom_scan_tlist, i)->expr)->varno);
}

}  // namespace doublets::pg

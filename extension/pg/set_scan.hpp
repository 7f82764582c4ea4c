// The scan that stands for a set function in FROM: what its planning and its execution share.
#pragma once

#include "set_function.hpp"

namespace doublets::pg {

// CustomScan.custom_exprs: the call of the function, then the values of the filter. CustomScan.custom_private: an
// integer list with, for each of those values, the part of a link that it is compared with (0: id, 1: source, 2:
// target), and one with the columns that the scan's rows have, which are those of the function that are in use (0: its
// whole row), or kCountColumn alone: the scan has one row, with the number of the function's.
extern const CustomScanMethods kSetScanMethods;

inline constexpr int kCountColumn = -1;

// The function that is all there is of an entry of a range table, if it is one; else null.
const FuncExpr* called_by(const RangeTblEntry* rte);

// A store that an argument of a function names, open to the end of an execution: to be closed by close_stores.
struct OpenStore {
  Oid oid;
  Relation rel;
  StoreHandle* handle;  // null: no links
};
// Opens it as if when the execution began, with its resource owner. Errors: those of open_argument with SELECT; those of
// begin_read.
OpenStore open_store(const NullableDatum& store, ResourceOwner owner, Snapshot snapshot);
void close_stores(const OpenStore* stores, int n, ResourceOwner owner);

// Errors: 42501 the user may not call the function.
void check_execute(Oid function);

inline const FuncExpr* scanned_call(const CustomScan* plan) {
  return castNode(FuncExpr, linitial(plan->custom_exprs));
}
inline List* filtered_parts(const CustomScan* plan) {
  return static_cast<List*>(linitial(plan->custom_private));
}
inline List* made_columns(const CustomScan* plan) {
  return static_cast<List*>(lsecond(plan->custom_private));
}

// Whether a path is a scan of a set function.
bool is_set_scan(const Path* path);

// Called once by set_plan_init.
void set_count_init();

}  // namespace doublets::pg

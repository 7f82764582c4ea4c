// The scan that stands for a set function in FROM: what its planning and its execution share.
#pragma once

#include "set_function.hpp"

namespace doublets::pg {

// CustomScan.custom_exprs: the call of the function, then the values of the filter. CustomScan.custom_private: an
// integer list with, for each of those values, the part of a link that it is compared with (0: id, 1: source, 2:
// target), and one with the columns that the scan's rows have, which are those of the function that are in use (0: its
// whole row).
extern const CustomScanMethods kSetScanMethods;

inline const FuncExpr* scanned_call(const CustomScan* plan) {
  return castNode(FuncExpr, linitial(plan->custom_exprs));
}
inline List* filtered_parts(const CustomScan* plan) {
  return static_cast<List*>(linitial(plan->custom_private));
}
inline List* made_columns(const CustomScan* plan) {
  return static_cast<List*>(lsecond(plan->custom_private));
}

}  // namespace doublets::pg

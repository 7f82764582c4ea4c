// The scan that stands for a set function in FROM: what its planning and its execution share.
#pragma once

#include "set_function.hpp"

namespace doublets::pg {

// CustomScan.custom_exprs: the call of the function, then the values of the filter. CustomScan.custom_private: an
// integer list with, for each of those values, the part of a link that it is compared with (0: id, 1: source, 2:
// target). The scan's rows are the function's columns and, where a query needs it, the whole row behind them.
extern const CustomScanMethods kSetScanMethods;

inline const FuncExpr* scanned_call(const CustomScan* plan) {
  return castNode(FuncExpr, linitial(plan->custom_exprs));
}

}  // namespace doublets::pg

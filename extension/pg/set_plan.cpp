// Plans a scan of its own for a set function that stands alone in FROM, in place of the executor's FunctionScan, which
// fills a tuplestore for each call.
//
// The library need not be loaded for that beforehand: the functions' support function is in it, and the planner
// asks it for the number of rows before it makes paths and calls the hook.
#include "set_scan.hpp"

namespace doublets::pg {
namespace {

set_rel_pathlist_hook_type next_hook = nullptr;

constexpr int kParts = 3;

// The value that a clause says a column is equal to, and the column: 1, 2 or 3. Null: it says something else. The
// value may come from relations whose rows the scan is given.
::Node* equal_value(PlannerInfo* root, const RelOptInfo* rel, const RestrictInfo* clause, int* column) {
  if (!IsA(clause->clause, OpExpr)) return nullptr;
  const auto* op = castNode(OpExpr, clause->clause);
  if (list_length(op->args) != 2 || get_op_opfamily_strategy(op->opno, INTEGER_BTREE_FAM_OID) != BTEqualStrategyNumber)
    return nullptr;
  for (int i = 0; i < 2; ++i) {
    auto* side = static_cast<::Node*>(list_nth(op->args, i));
    auto* other = static_cast<::Node*>(list_nth(op->args, 1 - i));
    if (!IsA(side, Var)) continue;
    const auto* var = castNode(Var, side);
    if (static_cast<Index>(var->varno) != rel->relid || var->varattno < 1 || var->varattno > kParts) continue;
    if (!bms_is_subset(pull_varnos(root, other), rel->lateral_relids) || contain_volatile_functions(other) ||
        contain_subplans(other))
      continue;
    *column = var->varattno;
    return other;
  }
  return nullptr;
}

// What clauses say of a function's rows: the values that parts of links are equal to, which the scan looks for, and
// the share of the links found that meets the other clauses.
struct Filter {
  ::Node* values[kParts];
  double selectivity;
};

Filter filter_of(PlannerInfo* root, const RelOptInfo* rel, List* clauses, const SetFunction& function) {
  Filter filter{};
  List* left = NIL;
  const bool links = function.kind == SetKind::kLinks || function.kind == SetKind::kUsages;
  ListCell* cell;
  foreach (cell, clauses) {
    auto* clause = lfirst_node(RestrictInfo, cell);
    int column = 0;
    ::Node* value = links ? equal_value(root, rel, clause, &column) : nullptr;
    if (value != nullptr && filter.values[column - 1] == nullptr)
      filter.values[column - 1] = value;
    else
      left = lappend(left, clause);
  }
  filter.selectivity = clauselist_selectivity(root, left, 0, JOIN_INNER, nullptr);
  return filter;
}

List* clauses_of(const RelOptInfo* rel, const ParamPathInfo* param) {
  List* clauses = list_copy(rel->baserestrictinfo);
  return param == nullptr ? clauses : list_concat(clauses, param->ppi_clauses);
}

// Adds the columns in use to a list of them, each once; number 0 is the whole row.
void add_columns(::Node* expression, Index relid, List** columns) {
  Bitmapset* used = nullptr;
  pull_varattnos(expression, relid, &used);
  for (int i = -1; (i = bms_next_member(used, i)) >= 0;)
    *columns = list_append_unique_int(*columns, i + FirstLowInvalidHeapAttributeNumber);
}

// The columns of a function's rows that a scan makes: those in use anywhere above, and where its target list is nothing
// but columns these first and in the same order, so that the executor has nothing to project. The planner may give the
// scan another target list later.
List* columns_of_scan(const RelOptInfo* rel, List* tlist, List* quals) {
  List* columns = NIL;
  ListCell* cell;
  foreach (cell, tlist)
    add_columns(reinterpret_cast<::Node*>(lfirst_node(TargetEntry, cell)->expr), rel->relid, &columns);
  add_columns(reinterpret_cast<::Node*>(rel->reltarget->exprs), rel->relid, &columns);
  add_columns(reinterpret_cast<::Node*>(quals), rel->relid, &columns);
  return columns;
}

// What the executor is told of the scan's rows, for there is no relation behind it.
List* row_of_scan(const RangeTblEntry* rte, const RelOptInfo* rel, const FuncExpr* call, List* columns) {
  const TupleDesc desc = get_expr_result_tupdesc(reinterpret_cast<::Node*>(const_cast<FuncExpr*>(call)), false);
  const auto relid = static_cast<int>(rel->relid);
  List* row = NIL;
  ListCell* cell;
  foreach (cell, columns) {
    const int column = lfirst_int(cell);
    Var* var;
    if (column == 0) {
      var = makeWholeRowVar(const_cast<RangeTblEntry*>(rte), relid, 0, false);
    } else {
      const Form_pg_attribute a = TupleDescAttr(desc, column - 1);
      var = makeVar(relid, static_cast<AttrNumber>(column), a->atttypid, a->atttypmod, a->attcollation, 0);
    }
    row = lappend(row, makeTargetEntry(reinterpret_cast<Expr*>(var), static_cast<AttrNumber>(list_length(row) + 1),
                                       nullptr, false));
  }
  return row;
}

extern "C" Plan* doublets_plan_set_scan(PlannerInfo* root, RelOptInfo* rel, CustomPath* path, List* tlist,
                                        List* clauses, List*) {
  const RangeTblEntry* rte = planner_rt_fetch(rel->relid, root);
  const FuncExpr* call = called_by(rte);
  const SetFunction* function = set_function_of(call);
  auto* scan = makeNode(CustomScan);
  scan->scan.plan.targetlist = tlist;
  scan->scan.plan.qual = extract_actual_clauses(clauses, false);
  scan->flags = path->flags;
  scan->methods = &kSetScanMethods;
  scan->custom_exprs = list_make1(const_cast<FuncExpr*>(call));
  const Filter filter = filter_of(root, rel, clauses_of(rel, path->path.param_info), *function);
  List* parts = NIL;
  for (int part = 0; part < kParts; ++part) {
    if (filter.values[part] == nullptr) continue;
    scan->custom_exprs = lappend(scan->custom_exprs, filter.values[part]);
    parts = lappend_int(parts, part);
  }
  List* columns = columns_of_scan(rel, tlist, scan->scan.plan.qual);
  scan->custom_scan_tlist = row_of_scan(rte, rel, call, columns);
  scan->custom_private = list_make2(parts, columns);
  return &scan->scan.plan;
}

constexpr CustomPathMethods kSetPathMethods{"doublets function", doublets_plan_set_scan, nullptr};

void cost_set_scan(PlannerInfo* root, const RelOptInfo* rel, const FuncExpr* call, const SetEstimate& found,
                   Path* path) {
  QualCost arguments;
  cost_qual_eval_node(&arguments, reinterpret_cast<::Node*>(call->args), root);
  const PathTarget* target = rel->reltarget;
  path->startup_cost = arguments.startup + arguments.per_tuple + rel->baserestrictcost.startup + target->cost.startup;
  path->total_cost = path->startup_cost + set_call_cost(found) +
                     found.rows * (cpu_tuple_cost + rel->baserestrictcost.per_tuple) +
                     path->rows * target->cost.per_tuple;
}

void add_set_scan(PlannerInfo* root, RelOptInfo* rel, const FuncExpr* call, const SetFunction& function) {
  auto* path = makeNode(CustomPath);
  path->path.pathtype = T_CustomScan;
  path->path.parent = rel;
  path->path.pathtarget = rel->reltarget;
  path->path.param_info = get_baserel_parampathinfo(root, rel, rel->lateral_relids);
  path->path.parallel_safe = rel->consider_parallel;
  path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
  path->methods = &kSetPathMethods;
  const Filter filter = filter_of(root, rel, clauses_of(rel, path->path.param_info), function);
  const SetEstimate found = estimate_set(root, function, call, filter.values);
  path->path.rows = clamp_row_est(found.rows * filter.selectivity);
  // Nothing has been built on the relation's size yet.
  if (path->path.param_info != nullptr)
    path->path.param_info->ppi_rows = path->path.rows;
  else
    rel->rows = path->path.rows;
  cost_set_scan(root, rel, call, found, &path->path);
  // It is never worse than the executor's own scan.
  rel->pathlist = NIL;
  add_path(rel, &path->path);
}

extern "C" void doublets_set_rel_pathlist(PlannerInfo* root, RelOptInfo* rel, Index rti, RangeTblEntry* rte) {
  if (next_hook != nullptr) next_hook(root, rel, rti, rte);
  const FuncExpr* call = called_by(rte);
  if (call == nullptr) return;
  const SetFunction* function = set_function_of(call);
  if (function == nullptr) return;
  // The executor calls a function once and reads what it gave again; a scan of ours would call it again.
  auto* arguments = reinterpret_cast<::Node*>(call->args);
  if (contain_volatile_functions(arguments)) return;
  const TupleDesc desc = get_expr_result_tupdesc(reinterpret_cast<::Node*>(const_cast<FuncExpr*>(call)), true);
  if (desc == nullptr || desc->natts != function->columns) return;
  add_set_scan(root, rel, call, *function);
}

}  // namespace

const FuncExpr* called_by(const RangeTblEntry* rte) {
  if (rte->rtekind != RTE_FUNCTION || rte->funcordinality || list_length(rte->functions) != 1) return nullptr;
  ::Node* call = linitial_node(RangeTblFunction, rte->functions)->funcexpr;
  return call != nullptr && IsA(call, FuncExpr) ? castNode(FuncExpr, call) : nullptr;
}

bool is_set_scan(const Path* path) {
  return IsA(path, CustomPath) && reinterpret_cast<const CustomPath*>(path)->methods == &kSetPathMethods;
}

void set_plan_init() {
  // Another build of the library may be in the same process.
  if (GetCustomScanMethods(kSetScanMethods.CustomName, true) == nullptr) RegisterCustomScanMethods(&kSetScanMethods);
  next_hook = set_rel_pathlist_hook;
  set_rel_pathlist_hook = doublets_set_rel_pathlist;
  set_count_init();
}

}  // namespace doublets::pg

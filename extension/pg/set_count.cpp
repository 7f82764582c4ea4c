// Plans count(*) of a set function that stands alone in FROM, without conditions: the scan counts its rows instead of
// handing them to an aggregate one by one, and a walk knows how many there are of a level without looking at them.
#include "set_scan.hpp"

namespace doublets::pg {
namespace {

create_upper_paths_hook_type next_hook = nullptr;

bool counts_rows(const Aggref* aggregate) {
  return aggregate->aggfnoid == F_COUNT_ && aggregate->aggfilter == nullptr && aggregate->agglevelsup == 0 &&
         aggregate->aggsplit == AGGSPLIT_SIMPLE;
}

// The count that all of a target is computed from; null: it takes something else.
Aggref* only_count(const PathTarget* target) {
  Aggref* count = nullptr;
  ListCell* cell;
  foreach (cell, pull_var_clause(reinterpret_cast<::Node*>(target->exprs),
                                 PVC_INCLUDE_AGGREGATES | PVC_INCLUDE_WINDOWFUNCS | PVC_INCLUDE_PLACEHOLDERS)) {
    auto* node = static_cast<::Node*>(lfirst(cell));
    if (!IsA(node, Aggref) || !counts_rows(castNode(Aggref, node))) return nullptr;
    count = castNode(Aggref, node);
  }
  return count;
}

extern "C" Plan* doublets_plan_set_count(PlannerInfo* root, RelOptInfo*, CustomPath* path, List* tlist, List*, List*) {
  const auto* counted = static_cast<const Path*>(lsecond(path->custom_private));
  const RangeTblEntry* rte = planner_rt_fetch(counted->parent->relid, root);
  auto* scan = makeNode(CustomScan);
  scan->scan.plan.targetlist = tlist;
  scan->flags = path->flags;
  scan->methods = &kSetScanMethods;
  scan->custom_exprs = list_make1(const_cast<FuncExpr*>(called_by(rte)));
  auto* count = static_cast<Expr*>(linitial(path->custom_private));
  scan->custom_scan_tlist = list_make1(makeTargetEntry(count, 1, nullptr, false));
  scan->custom_private = list_make2(NIL, list_make1_int(kCountColumn));
  return &scan->scan.plan;
}

constexpr CustomPathMethods kCountPathMethods{"doublets function", doublets_plan_set_count, nullptr};

extern "C" void doublets_create_upper_paths(PlannerInfo* root, UpperRelationKind stage, RelOptInfo* input,
                                            RelOptInfo* output, void* extra) {
  if (next_hook != nullptr) next_hook(root, stage, input, output, extra);
  if (stage != UPPERREL_GROUP_AGG || input->reloptkind != RELOPT_BASEREL || !is_set_scan(input->cheapest_total_path) ||
      input->baserestrictinfo != NIL || input->cheapest_total_path->param_info != nullptr)
    return;
  const auto* grouping = static_cast<const GroupPathExtraData*>(extra);
  const Query* query = root->parse;
  if (query->groupClause != NIL || query->groupingSets != NIL || query->hasTargetSRFs ||
      grouping->havingQual != nullptr)
    return;
  PathTarget* target = output->reltarget;
  Aggref* count = only_count(target);
  if (count == nullptr) return;
  auto* path = makeNode(CustomPath);
  path->path.pathtype = T_CustomScan;
  path->path.parent = output;
  path->path.pathtarget = target;
  path->path.rows = 1;
  path->path.startup_cost = input->cheapest_total_path->total_cost + target->cost.startup;
  path->path.total_cost = path->path.startup_cost + cpu_tuple_cost + target->cost.per_tuple;
  path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
  path->methods = &kCountPathMethods;
  path->custom_private = list_make2(count, input->cheapest_total_path);
  add_path(output, &path->path);
}

}  // namespace

void set_count_init() {
  next_hook = create_upper_paths_hook;
  create_upper_paths_hook = doublets_create_upper_paths;
}

}  // namespace doublets::pg

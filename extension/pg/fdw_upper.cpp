// Planning of aggregates that a store computes itself: count, min(id) and max(id) of what its conditions leave, and the
// degrees of nodes, GROUP BY source or target.
//
// The plan is a ForeignScan without a relation of its own; its rows consist of the columns of fdw_scan_tlist, from
// which the executor computes the target list and HAVING.
#include "fdw_plan.hpp"

namespace doublets::pg {
namespace {

// Columns of an aggregate's rows: expressions as the query has them, and what they stand for.
struct Columns {
  List* expressions;
  List* outputs;
  Part group;
  bool grouped;
};

bool count_is_of_all_rows(const Aggref* aggregate, Index relid, const StoreSpec* spec) {
  if (aggregate->aggfnoid == F_COUNT_) return true;
  if (aggregate->aggfnoid != F_COUNT_ANY) return false;
  auto* argument = reinterpret_cast<::Node*>(linitial_node(TargetEntry, aggregate->args)->expr);
  Part part;  // no part of a link is ever NULL
  return is_part(argument, relid, spec, &part) || (IsA(argument, Const) && !castNode(Const, argument)->constisnull);
}

bool output_of(const Aggref* aggregate, Index relid, const StoreSpec* spec, Output* output) {
  if (aggregate->aggfilter != nullptr || aggregate->aggdistinct != NIL || aggregate->aggorder != NIL ||
      aggregate->agglevelsup != 0 || aggregate->aggsplit != AGGSPLIT_SIMPLE)
    return false;
  if (count_is_of_all_rows(aggregate, relid, spec)) {
    *output = Output::kCount;
    return true;
  }
  if (aggregate->aggfnoid != F_MIN_INT8 && aggregate->aggfnoid != F_MAX_INT8) return false;
  *output = aggregate->aggfnoid == F_MIN_INT8 ? Output::kLeastId : Output::kGreatestId;
  Part part;
  return is_part(reinterpret_cast<::Node*>(linitial_node(TargetEntry, aggregate->args)->expr), relid, spec, &part) &&
         part == kPartId;
}

void add_column(Columns* columns, ::Node* expression, Output output) {
  if (list_member(columns->expressions, expression)) return;
  columns->expressions = lappend(columns->expressions, expression);
  columns->outputs = lappend_int(columns->outputs, static_cast<int>(output));
}

// Adds what an expression is computed from; false: the store does not have it.
bool add_expression(Columns* columns, ::Node* expression, const RelOptInfo* input) {
  const StoreSpec* spec = plan_info(input)->spec;
  ListCell* cell;
  foreach (cell, pull_var_clause(expression, PVC_INCLUDE_AGGREGATES | PVC_RECURSE_PLACEHOLDERS)) {
    auto* node = static_cast<::Node*>(lfirst(cell));
    Output output = Output::kGroup;
    Part part;
    if (IsA(node, Aggref)) {
      if (!output_of(castNode(Aggref, node), input->relid, spec, &output)) return false;
      if (columns->grouped && output != Output::kCount) return false;
    } else if (!columns->grouped || !is_part(node, input->relid, spec, &part) || part != columns->group) {
      return false;
    }
    add_column(columns, node, output);
  }
  return true;
}

// Conditions are shown by EXPLAIN, which wants their columns to be there.
void add_condition_columns(Columns* columns, const RelOptInfo* input, List* conditions) {
  ListCell* cell;
  foreach (cell, conditions) {
    const auto* c = static_cast<const Condition*>(lfirst(cell));
    Var* var = makeVar(static_cast<int>(input->relid), attribute_of(plan_info(input)->spec, c->part), INT8OID, -1,
                       InvalidOid, 0);
    add_column(columns, reinterpret_cast<::Node*>(var), Output::kNone);
  }
}

// The one column of GROUP BY or DISTINCT, if it is an end of a link.
bool find_group(PlannerInfo* root, const RelOptInfo* input, List* clauses, Columns* columns) {
  if (clauses == NIL) return true;
  if (list_length(clauses) != 1) return false;
  ::Node* expression = get_sortgroupclause_expr(linitial_node(SortGroupClause, clauses), root->processed_tlist);
  columns->grouped = true;
  return is_part(expression, input->relid, plan_info(input)->spec, &columns->group) && columns->group != kPartId;
}

// Degrees are those of all links of a node.
bool only_about_group(const Columns& columns, const Division& conditions) {
  if (!columns.grouped) return true;
  ListCell* cell;
  foreach (cell, conditions.pushed)
    if (static_cast<const Condition*>(lfirst(cell))->part != columns.group) return false;
  return conditions.alternatives == nullptr;
}

// The united layout gives nodes in order.
List* group_pathkeys(const RelOptInfo* input, List* wanted) {
  const bool ordered = plan_info(input)->spec->layout == Layout::kUnited && list_length(wanted) == 1 &&
                       linitial_node(PathKey, wanted)->pk_strategy == BTLessStrategyNumber;
  return ordered ? wanted : NIL;
}

struct Wanted {
  PathTarget* target;
  List* having;
  List* pathkeys;
};

void add_aggregate_path(PlannerInfo* root, RelOptInfo* input, RelOptInfo* output, Columns* columns,
                        const Wanted& wanted) {
  const PlanInfo* info = plan_info(input);
  const Guess guess = guess_conditions(root, info->own.pushed);
  const AccessEstimate& e = info->expected.best;
  double rows = 1, work = e.searches;
  if (columns->grouped) {
    rows = clamp_row_est(info->expected.found / Max(info->mean[columns->group], 1));
    work = rows;
  } else if (info->own.alternatives != nullptr || !is_answered(info, guess, e.access) ||
             (e.access == Access::kId && guess.parts[kPartId].given && !guess.parts[kPartId].equal &&
              list_member_int(columns->outputs, static_cast<int>(Output::kCount)))) {
    work += e.visited;  // one by one; no index knows how many ids of a range are in use
  }
  QualCost having_cost;
  cost_qual_eval(&having_cost, wanted.having, root);
  const QualCost& target = wanted.target->cost;
  const Cost startup = having_cost.startup + target.startup + (columns->grouped ? 0 : work * cpu_operator_cost);
  const Cost total = startup + (columns->grouped ? work * cpu_operator_cost : 0) +
                     rows * (cpu_tuple_cost + having_cost.per_tuple + target.per_tuple);
  if (wanted.having != NIL)
    rows = clamp_row_est(rows * clauselist_selectivity(root, wanted.having, 0, JOIN_INNER, nullptr));
  add_condition_columns(columns, input, info->own.pushed);
  ListCell* cell;
  if (info->own.alternatives != nullptr)
    foreach (cell, info->own.alternatives->branches)
      add_condition_columns(columns, input, static_cast<List*>(lfirst(cell)));
  List* aggregate = list_make3(columns->expressions, columns->outputs, wanted.having);
  List* choice = lappend_int(path_private({e.access, false, false, info->expected.indexes, false}),
                             columns->grouped ? columns->group : kParts);
  add_path(output, reinterpret_cast<Path*>(
                       create_foreign_upper_path(root, output, wanted.target, rows, startup, total, wanted.pathkeys,
                                                 nullptr, list_make3(choice, aggregate, copy_of(info->own)))));
}

}  // namespace

extern "C" void doublets_get_upper_paths(PlannerInfo* root, UpperRelationKind stage, RelOptInfo* input,
                                         RelOptInfo* output, void* extra) {
  const Query* query = root->parse;
  const bool distinct = stage == UPPERREL_DISTINCT;
  if ((stage != UPPERREL_GROUP_AGG && !distinct) || input->reloptkind != RELOPT_BASEREL || IS_DUMMY_REL(input) ||
      input->fdw_private == nullptr || plan_info(input)->own.local != NIL)
    return;
  Columns columns{};
  Wanted wanted{root->upper_targets[stage], NIL, NIL};
  if (distinct) {
    if (query->hasAggs || query->hasWindowFuncs || query->hasTargetSRFs || query->hasDistinctOn ||
        query->groupClause != NIL || !find_group(root, input, query->distinctClause, &columns))
      return;
  } else {
    const auto* grouping = static_cast<const GroupPathExtraData*>(extra);
    wanted.having = reinterpret_cast<List*>(grouping->havingQual);
    wanted.target = output->reltarget;
    if (query->groupingSets != NIL || !find_group(root, input, query->groupClause, &columns))
      return;
  }
  if (!only_about_group(columns, plan_info(input)->own)) return;
  ListCell* cell;
  foreach (cell, wanted.target->exprs)
    if (!add_expression(&columns, static_cast<::Node*>(lfirst(cell)), input)) return;
  foreach (cell, wanted.having)
    if (!add_expression(&columns, static_cast<::Node*>(lfirst(cell)), input)) return;
  if (columns.grouped)
    wanted.pathkeys = group_pathkeys(input, distinct ? root->distinct_pathkeys : root->group_pathkeys);
  add_aggregate_path(root, input, output, &columns, wanted);
}

ForeignScan* make_aggregate_plan(const ForeignPath* path, List* tlist, Plan* outer_plan) {
  auto* choice = static_cast<List*>(linitial(path->fdw_private));
  auto* aggregate = static_cast<List*>(lsecond(path->fdw_private));
  const auto* division = static_cast<const Division*>(lthird(path->fdw_private));
  List* columns = NIL;
  ListCell* cell;
  foreach (cell, static_cast<List*>(linitial(aggregate)))
    columns = lappend(columns, makeTargetEntry(static_cast<Expr*>(lfirst(cell)),
                                               static_cast<AttrNumber>(list_length(columns) + 1), nullptr, false));
  const Encoded encoded = encode_conditions(*division, false);
  List* fdw_private = lappend(scan_private(encoded.codes, CMD_UNKNOWN, choice), lsecond(aggregate));
  return make_foreignscan(tlist, static_cast<List*>(lthird(aggregate)), 0, encoded.values, fdw_private, columns,
                          encoded.clauses, outer_plan);
}

}  // namespace doublets::pg

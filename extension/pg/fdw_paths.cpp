// Paths: one that leaves the index to the executor, which knows the values; one for each order
// that is of use and that an index gives; and, for nested loops, those whose values come from other
// relations.
#include "fdw_plan.hpp"

#include <cmath>

namespace doublets::pg {
namespace {

// The pathkey for one column, as the query wants its NULLs (there are none); null if the query has
// no use for the column's order.
PathKey* part_pathkey(PlannerInfo* root, const RelOptInfo* baserel, Part part, bool backward) {
  Var* var = makeVar(static_cast<int>(baserel->relid), attribute_of(plan_info(baserel)->spec, part), INT8OID, -1,
                     InvalidOid, 0);
  List* ascending =
      build_expression_pathkey(root, reinterpret_cast<Expr*>(var), nullptr, Int8LessOperator, baserel->relids, false);
  if (ascending == NIL) return nullptr;
  EquivalenceClass* column = linitial_node(PathKey, ascending)->pk_eclass;
  const int strategy = backward ? BTGreaterStrategyNumber : BTLessStrategyNumber;
  bool nulls_first = backward;
  ListCell* cell;
  foreach (cell, root->query_pathkeys) {
    const auto* wanted = lfirst_node(PathKey, cell);
    if (wanted->pk_eclass == column && wanted->pk_strategy == strategy) nulls_first = wanted->pk_nulls_first;
  }
  return make_canonical_pathkey(root, column, INTEGER_BTREE_FAM_OID, strategy, nulls_first);
}

bool has_class(List* pathkeys, const EquivalenceClass* column) {
  ListCell* cell;
  foreach (cell, pathkeys)
    if (lfirst_node(PathKey, cell)->pk_eclass == column) return true;
  return false;
}

// The order in which a walk finds links, as far as the query has a use for it.
List* walk_pathkeys(PlannerInfo* root, RelOptInfo* baserel, Access access, bool backward) {
  const bool by_id = access == Access::kId || plan_info(baserel)->spec->layout == Layout::kSplit;
  const Part lead = access == Access::kTarget ? kPartTarget : kPartSource;
  const Part other = lead == kPartSource ? kPartTarget : kPartSource;
  const Part columns[kParts] = {by_id ? kPartId : lead, other, kPartId};
  List* pathkeys = NIL;
  for (int i = 0; i < (by_id ? 1 : kParts); ++i) {
    PathKey* key = part_pathkey(root, baserel, columns[i], backward);
    if (key == nullptr) break;
    if (!key->pk_eclass->ec_has_const && !has_class(pathkeys, key->pk_eclass)) pathkeys = lappend(pathkeys, key);
  }
  return pathkeys != NIL ? truncate_useless_pathkeys(root, baserel, pathkeys) : NIL;
}

void add_scan_path(PlannerInfo* root, RelOptInfo* baserel, const AccessEstimate& e, const PathChoice& choice,
                   List* pathkeys) {
  Cost startup, total;
  cost_search(baserel, e, plan_info(baserel)->expected.found, &startup, &total);
  add_path(baserel, reinterpret_cast<Path*>(create_foreignscan_path(root, baserel, nullptr, baserel->rows, startup,
                                                                    total, pathkeys, baserel->lateral_relids, nullptr,
                                                                    path_private(choice))));
}

// A walk by id through `united` for the links of one node turns to gathering and sorting them (fdw_gather.cpp).
AccessEstimate estimate_walk_by_id(PlannerInfo* root, RelOptInfo* baserel, const Guess& guess) {
  const AccessEstimate walk = estimate_access(root, baserel, guess, Access::kId);
  const bool single = guess.parts[kPartSource].single || guess.parts[kPartTarget].single;
  if (plan_info(baserel)->spec->layout != Layout::kUnited || !single || guess.parts[kPartId].equal) return walk;
  const AccessEstimate node = best_access(root, baserel, guess);
  if (node.access == Access::kId || !is_gathered(node.visited)) return walk;
  const double before = node.visited <= kFewGathered ? 0 : node.visited;
  const double found = Max(plan_info(baserel)->expected.found, 2);
  const double all = before + node.visited + found * std::log2(found);
  return all < walk.visited ? AccessEstimate{Access::kId, node.searches, all} : walk;
}

// A walk through one index that finds links in an order the query wants.
void add_ordered_paths(PlannerInfo* root, RelOptInfo* baserel, const Guess& guess) {
  const PlanInfo* info = plan_info(baserel);
  const bool ordered = info->spec->layout == Layout::kUnited;
  const bool source = guess.parts[kPartSource].single, target = guess.parts[kPartTarget].single;
  for (const Access access : {Access::kId, Access::kSource, Access::kTarget, Access::kPair}) {
    // In `split` a walk along a node or pair is in order of id, along several it is in none.
    const bool possible = access == Access::kId || ordered ||
                          (access == Access::kPair     ? source && target
                           : access == Access::kSource ? source && !target
                                                       : target && !source);
    // The ordered index of the sources finds pairs too.
    if (!possible || (ordered && access == Access::kPair)) continue;
    AccessEstimate e{};
    bool estimated = false;
    for (const bool backward : {false, true}) {
      List* pathkeys = walk_pathkeys(root, baserel, access, backward);
      if (pathkeys == NIL) continue;
      if (!estimated)
        e = access == Access::kId ? estimate_walk_by_id(root, baserel, guess)
                                  : estimate_access(root, baserel, guess, access);
      estimated = true;
      add_scan_path(root, baserel, e, {access, true, backward, index_bit(access), false}, pathkeys);
    }
  }
}

// A scan whose conditions get values from the relations that `param_info` names.
void add_parameterized_path(PlannerInfo* root, RelOptInfo* baserel, ParamPathInfo* param_info) {
  const Division d =
      divide_clauses(root, baserel, list_concat_copy(baserel->baserestrictinfo, param_info->ppi_clauses));
  const Expectation e = estimate_search(root, baserel, d);
  Cost startup, total;
  cost_search(baserel, e.best, e.found, &startup, &total);
  param_info->ppi_rows = Min(baserel->rows, clamp_row_est(e.found * local_selectivity(root, baserel, d)));
  add_path(baserel, reinterpret_cast<Path*>(create_foreignscan_path(
                        root, baserel, nullptr, param_info->ppi_rows, startup, total, NIL, param_info->ppi_req_outer,
                        nullptr, path_private({e.best.access, false, false, e.indexes, false}))));
}

// A part of a scan of everything, for each of several processes (see get_parallel_divisor in costsize.c).
void add_parallel_path(PlannerInfo* root, RelOptInfo* baserel, const Guess& guess) {
  const int workers =
      compute_parallel_worker(baserel, static_cast<double>(baserel->pages), -1, max_parallel_workers_per_gather);
  if (workers <= 0) return;
  const double leader = parallel_leader_participation ? Max(0.0, 1.0 - 0.3 * workers) : 0.0;
  const double divisor = workers + leader;
  Cost startup, total;
  cost_search(baserel, estimate_access(root, baserel, guess, Access::kId), plan_info(baserel)->expected.found, &startup,
              &total);
  auto* path = reinterpret_cast<Path*>(create_foreignscan_path(
      root, baserel, nullptr, clamp_row_est(baserel->rows / divisor), startup, startup + (total - startup) / divisor,
      NIL, nullptr, nullptr,
      path_private({Access::kId, false, false, guess.parts[kPartId].given ? index_bit(Access::kId) : 0, false})));
  path->parallel_aware = true;
  path->parallel_workers = workers;
  add_partial_path(baserel, path);
}

// For generate_implied_equalities_for_column: is this equivalence member the column?
bool is_wanted_member(PlannerInfo*, RelOptInfo* rel, EquivalenceClass*, EquivalenceMember* em, void* arg) {
  Part part;
  return is_part(reinterpret_cast<::Node*>(em->em_expr), rel->relid, plan_info(rel)->spec, &part) &&
         part == *static_cast<Part*>(arg);
}

// Relations whose columns would give this clause its value in a nested loop.
void consider_clause(PlannerInfo* root, RelOptInfo* baserel, RestrictInfo* rinfo, List** outers) {
  Condition c;
  if (!join_clause_is_movable_to(rinfo, baserel) ||
      (!match_condition(root, baserel, rinfo, &c) && match_alternatives(root, baserel, rinfo) == nullptr))
    return;
  Relids outer = bms_union(rinfo->clause_relids, baserel->lateral_relids);
  outer = bms_del_member(outer, static_cast<int>(baserel->relid));
  if (bms_is_empty(outer)) return;
  ListCell* cell;
  foreach (cell, *outers)
    if (bms_equal(outer, static_cast<Relids>(lfirst(cell)))) return;
  *outers = lappend(*outers, outer);
}

}  // namespace

extern "C" void doublets_get_paths(PlannerInfo* root, RelOptInfo* baserel, Oid) {
  const Expectation& e = plan_info(baserel)->expected;
  const Guess guess = guess_conditions(root, plan_info(baserel)->own.pushed);
  add_scan_path(root, baserel, e.best, {e.best.access, false, false, e.indexes, false}, NIL);
  if (has_useful_pathkeys(root, baserel)) add_ordered_paths(root, baserel, guess);
  if (baserel->consider_parallel && bms_is_empty(baserel->lateral_relids)) add_parallel_path(root, baserel, guess);

  List* outers = NIL;
  ListCell* cell;
  foreach (cell, baserel->joininfo)
    consider_clause(root, baserel, lfirst_node(RestrictInfo, cell), &outers);
  if (baserel->has_eclass_joins)
    for (Part part : {kPartId, kPartSource, kPartTarget}) {
      List* clauses =
          generate_implied_equalities_for_column(root, baserel, is_wanted_member, &part, baserel->lateral_referencers);
      foreach (cell, clauses)
        consider_clause(root, baserel, lfirst_node(RestrictInfo, cell), &outers);
    }
  foreach (cell, outers)
    add_parameterized_path(root, baserel, get_baserel_parampathinfo(root, baserel, static_cast<Relids>(lfirst(cell))));
}

}  // namespace doublets::pg

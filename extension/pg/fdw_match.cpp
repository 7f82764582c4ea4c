#include "fdw_plan.hpp"

namespace doublets::pg {
namespace {

// The test that an operator of the integer family makes of its left argument, or with
// `commuted` of its right one.
bool test_of(Oid opno, bool commuted, Test* test) {
  const int strategy = get_op_opfamily_strategy(opno, INTEGER_BTREE_FAM_OID);
  if (strategy == InvalidStrategy) return false;
  *test = static_cast<Test>(commuted ? BTMaxStrategyNumber + 1 - strategy : strategy);
  return true;
}

bool usable_value(PlannerInfo* root, ::Node* value, Index relid) {
  if (IsA(value, Const) || IsA(value, Param)) return true;
  return !bms_is_member(static_cast<int>(relid), pull_varnos(root, value)) && !contain_volatile_functions(value) &&
         !contain_subplans(value);
}

bool match_operator(PlannerInfo* root, Index relid, const StoreSpec* spec, const OpExpr* op, Condition* found) {
  if (list_length(op->args) != 2) return false;
  auto* left = static_cast<::Node*>(linitial(op->args));
  auto* right = static_cast<::Node*>(lsecond(op->args));
  const bool commuted = !is_part(left, relid, spec, &found->part);
  if (commuted && !is_part(right, relid, spec, &found->part)) return false;
  ::Node* value = commuted ? left : right;
  found->value = reinterpret_cast<Expr*>(value);
  return test_of(op->opno, commuted, &found->test) && usable_value(root, value, relid);
}

bool match_array(PlannerInfo* root, Index relid, const StoreSpec* spec, const ScalarArrayOpExpr* op, Condition* found) {
  auto* array = static_cast<::Node*>(lsecond(op->args));
  found->value = reinterpret_cast<Expr*>(array);
  if (!op->useOr || !is_part(static_cast<::Node*>(linitial(op->args)), relid, spec, &found->part) ||
      !test_of(op->opno, false, &found->test) || found->test != Test::kEqual)
    return false;
  found->test = Test::kAny;
  return usable_value(root, array, relid);
}

// Adds the conditions of a branch, or of a part of one; false: there is something else.
bool add_branch(PlannerInfo* root, const RelOptInfo* baserel, ::Node* node, List** conditions) {
  if (IsA(node, RestrictInfo)) {
    Condition c;
    if (!match_condition(root, baserel, castNode(RestrictInfo, node), &c)) return false;
    *conditions = lappend(*conditions, copy_of(c));
    return true;
  }
  if (!is_andclause(node)) return false;
  bool exact = true;
  ListCell* cell;
  foreach (cell, castNode(BoolExpr, node)->args)
    exact &= add_branch(root, baserel, static_cast<::Node*>(lfirst(cell)), conditions);
  return exact;
}

}  // namespace

bool is_part(::Node* node, Index relid, const StoreSpec* spec, Part* part) {
  if (!IsA(node, Var)) return false;
  const Var* var = castNode(Var, node);
  if (static_cast<Index>(var->varno) != relid || var->varlevelsup != 0) return false;
  for (const Part p : {kPartId, kPartSource, kPartTarget})
    if (var->varattno == attribute_of(spec, p)) {
      *part = p;
      return true;
    }
  return false;
}

bool match_condition(PlannerInfo* root, const RelOptInfo* baserel, RestrictInfo* rinfo, Condition* found) {
  const StoreSpec* spec = plan_info(baserel)->spec;
  const Index relid = baserel->relid;
  auto* clause = reinterpret_cast<::Node*>(rinfo->clause);
  found->clause = rinfo;
  if (rinfo->pseudoconstant) return false;
  if (IsA(clause, OpExpr)) return match_operator(root, relid, spec, castNode(OpExpr, clause), found);
  if (IsA(clause, ScalarArrayOpExpr)) return match_array(root, relid, spec, castNode(ScalarArrayOpExpr, clause), found);
  if (IsA(clause, NullTest)) {
    const NullTest* test = castNode(NullTest, clause);
    found->value = nullptr;
    found->test = test->nulltesttype == IS_NULL ? Test::kNull : Test::kNotNull;
    return !test->argisrow && is_part(reinterpret_cast<::Node*>(test->arg), relid, spec, &found->part);
  }
  return false;
}

Alternatives* match_alternatives(PlannerInfo* root, const RelOptInfo* baserel, RestrictInfo* clause) {
  constexpr int kMaxBranches = 100;  // each link found is compared with those before
  if (!restriction_is_or_clause(clause) || clause->pseudoconstant) return nullptr;
  Alternatives found{clause, NIL, true};
  ListCell* cell;
  foreach (cell, castNode(BoolExpr, clause->orclause)->args) {
    List* conditions = NIL;
    found.exact &= add_branch(root, baserel, static_cast<::Node*>(lfirst(cell)), &conditions);
    if (conditions == NIL) return nullptr;
    found.branches = lappend(found.branches, conditions);
  }
  return list_length(found.branches) <= kMaxBranches ? copy_of(found) : nullptr;
}

namespace {

// The one of some ORs that is searched for at the least cost, in addition to other conditions.
Alternatives* cheapest(PlannerInfo* root, const RelOptInfo* baserel, List* conditions, List* candidates) {
  auto* best = static_cast<Alternatives*>(linitial(candidates));
  Cost least = 0;
  ListCell* cell;
  foreach (cell, candidates) {
    if (list_length(candidates) == 1) break;
    auto* candidate = static_cast<Alternatives*>(lfirst(cell));
    const Expectation e = estimate_search(root, baserel, {conditions, candidate, NIL});
    Cost startup, total;
    cost_search(baserel, e.best, e.found, &startup, &total);
    if (candidate != best && total >= least) continue;
    best = candidate;
    least = total;
  }
  return best;
}

}  // namespace

Division divide_clauses(PlannerInfo* root, const RelOptInfo* baserel, List* clauses) {
  Division division{};
  List* candidates = NIL;
  ListCell* cell;
  foreach (cell, clauses) {
    auto* clause = lfirst_node(RestrictInfo, cell);
    Condition c;
    if (match_condition(root, baserel, clause, &c)) {
      division.pushed = lappend(division.pushed, copy_of(c));
      continue;
    }
    division.local = lappend(division.local, clause);
    if (Alternatives* a = match_alternatives(root, baserel, clause)) candidates = lappend(candidates, a);
  }
  if (candidates != NIL) division.alternatives = cheapest(root, baserel, division.pushed, candidates);
  if (division.alternatives != nullptr && division.alternatives->exact)
    division.local = list_delete_ptr(division.local, division.alternatives->clause);
  return division;
}

}  // namespace doublets::pg

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

// A column of a comparison of rows as a condition of its own, with the test that all of them make; false: it is none.
bool match_column(PlannerInfo* root, Index relid, const StoreSpec* spec, const RowCompareExpr* op, int i,
                  Condition* found) {
  auto* left = static_cast<::Node*>(list_nth(op->largs, i));
  auto* right = static_cast<::Node*>(list_nth(op->rargs, i));
  const bool commuted = !is_part(left, relid, spec, &found->part);
  if (commuted && !is_part(right, relid, spec, &found->part)) return false;
  ::Node* value = commuted ? left : right;
  found->value = reinterpret_cast<Expr*>(value);
  return test_of(list_nth_oid(op->opnos, i), commuted, &found->test) && usable_value(root, value, relid);
}

// With equality.
Test lenient(Test test) {
  return test == Test::kLess ? Test::kLessEqual : test == Test::kGreater ? Test::kGreaterEqual : test;
}
// Without.
Test strict(Test test) {
  return test == Test::kLessEqual ? Test::kLess : test == Test::kGreaterEqual ? Test::kGreater : test;
}

Alternatives* match_rows(PlannerInfo* root, const RelOptInfo* baserel, RestrictInfo* clause) {
  const auto* op = reinterpret_cast<const RowCompareExpr*>(clause->clause);
  Alternatives found{clause, NIL, true, NIL, false};
  List* equal = NIL;  // the columns before
  const int n = list_length(op->largs);
  for (int i = 0; i < n; ++i) {
    Condition c{kPartId, Test::kNotNull, nullptr, clause, true};
    if (!match_column(root, baserel->relid, plan_info(baserel)->spec, op, i, &c)) return nullptr;
    found.columns = lappend_int(found.columns, c.part);
    found.backward = lenient(c.test) == Test::kLessEqual;
    const Condition equality{c.part, Test::kEqual, c.value, clause, true};
    if (i + 1 < n) c.test = strict(c.test);
    found.branches = lcons(lappend(list_copy(equal), copy_of(c)), found.branches);
    equal = lappend(equal, copy_of(equality));
  }
  return copy_of(found);
}

// Adds the conditions of a branch, or of a part of one; false: there is something else.
bool add_branch(PlannerInfo* root, const RelOptInfo* baserel, ::Node* node, List** conditions) {
  if (IsA(node, RestrictInfo)) {
    Condition c;
    if (!match_condition(root, baserel, castNode(RestrictInfo, node), &c)) return false;
    *conditions = lappend(*conditions, copy_of(c));
    return c.exact;
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
  found->exact = !IsA(clause, RowCompareExpr);
  if (rinfo->pseudoconstant) return false;
  if (IsA(clause, OpExpr)) return match_operator(root, relid, spec, castNode(OpExpr, clause), found);
  if (IsA(clause, ScalarArrayOpExpr)) return match_array(root, relid, spec, castNode(ScalarArrayOpExpr, clause), found);
  if (IsA(clause, RowCompareExpr)) {
    if (!match_column(root, relid, spec, castNode(RowCompareExpr, clause), 0, found)) return false;
    found->test = lenient(found->test);
    return true;
  }
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
  if (clause->pseudoconstant) return nullptr;
  if (IsA(clause->clause, RowCompareExpr)) return match_rows(root, baserel, clause);
  if (!restriction_is_or_clause(clause)) return nullptr;
  Alternatives found{clause, NIL, true, NIL, false};
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
    const bool matched = match_condition(root, baserel, clause, &c);
    if (matched) division.pushed = lappend(division.pushed, copy_of(c));
    if (matched && c.exact) continue;
    division.local = lappend(division.local, clause);
    if (Alternatives* a = match_alternatives(root, baserel, clause)) candidates = lappend(candidates, a);
  }
  if (candidates != NIL) division.alternatives = cheapest(root, baserel, division.pushed, candidates);
  if (division.alternatives != nullptr && division.alternatives->exact)
    division.local = list_delete_ptr(division.local, division.alternatives->clause);
  return division;
}

namespace {

bool is_fixed(List* conditions, Part part) {
  ListCell* cell;
  foreach (cell, conditions) {
    const auto* c = static_cast<const Condition*>(lfirst(cell));
    if (c->part == part && c->test == Test::kEqual) return true;
  }
  return false;
}

}  // namespace

bool is_stepwise(const Division& division, Access access) {
  if (division.alternatives == nullptr || division.alternatives->columns == NIL || access == Access::kId) return false;
  const Part lead = access == Access::kTarget ? kPartTarget : kPartSource;
  const Part order[kParts] = {lead, lead == kPartSource ? kPartTarget : kPartSource, kPartId};
  const Part* next = order;
  ListCell* cell;
  foreach (cell, division.alternatives->columns) {
    while (next != order + kParts && *next != lfirst_int(cell) && is_fixed(division.pushed, *next))
      ++next;
    if (next == order + kParts || *next++ != lfirst_int(cell)) return false;
  }
  return true;
}

}  // namespace doublets::pg

// Plans the join of any rows with the links of a store (join_scan.hpp).
#include "fdw_plan.hpp"
#include "join_scan.hpp"

namespace doublets::pg {
namespace {

set_join_pathlist_hook_type next_hook = nullptr;

// How links are looked for.
struct Lookup {
  const FuncExpr* call;  // null: in a foreign table
  Part part;             // that is to be equal to
  Expr* value;           // of columns of the outer relation
  RestrictInfo* clause;  // which says so; null: the arguments of the call
  double found;          // links, on average
};

// What the links are needed for: no columns but their parts.
bool has_parts_only(::Node* expression, const RelOptInfo* inner, const StoreSpec* spec) {
  Bitmapset* used = nullptr;
  pull_varattnos(expression, inner->relid, &used);
  for (int i = -1; (i = bms_next_member(used, i)) >= 0;) {
    const int column = i + FirstLowInvalidHeapAttributeNumber;
    if (spec == nullptr ? column < 1 : column != spec->id && column != spec->source && column != spec->target)
      return false;
  }
  return true;
}

// Whether rows of a query are locked as they are read, at any depth.
bool locks_rows(::Node* node, void* context) {
  if (node == nullptr) return false;
  auto* const walker = as_walker(locks_rows);
  if (!IsA(node, Query)) return expression_tree_walker(node, walker, context);
  return castNode(Query, node)->hasForUpdate || query_tree_walker(castNode(Query, node), walker, context, 0);
}

bool shows_reading(const PlannerInfo* root) {
  auto* query = reinterpret_cast<::Node*>(root->parse);
  return contain_volatile_functions(query) || locks_rows(query, nullptr);
}

// Whether reading ahead would show: anything in the statement is volatile, or locks rows.
bool shows_reading_ahead(const PlannerInfo* root) {
  ListCell* cell;
  foreach (cell, root->glob->subroots)
    if (shows_reading(static_cast<PlannerInfo*>(lfirst(cell)))) return true;
  for (; root != nullptr; root = root->parent_root)
    if (shows_reading(root)) return true;
  return false;
}

// The clause that leaves the fewest links.
bool find_clause(PlannerInfo* root, const RelOptInfo* outer, const RelOptInfo* inner, List* clauses, Lookup* lookup) {
  bool any = false;
  ListCell* cell;
  foreach (cell, clauses) {
    auto* clause = lfirst_node(RestrictInfo, cell);
    Condition c;
    if (!match_condition(root, inner, clause, &c) || c.test != Test::kEqual || !c.exact) continue;
    const Relids used = pull_varnos(root, reinterpret_cast<::Node*>(c.value));
    if (bms_is_empty(used) || !bms_is_subset(used, outer->relids)) continue;
    const double found = estimate_search(root, inner, {list_make1(copy_of(c)), nullptr, NIL}).best.visited;
    if (any && found >= lookup->found) continue;
    *lookup = {nullptr, c.part, c.value, clause, found};
    any = true;
  }
  return any;
}

// The arguments of a function's call, if one node is all they ask for.
bool find_call(PlannerInfo* root, const RelOptInfo* outer, const RangeTblEntry* rte, Lookup* lookup) {
  const FuncExpr* call = called_by(rte);
  const SetFunction* function = call == nullptr ? nullptr : set_function_of(call);
  if (function != &kOutgoing && function != &kIncoming) return false;
  auto* value = static_cast<::Node*>(lsecond(call->args));
  if (!IsA(linitial(call->args), Const) || contain_subplans(value)) return false;
  const Relids used = pull_varnos(root, value);
  if (bms_is_empty(used) || !bms_is_subset(used, outer->relids)) return false;
  *lookup = {call, function == &kOutgoing ? kPartSource : kPartTarget, reinterpret_cast<Expr*>(value), nullptr,
             estimate_set(root, *function, call, nullptr).rows};
  return true;
}

bool find_lookup(PlannerInfo* root, const RelOptInfo* outer, const RelOptInfo* inner, List* clauses, Lookup* lookup) {
  const RangeTblEntry* rte = planner_rt_fetch(inner->relid, root);
  if (inner->rtekind == RTE_FUNCTION) return find_call(root, outer, rte, lookup);
  // Of a parent the links are those of its children too.
  return inner->rtekind == RTE_RELATION && !rte->inh && inner->fdwroutine != nullptr &&
         inner->fdwroutine->GetForeignPlan == doublets_get_plan && bms_is_empty(inner->lateral_relids) &&
         find_clause(root, outer, inner, clauses, lookup);
}

// What the executor has to check of a row of the join.
List* quals_of(const RelOptInfo* inner, List* clauses, const Lookup& lookup) {
  List* quals = list_copy(inner->baserestrictinfo);
  ListCell* cell;
  foreach (cell, clauses)
    if (lfirst(cell) != lookup.clause) quals = lappend(quals, lfirst(cell));
  return quals;
}

void cost_join(PlannerInfo* root, const Lookup& lookup, List* quals, const Path* outer, CustomPath* path) {
  // The searches of several rows overlap; a link is copied once under the lock, and once into a row.
  constexpr double kSearchOperators = 6;
  constexpr double kLinkOperators = 3;
  QualCost value, checks;
  cost_qual_eval_node(&value, reinterpret_cast<::Node*>(lookup.value), root);
  cost_qual_eval(&checks, quals, root);
  const QualCost& target = path->path.pathtarget->cost;
  const Cost row = value.per_tuple + kSearchOperators * cpu_operator_cost +
                   lookup.found * (kLinkOperators * cpu_operator_cost + checks.per_tuple);
  path->path.startup_cost = outer->startup_cost + value.startup + checks.startup + target.startup;
  // It is a nested loop to whoever wants none.
  if (!enable_nestloop) path->path.startup_cost += disable_cost;
  path->path.total_cost = path->path.startup_cost + (outer->total_cost - outer->startup_cost) + outer->rows * row +
                          path->path.rows * target.per_tuple;
}

extern "C" Plan* doublets_plan_join_scan(PlannerInfo* root, RelOptInfo*, CustomPath* path, List* tlist, List*,
                                         List* children);
constexpr CustomPathMethods kJoinPathMethods{"doublets join", doublets_plan_join_scan, nullptr};

// CustomPath.custom_private: the inner relation's number, the part, the value, the call or null, the quals.
void add_join(PlannerInfo* root, RelOptInfo* join, const RelOptInfo* inner, Path* outer, const Lookup& lookup,
              List* quals) {
  auto* path = makeNode(CustomPath);
  path->path.pathtype = T_CustomScan;
  path->path.parent = join;
  path->path.pathtarget = join->reltarget;
  path->path.rows = join->rows;
  path->path.parallel_safe = join->consider_parallel && inner->consider_parallel && outer->parallel_safe;
  path->path.pathkeys = build_join_pathkeys(root, join, JOIN_INNER, outer->pathkeys);
  path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
  path->methods = &kJoinPathMethods;
  path->custom_paths = list_make1(outer);
  path->custom_private = list_make5(makeInteger(static_cast<int>(inner->relid)), makeInteger(lookup.part), lookup.value,
                                    const_cast<FuncExpr*>(lookup.call), quals);
  cost_join(root, lookup, quals, outer, path);
  add_path(join, &path->path);
}

extern "C" void doublets_set_join_pathlist(PlannerInfo* root, RelOptInfo* join, RelOptInfo* outer, RelOptInfo* inner,
                                           JoinType type, JoinPathExtraData* extra) {
  if (next_hook != nullptr) next_hook(root, join, outer, inner, type, extra);
  // Rows that are to be locked or changed are looked at again one by one.
  if (type != JOIN_INNER || inner->reloptkind != RELOPT_BASEREL || root->parse->commandType != CMD_SELECT ||
      root->rowMarks != NIL || root->qual_security_level > 0 || !bms_is_empty(join->lateral_relids))
    return;
  List* clauses = extra->restrictlist;
  Lookup lookup{};
  if (!find_lookup(root, outer, inner, clauses, &lookup)) return;
  ListCell* cell;
  foreach (cell, clauses)
    if (lfirst_node(RestrictInfo, cell)->pseudoconstant) return;
  foreach (cell, inner->baserestrictinfo)
    if (lfirst_node(RestrictInfo, cell)->pseudoconstant) return;
  List* quals = quals_of(inner, clauses, lookup);
  const StoreSpec* spec = lookup.call == nullptr ? plan_info(inner)->spec : nullptr;
  List* checks = extract_actual_clauses(quals, false);
  if (!has_parts_only(reinterpret_cast<::Node*>(join->reltarget->exprs), inner, spec) ||
      !has_parts_only(reinterpret_cast<::Node*>(checks), inner, spec) || shows_reading_ahead(root))
    return;
  foreach (cell, outer->pathlist) {
    auto* path = static_cast<Path*>(lfirst(cell));
    if (path->param_info == nullptr) add_join(root, join, inner, path, lookup, quals);
  }
}

// ---------------------------------------------------------------------------
// The plan node

// The columns that a join's rows have before they are projected, and the target list they make. Those of the plan's
// target list come first and in its order, where that is possible: then there is nothing to project.
struct Columns {
  const RelOptInfo* inner;
  const StoreSpec* spec;  // null: of a function
  List* outer_tlist;
  List* columns;
  List* tlist;
};

Part part_of(const Columns& c, AttrNumber column) {
  if (c.spec == nullptr) return static_cast<Part>(column - 1);
  return column == c.spec->id ? kPartId : column == c.spec->source ? kPartSource : kPartTarget;
}

void add_column(Columns& c, int column, Expr* expression) {
  if (list_member_int(c.columns, column)) return;
  c.columns = lappend_int(c.columns, column);
  c.tlist = lappend(c.tlist, makeTargetEntry(static_cast<Expr*>(copyObjectImpl(expression)),
                                             static_cast<AttrNumber>(list_length(c.columns)), nullptr, false));
}

void add_part(Columns& c, AttrNumber column) {
  add_column(c, inner_column(part_of(c, column)),
             reinterpret_cast<Expr*>(makeVar(static_cast<int>(c.inner->relid), column, INT8OID, -1, InvalidOid, 0)));
}

void add_wanted(Columns& c, Expr* expression) {
  if (IsA(expression, Var) && static_cast<Index>(reinterpret_cast<Var*>(expression)->varno) == c.inner->relid)
    return add_part(c, reinterpret_cast<Var*>(expression)->varattno);
  if (const TargetEntry* outer = tlist_member(expression, c.outer_tlist)) add_column(c, outer->resno - 1, expression);
}

void add_parts_in(Columns& c, ::Node* expression) {
  Bitmapset* used = nullptr;
  pull_varattnos(expression, c.inner->relid, &used);
  for (int i = -1; (i = bms_next_member(used, i)) >= 0;)
    add_part(c, static_cast<AttrNumber>(i + FirstLowInvalidHeapAttributeNumber));
}

// Cheap checks first, as the server has those of its own scans; it does not know of these.
List* cheapest_first(PlannerInfo* root, const List* checks) {
  const auto cost = [root](const void* check) {
    QualCost c;
    cost_qual_eval_node(&c, static_cast<::Node*>(const_cast<void*>(check)), root);
    return c.per_tuple;
  };
  List* ordered = NIL;
  ListCell* cell;
  foreach (cell, checks) {
    int place = list_length(ordered);
    while (place > 0 && cost(list_nth(ordered, place - 1)) > cost(lfirst(cell)))
      --place;
    ordered = list_insert_nth(ordered, place, lfirst(cell));
  }
  return ordered;
}

extern "C" Plan* doublets_plan_join_scan(PlannerInfo* root, RelOptInfo* join, CustomPath* path, List* tlist, List*,
                                         List* children) {
  const RelOptInfo* inner = find_base_rel(root, intVal(linitial(path->custom_private)));
  const auto part = static_cast<Part>(intVal(lsecond(path->custom_private)));
  auto* call = static_cast<FuncExpr*>(lfourth(path->custom_private));
  auto* scan = makeNode(CustomScan);
  scan->scan.plan.targetlist = tlist;
  scan->scan.plan.qual =
      cheapest_first(root, extract_actual_clauses(static_cast<List*>(list_nth(path->custom_private, 4)), false));
  scan->flags = path->flags;
  scan->methods = &kJoinScanMethods;
  scan->custom_plans = children;
  scan->custom_exprs = list_make1(lthird(path->custom_private));
  if (call != nullptr) scan->custom_exprs = lappend(scan->custom_exprs, call);

  Columns c{inner, call == nullptr ? plan_info(inner)->spec : nullptr,
            static_cast<Plan*>(linitial(children))->targetlist, NIL, NIL};
  ListCell* cell;
  foreach (cell, tlist)
    add_wanted(c, lfirst_node(TargetEntry, cell)->expr);
  foreach (cell, c.outer_tlist)
    add_column(c, lfirst_node(TargetEntry, cell)->resno - 1, lfirst_node(TargetEntry, cell)->expr);
  // What is asked of the join later is made of these.
  add_parts_in(c, reinterpret_cast<::Node*>(tlist));
  add_parts_in(c, reinterpret_cast<::Node*>(join->reltarget->exprs));
  add_parts_in(c, reinterpret_cast<::Node*>(scan->scan.plan.qual));
  bool any = false;
  foreach (cell, c.columns)
    any |= lfirst_int(cell) < 0;
  if (!any) add_part(c, c.spec == nullptr ? 1 : c.spec->id);
  scan->custom_scan_tlist = c.tlist;
  const Access access = part == kPartId ? Access::kId : part == kPartSource ? Access::kSource : Access::kTarget;
  scan->custom_private = list_make2(makeInteger(static_cast<int>(access)), c.columns);
  return &scan->scan.plan;
}

}  // namespace

void join_plan_init() {
  // As set_plan_init.
  if (GetCustomScanMethods(kJoinScanMethods.CustomName, true) == nullptr) RegisterCustomScanMethods(&kJoinScanMethods);
  next_hook = set_join_pathlist_hook;
  set_join_pathlist_hook = doublets_set_join_pathlist;
}

}  // namespace doublets::pg

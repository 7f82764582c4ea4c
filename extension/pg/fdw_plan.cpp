// Planning: which conditions a store answers itself, how many links they leave, and
// what that costs.
//
// A condition is pushed down if it is `part = value` or `part = ANY (array)` with an
// equality of the integer operator family, in either order of the arguments, where the
// value has no column of the store in it and is not volatile. At most one condition
// per part is pushed; the others are checked by the executor.
#include "fdw.hpp"

namespace doublets::pg {
namespace {

// Planner's view of a store, in RelOptInfo.fdw_private.
struct PlanInfo {
  const StoreSpec *spec;
  double links;         // versions in the store
  double out_degree;    // mean number of links per used source
  double in_degree;
  bool has_const[kParts]; // a pushed condition without parameters of other relations
  double const_rows;    // links left by those, exact where they are constants
};

struct Condition {
  Part part;
  bool array;
  Expr *value; // what the part is compared with
};

AttrNumber attnum_of(const StoreSpec *spec, Part part) {
  return part == kPartId ? spec->id : part == kPartSource ? spec->source : spec->target;
}

// The part a bare column reference of our relation stands for.
bool is_part(Node *node, Index relid, const StoreSpec *spec, Part *part) {
  if (!IsA(node, Var))
    return false;
  const Var *var = castNode(Var, node);
  if (static_cast<Index>(var->varno) != relid || var->varlevelsup != 0)
    return false;
  for (int p = 0; p < kParts; ++p)
    if (var->varattno == attnum_of(spec, static_cast<Part>(p))) {
      *part = static_cast<Part>(p);
      return true;
    }
  return false;
}

bool is_integer_equality(Oid opno) {
  return get_op_opfamily_strategy(opno, INTEGER_BTREE_FAM_OID) == BTEqualStrategyNumber;
}

bool usable_value(PlannerInfo *root, Node *value, Index relid) {
  return !bms_is_member(static_cast<int>(relid), pull_varnos(root, value)) &&
         !contain_volatile_functions(value) && !contain_subplans(value);
}

// Recognises a condition the store can answer.
bool match_condition(PlannerInfo *root, RelOptInfo *baserel, Expr *clause, Condition *found) {
  const StoreSpec *spec = static_cast<PlanInfo *>(baserel->fdw_private)->spec;
  if (IsA(clause, OpExpr)) {
    const OpExpr *op = castNode(OpExpr, clause);
    if (list_length(op->args) != 2 || !is_integer_equality(op->opno))
      return false;
    auto *left = static_cast<Node *>(linitial(op->args));
    auto *right = static_cast<Node *>(lsecond(op->args));
    found->array = false;
    if (is_part(left, baserel->relid, spec, &found->part) &&
        usable_value(root, right, baserel->relid)) {
      found->value = reinterpret_cast<Expr *>(right);
      return true;
    }
    if (is_part(right, baserel->relid, spec, &found->part) &&
        usable_value(root, left, baserel->relid)) {
      found->value = reinterpret_cast<Expr *>(left);
      return true;
    }
    return false;
  }
  if (IsA(clause, ScalarArrayOpExpr)) {
    const ScalarArrayOpExpr *op = castNode(ScalarArrayOpExpr, clause);
    auto *left = static_cast<Node *>(linitial(op->args));
    auto *right = static_cast<Node *>(lsecond(op->args));
    found->array = true;
    found->value = reinterpret_cast<Expr *>(right);
    return op->useOr && is_integer_equality(op->opno) &&
           is_part(left, baserel->relid, spec, &found->part) &&
           usable_value(root, right, baserel->relid);
  }
  return false;
}

// The values a pushed condition with a constant allows: one, or the distinct elements of
// an array. False for anything but constants.
bool constant_values(const Condition &c, std::int64_t **values, int *n) {
  if (!IsA(c.value, Const))
    return false;
  const Const *constant = castNode(Const, c.value);
  *n = 0;
  if (constant->constisnull)
    return true;
  if (c.array) {
    *values = array_values(constant->constvalue, CurrentMemoryContext, n);
  } else {
    *values = static_cast<std::int64_t *>(palloc(sizeof(std::int64_t)));
    **values = integer_value(constant->constvalue, constant->consttype);
    *n = 1;
  }
  return true;
}

double mean_rows(const PlanInfo *info, Part part) {
  if (info->links < 1)
    return 0;
  return part == kPartId ? 1 : part == kPartSource ? info->out_degree : info->in_degree;
}

// Number of alternatives of a pushed condition.
double alternatives(PlannerInfo *, const Condition &c) {
  return c.array ? estimate_array_length(reinterpret_cast<Node *>(c.value)) : 1;
}

// Links left by pushed conditions of which nothing but their form is known.
double unknown_rows(PlannerInfo *root, const PlanInfo *info, const Condition *const *by_part) {
  double rows = info->links;
  for (int p = 0; p < kParts; ++p)
    if (by_part[p] != nullptr) {
      const double some =
          mean_rows(info, static_cast<Part>(p)) * alternatives(root, *by_part[p]);
      // A second fixed part leaves few of the links of the first.
      rows = rows == info->links ? Min(rows, some) : Min(rows, Max(1.0, some * rows / info->links));
    }
  return rows;
}

// Links left by pushed conditions: the true number where they are constants.
double condition_rows(PlannerInfo *root, const PlanInfo *info, StoreHandle *store,
                      const Condition *const *by_part) {
  constexpr int kMaxValues = 100; // combinations of constants worth counting
  std::int64_t *values[kParts];
  int n[kParts];
  bool known[kParts] = {};
  bool all_known = true;
  double combinations = 1;
  for (int p = 0; p < kParts; ++p) {
    n[p] = 1;
    if (by_part[p] == nullptr)
      continue;
    known[p] = constant_values(*by_part[p], &values[p], &n[p]);
    if (!known[p])
      n[p] = 1;
    all_known &= known[p];
    combinations *= n[p];
  }
  const double guess = unknown_rows(root, info, by_part);
  if (combinations == 0)
    return 0;
  if (store == nullptr || combinations > kMaxValues ||
      !(known[kPartId] || known[kPartSource] || known[kPartTarget]))
    return guess;
  Pattern pattern;
  std::uint64_t sum = 0;
  store_lock(store, LW_SHARED);
  const Store core(store->heap);
  for (int i = 0; i < n[kPartId]; ++i)
    for (int s = 0; s < n[kPartSource]; ++s)
      for (int t = 0; t < n[kPartTarget]; ++t) {
        if (known[kPartId]) pattern.id = Range::point(values[kPartId][i]);
        if (known[kPartSource]) pattern.source = Range::point(values[kPartSource][s]);
        if (known[kPartTarget]) pattern.target = Range::point(values[kPartTarget][t]);
        sum += core.estimate(pattern, Search::access_of(pattern));
      }
  store_unlock(store);
  return all_known ? static_cast<double>(sum) : Min(guess, static_cast<double>(sum));
}

// Cost of `probes` searches that find `rows` links in all.
void cost_scan(RelOptInfo *baserel, double probes, double found, Cost *startup, Cost *total) {
  // A search is two or three cache misses; a row is copied once under the lock.
  constexpr double kProbeOperators = 8;
  *startup = baserel->baserestrictcost.startup;
  *total = *startup + probes * kProbeOperators * cpu_operator_cost +
           found * (cpu_tuple_cost + baserel->baserestrictcost.per_tuple);
}

// Sorts the pushable ones of a list of RestrictInfos by part.
void collect_conditions(PlannerInfo *root, RelOptInfo *baserel, List *clauses,
                        Condition *storage, const Condition **by_part) {
  ListCell *cell;
  foreach (cell, clauses) {
    Condition c;
    if (match_condition(root, baserel, lfirst_node(RestrictInfo, cell)->clause, &c) &&
        by_part[c.part] == nullptr) {
      storage[c.part] = c;
      by_part[c.part] = &storage[c.part];
    }
  }
}

void add_scan_path(PlannerInfo *root, RelOptInfo *baserel, ParamPathInfo *param_info) {
  const auto *info = static_cast<PlanInfo *>(baserel->fdw_private);
  double rows = baserel->rows;
  double found = info->const_rows;
  double probes = 1;
  if (param_info != nullptr) {
    Condition storage[kParts];
    const Condition *by_part[kParts] = {};
    collect_conditions(root, baserel, param_info->ppi_clauses, storage, by_part);
    collect_conditions(root, baserel, baserel->baserestrictinfo, storage, by_part);
    found = unknown_rows(root, info, by_part);
    for (int p = 0; p < kParts; ++p)
      if (by_part[p] != nullptr)
        probes = Max(probes, alternatives(root, *by_part[p]));
    // What the other conditions leave of it.
    const double unpushed =
        baserel->rows / Max(1.0, clamp_row_est(info->const_rows));
    rows = clamp_row_est(found * Min(1.0, unpushed));
    param_info->ppi_rows = rows;
  }
  Cost startup, total;
  cost_scan(baserel, probes, found, &startup, &total);
  add_path(baserel, reinterpret_cast<Path *>(create_foreignscan_path(
                        root, baserel, nullptr, rows, startup, total, NIL,
                        param_info != nullptr ? param_info->ppi_req_outer : baserel->lateral_relids,
                        nullptr, NIL)));
}

// For generate_implied_equalities_for_column: is this equivalence member the column?
bool is_wanted_member(PlannerInfo *, RelOptInfo *rel, EquivalenceClass *, EquivalenceMember *em,
                      void *arg) {
  const StoreSpec *spec = static_cast<PlanInfo *>(rel->fdw_private)->spec;
  Part part;
  return is_part(reinterpret_cast<Node *>(em->em_expr), rel->relid, spec, &part) &&
         part == *static_cast<Part *>(arg);
}

// Relations whose columns would give this clause its value in a nested loop.
void consider_clause(PlannerInfo *root, RelOptInfo *baserel, RestrictInfo *rinfo, List **outers) {
  Condition c;
  if (!join_clause_is_movable_to(rinfo, baserel) ||
      !match_condition(root, baserel, rinfo->clause, &c))
    return;
  Relids outer = bms_union(rinfo->clause_relids, baserel->lateral_relids);
  outer = bms_del_member(outer, static_cast<int>(baserel->relid));
  if (bms_is_empty(outer))
    return;
  ListCell *cell;
  foreach (cell, *outers)
    if (bms_equal(outer, static_cast<Relids>(lfirst(cell))))
      return;
  *outers = lappend(*outers, outer);
}

// The command for which rows have to be locked as they are read. A table locks a row before
// the row triggers of UPDATE and DELETE see it; the executor does not do that for foreign tables.
CmdType locks_for(PlannerInfo *root, const RelOptInfo *baserel, Oid relid) {
  const CmdType command = root->parse->commandType;
  if ((command != CMD_UPDATE && command != CMD_DELETE) ||
      !bms_is_member(static_cast<int>(baserel->relid), root->all_result_relids))
    return CMD_UNKNOWN;
  const Relation rel = table_open(relid, NoLock);
  const TriggerDesc *t = rel->trigdesc;
  const bool triggers =
      t != nullptr && (command == CMD_UPDATE ? t->trig_update_before_row || t->trig_update_after_row
                                             : t->trig_delete_before_row || t->trig_delete_after_row);
  table_close(rel, NoLock);
  return triggers ? command : CMD_UNKNOWN;
}

} // namespace

extern "C" void doublets_get_rel_size(PlannerInfo *root, RelOptInfo *baserel, Oid relid) {
  auto *info = static_cast<PlanInfo *>(palloc0(sizeof(PlanInfo)));
  baserel->fdw_private = info;
  const Relation rel = table_open(relid, NoLock);
  info->spec = store_spec(rel);
  StoreHandle *store = RecoveryInProgress() ? nullptr : store_open(rel, false);
  if (store != nullptr) {
    store_lock(store, LW_SHARED);
    const StoreHeader &header = Store(store->heap).header();
    info->links = static_cast<double>(header.versions);
    if (header.layout == Layout::kSplit && header.versions > 0) {
      info->out_degree = info->links / static_cast<double>(header.split.by_source.entries);
      info->in_degree = info->links / static_cast<double>(header.split.by_target.entries);
    }
    store_unlock(store);
  }
  if (info->out_degree == 0) {
    // The ordered indexes do not know the number of distinct ends; graphs have few
    // links per node.
    constexpr double kUsualDegree = 8;
    info->out_degree = info->in_degree = Min(info->links, kUsualDegree);
  }

  Condition storage[kParts];
  const Condition *by_part[kParts] = {};
  collect_conditions(root, baserel, baserel->baserestrictinfo, storage, by_part);
  bool any = false;
  for (int p = 0; p < kParts; ++p)
    any |= info->has_const[p] = by_part[p] != nullptr;
  info->const_rows = any ? condition_rows(root, info, store, by_part) : info->links;
  table_close(rel, NoLock);

  // Selectivity of the conditions the store does not answer.
  List *rest = NIL;
  ListCell *cell;
  foreach (cell, baserel->baserestrictinfo) {
    auto *rinfo = lfirst_node(RestrictInfo, cell);
    Condition c;
    if (!match_condition(root, baserel, rinfo->clause, &c) || by_part[c.part]->value != c.value)
      rest = lappend(rest, rinfo);
  }
  baserel->tuples = info->links;
  baserel->pages = static_cast<BlockNumber>(info->links * 64 / BLCKSZ) + 1;
  baserel->rows = clamp_row_est(
      info->const_rows * clauselist_selectivity(root, rest, 0, JOIN_INNER, nullptr));
  // Columns are all fixed-width; only the reltarget's width is needed.
  baserel->reltarget->width = kParts * sizeof(std::int64_t);
}

extern "C" void doublets_get_paths(PlannerInfo *root, RelOptInfo *baserel, Oid) {
  add_scan_path(root, baserel, nullptr);

  List *outers = NIL;
  ListCell *cell;
  foreach (cell, baserel->joininfo)
    consider_clause(root, baserel, lfirst_node(RestrictInfo, cell), &outers);
  if (baserel->has_eclass_joins)
    for (int p = 0; p < kParts; ++p) {
      auto part = static_cast<Part>(p);
      List *clauses = generate_implied_equalities_for_column(
          root, baserel, is_wanted_member, &part, baserel->lateral_referencers);
      foreach (cell, clauses)
        consider_clause(root, baserel, lfirst_node(RestrictInfo, cell), &outers);
    }
  foreach (cell, outers)
    add_scan_path(root, baserel,
                  get_baserel_parampathinfo(root, baserel, static_cast<Relids>(lfirst(cell))));
}

extern "C" ForeignScan *doublets_get_plan(PlannerInfo *root, RelOptInfo *baserel, Oid relid,
                                          ForeignPath *, List *tlist, List *scan_clauses,
                                          Plan *outer_plan) {
  List *pushed = NIL, *local = NIL, *exprs = NIL, *parts = NIL;
  bool taken[kParts] = {};
  ListCell *cell;
  foreach (cell, scan_clauses) {
    auto *rinfo = lfirst_node(RestrictInfo, cell);
    Condition c;
    if (rinfo->pseudoconstant)
      continue;
    if (!match_condition(root, baserel, rinfo->clause, &c) || taken[c.part]) {
      local = lappend(local, rinfo->clause);
      continue;
    }
    taken[c.part] = true;
    pushed = lappend(pushed, rinfo->clause);
    exprs = lappend(exprs, c.value);
    parts = lappend_int(parts, c.part | (c.array ? kArrayFlag : 0));
  }
  // EvalPlanQual rechecks the pushed conditions on a newer version of the link.
  List *fdw_private = list_make2(parts, makeInteger(locks_for(root, baserel, relid)));
  return make_foreignscan(tlist, local, baserel->relid, exprs, fdw_private, NIL, pushed, outer_plan);
}

} // namespace doublets::pg

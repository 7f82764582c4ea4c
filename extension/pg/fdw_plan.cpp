#include "fdw_plan.hpp"

namespace doublets::pg {
namespace {

// The command for which rows have to be locked as they are read. A table locks a row before
// the row triggers of UPDATE and DELETE see it; the executor does not do that for foreign tables.
CmdType locks_for(PlannerInfo* root, const RelOptInfo* baserel, Oid relid) {
  const CmdType command = root->parse->commandType;
  if ((command != CMD_UPDATE && command != CMD_DELETE) ||
      !bms_is_member(static_cast<int>(baserel->relid), root->all_result_relids))
    return CMD_UNKNOWN;
  const Relation rel = table_open(relid, NoLock);
  const TriggerDesc* t = rel->trigdesc;
  const bool triggers = t != nullptr && (command == CMD_UPDATE ? t->trig_update_before_row || t->trig_update_after_row
                                                               : t->trig_delete_before_row || t->trig_delete_after_row);
  table_close(rel, NoLock);
  return triggers ? command : CMD_UNKNOWN;
}

}  // namespace

extern "C" ForeignScan* doublets_get_plan(PlannerInfo* root, RelOptInfo* baserel, Oid relid, ForeignPath* best_path,
                                          List* tlist, List* scan_clauses, Plan* outer_plan) {
  if (IS_UPPER_REL(baserel)) return make_aggregate_plan(best_path, tlist, outer_plan);
  List *pushed = NIL, *local = NIL, *exprs = NIL, *codes = NIL;
  ListCell* cell;
  foreach (cell, scan_clauses) {
    auto* rinfo = lfirst_node(RestrictInfo, cell);
    Condition c;
    if (rinfo->pseudoconstant) continue;
    if (!match_condition(root, baserel, rinfo, &c)) {
      local = lappend(local, rinfo->clause);
      continue;
    }
    pushed = lappend(pushed, rinfo->clause);
    codes = lappend_int(codes, condition_code(c.part, c.test));
    if (c.value != nullptr) exprs = lappend(exprs, c.value);
  }
  // EvalPlanQual rechecks the pushed conditions on a newer version of the link.
  return make_foreignscan(tlist, local, baserel->relid, exprs,
                          scan_private(codes, locks_for(root, baserel, relid), best_path->fdw_private), NIL, pushed,
                          outer_plan);
}

}  // namespace doublets::pg

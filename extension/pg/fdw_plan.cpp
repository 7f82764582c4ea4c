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

void encode(Encoded* encoded, List* conditions) {
  ListCell* cell;
  foreach (cell, conditions) {
    const auto* c = static_cast<const Condition*>(lfirst(cell));
    encoded->codes = lappend_int(encoded->codes, condition_code(c->part, c->test));
    if (c->value != nullptr) encoded->values = lappend(encoded->values, copyObjectImpl(c->value));
  }
}

}  // namespace

Encoded encode_conditions(const Division& division, bool backward) {
  Encoded encoded{};
  ListCell* cell;
  foreach (cell, division.pushed)
    encoded.clauses =
        list_append_unique_ptr(encoded.clauses, static_cast<const Condition*>(lfirst(cell))->clause->clause);
  encode(&encoded, division.pushed);
  const Alternatives* a = division.alternatives;
  if (a == nullptr) return encoded;
  encoded.clauses = list_append_unique_ptr(encoded.clauses, a->clause->clause);
  const int n = list_length(a->branches);
  for (int i = 0; i < n; ++i) {
    encoded.codes = lappend_int(encoded.codes, condition_code(kPartId, Test::kOr));
    encode(&encoded, static_cast<List*>(list_nth(a->branches, a->backward == backward ? i : n - 1 - i)));
  }
  return encoded;
}

extern "C" ForeignScan* doublets_get_plan(PlannerInfo* root, RelOptInfo* baserel, Oid relid, ForeignPath* best_path,
                                          List* tlist, List* scan_clauses, Plan* outer_plan) {
  if (IS_UPPER_REL(baserel)) return make_aggregate_plan(best_path, tlist, outer_plan);
  const Division d = divide_clauses(root, baserel, scan_clauses);
  PathChoice choice = path_choice(best_path->fdw_private);
  choice.stepwise =
      choice.ordered && plan_info(baserel)->spec->layout == Layout::kUnited && is_stepwise(d, choice.access);
  const Encoded encoded = encode_conditions(d, choice.backward);
  // EvalPlanQual rechecks what the store answers on a newer version of the link.
  return make_foreignscan(tlist, extract_actual_clauses(d.local, false), baserel->relid, encoded.values,
                          scan_private(encoded.codes, locks_for(root, baserel, relid), path_private(choice)), NIL,
                          encoded.clauses, outer_plan);
}

}  // namespace doublets::pg

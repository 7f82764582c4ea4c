// Direct UPDATE and DELETE: the scan changes the links it finds, many under one hold of the store's lock, instead of
// handing each to the ModifyTable node above it.
//
// The order of events is that of the executor's way as far as anybody can see it: rows are changed one after another;
// where one cannot be changed at once, those before it have been, and returned, and the expressions of those after it
// raise no error yet. Such a row is changed alone: after waiting, the conditions and the new values are evaluated for
// what it has become, as EvalPlanQual would.
#include "fdw_plan.hpp"
#include "fdw_scan.hpp"

namespace doublets::pg {
namespace {

// A column that an UPDATE sets.
struct Assignment {
  AttrNumber column;
  ExprState* value;
};

struct DirectState {
  ScanState* scan;
  WriteTarget target;
  ForeignScanState* node;
  CmdType command;
  bool counts;      // its rows are those of the statement
  bool alone;       // each row is changed before the next one is evaluated
  ExprState* qual;  // conditions that the store does not answer
  SlotChecks checks;
  int assignment_count;
  Assignment* assignments;
  TupleTableSlot* new_slot;  // for what an UPDATE makes of a row, where something is to be checked
  std::size_t count;         // of the present rows
  std::size_t changed;       // of them
  std::size_t shown;         // of those, by RETURNING
  LinkRow* rows;             // null version: it was not changed after all
  LinkInput* links;          // what an UPDATE makes of them
  ErrorData* failure;        // evaluating the row after the last one has raised this
};

bool passes(DirectState* state, ExprState* conditions) {
  return conditions == nullptr || ExecQual(conditions, state->scan->econtext);
}

// Makes a link what the expressions look at.
void look_at(DirectState* state, const LinkRow& row) {
  TupleTableSlot* slot = state->node->ss.ss_ScanTupleSlot;
  ExprContext* econtext = state->scan->econtext;
  ResetExprContext(econtext);
  show_link(state->target.spec, row, slot);
  slot->tts_tableOid = RelationGetRelid(state->target.rel);
  econtext->ecxt_scantuple = slot;
}

// What the row looked at shall become. Errors: those of the expressions and of read_link.
LinkInput new_link(DirectState* state) {
  const TupleTableSlot* old_slot = state->node->ss.ss_ScanTupleSlot;
  TupleTableSlot* slot = state->new_slot;
  const auto size = static_cast<std::size_t>(state->target.spec->natts);
  ExecClearTuple(slot);
  std::memcpy(slot->tts_values, old_slot->tts_values, size * sizeof(Datum));
  std::memcpy(slot->tts_isnull, old_slot->tts_isnull, size * sizeof(bool));
  for (int i = 0; i < state->assignment_count; ++i) {
    const Assignment& a = state->assignments[i];
    slot->tts_values[a.column - 1] =
        ExecEvalExprSwitchContext(a.value, state->scan->econtext, &slot->tts_isnull[a.column - 1]);
  }
  ExecStoreVirtualTuple(slot);
  return read_link(state->target, state->checks, {state->node->resultRelInfo, slot, state->node->ss.ps.state}, false);
}

// Takes those of the scan's next links that meet the local conditions, and evaluates what they shall become.
void evaluate_rows(DirectState* state) {
  ScanState* scan = state->scan;
  for (; scan->next_row < scan->row_count; ++scan->next_row) {
    const LinkRow& row = scan->rows[scan->next_row];
    if (state->qual != nullptr || state->command == CMD_UPDATE) look_at(state, row);
    if (!passes(state, state->qual)) {
      InstrCountFiltered1(state->node, 1);
      continue;
    }
    if (state->command == CMD_UPDATE) state->links[state->count] = new_link(state);
    state->rows[state->count++] = row;
    if (state->alone) {
      ++scan->next_row;
      break;
    }
  }
}

// Reads the next rows; false at the end.
bool read_rows(DirectState* state) {
  ScanState* scan = state->scan;
  state->count = state->changed = state->shown = 0;
  if (scan->next_row == scan->row_count) {
    if (!scan->started) (void)start_scan(scan);
    fill_scan(scan);
    if (scan->row_count == 0) return false;
  }
  if (state->alone || (state->qual == nullptr && state->command == CMD_DELETE)) {
    evaluate_rows(state);
    return true;
  }
  const MemoryContext context = CurrentMemoryContext;
  PG_TRY();
  { evaluate_rows(state); }
  PG_CATCH();
  {
    // It is none before the rows before it are changed, which may wait, or fail otherwise.
    if (state->count == 0) PG_RE_THROW();
    state->failure = hold_error(state->node->ss.ps.state->es_query_cxt);
    MemoryContextSwitchTo(context);
  }
  PG_END_TRY();
  return true;
}

// Changes one row, after waiting if need be. False: it is not to be changed any more.
bool change_row(DirectState* state, std::size_t i) {
  LinkRow& row = state->rows[i];
  for (;;) {
    LinkRow newest{};
    const Change change = state->command == CMD_DELETE
                              ? delete_link(state->target, row.version, newest)
                              : update_link(state->target, row.version, state->links[i], newest);
    if (change != Change::kUpdated) return change == Change::kDone;
    look_at(state, newest);
    if (!passes(state, state->node->fdw_recheck_quals) || !passes(state, state->qual)) return false;
    row = newest;
    if (state->command == CMD_UPDATE) state->links[i] = new_link(state);
  }
}

// Changes as many of the present rows as can be at once, or else the next one alone.
void change_rows(DirectState* state) {
  const std::size_t first = state->changed;
  const std::size_t n = state->count - first;
  std::size_t done = state->command == CMD_DELETE
                         ? delete_links(state->target, state->rows + first, n)
                         : update_links(state->target, state->rows + first, state->links + first, n);
  state->changed += done;
  if (done == 0) {
    const std::size_t i = state->changed++;
    if (change_row(state, i))
      done = 1;
    else
      state->rows[i].version = {};
  }
  if (state->counts) state->node->ss.ps.state->es_processed += done;
  if (state->node->resultRelInfo->ri_projectReturning == nullptr && state->node->ss.ps.instrument != nullptr)
    state->node->ss.ps.instrument->tuplecount += static_cast<double>(done);
}

// The next changed row for RETURNING, or null.
TupleTableSlot* show_row(DirectState* state) {
  while (state->shown < state->changed) {
    const std::size_t i = state->shown++;
    if (!state->rows[i].version) continue;
    LinkRow row = state->rows[i];
    if (state->command == CMD_UPDATE) {
      const LinkInput& link = state->links[i];
      row = {link.id, link.source, link.target, link.version};
    }
    look_at(state, row);
    TupleTableSlot* slot = state->node->ss.ss_ScanTupleSlot;
    state->node->resultRelInfo->ri_projectReturning->pi_exprContext->ecxt_scantuple = slot;
    return slot;
  }
  return nullptr;
}

// The scan of a relation to be changed if it stands directly below the ModifyTable.
ForeignScan* scan_below(const ModifyTable* plan, Index relation, int index) {
  Plan* below = outerPlan(plan);
  if (IsA(below, Result) && outerPlan(below) != nullptr) below = outerPlan(below);
  if (IsA(below, Append)) {
    const auto* append = castNode(Append, below);
    if (index >= list_length(append->appendplans)) return nullptr;
    below = static_cast<Plan*>(list_nth(append->appendplans, index));
  } else if (below != outerPlan(plan)) {
    return nullptr;
  }
  if (!IsA(below, ForeignScan)) return nullptr;
  auto* scan = castNode(ForeignScan, below);
  return scan->scan.scanrelid == relation ? scan : nullptr;
}

bool check_looks_at_rows(PlannerInfo* root, Index relation) {
  const Relation rel = table_open(root->simple_rte_array[relation]->relid, NoLock);
  const bool looks = constraints_look_at_rows(rel);
  table_close(rel, NoLock);
  return looks;
}

}  // namespace

// Row triggers, generated columns and check options have been excluded by the planner.
extern "C" bool doublets_plan_direct_modify(PlannerInfo* root, ModifyTable* plan, Index relation, int index) {
  if (plan->operation != CMD_UPDATE && plan->operation != CMD_DELETE) return false;
  ForeignScan* scan = scan_below(plan, relation, index);
  // Something that runs between two rows could see how far the command has come.
  if (scan == nullptr || statement_looks_at_rows(root)) return false;
  // What is returned takes the place of the scan's own output, in which inheritance looks for the relation.
  if (plan->returningLists != NIL && static_cast<Index>(root->parse->resultRelation) != relation) return false;
  List *values = NIL, *columns = NIL;
  if (plan->operation == CMD_UPDATE) {
    get_translated_update_targetlist(root, relation, &values, &columns);
    // A subplan cannot be in two places.
    if (contain_subplans(reinterpret_cast<::Node*>(values)) || check_looks_at_rows(root, relation)) return false;
  }
  for (int i = 0; i < list_length(columns); ++i)
    scan->fdw_exprs = lappend(scan->fdw_exprs, copyObjectImpl(static_cast<TargetEntry*>(list_nth(values, i))->expr));
  add_direct_private(scan, plan->canSetTag, list_copy(columns));
  scan->operation = plan->operation;
  scan->resultRelation = relation;
  return true;
}

extern "C" void doublets_begin_direct_modify(ForeignScanState* node, int eflags) {
  const auto* plan = castNode(ForeignScan, node->ss.ps.plan);
  const Relation rel = node->ss.ss_currentRelation;
  EState* estate = node->ss.ps.state;
  auto* state = static_cast<DirectState*>(palloc0(sizeof(DirectState)));
  node->fdw_state = state;
  state->node = node;
  state->command = plan->operation;
  if ((eflags & EXEC_FLAG_EXPLAIN_ONLY) != 0) {
    state->scan = make_scan(node, rel, eflags);
    return;
  }
  check_read_allowed();
  // First, so that there is a store to read.
  state->target = open_for_write(rel, estate->es_output_cid);
  state->scan = make_scan(node, rel, eflags);
  state->qual = node->ss.ps.qual;
  state->checks = slot_checks(node->resultRelInfo, state->command);
  state->rows = static_cast<LinkRow*>(palloc(sizeof(LinkRow) * kMostRows));
  prepare_slot(state->target.spec, node->ss.ss_ScanTupleSlot);
  // Rows that come out of the scan are what RETURNING is about, and need no further look.
  node->ss.ps.qual = nullptr;
  node->ss.ps.ps_ProjInfo = nullptr;

  const List* direct = direct_private(plan);
  state->counts = linitial_int(direct) != 0;
  state->alone = !errors_may_wait(plan->scan.plan.qual) ||
                 (state->command == CMD_UPDATE && !constraint_errors_may_wait(rel));
  if (state->command != CMD_UPDATE) return;
  state->links = static_cast<LinkInput*>(palloc(sizeof(LinkInput) * kMostRows));
  state->new_slot = ExecInitExtraTupleSlot(estate, RelationGetDescr(rel), &TTSOpsVirtual);
  const int n = list_length(direct) - 1;
  state->assignments = static_cast<Assignment*>(palloc(sizeof(Assignment) * static_cast<Size>(Max(n, 1))));
  for (int i = 0; i < n; ++i) {
    const auto column = static_cast<AttrNumber>(list_nth_int(direct, i + 1));
    auto* expr = static_cast<Expr*>(list_nth(plan->fdw_exprs, list_length(plan->fdw_exprs) - n + i));
    state->assignments[state->assignment_count++] = {column, ExecInitExpr(expr, &node->ss.ps)};
    state->alone = state->alone || !errors_may_wait(list_make1(expr));
  }
}

extern "C" TupleTableSlot* doublets_iterate_direct_modify(ForeignScanState* node) {
  auto* state = static_cast<DirectState*>(node->fdw_state);
  const bool returning = node->resultRelInfo->ri_projectReturning != nullptr;
  for (;;) {
    if (returning) {
      TupleTableSlot* slot = show_row(state);
      if (slot != nullptr) return slot;
    }
    if (state->changed < state->count)
      change_rows(state);
    else if (state->failure != nullptr)
      ReThrowError(state->failure);
    else if (!read_rows(state))
      return ExecClearTuple(node->ss.ss_ScanTupleSlot);
  }
}

extern "C" void doublets_end_direct_modify(ForeignScanState*) {}

extern "C" void doublets_explain_direct_modify(ForeignScanState* node, ExplainState* es) {
  explain_scan(static_cast<const DirectState*>(node->fdw_state)->scan, node, es);
}

}  // namespace doublets::pg

// INSERT, COPY, UPDATE, DELETE and TRUNCATE of stores.
//
// The executor leaves to a foreign-data wrapper what it does itself for tables:
// constraints, and following a row that a concurrent transaction has changed. The
// latter runs the EvalPlanQual of the ModifyTable node, as ExecUpdate and ExecDelete do.
#include "fdw.hpp"

namespace doublets::pg {
namespace {

constexpr int kBatchSize = 256;

struct ModifyState {
  WriteTarget target;
  ModifyTableState *mtstate;
  AttrNumber ctid_attno; // of the plan's junk column, for UPDATE and DELETE
  OnConflict on_conflict;
  bool batch;            // rows may wait for each other
  SlotChecks checks;
  LinkInput *inputs; // of kBatchSize, for batches
  bool copies;      // for COPY, and not known yet whether its rows may wait for each other
  CopyBuffer *copy;  // for those that do
};

bool has_insert_row_triggers(Relation rel) {
  const TriggerDesc *t = rel->trigdesc;
  return t != nullptr && (t->trig_insert_before_row || t->trig_insert_after_row);
}

// Whether somebody looks at rows after they are written. Not known yet when the
// modification begins: the executor sets up RETURNING later.
bool need_rows(const ModifyState *state, const ResultRelInfo *rinfo) {
  return state->checks.conditions || rinfo->ri_projectReturning != nullptr ||
         rinfo->ri_WithCheckOptions != NIL || has_insert_row_triggers(state->target.rel);
}

// Shows an inserted row, with the id it got, to whoever looks at it next.
void show_inserted(ModifyState *state, ResultRelInfo *rinfo, TupleTableSlot *slot,
                   const LinkInput &link, bool assigned, EState *estate) {
  if (assigned) {
    fill_slot(state->target.spec, {link.id, link.source, link.target, link.version}, slot);
    slot->tts_tableOid = RelationGetRelid(state->target.rel);
    if (state->checks.conditions)
      ExecConstraints(rinfo, slot, estate);
  }
  set_tid(&slot->tts_tid, link.version);
}

Ref<Version> version_from_plan(const ModifyState *state, TupleTableSlot *plan_slot) {
  bool null;
  const Datum datum = ExecGetJunkAttribute(plan_slot, state->ctid_attno, &null);
  if (null)
    elog(ERROR, "ctid is NULL");
  return version_of(reinterpret_cast<ItemPointer>(DatumGetPointer(datum)));
}

// Evaluates the query again for the newest version of a link. Null if that is no
// longer wanted, else the plan's new output row.
TupleTableSlot *recheck(ModifyState *state, ResultRelInfo *rinfo, const LinkRow &newest) {
  EPQState *epq = &state->mtstate->mt_epqstate;
  const Relation rel = state->target.rel;
  EvalPlanQualBegin(epq);
  TupleTableSlot *input = EvalPlanQualSlot(epq, rel, rinfo->ri_RangeTableIndex);
  fill_slot(state->target.spec, newest, input);
  input->tts_tableOid = RelationGetRelid(rel);
  TupleTableSlot *result = EvalPlanQual(epq, rel, rinfo->ri_RangeTableIndex, input);
  return TupIsNull(result) ? nullptr : result;
}

// Reads the rows of a batch into state->inputs, up to the first that has an error. Returns how many.
int read_links(const ModifyState *state, ResultRelInfo *rinfo, TupleTableSlot **slots, int n, EState *estate,
               ErrorData **failure) {
  volatile int done = 0;
  const MemoryContext context = CurrentMemoryContext;
  PG_TRY();
  {
    for (int i = 0; i < n; ++i) {
      state->inputs[i] = read_link(state->target, state->checks, {rinfo, slots[i], estate}, true);
      done = i + 1;
    }
  }
  PG_CATCH();
  {
    if (done == 0)
      PG_RE_THROW();
    *failure = hold_error(estate->es_query_cxt);
    MemoryContextSwitchTo(context);
  }
  PG_END_TRY();
  return done;
}

ModifyState *make_state(ModifyTableState *mtstate, ResultRelInfo *rinfo, CommandId command) {
  check_read_allowed();
  auto *state = static_cast<ModifyState *>(palloc0(sizeof(ModifyState)));
  const Relation rel = rinfo->ri_RelationDesc;
  state->target = open_for_write(rel, command);
  state->mtstate = mtstate;
  state->checks = slot_checks(rinfo, mtstate->operation);
  const auto *plan = reinterpret_cast<const ModifyTable *>(mtstate->ps.plan);
  if (plan != nullptr && plan->onConflictAction == ONCONFLICT_NOTHING)
    state->on_conflict = OnConflict::kSkip;
  rinfo->ri_FdwState = state;
  return state;
}

} // namespace

extern "C" void doublets_add_update_targets(PlannerInfo *root, Index rtindex, RangeTblEntry *,
                                            Relation) {
  Var *var = makeVar(static_cast<int>(rtindex), SelfItemPointerAttributeNumber, TIDOID, -1,
                     InvalidOid, 0);
  add_row_identity_var(root, var, rtindex, "ctid");
}

// The one private item says whether inserted rows may wait for company.
extern "C" List *doublets_plan_modify(PlannerInfo *root, ModifyTable *plan, Index, int) {
  return list_make1_int(plan->operation == CMD_INSERT && !statement_looks_at_rows(root));
}

extern "C" void doublets_begin_modify(ModifyTableState *mtstate, ResultRelInfo *rinfo,
                                      List *fdw_private, int, int eflags) {
  if ((eflags & EXEC_FLAG_EXPLAIN_ONLY) != 0)
    return;
  ModifyState *state = make_state(mtstate, rinfo, mtstate->ps.state->es_output_cid);
  state->batch = linitial_int(fdw_private) != 0;
  if (mtstate->operation != CMD_INSERT) {
    state->ctid_attno =
        ExecFindJunkAttributeInTlist(outerPlanState(mtstate)->plan->targetlist, "ctid");
    if (!AttributeNumberIsValid(state->ctid_attno))
      elog(ERROR, "could not find junk ctid column");
  }
}

// COPY, and partitions reached by tuple routing.
extern "C" void doublets_begin_insert(ModifyTableState *mtstate, ResultRelInfo *rinfo) {
  // A partition whose own rows the same UPDATE changes, while it takes those of others.
  if (rinfo->ri_FdwState != nullptr)
    return;
  // COPY has no plan and leaves es_output_cid unset.
  const bool copy = mtstate->ps.plan == nullptr;
  ModifyState *state = make_state(
      mtstate, rinfo, copy ? GetCurrentCommandId(true) : mtstate->ps.state->es_output_cid);
  state->batch = !copy && mtstate->operation == CMD_INSERT &&
                 !plan_looks_at_rows(outerPlanState(mtstate));
  state->copies = copy;
}

extern "C" TupleTableSlot *doublets_exec_insert(EState *estate, ResultRelInfo *rinfo,
                                                TupleTableSlot *slot, TupleTableSlot *) {
  auto *state = static_cast<ModifyState *>(rinfo->ri_FdwState);
  LinkInput link = read_link(state->target, state->checks, {rinfo, slot, estate}, true);
  // Not when the insertion begins: COPY cannot be found yet.
  if (state->copies) {
    state->copy = copy_buffer(rinfo, estate);
    state->copies = false;
  }
  const bool assigned = link.id == 0;
  if (state->copy != nullptr) {
    // Its conditions may be about the id.
    if (!assigned || !state->checks.conditions) {
      copy_row(state->copy, state->target, link);
      return slot;
    }
    copy_waiting(state->copy, state->target, false);
  }
  insert_links(state->target, &link, 1, state->on_conflict);
  if (!link.version)
    return nullptr;
  if (need_rows(state, rinfo))
    show_inserted(state, rinfo, slot, link, assigned, estate);
  return slot;
}

extern "C" TupleTableSlot **doublets_exec_batch_insert(EState *estate, ResultRelInfo *rinfo,
                                                       TupleTableSlot **slots, TupleTableSlot **,
                                                       int *num_slots) {
  auto *state = static_cast<ModifyState *>(rinfo->ri_FdwState);
  const int n = *num_slots;
  Assert(n <= kBatchSize && state->on_conflict == OnConflict::kError);
  if (state->inputs == nullptr)
    state->inputs = static_cast<LinkInput *>(
        MemoryContextAlloc(estate->es_query_cxt, sizeof(LinkInput) * kBatchSize));
  ErrorData *failure = nullptr;
  const int good = read_links(state, rinfo, slots, n, estate, &failure);
  insert_links(state->target, state->inputs, static_cast<std::size_t>(good), OnConflict::kError);
  if (failure != nullptr)
    ReThrowError(failure);
  if (need_rows(state, rinfo))
    for (int i = 0; i < n; ++i)
      show_inserted(state, rinfo, slots[i], state->inputs[i],
                    slots[i]->tts_isnull[state->target.spec->id - 1], estate);
  return slots;
}

// Rows may wait for company unless somebody could miss them: volatile functions, RETURNING, row
// triggers, WITH CHECK OPTION, ON CONFLICT.
extern "C" int doublets_modify_batch_size(ResultRelInfo *rinfo) {
  const auto *state = static_cast<const ModifyState *>(rinfo->ri_FdwState);
  const bool alone = state == nullptr || !state->batch || state->on_conflict == OnConflict::kSkip ||
                     rinfo->ri_projectReturning != nullptr || rinfo->ri_WithCheckOptions != NIL ||
                     has_insert_row_triggers(rinfo->ri_RelationDesc) ||
                     constraints_look_at_rows(rinfo->ri_RelationDesc) ||
                     !constraint_errors_may_wait(rinfo->ri_RelationDesc);
  return alone ? 1 : kBatchSize;
}

extern "C" TupleTableSlot *doublets_exec_update(EState *estate, ResultRelInfo *rinfo,
                                                TupleTableSlot *slot, TupleTableSlot *plan_slot) {
  auto *state = static_cast<ModifyState *>(rinfo->ri_FdwState);
  Ref<Version> version = version_from_plan(state, plan_slot);
  for (;;) {
    LinkInput link = read_link(state->target, state->checks, {rinfo, slot, estate}, false);
    LinkRow newest{};
    switch (update_link(state->target, version, link, newest)) {
    case Change::kDone:
      set_tid(&slot->tts_tid, link.version);
      return slot;
    case Change::kUpdated:
      break;
    default:
      return nullptr;
    }
    TupleTableSlot *again = recheck(state, rinfo, newest);
    if (again == nullptr)
      return nullptr;
    version = newest.version;
    fill_slot(state->target.spec, newest, rinfo->ri_oldTupleSlot);
    slot = ExecGetUpdateNewTuple(rinfo, again, rinfo->ri_oldTupleSlot);
    const TupleConstr *constr = RelationGetDescr(state->target.rel)->constr;
    if (constr != nullptr && constr->has_generated_stored)
      ExecComputeStoredGenerated(rinfo, estate, slot, CMD_UPDATE);
  }
}

extern "C" TupleTableSlot *doublets_exec_delete(EState *, ResultRelInfo *rinfo,
                                                TupleTableSlot *slot, TupleTableSlot *plan_slot) {
  auto *state = static_cast<ModifyState *>(rinfo->ri_FdwState);
  Ref<Version> version = version_from_plan(state, plan_slot);
  for (;;) {
    LinkRow newest{};
    switch (delete_link(state->target, version, newest)) {
    case Change::kDone:
      if (rinfo->ri_projectReturning != nullptr) {
        store_lock(state->target.store, LW_SHARED);
        const LinkRow row = Store(state->target.store->heap).row(version);
        store_unlock(state->target.store);
        fill_slot(state->target.spec, row, slot);
      }
      return slot;
    case Change::kUpdated:
      break;
    default:
      return nullptr;
    }
    if (recheck(state, rinfo, newest) == nullptr)
      return nullptr;
    version = newest.version;
  }
}

extern "C" void doublets_end_modify(EState *, ResultRelInfo *rinfo) {
  const auto *state = static_cast<const ModifyState *>(rinfo->ri_FdwState);
  if (state != nullptr && state->copy != nullptr)
    copy_waiting(state->copy, state->target, true);
}

extern "C" int doublets_is_updatable(Relation) {
  return (1 << CMD_INSERT) | (1 << CMD_UPDATE) | (1 << CMD_DELETE);
}

extern "C" void doublets_truncate(List *rels, DropBehavior, bool) {
  check_read_allowed();
  ListCell *cell;
  foreach (cell, rels) {
    const auto rel = static_cast<Relation>(lfirst(cell));
    CheckTableForSerializableConflictIn(rel);
    store_truncate(rel);
  }
}

} // namespace doublets::pg

// Constraints, defaults and triggers of a store's table, for links that functions write.
//
// Most stores have none: then nothing here is reached but two comparisons. Where there
// are CHECK constraints, a partition's bounds or a default for the id, the executor's own
// routines judge a slot that holds the link. Triggers and generated columns are refused,
// never skipped.
#include "functions_common.hpp"

extern "C" {
#include "catalog/pg_trigger.h"
#include "commands/trigger.h"
#include "rewrite/rewriteHandler.h"
}

namespace doublets::pg {

struct RowChecks {
  EState* estate;
  ResultRelInfo* info;
  TupleTableSlot* slot;
  ExprState* default_id;  // null: none
  bool constraints;
  bool partition;
};

namespace {

int16 trigger_events(AclMode required) {
  if ((required & ACL_INSERT) != 0) return TRIGGER_TYPE_INSERT;
  return (required & ACL_UPDATE) != 0 ? TRIGGER_TYPE_UPDATE : TRIGGER_TYPE_DELETE;
}

// As TriggerEnabled of the server's trigger.c has it.
bool fires(const Trigger& trigger) {
  if (SessionReplicationRole == SESSION_REPLICATION_ROLE_REPLICA)
    return trigger.tgenabled == TRIGGER_FIRES_ON_REPLICA || trigger.tgenabled == TRIGGER_FIRES_ALWAYS;
  return trigger.tgenabled == TRIGGER_FIRES_ON_ORIGIN || trigger.tgenabled == TRIGGER_FIRES_ALWAYS;
}

[[noreturn]] void refuse(Relation rel, const char* function, const char* reason) {
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                  errmsg("cannot execute %s on store \"%s\"", function, RelationGetRelationName(rel)),
                  errdetail("The store has %s.", reason), errhint("Use INSERT, UPDATE or DELETE instead.")));
  pg_unreachable();
}

bool has_id_default(const WriteTarget& t) {
  const Form_pg_attribute att = TupleDescAttr(RelationGetDescr(t.rel), t.spec->id - 1);
  return att->atthasdef || att->attidentity != '\0';
}

ExprState* prepare_default_id(const WriteTarget& t) {
  Node* expr = build_column_default(t.rel, t.spec->id);
  if (expr == nullptr) return nullptr;
  return ExecInitExpr(expression_planner(reinterpret_cast<Expr*>(expr)), nullptr);
}

}  // namespace

void refuse_special_tables(Relation rel, const char* function, AclMode required) {
  const TupleConstr* constr = RelationGetDescr(rel)->constr;
  if (constr != nullptr && constr->has_generated_stored && (required & ACL_DELETE) == 0)
    refuse(rel, function, "generated columns");
  if (rel->trigdesc == nullptr) return;
  const int16 events = trigger_events(required);
  for (int i = 0; i < rel->trigdesc->numtriggers; ++i) {
    const Trigger& trigger = rel->trigdesc->triggers[i];
    if ((trigger.tgtype & events) != 0 && fires(trigger)) refuse(rel, function, "triggers that would have to fire");
  }
}

RowChecks* begin_row_checks(const WriteTarget& t, bool inserting) {
  const bool constraints = t.rel->rd_rel->relchecks > 0;
  const bool partition = t.rel->rd_rel->relispartition;
  const bool defaults = inserting && has_id_default(t);
  if (!constraints && !partition && !defaults) return nullptr;

  auto* checks = static_cast<RowChecks*>(palloc0(sizeof(RowChecks)));
  checks->estate = CreateExecutorState();
  const MemoryContext caller = MemoryContextSwitchTo(checks->estate->es_query_cxt);
  checks->info = makeNode(ResultRelInfo);
  // In no range table: the messages then go by the caller's privileges on the table.
  InitResultRelInfo(checks->info, t.rel, 0, nullptr, 0);
  checks->slot = MakeSingleTupleTableSlot(RelationGetDescr(t.rel), &TTSOpsVirtual);
  checks->default_id = defaults ? prepare_default_id(t) : nullptr;
  checks->constraints = constraints;
  checks->partition = partition;
  MemoryContextSwitchTo(caller);
  return checks;
}

void end_row_checks(RowChecks* checks) {
  if (checks == nullptr) return;
  ExecDropSingleTupleTableSlot(checks->slot);
  FreeExecutorState(checks->estate);
  pfree(checks);
}

void check_row(RowChecks* checks, const WriteTarget& t, const LinkInput& link) {
  if (checks == nullptr || !(checks->constraints || checks->partition)) return;
  TupleTableSlot* slot = checks->slot;
  ExecClearTuple(slot);
  std::memset(slot->tts_isnull, true, static_cast<std::size_t>(t.spec->natts));
  const AttrNumber columns[] = {t.spec->id, t.spec->source, t.spec->target};
  const std::int64_t values[] = {link.id, link.source, link.target};
  for (int i = 0; i < 3; ++i) {
    slot->tts_values[columns[i] - 1] = Int64GetDatum(values[i]);
    slot->tts_isnull[columns[i] - 1] = false;
  }
  ExecStoreVirtualTuple(slot);
  slot->tts_tableOid = RelationGetRelid(t.rel);
  if (checks->constraints) ExecConstraints(checks->info, slot, checks->estate);
  if (checks->partition) ExecPartitionCheck(checks->info, slot, checks->estate, true);
  ResetPerTupleExprContext(checks->estate);
}

LinkId default_id(RowChecks* checks, const WriteTarget& t) {
  if (checks == nullptr || checks->default_id == nullptr) return 0;
  bool null;
  const Datum value = ExecEvalExprSwitchContext(checks->default_id, GetPerTupleExprContext(checks->estate), &null);
  const LinkId id = null ? 0 : DatumGetInt64(value);
  ResetPerTupleExprContext(checks->estate);
  if (!null && id <= 0) raise_bad_id(t.rel, id);
  return id;
}

}  // namespace doublets::pg

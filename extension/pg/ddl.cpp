// DDL that concerns stores: creating, altering and dropping them.
//
// The server tells a foreign-data wrapper nothing about CREATE, and loads no library for
// DROP. Two event triggers, filtered by tag, make up for that:
//   ddl_command_start  on commands that may drop a store: being called loads the library,
//                      whose object access hook then sees each relation as it is dropped
//                      (also when DROP EXTENSION takes the triggers themselves away);
//                      on CREATE FOREIGN TABLE and IMPORT FOREIGN SCHEMA: the hint to a
//                      missing privilege.
//   ddl_command_end    on the same: columns and schema.
// ALTER ... OPTIONS needs none: the validator has loaded the library, and the hook sees
// the new options.
#include "chunks.hpp"
#include "transactions.hpp"

namespace doublets::pg {
namespace {

object_access_hook_type previous_hook;

void check_usage(Oid server, const char* name) {
  if (server_aclcheck(server, GetUserId()) == ACLCHECK_OK) return;
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("permission denied for foreign server %s", name),
                  errhint("Stores take shared memory, so their server is granted to nobody by default: "
                          "GRANT USAGE ON FOREIGN SERVER %s TO %s.",
                          quote_identifier(name), quote_identifier(GetUserNameFromId(GetUserId(), false)))));
}

// A store another relation's DROP, or the like, is about to remove.
void dropping(Oid relation) {
  if (get_rel_relkind(relation) != RELKIND_FOREIGN_TABLE) return;
  StoreHandle* store = store_attach_dropped(relation);
  if (store == nullptr) return;
  store_map(store);
  registry_retire(store);
}

// The options of a foreign table as this command has just written them, which no
// ordinary snapshot sees yet. False if there is no such table.
bool read_new_options(Oid relation, StoreSpec* spec) {
  Relation catalog = table_open(ForeignTableRelationId, AccessShareLock);
  ScanKeyData key;
  ScanKeyInit(&key, Anum_pg_foreign_table_ftrelid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relation));
  SysScanDesc scan = systable_beginscan(catalog, ForeignTableRelidIndexId, true, SnapshotSelf, 1, &key);
  HeapTuple tuple = systable_getnext(scan);
  const bool found = HeapTupleIsValid(tuple);
  if (found) {
    bool isnull;
    const Datum options = heap_getattr(tuple, Anum_pg_foreign_table_ftoptions, RelationGetDescr(catalog), &isnull);
    read_options(isnull ? NIL : untransformRelOptions(options), spec);
  }
  systable_endscan(scan);
  table_close(catalog, AccessShareLock);
  return found;
}

// Options were altered (under AccessExclusiveLock): links stay as they are, so the options
// that say how they are kept must too. A store without links starts afresh.
void options_altered(Oid relation) {
  if (!is_store(relation)) return;
  StoreSpec spec{};
  if (!read_new_options(relation, &spec)) return;
  Relation rel = relation_open(relation, NoLock);
  StoreHandle* store = store_attach(rel);
  if (store != nullptr && (store->layout != spec.layout || store->unique_pairs != spec.unique_pairs)) {
    (void)settle_all(store);  // deleted links that nobody can see any more are none
    store_lock(store, LW_SHARED);
    const bool empty = Store(store->heap).header().versions == 0;
    store_unlock(store);
    if (!empty) check_matches(rel, spec, store->layout, store->unique_pairs);
    store_truncate(rel);
  }
  relation_close(rel, NoLock);
}

void object_accessed(ObjectAccessType access, Oid class_id, Oid object_id, int sub_id, void* arg) {
  if (previous_hook != nullptr) previous_hook(access, class_id, object_id, sub_id, arg);
  if (access == OAT_DROP && class_id == RelationRelationId && sub_id == 0)
    dropping(object_id);
  else if (access == OAT_POST_ALTER && class_id == ForeignTableRelationId)
    options_altered(object_id);
}

const EventTriggerData* event_of(FunctionCallInfo fcinfo) {
  if (!CALLED_AS_EVENT_TRIGGER(fcinfo))
    ereport(ERROR,
            (errcode(ERRCODE_E_R_I_E_EVENT_TRIGGER_PROTOCOL_VIOLATED), errmsg("not fired by event trigger manager")));
  return reinterpret_cast<EventTriggerData*>(fcinfo->context);
}

void check_created(Oid relation) {
  if (!is_store(relation)) return;
  Relation rel = relation_open(relation, AccessShareLock);
  if (isAnyTempNamespace(RelationGetNamespace(rel)))
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("a doublets store cannot be temporary"),
                    errhint("Create it in an ordinary schema, and drop it when it is no longer needed.")));
  // A dump restores options of columns (link_part) only after CREATE, and switches
  // this setting off; the columns are checked again at each access anyway.
  if (check_function_bodies) check_store_definition(rel);
  relation_close(rel, AccessShareLock);
}

void run(const char* sql, int expected) {
  const int result = SPI_execute(sql, false, 0);
  if (result != expected) elog(ERROR, "SPI_execute failed: %s", SPI_result_code_string(result));
}

// Returns the argument as a C string; 22004 if it is null.
char* text_argument(FunctionCallInfo fcinfo, int number, const char* name) {
  if (PG_ARGISNULL(number))
    ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("argument \"%s\" must not be null", name)));
  return text_to_cstring(PG_GETARG_TEXT_PP(number));
}

}  // namespace

void ddl_init() {
  previous_hook = object_access_hook;
  object_access_hook = object_accessed;
}

}  // namespace doublets::pg

using namespace doublets::pg;

DOUBLETS_FUNCTION(doublets_ddl_command_start) {
  const EventTriggerData* event = event_of(fcinfo);
  const char* name = nullptr;
  if (IsA(event->parsetree, CreateForeignTableStmt))
    name = reinterpret_cast<const CreateForeignTableStmt*>(event->parsetree)->servername;
  else if (IsA(event->parsetree, ImportForeignSchemaStmt))
    name = reinterpret_cast<const ImportForeignSchemaStmt*>(event->parsetree)->server_name;
  ForeignServer* server = name != nullptr ? GetForeignServerByName(name, true) : nullptr;
  if (server != nullptr && is_store_server(server->serverid)) check_usage(server->serverid, server->servername);
  PG_RETURN_NULL();
}

DOUBLETS_FUNCTION(doublets_ddl_command_end) {
  event_of(fcinfo);
  SPI_connect();
  run("SELECT c.objid FROM pg_catalog.pg_event_trigger_ddl_commands() AS c "
      "WHERE c.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass "
      "AND c.object_type OPERATOR(pg_catalog.=) 'foreign table'",
      SPI_OK_SELECT);
  SPITupleTable* tables = SPI_tuptable;
  for (uint64 i = 0; i < tables->numvals; ++i) {
    bool isnull;
    const Datum oid = SPI_getbinval(tables->vals[i], tables->tupdesc, 1, &isnull);
    if (!isnull) check_created(DatumGetObjectId(oid));
  }
  SPI_finish();
  PG_RETURN_NULL();
}

// create_store(name text, layout text, persistence text, unique_pairs boolean, max_size text)
DOUBLETS_FUNCTION(doublets_create_store) {
  (void)text_argument(fcinfo, 0, "name");
  RangeVar* table = makeRangeVarFromNameList(textToQualifiedNameList(PG_GETARG_TEXT_PP(0)));
  StringInfoData sql;
  initStringInfo(&sql);
  appendStringInfoString(&sql, "CREATE FOREIGN TABLE ");
  if (table->catalogname != nullptr) appendStringInfo(&sql, "%s.", quote_identifier(table->catalogname));
  appendStringInfoString(&sql, quote_qualified_identifier(table->schemaname, table->relname));
  appendStringInfo(&sql,
                   " (id pg_catalog.int8, source pg_catalog.int8, target pg_catalog.int8) SERVER doublets "
                   "OPTIONS (layout %s, persistence %s",
                   quote_literal_cstr(text_argument(fcinfo, 1, "layout")),
                   quote_literal_cstr(text_argument(fcinfo, 2, "persistence")));
  if (!PG_ARGISNULL(3) && PG_GETARG_BOOL(3)) appendStringInfoString(&sql, ", unique_pairs 'true'");
  if (!PG_ARGISNULL(4))
    appendStringInfo(&sql, ", max_size %s", quote_literal_cstr(text_argument(fcinfo, 4, "max_size")));
  appendStringInfoChar(&sql, ')');

  SPI_connect();
  run(sql.data, SPI_OK_UTILITY);
  SPI_finish();
  PG_RETURN_OID(RangeVarGetRelid(table, NoLock, false));
}

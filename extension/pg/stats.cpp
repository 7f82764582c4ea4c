// What administrators see of stores: the view doublets.stores and store_stats().
#include "functions_common.hpp"
#include "registry.hpp"

namespace doublets::pg {
namespace {

constexpr std::uint64_t kSettle = 4096;  // a few leftovers should not make counting slow

enum Column { kName, kLayout, kPersistence, kUniquePairs, kLinks, kInFlight, kUsed, kAllocated, kChunks, kColumns };

bool may_see(Oid relation) {
  return pg_class_aclcheck(relation, GetUserId(), ACL_SELECT) == ACLCHECK_OK ||
         has_privs_of_role(GetUserId(), ROLE_PG_MONITOR);
}

// What the catalogs say. The rest of the row is null.
void fill_definition(Oid relation, Datum* values, bool* nulls) {
  for (int i = 0; i < kColumns; ++i) {
    values[i] = Datum{0};
    nulls[i] = i > kUniquePairs;
  }
  StoreSpec spec{};
  read_options(GetForeignTable(relation)->options, &spec);
  values[kName] = ObjectIdGetDatum(relation);
  values[kLayout] = CStringGetTextDatum(layout_name(spec.layout));
  values[kPersistence] = CStringGetTextDatum(persistence_name(spec.persistence));
  values[kUniquePairs] = BoolGetDatum(spec.unique_pairs);
}

// What the memory says. Requires AccessShareLock on the relation.
void fill_numbers(Relation rel, Datum* values, bool* nulls) {
  uint64 links = 0, in_flight = 0, used = 0, allocated = 0;
  uint32 chunks = 0;
  StoreHandle* store = RecoveryInProgress() ? nullptr : store_attach(rel);
  if (store != nullptr) {
    SnapshotView view(GetActiveSnapshot());
    settle_some(store, kSettle, false);
    links = count_visible(store, Pattern{}, view);
    store_lock(store, LW_SHARED);
    const StoreHeader& header = Store(store->heap).header();
    in_flight = header.flights;
    used = header.heap.used_bytes;
    allocated = header.heap.allocated_bytes;
    chunks = header.heap.chunk_count.load(std::memory_order_relaxed);
    store_unlock(store);
  }
  values[kLinks] = Int64GetDatum(static_cast<int64>(links));
  values[kInFlight] = Int64GetDatum(static_cast<int64>(in_flight));
  values[kUsed] = Int64GetDatum(static_cast<int64>(used));
  values[kAllocated] = Int64GetDatum(static_cast<int64>(allocated));
  values[kChunks] = Int32GetDatum(static_cast<int32>(chunks));
  for (int i = kLinks; i < kColumns; ++i)
    nulls[i] = false;
}

// The oids of this database's stores.
List* list_stores() {
  List* stores = NIL;
  Relation catalog = table_open(ForeignTableRelationId, AccessShareLock);
  SysScanDesc scan = systable_beginscan(catalog, InvalidOid, false, nullptr, 0, nullptr);
  while (HeapTuple tuple = systable_getnext(scan)) {
    const Oid relation = reinterpret_cast<Form_pg_foreign_table>(GETSTRUCT(tuple))->ftrelid;
    if (is_store(relation)) stores = lappend_oid(stores, relation);
  }
  systable_endscan(scan);
  table_close(catalog, AccessShareLock);
  return stores;
}

}  // namespace
}  // namespace doublets::pg

using namespace doublets::pg;

// All stores of this database. Numbers are null where the caller may not read the store,
// or where it is locked against readers: this never waits.
DOUBLETS_FUNCTION(doublets_stores) {
  InitMaterializedSRF(fcinfo, 0);
  auto* result = reinterpret_cast<ReturnSetInfo*>(fcinfo->resultinfo);
  if (!RecoveryInProgress() && registry_attach(false)) registry_sweep(PG_INT32_MAX);
  ListCell* cell;
  foreach (cell, list_stores()) {
    const Oid relation = lfirst_oid(cell);
    CHECK_FOR_INTERRUPTS();
    const bool locked = ConditionalLockRelationOid(relation, AccessShareLock);
    if (SearchSysCacheExists1(FOREIGNTABLEREL, ObjectIdGetDatum(relation))) {
      Datum values[kColumns];
      bool nulls[kColumns];
      fill_definition(relation, values, nulls);
      if (locked && may_see(relation)) {
        Relation rel = relation_open(relation, NoLock);
        fill_numbers(rel, values, nulls);
        relation_close(rel, NoLock);
      }
      tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
    }
    if (locked) UnlockRelationOid(relation, AccessShareLock);
  }
  return Datum{0};
}

// store_stats(store regclass): one row, or an error.
DOUBLETS_FUNCTION(doublets_store_stats) {
  if (PG_ARGISNULL(0)) ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("store must not be null")));
  const Oid relation = PG_GETARG_OID(0);
  TupleDesc desc;
  if (get_call_result_type(fcinfo, nullptr, &desc) != TYPEFUNC_COMPOSITE) elog(ERROR, "return type must be a row type");
  Relation rel = try_relation_open(relation, AccessShareLock);
  if (rel == nullptr)
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("relation with OID %u does not exist", relation)));
  if (!is_store(relation))
    ereport(ERROR,
            (errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("\"%s\" is not a doublets store", RelationGetRelationName(rel)),
             errhint("A doublets store is a foreign table of server doublets.")));
  if (!may_see(relation))
    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                    errmsg("permission denied for foreign table %s", RelationGetRelationName(rel)),
                    errhint("It needs SELECT on the store, or membership in pg_monitor.")));
  Datum values[kColumns];
  bool nulls[kColumns];
  fill_definition(relation, values, nulls);
  fill_numbers(rel, values, nulls);
  relation_close(rel, AccessShareLock);
  PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}

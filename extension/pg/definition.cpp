// Columns and options of a store, as the catalogs have them now.
#include "options.hpp"

#include "relation_cache.hpp"

namespace doublets::pg {
namespace {

enum Part { kId, kSource, kTarget, kParts };

const char* const kPartNames[kParts] = {"id", "source", "target"};

constexpr const char* kColumnsHint =
    "A doublets store has exactly three columns of type bigint: id, source (or from_id) and target (or to_id). "
    "A column of another name says which it is by its option link_part ('id', 'source' or 'target').";

// The part a column is by its name; kParts: none.
Part part_by_name(const char* name) {
  if (strcmp(name, "id") == 0) return kId;
  if (strcmp(name, "source") == 0 || strcmp(name, "from_id") == 0) return kSource;
  if (strcmp(name, "target") == 0 || strcmp(name, "to_id") == 0) return kTarget;
  return kParts;
}

Part part_of_column(Oid relation, Form_pg_attribute column) {
  ListCell* cell;
  foreach (cell, GetForeignColumnOptions(relation, column->attnum)) {
    auto* element = static_cast<DefElem*>(lfirst(cell));
    if (strcmp(element->defname, "link_part") != 0) continue;
    const char* value = defGetString(element);
    for (int part = kId; part < kParts; ++part)
      if (strcmp(kPartNames[part], value) == 0) return static_cast<Part>(part);
  }
  return part_by_name(NameStr(column->attname));
}

void read_columns(Relation rel, StoreSpec* spec) {
  AttrNumber found[kParts] = {};
  TupleDesc desc = RelationGetDescr(rel);
  const char* table = RelationGetRelationName(rel);
  for (int i = 0; i < desc->natts; ++i) {
    Form_pg_attribute column = TupleDescAttr(desc, i);
    if (column->attisdropped) continue;
    const char* name = NameStr(column->attname);
    const Part part = part_of_column(RelationGetRelid(rel), column);
    if (part == kParts)
      ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
                      errmsg("column \"%s\" of foreign table \"%s\" is no part of a link", name, table),
                      errhint("%s", kColumnsHint)));
    if (found[part] != InvalidAttrNumber)
      ereport(ERROR, (errcode(ERRCODE_DUPLICATE_COLUMN),
                      errmsg("columns \"%s\" and \"%s\" of foreign table \"%s\" are both the %s of a link",
                             NameStr(TupleDescAttr(desc, found[part] - 1)->attname), name, table, kPartNames[part]),
                      errhint("%s", kColumnsHint)));
    if (column->atttypid != INT8OID)
      ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                      errmsg("column \"%s\" of foreign table \"%s\" has type %s, not bigint", name, table,
                             format_type_be(column->atttypid)),
                      errhint("%s", kColumnsHint)));
    found[part] = column->attnum;
  }
  for (int part = kId; part < kParts; ++part)
    if (found[part] == InvalidAttrNumber)
      ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
                      errmsg("foreign table \"%s\" has no column for the %s of a link", table, kPartNames[part]),
                      errhint("%s", kColumnsHint)));
  spec->id = found[kId];
  spec->source = found[kSource];
  spec->target = found[kTarget];
  spec->natts = desc->natts;
}

void read_definition(Relation rel, StoreSpec* spec) {
  if (!is_store(RelationGetRelid(rel)))
    ereport(ERROR,
            (errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("\"%s\" is not a doublets store", RelationGetRelationName(rel)),
             errhint("A doublets store is a foreign table of server doublets.")));
  read_columns(rel, spec);
  read_options(GetForeignTable(RelationGetRelid(rel))->options, spec);
}

}  // namespace

const StoreSpec* store_spec(Relation rel) {
  RelationEntry* entry = relation_entry(RelationGetRelid(rel));
  if (!entry->spec_valid) {
    // Reading catalogs may process an invalidation of this very relation: then the
    // result counts for this call and is read again at the next.
    const uint32 before = entry->invalidations;
    StoreSpec spec{};
    read_definition(rel, &spec);
    entry->spec = spec;
    entry->spec_valid = entry->invalidations == before;
  }
  return &entry->spec;
}

void check_store_definition(Relation rel) {
  StoreSpec spec{};
  read_definition(rel, &spec);
}

bool is_store(Oid relid) {
  HeapTuple tuple = SearchSysCache1(FOREIGNTABLEREL, ObjectIdGetDatum(relid));
  if (!HeapTupleIsValid(tuple)) return false;
  const Oid server = reinterpret_cast<Form_pg_foreign_table>(GETSTRUCT(tuple))->ftserver;
  ReleaseSysCache(tuple);
  return is_store_server(server);
}

bool is_store_server(Oid server) {
  HeapTuple tuple = SearchSysCache1(FOREIGNSERVEROID, ObjectIdGetDatum(server));
  if (!HeapTupleIsValid(tuple)) return false;
  const Oid wrapper = reinterpret_cast<Form_pg_foreign_server>(GETSTRUCT(tuple))->srvfdw;
  ReleaseSysCache(tuple);

  tuple = SearchSysCache1(FOREIGNDATAWRAPPEROID, ObjectIdGetDatum(wrapper));
  if (!HeapTupleIsValid(tuple)) return false;
  const Oid handler = reinterpret_cast<Form_pg_foreign_data_wrapper>(GETSTRUCT(tuple))->fdwhandler;
  ReleaseSysCache(tuple);
  if (!OidIsValid(handler)) return false;

  // By its C symbol: schemas and wrappers may have any name.
  tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(handler));
  if (!HeapTupleIsValid(tuple)) return false;
  bool isnull;
  const Datum source = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosrc, &isnull);
  const bool ours = reinterpret_cast<Form_pg_proc>(GETSTRUCT(tuple))->prolang == ClanguageId && !isnull &&
                    strcmp(TextDatumGetCString(source), "doublets_fdw_handler") == 0;
  ReleaseSysCache(tuple);
  return ours;
}

}  // namespace doublets::pg

// The only header that includes PostgreSQL ones.
//
// Everything the adapter uses of the server comes through here, so that the
// differences between its majors and its clashes with C++ are met in one place.
// Functions the server calls are extern "C" and thin; no C++ exception leaves them
// (the library is built without exceptions), and no object with a non-trivial
// destructor is alive across a server call that may raise an ERROR, because the
// longjmp skips destructors.
#pragma once

// First: the core refuses to be included after the server's headers.
#include "../core/types.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

extern "C" {
#include "postgres.h"

#include "access/genam.h"
#include "access/parallel.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/reloptions.h"
#include "access/subtrans.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "access/tupdesc.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_database.h"
#include "catalog/pg_foreign_data_wrapper.h"
#include "catalog/pg_foreign_server.h"
#include "catalog/pg_foreign_table.h"
#include "catalog/pg_language.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "commands/event_trigger.h"
#include "commands/explain.h"
#include "commands/vacuum.h"
#include "common/pg_prng.h"
#include "executor/executor.h"
#include "executor/nodeHash.h"
#include "executor/nodeModifyTable.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "foreign/fdwapi.h"
#include "foreign/foreign.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/extensible.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/appendinfo.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planmain.h"
#include "optimizer/planner.h"
#include "optimizer/restrictinfo.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "port/atomics.h"
#include "storage/dsm.h"
#include "storage/ipc.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "storage/lwlock.h"
#include "storage/predicate.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "storage/shmem.h"
#include "tcop/deparse_utility.h"
#include "tcop/utility.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/resowner.h"
#include "utils/ruleutils.h"
#include "utils/selfuncs.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/typcache.h"
#include "utils/varlena.h"
}

// The library is built with hidden visibility (its own calls need no procedure
// linkage table); PostgreSQL 15 does not mark what it looks up by name.
#undef PGDLLEXPORT
#define PGDLLEXPORT __attribute__((visibility("default")))

// A function called by SQL: DOUBLETS_FUNCTION(doublets_settle) { ... PG_RETURN_... }
#define DOUBLETS_FUNCTION(name)                    \
  extern "C" {                                     \
  extern PGDLLEXPORT Datum name(PG_FUNCTION_ARGS); \
  PG_FUNCTION_INFO_V1(name);                       \
  }                                                \
  extern "C" PGDLLEXPORT Datum name([[maybe_unused]] PG_FUNCTION_ARGS)

namespace doublets::pg {

// What differs between majors.
inline bool lock_held_by_me(const LOCKTAG* tag, LOCKMODE mode) {
#if PG_VERSION_NUM >= 170000
  return LockHeldByMe(tag, mode, false);
#else
  return LockHeldByMe(tag, mode);
#endif
}

inline AclResult server_aclcheck(Oid server, Oid role) {
#if PG_VERSION_NUM >= 160000
  return object_aclcheck(ForeignServerRelationId, server, role, ACL_USAGE);
#else
  return pg_foreign_server_aclcheck(server, role, ACL_USAGE);
#endif
}

inline AclResult schema_aclcheck(Oid schema, Oid role) {
#if PG_VERSION_NUM >= 160000
  return object_aclcheck(NamespaceRelationId, schema, role, ACL_USAGE);
#else
  return pg_namespace_aclcheck(schema, role, ACL_USAGE);
#endif
}

// A function (Node*, void*) for the walkers of trees, as the server declares them: before 16 without arguments. By way
// of void (*)() the cast is one the compiler takes for intended.
template <class Walker>
auto as_walker(Walker* walker) {
#if PG_VERSION_NUM >= 160000
  return walker;
#else
  return reinterpret_cast<bool (*)()>(reinterpret_cast<void (*)()>(walker));
#endif
}

}  // namespace doublets::pg

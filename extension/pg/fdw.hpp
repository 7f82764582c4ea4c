// The foreign-data wrapper: what its files share.
//
//   fdw.cpp             the handler: the table of callbacks
//   fdw_conditions.hpp  conditions, from the clauses of a query to the values a search allows
//   fdw_plan.hpp        planning: estimates, paths, the plan node
//   fdw_scan.hpp        reading, aggregates
//   fdw_gather.cpp      links of a node in order of id, where no index has that
//   fdw_parallel.cpp    scans by several processes
//   fdw_explain.cpp     EXPLAIN
//   fdw_values.cpp      rows of SQL as the core's
//   fdw_lock.cpp        row locks
//   fdw_modify.cpp      INSERT, COPY, UPDATE, DELETE, TRUNCATE
//   fdw_direct.cpp      UPDATE and DELETE without a round through the executor for each row
//   fdw_batch.cpp       whether rows may wait for each other
//   fdw_copy.cpp        rows of COPY that do
//   fdw_import.cpp      IMPORT FOREIGN SCHEMA
//   fdw_analyze.cpp     ANALYZE
#pragma once

#include "fdw_conditions.hpp"

namespace doublets::pg {

// How a path walks: `access` is the index it is estimated with, and, if the plan counts on the
// order, the one it has to walk; `backward` then says in which direction.
struct PathChoice {
  Access access;
  bool ordered;
  bool backward;
  int indexes;   // for EXPLAIN: see index_bit
  bool stepwise; // ordered: searches for one branch after the other, which are in order
};

// A bit for each index by which something is looked for.
inline int index_bit(Access access) { return 1 << static_cast<int>(access); }

// ForeignPath.fdw_private.
inline List *path_private(const PathChoice &choice) {
  return list_make5_int(static_cast<int>(choice.access), choice.ordered, choice.backward, choice.indexes,
                        choice.stepwise);
}

// What a column of an aggregate's rows is.
enum class Output : int { kCount, kLeastId, kGreatestId, kGroup, kNone };

// ForeignScan.fdw_private: the list of condition codes, whose values are fdw_exprs; the path's;
// the CmdType for which the scan has to lock its rows, or 0; of an aggregate the Outputs of the columns
// of fdw_scan_tlist, the path's then ending with the Part it is grouped by, or kParts.
inline List *scan_private(List *codes, CmdType locks_for, List *path) {
  return list_make3(codes, path, makeInteger(locks_for));
}
inline List *scan_codes(const ForeignScan *plan) { return static_cast<List *>(linitial(plan->fdw_private)); }
inline PathChoice path_choice(const List *path) {
  return {static_cast<Access>(linitial_int(path)), lsecond_int(path) != 0, lthird_int(path) != 0, lfourth_int(path),
          list_nth_int(path, 4) != 0};
}
inline PathChoice scan_choice(const ForeignScan *plan) {
  return path_choice(static_cast<const List *>(lsecond(plan->fdw_private)));
}
inline List *scan_outputs(const ForeignScan *plan) {
  return list_length(plan->fdw_private) > 3 ? static_cast<List *>(lfourth(plan->fdw_private)) : NIL;
}
inline Part scan_group(const ForeignScan *plan) {
  return static_cast<Part>(llast_int(static_cast<const List *>(lsecond(plan->fdw_private))));
}
// Of an UPDATE or DELETE that the scan does itself one more item, the last: whether it is the statement whose rows are counted, then
// the numbers of the columns that an UPDATE sets, whose values are the last of fdw_exprs.
inline void add_direct_private(ForeignScan *plan, bool counts, List *columns) {
  plan->fdw_private = lappend(lappend(plan->fdw_private, NIL), lcons_int(counts, columns));
}
inline const List *direct_private(const ForeignScan *plan) { return static_cast<const List *>(llast(plan->fdw_private)); }
inline CmdType scan_locks_for(const ForeignScan *plan) {
  return static_cast<CmdType>(intVal(lthird(plan->fdw_private)));
}

// Whether links of a node that are wanted in order of id are gathered and sorted in memory: not if they are too many.
inline bool is_gathered(double links) { return links * sizeof(LinkRow) <= work_mem * 1024.0; }
inline constexpr int kFewGathered = 64; // so many without looking for them by id first

// Makes `slot` hold a link.
void fill_slot(const StoreSpec *spec, const LinkRow &row, TupleTableSlot *slot);

// What the executor leaves to check in rows that are written.
struct SlotChecks {
  bool identity;    // the id comes from a sequence if it is left out; NULL is none
  bool conditions;  // CHECK
  bool not_null;    // NOT NULL: names what is missing in a row that cannot be written anyway
  bool partition;   // whether a row is where it belongs: routing knows that of inserted ones, and an updated one is
                    // not moved by this executor
};
SlotChecks slot_checks(const ResultRelInfo *rinfo, CmdType command);

// A link from the slot of a row to be written. `assign` allows the id to be missing. NULL ends and bad ids are
// errors, after the constraints of the table have had their say.
struct NewRow {
  ResultRelInfo *rinfo;
  TupleTableSlot *slot;
  EState *estate;
};
LinkInput read_link(const WriteTarget &target, const SlotChecks &checks, const NewRow &row, bool assign);

// For the scan of a relation to be changed whose row triggers must see rows that stay as they
// are: locks the row of the slot if it meets the local conditions. False: it is not wanted.
// The slot may show a newer version afterwards.
bool lock_scanned_row(ForeignScanState *node, const WriteTarget &target, TupleTableSlot *slot);

// Whether functions of a statement that is being planned, of a plan, or of the CHECK constraints of a table could look
// at the rows that the same command has inserted or changed before.
bool statement_looks_at_rows(const PlannerInfo *root);
bool plan_looks_at_rows(PlanState *plan);
bool constraints_look_at_rows(Relation rel);

// Whether an error of expressions, or of the CHECK constraints and partition bounds of a table, can be caught and thrown later
// in the same command.
bool errors_may_wait(const List *expressions);
bool constraint_errors_may_wait(Relation rel);
// In PG_CATCH: catches the error, for ReThrowError after the rows before it have been written; leaves the current memory
// context at `context`, where the error is. Cancellations and the like it throws at once.
ErrorData *hold_error(MemoryContext context);

// The rows of a COPY into a store that wait to be inserted together, kRowsPerLock at most. Null: they must not.
// copy_waiting inserts them; `over`: the last line has been read. Errors of insert_links, at the line of the row that has them.
struct CopyBuffer;
CopyBuffer *copy_buffer(const ResultRelInfo *rinfo, EState *estate);
void copy_row(CopyBuffer *buffer, const WriteTarget &target, const LinkInput &link);
void copy_waiting(CopyBuffer *buffer, const WriteTarget &target, bool over);

extern "C" {
void doublets_get_rel_size(PlannerInfo *root, RelOptInfo *baserel, Oid relid);
void doublets_get_paths(PlannerInfo *root, RelOptInfo *baserel, Oid relid);
ForeignScan *doublets_get_plan(PlannerInfo *root, RelOptInfo *baserel, Oid relid,
                               ForeignPath *best_path, List *tlist, List *scan_clauses,
                               Plan *outer_plan);
void doublets_get_upper_paths(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input,
                              RelOptInfo *output, void *extra);
RowMarkType doublets_get_row_mark_type(RangeTblEntry *rte, LockClauseStrength strength);
void doublets_refetch_row(EState *estate, ExecRowMark *mark, Datum rowid, TupleTableSlot *slot,
                          bool *updated);

void doublets_begin_scan(ForeignScanState *node, int eflags);
TupleTableSlot *doublets_iterate_scan(ForeignScanState *node);
void doublets_rescan(ForeignScanState *node);
bool doublets_recheck_scan(ForeignScanState *node, TupleTableSlot *slot);
void doublets_end_scan(ForeignScanState *node);
void doublets_explain_scan(ForeignScanState *node, ExplainState *es);

bool doublets_is_parallel_safe(PlannerInfo *root, RelOptInfo *rel, RangeTblEntry *rte);
Size doublets_estimate_dsm(ForeignScanState *node, ParallelContext *pcxt);
void doublets_initialize_dsm(ForeignScanState *node, ParallelContext *pcxt, void *coordinate);
void doublets_reinitialize_dsm(ForeignScanState *node, ParallelContext *pcxt, void *coordinate);
void doublets_initialize_worker(ForeignScanState *node, shm_toc *toc, void *coordinate);
void doublets_shutdown_scan(ForeignScanState *node);

void doublets_add_update_targets(PlannerInfo *root, Index rtindex, RangeTblEntry *target_rte,
                                 Relation target_relation);
List *doublets_plan_modify(PlannerInfo *root, ModifyTable *plan, Index result_relation,
                           int subplan_index);
void doublets_begin_modify(ModifyTableState *mtstate, ResultRelInfo *rinfo, List *fdw_private,
                           int subplan_index, int eflags);
void doublets_begin_insert(ModifyTableState *mtstate, ResultRelInfo *rinfo);
TupleTableSlot *doublets_exec_insert(EState *estate, ResultRelInfo *rinfo, TupleTableSlot *slot,
                                     TupleTableSlot *plan_slot);
TupleTableSlot **doublets_exec_batch_insert(EState *estate, ResultRelInfo *rinfo,
                                            TupleTableSlot **slots, TupleTableSlot **plan_slots,
                                            int *num_slots);
int doublets_modify_batch_size(ResultRelInfo *rinfo);
TupleTableSlot *doublets_exec_update(EState *estate, ResultRelInfo *rinfo, TupleTableSlot *slot,
                                     TupleTableSlot *plan_slot);
TupleTableSlot *doublets_exec_delete(EState *estate, ResultRelInfo *rinfo, TupleTableSlot *slot,
                                     TupleTableSlot *plan_slot);
void doublets_end_modify(EState *estate, ResultRelInfo *rinfo);

bool doublets_plan_direct_modify(PlannerInfo *root, ModifyTable *plan, Index result_relation,
                                 int subplan_index);
void doublets_begin_direct_modify(ForeignScanState *node, int eflags);
TupleTableSlot *doublets_iterate_direct_modify(ForeignScanState *node);
void doublets_end_direct_modify(ForeignScanState *node);
void doublets_explain_direct_modify(ForeignScanState *node, ExplainState *es);

int doublets_is_updatable(Relation rel);
void doublets_truncate(List *rels, DropBehavior behavior, bool restart_seqs);

List *doublets_import_schema(ImportForeignSchemaStmt *stmt, Oid server);

bool doublets_analyze(Relation relation, AcquireSampleRowsFunc *func, BlockNumber *totalpages);
}

} // namespace doublets::pg

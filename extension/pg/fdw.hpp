// The foreign-data wrapper: what its files share.
//
//   fdw.cpp          the handler: the table of callbacks
//   fdw_plan.cpp     conditions, estimates, paths, the plan
//   fdw_scan.cpp     reading, EXPLAIN
//   fdw_values.cpp   integers of SQL as the core's
//   fdw_modify.cpp   INSERT, COPY, UPDATE, DELETE, TRUNCATE
//   fdw_analyze.cpp  ANALYZE
#pragma once

#include "access.hpp"

namespace doublets::pg {

// Parts of a link a condition can fix.
enum Part : int { kPartId, kPartSource, kPartTarget, kParts };

// ForeignScan.fdw_private is an integer list: for each expression of fdw_exprs the part
// it fixes, plus kArrayFlag if it is an array of alternatives.
inline constexpr int kArrayFlag = 8;

// An int2, int4 or int8 datum.
std::int64_t integer_value(Datum datum, Oid type);

// The distinct elements of an array of such, ascending; NULLs, which nothing is equal to,
// are left out. The answer is in `context`; reading the array may leave garbage in the
// current one.
std::int64_t *array_values(Datum array, MemoryContext context, int *n);

extern "C" {
void doublets_get_rel_size(PlannerInfo *root, RelOptInfo *baserel, Oid relid);
void doublets_get_paths(PlannerInfo *root, RelOptInfo *baserel, Oid relid);
ForeignScan *doublets_get_plan(PlannerInfo *root, RelOptInfo *baserel, Oid relid,
                               ForeignPath *best_path, List *tlist, List *scan_clauses,
                               Plan *outer_plan);
RowMarkType doublets_get_row_mark_type(RangeTblEntry *rte, LockClauseStrength strength);

void doublets_begin_scan(ForeignScanState *node, int eflags);
TupleTableSlot *doublets_iterate_scan(ForeignScanState *node);
void doublets_rescan(ForeignScanState *node);
void doublets_end_scan(ForeignScanState *node);
void doublets_explain_scan(ForeignScanState *node, ExplainState *es);

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
int doublets_is_updatable(Relation rel);
void doublets_truncate(List *rels, DropBehavior behavior, bool restart_seqs);

bool doublets_analyze(Relation relation, AcquireSampleRowsFunc *func, BlockNumber *totalpages);
}

} // namespace doublets::pg

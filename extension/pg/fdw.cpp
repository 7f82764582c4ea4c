#include "fdw.hpp"

DOUBLETS_FUNCTION(doublets_fdw_handler) {
  using namespace doublets::pg;
  FdwRoutine *routine = makeNode(FdwRoutine);

  routine->GetForeignRelSize = doublets_get_rel_size;
  routine->GetForeignPaths = doublets_get_paths;
  routine->GetForeignPlan = doublets_get_plan;
  routine->GetForeignUpperPaths = doublets_get_upper_paths;
  routine->GetForeignRowMarkType = doublets_get_row_mark_type;
  routine->RefetchForeignRow = doublets_refetch_row;

  routine->BeginForeignScan = doublets_begin_scan;
  routine->IterateForeignScan = doublets_iterate_scan;
  routine->ReScanForeignScan = doublets_rescan;
  routine->RecheckForeignScan = doublets_recheck_scan;
  routine->EndForeignScan = doublets_end_scan;
  routine->ExplainForeignScan = doublets_explain_scan;

  routine->IsForeignScanParallelSafe = doublets_is_parallel_safe;
  routine->EstimateDSMForeignScan = doublets_estimate_dsm;
  routine->InitializeDSMForeignScan = doublets_initialize_dsm;
  routine->ReInitializeDSMForeignScan = doublets_reinitialize_dsm;
  routine->InitializeWorkerForeignScan = doublets_initialize_worker;
  routine->ShutdownForeignScan = doublets_shutdown_scan;

  routine->AddForeignUpdateTargets = doublets_add_update_targets;
  routine->PlanForeignModify = doublets_plan_modify;
  routine->BeginForeignModify = doublets_begin_modify;
  routine->BeginForeignInsert = doublets_begin_insert;
  routine->ExecForeignInsert = doublets_exec_insert;
  routine->ExecForeignBatchInsert = doublets_exec_batch_insert;
  routine->GetForeignModifyBatchSize = doublets_modify_batch_size;
  routine->ExecForeignUpdate = doublets_exec_update;
  routine->ExecForeignDelete = doublets_exec_delete;
  routine->EndForeignModify = doublets_end_modify;
  routine->EndForeignInsert = doublets_end_modify;
  routine->PlanDirectModify = doublets_plan_direct_modify;
  routine->BeginDirectModify = doublets_begin_direct_modify;
  routine->IterateDirectModify = doublets_iterate_direct_modify;
  routine->EndDirectModify = doublets_end_direct_modify;
  routine->ExplainDirectModify = doublets_explain_direct_modify;
  routine->IsForeignRelUpdatable = doublets_is_updatable;
  routine->ExecForeignTruncate = doublets_truncate;

  routine->ImportForeignSchema = doublets_import_schema;

  routine->AnalyzeForeignTable = doublets_analyze;

  PG_RETURN_POINTER(routine);
}

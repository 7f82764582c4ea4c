// Row locks: FOR [NO KEY] UPDATE, FOR [KEY] SHARE, and rows that triggers are about to see.
#include "fdw.hpp"

namespace doublets::pg {
namespace {

LockStrength strength_of(RowMarkType type) {
  switch (type) {
  case ROW_MARK_EXCLUSIVE:
    return LockStrength::kUpdate;
  case ROW_MARK_NOKEYEXCLUSIVE:
    return LockStrength::kNoKeyUpdate;
  case ROW_MARK_SHARE:
    return LockStrength::kShare;
  case ROW_MARK_KEYSHARE:
    return LockStrength::kKeyShare;
  default:
    elog(ERROR, "unexpected row mark type %d of a doublets store", static_cast<int>(type));
  }
}

} // namespace

// A row that is not locked is copied: it is all there is of it.
extern "C" RowMarkType doublets_get_row_mark_type(RangeTblEntry *, LockClauseStrength strength) {
  switch (strength) {
  case LCS_NONE:
    break;
  case LCS_FORKEYSHARE:
    return ROW_MARK_KEYSHARE;
  case LCS_FORSHARE:
    return ROW_MARK_SHARE;
  case LCS_FORNOKEYUPDATE:
    return ROW_MARK_NOKEYEXCLUSIVE;
  case LCS_FORUPDATE:
    return ROW_MARK_EXCLUSIVE;
  }
  return ROW_MARK_COPY;
}

// Locks the link of a row for LockRows, which evaluates its query again if `updated`. An empty
// slot: the row is gone, or locked by others and to be skipped.
extern "C" void doublets_refetch_row(EState *estate, ExecRowMark *mark, Datum rowid,
                                     TupleTableSlot *slot, bool *updated) {
  auto *target = static_cast<WriteTarget *>(mark->ermExtra);
  if (target == nullptr) {
    target = static_cast<WriteTarget *>(MemoryContextAlloc(estate->es_query_cxt, sizeof(WriteTarget)));
    *target = open_for_write(mark->relation, estate->es_output_cid);
    mark->ermExtra = target;
  }
  LinkRow newest{};
  const Change change =
      lock_link(*target, version_of(reinterpret_cast<ItemPointer>(DatumGetPointer(rowid))),
                {strength_of(mark->markType), mark->waitPolicy, false}, newest);
  if (change != Change::kDone && change != Change::kUpdated) {
    ExecClearTuple(slot);
    return;
  }
  *updated = change == Change::kUpdated;
  fill_slot(target->spec, newest, slot);
  slot->tts_tableOid = RelationGetRelid(mark->relation);
}

// Only conditions of the scan itself are checked again for a row that has changed; the join
// that may be above goes on with the new row. The lock of an UPDATE is the weaker one: if
// it turns out to change the key it waits for the holders of KEY SHARE then, who leave the row
// as it is.
bool lock_scanned_row(ForeignScanState *node, const WriteTarget &target, TupleTableSlot *slot) {
  ExprContext *econtext = node->ss.ps.ps_ExprContext;
  const auto passes = [&](ExprState *conditions) {
    ResetExprContext(econtext);
    econtext->ecxt_scantuple = slot;
    return conditions == nullptr || ExecQual(conditions, econtext);
  };
  if (!passes(node->ss.ps.qual))
    return false;
  const bool deleting =
      scan_locks_for(castNode(ForeignScan, node->ss.ps.plan)) == CMD_DELETE;
  const LockStrength strength = deleting ? LockStrength::kUpdate : LockStrength::kNoKeyUpdate;
  LinkRow newest{};
  switch (lock_link(target, version_of(&slot->tts_tid), {strength, LockWaitBlock, true}, newest)) {
  case Change::kDone:
    return true;
  case Change::kUpdated:
    fill_slot(target.spec, newest, slot);
    slot->tts_tableOid = RelationGetRelid(target.rel);
    return passes(node->fdw_recheck_quals) && passes(node->ss.ps.qual);
  default:
    return false;
  }
}

} // namespace doublets::pg

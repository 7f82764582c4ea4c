#include "transactions.hpp"

namespace doublets::pg {
namespace {

// All records of the current top-level transaction, in TopTransactionContext: those of inner
// subtransactions before those of outer ones, for only the innermost adds any.
StoreTransaction *transactions = nullptr;

TransactionId short_xid(const TxnSlot &slot) noexcept {
  return static_cast<TransactionId>(slot.xid);
}

// The subtransaction of a record is left: the one around it writes with its own.
void leave(const StoreTransaction &t) noexcept {
  if (t.store->transaction == &t)
    t.store->transaction = t.outer;
}

// Nothing else invalidates plans as a store grows: whoever changes its size by a factor of four tells those who have
// planned with the size before. Not at less, lest a store that goes up and down keeps everybody planning.
void announce_sizes() {
  constexpr std::uint64_t kFactor = 4, kSmall = 64;
  for (StoreTransaction *t = transactions; t != nullptr; t = t->next) {
    const std::uint64_t planned = Max(pg_atomic_read_u64(&t->store->shared->planned_size), kSmall);
    const std::uint64_t size = Max(Store::size_hint(Store(t->store->heap).header()), kSmall);
    if (size < planned * kFactor && size * kFactor > planned)
      continue;
    const Oid relation = t->store->key.relation;
    if (SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relation)))
      CacheInvalidateRelcacheByRelid(relation);
    t->announced_size = size;
  }
}

// Sets the state of every slot of the innermost subtransaction, or of all, and forgets the records.
void finish(TxnState state, SubTransactionId subid = InvalidSubTransactionId) noexcept {
  for (; transactions != nullptr && (subid == InvalidSubTransactionId || transactions->subid == subid);
       transactions = transactions->next) {
    if (transactions->slot)
      store_state(transactions->store->heap.at(transactions->slot), state);
    if (state == TxnState::kCommitted && transactions->announced_size != 0)
      pg_atomic_write_u64(&transactions->store->shared->planned_size, transactions->announced_size);
    leave(*transactions);
  }
}

extern "C" void at_xact_event(XactEvent event, void *) {
  switch (event) {
  case XACT_EVENT_PRE_COMMIT:
    announce_sizes();
    break;
  case XACT_EVENT_COMMIT:
    finish(TxnState::kCommitted);
    registry_at_xact_end(true);
    break;
  case XACT_EVENT_ABORT:
    finish(TxnState::kAborted);
    registry_at_xact_end(false);
    break;
  case XACT_EVENT_PRE_PREPARE:
    if (transactions != nullptr || registry_has_pending())
      ereport(ERROR,
              (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
               errmsg("cannot PREPARE a transaction that has written a volatile doublets store"),
               errhint("Commit or roll back the transaction with COMMIT or ROLLBACK.")));
    break;
  default:
    break;
  }
}

extern "C" void at_subxact_event(SubXactEvent event, SubTransactionId my_subid,
                                 SubTransactionId parent_subid, void *) {
  if (event == SUBXACT_EVENT_COMMIT_SUB) {
    for (StoreTransaction *t = transactions; t != nullptr && t->subid == my_subid; t = t->next) {
      t->subid = parent_subid;
      leave(*t);
    }
    registry_at_subxact_end(true, my_subid, parent_subid);
  } else if (event == SUBXACT_EVENT_ABORT_SUB) {
    finish(TxnState::kAborted, my_subid);
    registry_at_subxact_end(false, my_subid, parent_subid);
  }
}

Fate newest_fate(void *, const TxnSlot &slot) noexcept {
  switch (load_state(slot)) {
  case TxnState::kCommitted:
    return Fate::kCommitted;
  case TxnState::kAborted:
    return Fate::kAborted;
  default:
    return TransactionIdIsCurrentTransactionId(short_xid(slot)) ? Fate::kOwn : Fate::kRunning;
  }
}

// A transaction id that is at most 2^31 behind the next one, in full.
TxnId full_xid(TransactionId xid) noexcept {
  const FullTransactionId next = ReadNextFullTransactionId();
  const uint32 behind = XidFromFullTransactionId(next) - xid;
  return U64FromFullTransactionId(next) - behind;
}

} // namespace

void transactions_init() {
  RegisterXactCallback(at_xact_event, nullptr);
  RegisterSubXactCallback(at_subxact_event, nullptr);
}

void check_read_allowed() {
  if (RecoveryInProgress())
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("cannot access volatile doublets stores during recovery")));
}

void begin_read(Relation rel, Snapshot snapshot) {
  check_read_allowed();
  if (IsolationIsSerializable())
    PredicateLockRelation(rel, snapshot);
}

void announce_write(Relation rel) {
  if (IsolationIsSerializable())
    CheckForSerializableConflictIn(rel, nullptr, InvalidBlockNumber);
}

StoreTransaction *begin_write(StoreHandle *store) {
  PreventCommandDuringRecovery("writing a doublets store");
  if (IsInParallelMode())
    ereport(ERROR, (errcode(ERRCODE_INVALID_TRANSACTION_STATE),
                    errmsg("cannot write a doublets store during a parallel operation")));
  constexpr CommandId kMaxCommand = (1u << 31) - 2;
  if (unlikely(GetCurrentCommandId(false) > kMaxCommand))
    ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                    errmsg("cannot have more than %u commands in a transaction that writes a doublets store",
                           kMaxCommand)));
  const FullTransactionId xid = GetCurrentFullTransactionId();
  StoreTransaction *last = store->transaction;
  if (last != nullptr && FullTransactionIdEquals(last->xid, xid))
    return last;
  auto *t = static_cast<StoreTransaction *>(
      MemoryContextAllocZero(TopTransactionContext, sizeof(StoreTransaction)));
  t->store = store;
  t->xid = xid;
  t->subid = GetCurrentSubTransactionId();
  t->outer = last;
  t->next = transactions;
  transactions = t;
  store->transaction = t;
  return t;
}

Oracle newest_state() { return {newest_fate, nullptr}; }

Writer writer_of(StoreTransaction *txn, CommandId command) {
  return {U64FromFullTransactionId(txn->xid), command, txn->slot, newest_state()};
}

// ---------------------------------------------------------------------------
// Snapshots

SnapshotView::Verdict SnapshotView::judge(const TxnSlot &slot) noexcept {
  const TransactionId xid = short_xid(slot);
  if (xmin_ == 0)
    xmin_ = full_xid(snapshot_->xmin);
  // A record may outlive the 2^31 transactions that short ids can tell apart; the own
  // transaction and those that run beside it are not that old.
  if (slot.xid >= xmin_) {
    if (TransactionIdIsCurrentTransactionId(xid))
      return Verdict::kOwn;
    if (XidInMVCCSnapshot(xid, snapshot_)) {
      if (unlikely(context_ != nullptr))
        meet(xid);
      return Verdict::kNothing;
    }
  }
  // Finished for the snapshot. A running state is the moment before its callback.
  const TxnState state = load_state(slot);
  const bool committed = state == TxnState::kCommitted ||
                         (state == TxnState::kRunning && TransactionIdDidCommit(xid));
  return committed ? Verdict::kAll : Verdict::kNothing;
}

bool SnapshotView::includes(void *context, const TxnSlot &slot, CommandId command) noexcept {
  // A slot of the own transaction may be aborted by ROLLBACK TO at any time.
  if (load_state(slot) == TxnState::kAborted)
    return false;
  auto *view = static_cast<SnapshotView *>(context);
  if (slot.xid != view->last_xid_) {
    view->last_ = view->judge(slot);
    view->last_xid_ = slot.xid;
  }
  return view->last_ == Verdict::kAll ||
         (view->last_ == Verdict::kOwn && command < view->snapshot_->curcid);
}

// Called under the store's lock, so memory may run out but not raise an ERROR.
void SnapshotView::meet(TransactionId xid) noexcept {
  constexpr std::uint32_t kFirst = 64;
  const auto place = [](TransactionId *set, std::uint32_t capacity, TransactionId x) noexcept {
    std::uint32_t at = static_cast<std::uint32_t>(mix64(x)) & (capacity - 1);
    while (set[at] != InvalidTransactionId && set[at] != x)
      at = (at + 1) & (capacity - 1);
    return set + at;
  };
  if (met_count_ * 2 >= met_capacity_) {
    const std::uint32_t capacity = met_capacity_ == 0 ? kFirst : met_capacity_ * 2;
    auto *larger = static_cast<TransactionId *>(
        MemoryContextAllocExtended(context_, sizeof(TransactionId) * capacity,
                                   MCXT_ALLOC_NO_OOM | MCXT_ALLOC_ZERO | MCXT_ALLOC_HUGE));
    if (larger == nullptr) {
      out_of_memory_ = true;
      return;
    }
    for (std::uint32_t i = 0; i < met_capacity_; ++i)
      if (met_[i] != InvalidTransactionId)
        *place(larger, capacity, met_[i]) = met_[i];
    if (met_ != nullptr)
      pfree(met_);
    met_ = larger;
    met_capacity_ = capacity;
  }
  TransactionId *at = place(met_, met_capacity_, xid);
  met_count_ += *at == InvalidTransactionId;
  *at = xid;
}

// As heapam's HeapCheckForSerializableConflictOut, for each transaction met.
void SnapshotView::report_met(const StoreHandle *store) {
  if (out_of_memory_)
    ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory"),
                    errdetail("A list of concurrent transactions could not be enlarged.")));
  const Relation rel = relation_open(store->key.relation, NoLock);
  for (std::uint32_t i = 0; i < met_capacity_; ++i) {
    TransactionId xid = met_[i];
    if (xid == InvalidTransactionId || TransactionIdPrecedes(xid, TransactionXmin))
      continue;
    xid = SubTransGetTopmostTransaction(xid);
    if (!TransactionIdPrecedes(xid, TransactionXmin))
      CheckForSerializableConflictOut(rel, xid, snapshot_);
  }
  relation_close(rel, NoLock);
  std::memset(met_, 0, sizeof(TransactionId) * met_capacity_);
  met_count_ = 0;
}

// ---------------------------------------------------------------------------
// Settling

TxnId settling_horizon() {
  // Whoever drops the extension has this lock and waits for the stores in use: to wait for it
  // would be a deadlock. Nothing is settled then.
  const Oid oid = horizon_relation_oid();
  if (!ConditionalLockRelationOid(oid, AccessShareLock))
    return 0;
  const Relation rel = try_relation_open(oid, NoLock);
  if (rel == nullptr) {
    UnlockRelationOid(oid, AccessShareLock);
    return 0;
  }
  const TransactionId oldest = GetOldestNonRemovableTransactionId(rel);
  relation_close(rel, AccessShareLock);
  return full_xid(oldest);
}

std::uint64_t settle_some(StoreHandle *store, std::uint64_t limit, bool wait, bool *more) {
  if (more != nullptr)
    *more = false;
  // At worst one settling too many or too few.
  if (!Store::has_unsettled(Store(store->heap).header()))
    return 0;
  const TxnId horizon = settling_horizon();
  if (wait)
    store_lock(store, LW_EXCLUSIVE);
  else if (!store_lock_conditional(store))
    return 0;
  Store core(store->heap);
  std::uint64_t dropped = core.settle(horizon, limit, more);
  const std::uint64_t locks = core.header().locks.lockers;
  (void)core.settle_locks(limit);
  dropped += locks - core.header().locks.lockers;
  store_unlock(store);
  return dropped;
}

void settle_in_passing(StoreHandle *store, std::uint64_t limit, bool wait) {
  constexpr std::uint64_t kFew = 16;
  const StoreHeader &header = Store(store->heap).header();
  if (!Store::has_unsettled(header))
    return;
  // Where there is little to do or, as while this transaction goes on, nothing, only every so often.
  if ((store->settled_none || !Store::has_unsettled(header, kFew)) && ++store->passes % kFew != 0)
    return;
  store->settled_none = settle_some(store, limit, wait) == 0;
}

std::uint64_t settle_all(StoreHandle *store) {
  constexpr std::uint64_t kBatch = 512; // below a millisecond, at hubs too
  const TxnId horizon = settling_horizon();
  store_lock(store, LW_SHARED);
  // Records with an open end go round in the queue: everything is looked at once.
  std::uint64_t left = Store(store->heap).unsettled();
  std::uint64_t locks = Store(store->heap).header().locks.lockers;
  store_unlock(store);
  std::uint64_t dropped = 0;
  for (bool more = true; more && left > 0; left -= left < kBatch ? left : kBatch) {
    CHECK_FOR_INTERRUPTS();
    store_lock(store, LW_EXCLUSIVE);
    dropped += Store(store->heap).settle(horizon, kBatch, &more);
    store_unlock(store);
  }
  while (locks > 0) {
    CHECK_FOR_INTERRUPTS();
    store_lock(store, LW_EXCLUSIVE);
    const std::uint64_t looked = Store(store->heap).settle_locks(kBatch);
    store_unlock(store);
    locks -= looked == 0 || looked > locks ? locks : looked;
  }
  return dropped;
}

} // namespace doublets::pg

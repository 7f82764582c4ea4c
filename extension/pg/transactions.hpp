// Transactions: which slots of which stores a backend's transaction writes with, how
// versions are judged by a snapshot, and when effects become final.
//
// Each (sub)transaction that writes a store has one TxnSlot in that store. Versions
// point to slots, so committing or aborting a million versions is one store to
// memory per slot: the callbacks allocate nothing, attach nothing and cannot fail.
//
// A slot's state is set by XACT_EVENT_COMMIT, which runs after the transaction has
// left the procarray: between the two a new snapshot counts the transaction as
// finished while its slot still says running. Readers then ask the commit log.
// Writers instead wait for the transaction's lock, which is released only after the
// callbacks, so they never meet that window.
#pragma once

#include "../core/store.hpp"
#include "store_handle.hpp"

namespace doublets::pg {

// What one (sub)transaction has written to one store.
struct StoreTransaction {
  StoreHandle *store;
  FullTransactionId xid;
  SubTransactionId subid;
  Ref<TxnSlot> slot; // null until something was written
  std::uint64_t announced_size; // 0: plans stay as they are; else the size the next ones are made for
  StoreTransaction *outer; // of the same store, of the nearest subtransaction around this one
  StoreTransaction *next;
};

// Called once by _PG_init.
void transactions_init();

// The record of the current (sub)transaction for a store; assigns a transaction id.
// Requires: no LWLock is held. Errors: 25006 during recovery, 25000 in a parallel worker,
// 54000 after 2^31 commands.
StoreTransaction *begin_write(StoreHandle *store);

// The core's Writer for changes made by `command`. The oracle judges by the current
// transaction.
Writer writer_of(StoreTransaction *txn, CommandId command);
Oracle newest_state();

// Errors: 0A000 during recovery.
void check_read_allowed();

// SERIALIZABLE: every read of a store, whatever it finds and by whatever way, locks the
// relation against writers first; see storage/lmgr/README-SSI. Errors: 0A000 during
// recovery, 40001, 53200.
void begin_read(Relation rel, Snapshot snapshot);

// SERIALIZABLE: a change was applied to the store of `rel`. Requires: no LWLock is held.
// Errors: 40001.
void announce_write(Relation rel);

// Judges slots by an MVCC snapshot, remembering the last answer: the versions of one
// bulk load name the same slot. Not to be used under another snapshot or by others.
// In isolation level SERIALIZABLE it also remembers which concurrent transactions it has
// met, which report() passes on after each time the store's lock was held.
class SnapshotView {
public:
  explicit SnapshotView(Snapshot snapshot)
      : snapshot_(snapshot), context_(IsolationIsSerializable() ? CurrentMemoryContext : nullptr) {}

  Visibility visibility() noexcept { return {includes, this}; }

  // Requires: no LWLock is held. Errors: 40001, 53200.
  void report(const StoreHandle *store) {
    if (unlikely(met_count_ > 0 || out_of_memory_))
      report_met(store);
  }

private:
  enum class Verdict : std::uint8_t { kNothing, kAll, kOwn };

  static bool includes(void *context, const TxnSlot &slot, CommandId command) noexcept;
  Verdict judge(const TxnSlot &slot) noexcept;
  void meet(TransactionId xid) noexcept;
  void report_met(const StoreHandle *store);

  Snapshot snapshot_;
  TxnId xmin_ = 0; // of the snapshot, in full; 0: not computed yet
  TxnId last_xid_ = 0;
  Verdict last_ = Verdict::kNothing;
  MemoryContext context_; // of met_; null: nobody wants to know
  TransactionId *met_ = nullptr; // a hash set with open addressing
  std::uint32_t met_capacity_ = 0; // a power of two
  std::uint32_t met_count_ = 0;
  bool out_of_memory_ = false;
};

// The oldest transaction whose effects some snapshot of this database, or a standby or
// logical slot that holds back this database's tables, may still judge. 0, before all
// transactions, while the extension is being dropped.
// Requires: no LWLock is held. Cost: as one scan of the procarray.
TxnId settling_horizon();

// Settles up to `limit` versions in flight and as many row locks of a store, if there are
// any. A writer waits for the store's lock, a reader (`wait` false) only takes it when it is free.
// Returns the number of versions and locks dropped; `more`, if wanted, as Store::settle.
std::uint64_t settle_some(StoreHandle *store, std::uint64_t limit, bool wait,
                          bool *more = nullptr);

// The same by the way of a statement: now and then while there are few or the last time dropped
// none, for finding the horizon costs as much as a short statement may.
void settle_in_passing(StoreHandle *store, std::uint64_t limit, bool wait);

// Settles all that can be, interruptibly; returns the number dropped.
std::uint64_t settle_all(StoreHandle *store);

} // namespace doublets::pg

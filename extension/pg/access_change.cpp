// Updating, deleting and locking links that others change or hold at the same time.
#include "access.hpp"

namespace doublets::pg {
namespace {

// A place in the line of those who want a version, as heap_acquire_tuplock has it: whoever
// holds the tuple's heavyweight lock waits for the transactions in the way, the others
// wait for that lock, so nobody is overtaken. An ERROR releases it.
class Line {
public:
  explicit Line(Relation rel) noexcept : rel_(rel) {}

  // False: it would have to wait, and the policy is not to.
  bool join(Ref<Version> version, LockStrength strength, LockWaitPolicy policy) {
    if (held_ != NoLock)
      return true;
    set_tid(&tid_, version);
    const LOCKMODE mode = mode_of(strength);
    if (policy == LockWaitBlock)
      LockTuple(rel_, &tid_, mode);
    else if (!ConditionalLockTuple(rel_, &tid_, mode))
      return false;
    held_ = mode;
    return true;
  }

  void leave() {
    if (held_ != NoLock)
      UnlockTuple(rel_, &tid_, held_);
    held_ = NoLock;
  }

private:
  // heapam's tupleLockExtraInfo
  static LOCKMODE mode_of(LockStrength strength) noexcept {
    switch (strength) {
    case LockStrength::kKeyShare:
      return AccessShareLock;
    case LockStrength::kShare:
      return RowShareLock;
    case LockStrength::kNoKeyUpdate:
      return ExclusiveLock;
    case LockStrength::kUpdate:
      break;
    }
    return AccessExclusiveLock;
  }

  Relation rel_;
  LOCKMODE held_ = NoLock;
  ItemPointerData tid_{};
};

[[noreturn]] void raise_not_available(const WriteTarget &t) {
  ereport(ERROR, (errcode(ERRCODE_LOCK_NOT_AVAILABLE),
                  errmsg("could not obtain lock on row in relation \"%s\"",
                         RelationGetRelationName(t.rel))));
  pg_unreachable();
}

[[noreturn]] void raise_self_modified(bool deleting) {
  ereport(ERROR,
          (errcode(ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION),
           deleting ? errmsg("tuple to be deleted was already modified by an operation "
                             "triggered by the current command")
                    : errmsg("tuple to be updated was already modified by an operation "
                             "triggered by the current command"),
           errhint("Consider using an AFTER trigger instead of a BEFORE trigger to propagate "
                   "changes to other rows.")));
  pg_unreachable();
}

// Waits for a transaction as the policy says; false: it would take longer.
bool wait_for_holder(const WriteTarget &t, const WriteResult &r, LockWaitPolicy policy,
                     XLTW_Oper oper) {
  if (policy == LockWaitBlock) {
    wait_for(t, r, oper);
    return true;
  }
  if (ConditionalXactLockTableWait(static_cast<TransactionId>(r.wait_for)))
    return true;
  if (policy == LockWaitError)
    raise_not_available(t);
  return false;
}

// Waits in line for a version that somebody changes or holds.
bool wait_in_line(const WriteTarget &t, Line &line, const WriteResult &r, LockWaitPolicy policy,
                  XLTW_Oper oper) {
  // As heap_lock_updated_tuple, which knows no policy.
  if (r.follows) {
    wait_for(t, r, XLTW_LockUpdated);
    return true;
  }
  if (!r.overtakes && !line.join(r.other, r.wanted, policy)) {
    if (policy == LockWaitError)
      raise_not_available(t);
    return false;
  }
  return wait_for_holder(t, r, policy, oper);
}

// Goes on from the successor of a version that others have changed to the newest version that
// is there, waiting for who is just changing it, as heapam_tuple_lock does. kUpdated:
// `version` is it, not locked yet.
Change find_newest(const WriteTarget &t, Ref<Version> &version, LockWaitPolicy policy) {
  for (;;) {
    store_lock(t.store, LW_SHARED);
    const Store store(t.store->heap);
    const WriteResult r = store.fate(version, newest_state());
    const bool own = store.inserted_since(version, t.command, newest_state());
    store_unlock(t.store);
    if (r.status == Status::kOk)
      return own ? Change::kSkip : Change::kUpdated;
    if (r.status == Status::kWait) {
      if (!wait_for_holder(t, r, policy, XLTW_FetchUpdated))
        return Change::kWouldBlock;
    } else if (!r.other) {
      return Change::kDeleted;
    } else {
      version = r.other;
    }
  }
}

// What a command does about a version that it cannot change as it is. True: try again.
bool resolve_change(const WriteTarget &t, Line &line, Ref<Version> version, const WriteResult &r,
                    bool deleting, LinkRow &newest, Change &change) {
  switch (r.status) {
  case Status::kNeedMemory:
    make_room(t, r.units);
    return true;
  case Status::kWait:
    (void)wait_in_line(t, line, r, LockWaitBlock, deleting ? XLTW_Delete : XLTW_Update);
    return true;
  case Status::kSelfModified:
    if (r.command != t.command)
      raise_self_modified(deleting);
    change = Change::kSkip;
    return false;
  case Status::kDeleted:
    if (IsolationUsesXactSnapshot())
      raise_concurrent(true);
    change = Change::kDeleted;
    return false;
  case Status::kUpdated:
    if (IsolationUsesXactSnapshot())
      raise_concurrent(false);
    // Still at the head of the line: the next comes when what the version has become is locked.
    change = lock_link(t, version, {r.wanted, LockWaitBlock, true}, newest);
    Assert(change != Change::kDone);
    return false;
  default:
    elog(ERROR, "unexpected status %d of a doublets store", static_cast<int>(r.status));
  }
}

// Makes `change(first, n, done)` under the store's lock for at most kRowsPerLock rows at a time, until it gets stuck.
template <class Change>
std::size_t change_many(const WriteTarget &t, std::size_t n, Change &&change) {
  for (std::size_t first = 0; first < n;) {
    const std::size_t batch = n - first < kRowsPerLock ? n - first : kRowsPerLock;
    // Changes leave as much behind as they make.
    settle_in_passing(t.store, batch, true);
    std::size_t done = 0;
    const WriteResult r = change(first, batch, done);
    first += done;
    if (done > 0)
      announce_write(t.rel);
    if (r.status == Status::kNeedMemory)
      make_room(t, r.units);
    else if (r.status != Status::kOk)
      return first;
    CHECK_FOR_INTERRUPTS();
  }
  return n;
}

} // namespace

std::size_t update_links(const WriteTarget &t, const LinkRow *rows, LinkInput *links, std::size_t n) {
  const Writer writer = writer_of(begin_write(t.store), t.command);
  return change_many(t, n, [&](std::size_t first, std::size_t batch, std::size_t &done) {
    store_lock(t.store, LW_EXCLUSIVE);
    WriteResult r = Store(t.store->heap).update(rows + first, links + first, batch, writer, done);
    store_unlock(t.store);
    if (r.applied) {
      confirm_pair(t, r, links[first + done++]);
      r = {};
    }
    return r;
  });
}

std::size_t delete_links(const WriteTarget &t, const LinkRow *rows, std::size_t n) {
  const Writer writer = writer_of(begin_write(t.store), t.command);
  return change_many(t, n, [&](std::size_t first, std::size_t batch, std::size_t &done) {
    store_lock(t.store, LW_EXCLUSIVE);
    const WriteResult r = Store(t.store->heap).erase(rows + first, batch, writer, done);
    store_unlock(t.store);
    return r;
  });
}

Change update_link(const WriteTarget &t, Ref<Version> version, LinkInput &link, LinkRow &newest) {
  const Writer writer = writer_of(begin_write(t.store), t.command);
  Line line(t.rel);
  Change change = Change::kDone;
  for (;;) {
    store_lock(t.store, LW_EXCLUSIVE);
    const WriteResult r = Store(t.store->heap).update(version, link, writer);
    store_unlock(t.store);
    if (r.status == Status::kOk)
      break;
    if (r.applied) {
      confirm_pair(t, r, link);
      break;
    }
    // Who waits for an id has the row meanwhile.
    if (!r.conflicts && r.status == Status::kWait &&
        lock_link(t, version, {r.wanted, LockWaitBlock, true}, newest) != Change::kDone)
      continue;
    if (!r.conflicts)
      (void)resolve(t, r, link, OnConflict::kError);
    else if (!resolve_change(t, line, version, r, false, newest, change))
      break;
  }
  line.leave();
  if (change == Change::kDone)
    announce_write(t.rel);
  return change;
}

Change delete_link(const WriteTarget &t, Ref<Version> version, LinkRow &newest) {
  const Writer writer = writer_of(begin_write(t.store), t.command);
  Line line(t.rel);
  Change change = Change::kDone;
  for (;;) {
    store_lock(t.store, LW_EXCLUSIVE);
    const WriteResult r = Store(t.store->heap).erase(version, writer);
    store_unlock(t.store);
    if (r.status == Status::kOk ||
        !resolve_change(t, line, version, r, true, newest, change))
      break;
  }
  line.leave();
  if (change == Change::kDone)
    announce_write(t.rel);
  return change;
}

Change lock_link(const WriteTarget &t, Ref<Version> version, const RowLock &how,
                 LinkRow &newest) {
  const Writer writer = writer_of(begin_write(t.store), t.command);
  // The line for the version before is kept until the next one is locked, so that nobody who
  // stood behind in it comes first.
  Line line(t.rel), before(t.rel);
  const auto leave = [&line, &before](Change change) {
    line.leave();
    before.leave();
    return change;
  };
  LockWaitPolicy policy = how.policy;
  bool changing = false, failed = false;
  for (Change change = Change::kDone;;) {
    store_lock(t.store, LW_EXCLUSIVE);
    Store store(t.store->heap);
    const WriteResult r = store.lock(version, how.strength, writer);
    newest = store.row(version);
    store_unlock(t.store);
    switch (r.status) {
    case Status::kOk:
      (void)leave(change);
      if (failed)
        raise_concurrent(false);
      return change;
    case Status::kNeedMemory:
      make_room(t, r.units);
      break;
    case Status::kWait:
      changing = r.changing;
      if (wait_in_line(t, line, r, policy, XLTW_Lock))
        break;
      return leave(Change::kWouldBlock);
    case Status::kSelfModified:
      (void)leave(change);
      if (how.before_change && r.command != t.command)
        raise_self_modified(how.strength == LockStrength::kUpdate);
      return Change::kSkip;
    case Status::kDeleted:
      (void)leave(change);
      if (IsolationUsesXactSnapshot())
        raise_concurrent(how.before_change);
      return Change::kDeleted;
    case Status::kUpdated:
      // heap_lock_tuple locks what has come of a version whose change it has waited for before it fails.
      if (IsolationUsesXactSnapshot()) {
        if (how.before_change || !changing)
          raise_concurrent(false);
        failed = true;
        policy = LockWaitBlock;
      }
      before.leave();
      before = line;
      line = Line(t.rel);
      version = r.other;
      change = find_newest(t, version, policy);
      if (change != Change::kUpdated) {
        (void)leave(change);
        if (failed)
          raise_concurrent(false);
        return change;
      }
      break;
    default:
      elog(ERROR, "unexpected status %d of a doublets store", static_cast<int>(r.status));
    }
  }
}

} // namespace doublets::pg

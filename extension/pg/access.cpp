#include "access.hpp"

#include <utility>

namespace doublets::pg {
namespace {

const char *column_name(Relation rel, AttrNumber attnum) {
  return NameStr(TupleDescAttr(RelationGetDescr(rel), attnum - 1)->attname);
}

[[noreturn]] void raise_duplicate_id(const WriteTarget &t, LinkId id) {
  const char *constraint = psprintf("%s_pkey", RelationGetRelationName(t.rel));
  ereport(ERROR,
          (errcode(ERRCODE_UNIQUE_VIOLATION),
           errmsg("duplicate key value violates unique constraint \"%s\"", constraint),
           errdetail("Key (%s)=(" INT64_FORMAT ") already exists.", column_name(t.rel, t.spec->id), id),
           errtableconstraint(t.rel, constraint)));
  pg_unreachable();
}

[[noreturn]] void raise_duplicate_pair(const WriteTarget &t, const LinkInput &link) {
  const char *source = column_name(t.rel, t.spec->source);
  const char *target = column_name(t.rel, t.spec->target);
  const char *constraint =
      psprintf("%s_%s_%s_key", RelationGetRelationName(t.rel), source, target);
  ereport(ERROR,
          (errcode(ERRCODE_UNIQUE_VIOLATION),
           errmsg("duplicate key value violates unique constraint \"%s\"", constraint),
           errdetail("Key (%s, %s)=(" INT64_FORMAT ", " INT64_FORMAT ") already exists.", source,
                     target, link.source, link.target),
           errtableconstraint(t.rel, constraint)));
  pg_unreachable();
}

// Under REPEATABLE READ a row that is skipped for one the snapshot cannot see is a
// serialization failure, as ExecCheckTupleVisible has it for tables.
void check_conflict_visible(const WriteTarget &t, Ref<Version> other) {
  if (!IsolationUsesXactSnapshot())
    return;
  SnapshotView view(GetTransactionSnapshot());
  store_lock(t.store, LW_SHARED);
  const Store store(t.store->heap);
  // The own transaction's rows are no reason to fail, even if this command made them.
  const bool fine = store.inserted_by(other, Fate::kOwn, newest_state()) ||
                    store.sees(other, view.visibility());
  store_unlock(t.store);
  if (!fine)
    raise_concurrent(false);
}

// SERIALIZABLE: a pair was made anew. If the snapshot sees it still, somebody has deleted it who, for
// all that was read so far, comes later; predicate locks only tell where he is watched too.
void check_pair_unseen(const WriteTarget &t, const LinkInput &link) {
  if (!IsolationIsSerializable())
    return;
  constexpr std::size_t kRows = 256;
  SnapshotView view(GetTransactionSnapshot());
  const Search search = Search::of(Pattern::pair(link.source, link.target));
  LinkRow rows[kRows];
  std::uint64_t passed = 0;
  for (Position position; !position.done;) {
    store_lock(t.store, LW_SHARED);
    const std::size_t n =
        Store(t.store->heap).scan(search, position, view.visibility(), rows, kRows, passed);
    store_unlock(t.store);
    for (std::size_t i = 0; i < n; ++i)
      if (rows[i].version != link.version)
        ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
                        errmsg("could not serialize access due to read/write dependencies among transactions"),
                        errdetail("The pair (" INT64_FORMAT ", " INT64_FORMAT ") has been taken away by a concurrent transaction.",
                                  link.source, link.target),
                        errhint("The transaction might succeed if retried.")));
    CHECK_FOR_INTERRUPTS();
  }
}

// The columns of a row as ExecConstraints shows them, or null to those who may not read them.
const char *describe_row(Relation rel, TupleTableSlot *row) {
  if (pg_class_aclcheck(RelationGetRelid(rel), GetUserId(), ACL_SELECT) != ACLCHECK_OK)
    return nullptr;
  const TupleDesc desc = RelationGetDescr(rel);
  StringInfoData text;
  initStringInfo(&text);
  for (int i = 0; i < desc->natts; ++i) {
    if (TupleDescAttr(desc, i)->attisdropped)
      continue;
    appendStringInfoString(&text, text.len == 0 ? "(" : ", ");
    if (row->tts_isnull[i])
      appendStringInfoString(&text, "null");
    else
      appendStringInfo(&text, INT64_FORMAT, DatumGetInt64(row->tts_values[i]));
  }
  appendStringInfoChar(&text, ')');
  return text.data;
}

} // namespace

void make_room(const WriteTarget &t, std::uint32_t units) {
  constexpr std::uint64_t kLimit = 512; // below a millisecond under the lock
  store_lock(t.store, LW_SHARED);
  std::uint64_t left =
      Store(t.store->heap).unsettled() + Store(t.store->heap).header().locks.lockers;
  store_unlock(t.store);
  for (bool more = true; more && left > 0; left -= left < kLimit ? left : kLimit) {
    if (settle_some(t.store, kLimit, true, &more) > 0)
      return;
    CHECK_FOR_INTERRUPTS();
  }
  store_grow(t.store, units);
}

void wait_for(const WriteTarget &t, const WriteResult &r, XLTW_Oper oper) {
  ItemPointerData tid;
  set_tid(&tid, r.other);
  XactLockTableWait(static_cast<TransactionId>(r.wait_for), t.rel, &tid, oper);
}

bool resolve(const WriteTarget &t, const WriteResult &r, const LinkInput &link,
             OnConflict on_conflict) {
  switch (r.status) {
  case Status::kNeedMemory:
    make_room(t, r.units);
    return true;
  case Status::kWait:
    wait_for(t, r, XLTW_InsertIndex);
    return true;
  case Status::kDuplicateId:
  case Status::kDuplicatePair:
    if (on_conflict == OnConflict::kSkip)
      return false;
    // A transaction that has read that there is no such link is better told to try again, as
    // nbtree has it.
    announce_write(t.rel);
    if (r.status == Status::kDuplicateId)
      raise_duplicate_id(t, link.id);
    raise_duplicate_pair(t, link);
  default:
    elog(ERROR, "unexpected status %d of a doublets store", static_cast<int>(r.status));
  }
}

void confirm_pair(const WriteTarget &t, WriteResult r, LinkInput &link) {
  const Ref<Version> version = std::exchange(link.version, {});
  while (r.status != Status::kOk) {
    (void)resolve(t, r, link, OnConflict::kError);
    store_lock(t.store, LW_EXCLUSIVE);
    r = Store(t.store->heap).confirm(version, newest_state());
    store_unlock(t.store);
  }
  link.version = version;
}

void raise_concurrent(bool deleted) {
  ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
                  deleted ? errmsg("could not serialize access due to concurrent delete")
                          : errmsg("could not serialize access due to concurrent update")));
  pg_unreachable();
}

void raise_null_part(Relation rel, AttrNumber attnum, TupleTableSlot *row) {
  const char *detail = row != nullptr ? describe_row(rel, row) : nullptr;
  ereport(ERROR, (errcode(ERRCODE_NOT_NULL_VIOLATION),
                  errmsg("null value in column \"%s\" of relation \"%s\" violates not-null constraint",
                         column_name(rel, attnum), RelationGetRelationName(rel)),
                  detail != nullptr ? errdetail("Failing row contains %s.", detail) : 0,
                  errtablecol(rel, attnum)));
  pg_unreachable();
}

void raise_bad_id(Relation rel, LinkId id, bool assign) {
  ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                  errmsg("link id " INT64_FORMAT " is out of range", id),
                  errdetail("Ids of links in doublets store \"%s\" are 1 to 9223372036854775807.",
                            RelationGetRelationName(rel)),
                  assign ? errhint("Leave the id out, or give NULL, to have one assigned.") : 0));
  pg_unreachable();
}

WriteTarget open_for_write(Relation rel, CommandId command) {
  WriteTarget t{rel, store_spec(rel), store_open(rel, true), command};
  constexpr std::uint64_t kSettleLimit = 64;
  settle_in_passing(t.store, kSettleLimit, true);
  return t;
}

void insert_links(const WriteTarget &t, LinkInput *links, std::size_t n, OnConflict on_conflict) {
  Assert(on_conflict == OnConflict::kError || n == 1);
  if (on_conflict == OnConflict::kSkip)
    links->patient = true;
  StoreTransaction *txn = begin_write(t.store);
  const Writer writer = writer_of(txn, t.command);
  for (std::size_t first = 0; first < n;) {
    const std::size_t batch = n - first < kRowsPerLock ? n - first : kRowsPerLock;
    // Many rows leave as much behind as they add, or a load that is rolled back again and
    // again would be given new memory while that of the last one waits.
    if (n > 1)
      settle_in_passing(t.store, batch, true);
    std::size_t done = 0;
    store_lock(t.store, LW_EXCLUSIVE);
    const WriteResult r = Store(t.store->heap).insert(links + first, batch, writer, done);
    store_unlock(t.store);
    first += done;
    if (r.applied)
      confirm_pair(t, r, links[first++]);
    else if (r.status != Status::kOk && !resolve(t, r, links[first], on_conflict)) {
      check_conflict_visible(t, r.other);
      links[first].version = {};
      return;
    }
    announce_write(t.rel);
    CHECK_FOR_INTERRUPTS();
  }
}

bool get_or_insert_link(const WriteTarget &t, LinkInput &link) {
  // Looking alone needs neither a transaction id nor the exclusive lock.
  for (;;) {
    store_lock(t.store, LW_SHARED);
    const Store store(t.store->heap);
    const WriteResult r = store.find_pair_newest(link.source, link.target, newest_state());
    const bool found = r.status == Status::kOk && r.other;
    if (found) {
      link.id = store.row(r.other).id;
      link.version = r.other;
    }
    store_unlock(t.store);
    if (found) {
      check_conflict_visible(t, r.other);
      return false;
    }
    if (r.status == Status::kOk)
      break;
    (void)resolve(t, r, link, OnConflict::kError);
  }
  StoreTransaction *txn = begin_write(t.store);
  const Writer writer = writer_of(txn, t.command);
  for (;;) {
    store_lock(t.store, LW_EXCLUSIVE);
    const WriteResult r = Store(t.store->heap).get_or_insert(link, writer);
    store_unlock(t.store);
    if (r.status == Status::kOk && !r.other) {
      announce_write(t.rel);
      check_pair_unseen(t, link);
      return true;
    }
    if (r.status == Status::kOk) {
      check_conflict_visible(t, r.other);
      return false;
    }
    (void)resolve(t, r, link, OnConflict::kError);
  }
}

} // namespace doublets::pg

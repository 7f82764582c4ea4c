// What the SQL functions have in common: opening the store they are called for, and
// the frame of a call that writes.
//
// A function locks its relation as the SQL command would and keeps the lock to the end
// of the transaction. Privileges are those of the caller on the table. A call that
// writes is a command of its own, as a statement of a volatile PL function is: it sees
// what earlier calls of the same statement did, by a snapshot of its own.
#pragma once

#include "access.hpp"

namespace doublets::pg {

// Rows copied under one hold of the shared lock.
inline constexpr std::size_t kRowsPerBatch = 512;

// The relation that an argument names, by default the first one, locked and known to be a store on which the
// caller has all of `required`. To be closed with NoLock.
// Errors: 22004 NULL, 42P01, 42809, 42501, those of store_spec.
Relation open_argument(const NullableDatum& store, LOCKMODE lock, AclMode required);
inline Relation open_argument(FunctionCallInfo fcinfo, LOCKMODE lock, AclMode required) {
  return open_argument(fcinfo->args[0], lock, required);
}

// The store of argument 0 for a function that reads; null: it has no links. Now and
// then settles what it can. The relation is closed again, its lock is kept.
// Errors: those of open_argument with SELECT; those of begin_read.
StoreHandle* open_for_read(FunctionCallInfo fcinfo);

// Settles what it can for a reader of a store, every so many times.
void settle_for_reader(StoreHandle* store);

// Opens the store again in a later call of the same function; its lock is taken again
// in case a rollback to a savepoint has let it go. Null: it has no links, or is gone.
StoreHandle* reopen_for_read(Oid relation);

// Argument `n` of type bigint, or nothing.
struct OptionalValue {
  bool given;
  std::int64_t value;
};
inline Range range_of(OptionalValue value) { return value.given ? Range::point(value.value) : Range{}; }
inline OptionalValue optional_argument(FunctionCallInfo fcinfo, int n) {
  if (PG_ARGISNULL(n)) return {false, 0};
  return {true, PG_GETARG_INT64(n)};
}

// The elements of an array of bigint.
struct Int64Array {
  ArrayType* array;
  int n;
  bool has_nulls;

  // Only without nulls.
  const std::int64_t* values() const { return reinterpret_cast<const std::int64_t*>(ARR_DATA_PTR(array)); }
};

// Of an array that is not NULL. Errors: 2202E more than one dimension.
Int64Array array_of(Datum array);
inline Int64Array array_argument(FunctionCallInfo fcinfo, int n) {
  return array_of(PG_GETARG_DATUM(n));
}

// A copy of the elements that are not null, of which there are `n`.
std::int64_t* given_elements(const Int64Array& array, int* n);

// An array of n values to be filled in, or an empty one.
ArrayType* make_array(int n);

// Arguments n, n + 1, n + 2 as a pattern of id, source, target; NULL is anything.
Pattern pattern_arguments(FunctionCallInfo fcinfo, int n);

inline Pattern ends_pattern(OptionalValue source, OptionalValue target) {
  return {.source = range_of(source), .target = range_of(target)};
}

// Gives `visit(rows, n)` the links of a pattern that `view` sees, at most kRowsPerBatch
// at a time, without the store's lock; goes on while it returns true. What `visit`
// writes is not met again, because the snapshot does not see it.
template <class Visit>
void for_each_batch(StoreHandle* store, const Pattern& pattern, SnapshotView& view, Visit&& visit) {
  const Search search = Search::of(pattern);
  LinkRow rows[kRowsPerBatch];
  std::uint64_t passed = 0;
  for (Position position; !position.done;) {
    store_lock(store, LW_SHARED);
    const std::size_t n = Store(store->heap).scan(search, position, view.visibility(), rows, kRowsPerBatch, passed);
    store_unlock(store);
    view.report(store);
    if (n > 0 && !visit(static_cast<const LinkRow*>(rows), n)) return;
    CHECK_FOR_INTERRUPTS();
  }
}

// Links of a pattern that `view` sees; 0 if `store` is null. Interruptible.
std::uint64_t count_visible(StoreHandle* store, const Pattern& pattern, SnapshotView& view);

// ---------------------------------------------------------------------------
// Writing

struct RowChecks;  // functions_checks.cpp

struct WriteFunction {
  const char* name;   // as the user calls it, for messages
  AclMode required;   // of ACL_INSERT, ACL_UPDATE, ACL_DELETE exactly one, and perhaps ACL_SELECT
  bool needs_memory;  // the store gets its first memory if it has none
};

// One call of a function that writes. While it runs a snapshot of its own is active.
struct WriteCall {
  WriteTarget target;  // target.store is null if there are no links and none are to come
  RowChecks* checks;   // null: the table has no constraints of its own
};

// Errors: those of open_argument; 25006 read-only transaction or recovery; 25000 in a
// parallel operation; 0A000 the table has triggers or generated columns.
WriteCall begin_write_call(FunctionCallInfo fcinfo, const WriteFunction& function);

// Makes what the call did visible to later commands, and closes the relation.
void end_write_call(WriteCall& call);

// Argument `n`, an end of a link. Errors: 23502.
std::int64_t end_argument(FunctionCallInfo fcinfo, int n, const WriteTarget& target, AttrNumber column);

// ---------------------------------------------------------------------------
// Constraints, functions_checks.cpp

// Null if inserting or updating a row of the table needs no check and no default.
// Lives in the current memory context. `inserting`: the id may have a default.
RowChecks* begin_row_checks(const WriteTarget& target, bool inserting);
void end_row_checks(RowChecks* checks);

// Refuses what functions cannot do as the SQL command would: triggers of the command that
// `required` names (ACL_INSERT, ACL_UPDATE or ACL_DELETE) and generated columns. Errors: 0A000.
void refuse_special_tables(Relation rel, const char* function, AclMode required);

// CHECK constraints and the partition's own. The row must have its id, so that links
// are checked after they are inserted and before they are updated: an ERROR undoes the
// transaction's work in both cases. Errors: 23514.
void check_row(RowChecks* checks, const WriteTarget& target, const LinkInput& link);

// The id that the table's default for the column gives; 0: none, the store assigns one.
// Errors: 22003, and what the default raises.
LinkId default_id(RowChecks* checks, const WriteTarget& target);

// ---------------------------------------------------------------------------
// Changing rows

// Whether a link that a concurrent transaction has replaced is still one to be deleted.
struct Recheck {
  bool (*wanted)(const LinkRow& newest, const void* context);
  const void* context;
};

// Deletes links that the active snapshot sees, n > 0. Returns the number deleted.
std::uint64_t delete_rows(const WriteTarget& target, const LinkRow* rows, std::size_t n, const Recheck& recheck);

// Changes a link that the active snapshot sees. `rewrite(row, link)` says what the row shall
// be, or that it is not wanted (false); it is asked again when a concurrent transaction has
// changed the row. Returns whether it was changed.
template <class Rewrite>
bool change_row(const WriteCall& call, LinkRow row, Rewrite&& rewrite) {
  for (;;) {
    LinkInput link{};
    if (!rewrite(static_cast<const LinkRow&>(row), link)) return false;
    check_row(call.checks, call.target, link);
    LinkRow newest{};
    const Change change = update_link(call.target, row.version, link, newest);
    if (change != Change::kUpdated) return change == Change::kDone;
    row = newest;
  }
}

}  // namespace doublets::pg

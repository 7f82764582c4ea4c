#include "functions_common.hpp"

namespace doublets::pg {
namespace {

// Settling costs a look at all running transactions, so only some calls do it, counted per backend over all stores;
// but all while there is much to settle, as scans do, or who calls nothing else would meet it for thousands of calls.
constexpr unsigned kReadsPerSettling = 64;
constexpr std::uint64_t kReaderSettles = 1024;
constexpr unsigned kWritesPerSettling = 32;
constexpr std::uint64_t kWriterSettles = 256;  // more than that many writes leave behind

unsigned reads, writes;

void check_privileges(Relation rel, AclMode required) {
  const AclMode granted = pg_class_aclmask(RelationGetRelid(rel), GetUserId(), required, ACLMASK_ALL);
  if (granted != required)
    aclcheck_error(ACLCHECK_NO_PRIV, get_relkind_objtype(rel->rd_rel->relkind), RelationGetRelationName(rel));
}

}  // namespace

Relation open_argument(const NullableDatum& store, LOCKMODE lock, AclMode required) {
  if (store.isnull) ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("store must not be null")));
  const Oid oid = DatumGetObjectId(store.value);
  const Relation rel = try_relation_open(oid, lock);
  if (rel == nullptr)
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("relation with OID %u does not exist", oid)));
  (void)store_spec(rel);
  if (required != 0) check_privileges(rel, required);
  return rel;
}

void settle_for_reader(StoreHandle* store) {
  const StoreHeader& header = Store(store->heap).header();
  const bool much = Store::has_unsettled(header, kReaderSettles) && !store->settled_none;
  if ((!much && ++reads % kReadsPerSettling != 0) || !Store::has_unsettled(header)) return;
  store->settled_none = settle_some(store, kReaderSettles, false) == 0;
}

StoreHandle* open_for_read(FunctionCallInfo fcinfo) {
  const Relation rel = open_argument(fcinfo, AccessShareLock, ACL_SELECT);
  begin_read(rel, GetActiveSnapshot());
  StoreHandle* store = store_open(rel, false);
  table_close(rel, NoLock);
  if (store != nullptr) settle_for_reader(store);
  return store;
}

StoreHandle* reopen_for_read(Oid relation) {
  const Relation rel = try_relation_open(relation, AccessShareLock);
  if (rel == nullptr) return nullptr;
  begin_read(rel, GetActiveSnapshot());
  StoreHandle* store = store_open(rel, false);
  table_close(rel, NoLock);
  return store;
}

Int64Array array_of(Datum datum) {
  ArrayType* array = DatumGetArrayTypeP(datum);
  if (ARR_NDIM(array) > 1)
    ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR), errmsg("wrong number of array dimensions"),
                    errdetail("Arrays of links have one dimension.")));
  return {array, ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)), array_contains_nulls(array)};
}

std::int64_t* given_elements(const Int64Array& array, int* n) {
  Datum* values;
  bool* nulls;
  int count;
  deconstruct_array(array.array, INT8OID, sizeof(std::int64_t), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &values, &nulls,
                    &count);
  auto* elements = static_cast<std::int64_t*>(palloc(sizeof(std::int64_t) * (static_cast<Size>(count) + 1)));
  *n = 0;
  for (int i = 0; i < count; ++i)
    if (!nulls[i]) elements[(*n)++] = DatumGetInt64(values[i]);
  return elements;
}

ArrayType* make_array(int n) {
  if (n == 0) return construct_empty_array(INT8OID);
  const Size size = ARR_OVERHEAD_NONULLS(1) + sizeof(std::int64_t) * static_cast<Size>(n);
  auto* array = static_cast<ArrayType*>(palloc(size));
  std::memset(array, 0, ARR_OVERHEAD_NONULLS(1));
  SET_VARSIZE(array, size);
  array->ndim = 1;
  array->elemtype = INT8OID;
  *ARR_DIMS(array) = n;
  *ARR_LBOUND(array) = 1;
  return array;
}

Pattern pattern_arguments(FunctionCallInfo fcinfo, int n) {
  const OptionalValue id = optional_argument(fcinfo, n);
  Pattern pattern = ends_pattern(optional_argument(fcinfo, n + 1), optional_argument(fcinfo, n + 2));
  pattern.id = range_of(id);
  return pattern;
}

std::uint64_t count_visible(StoreHandle* store, const Pattern& pattern, SnapshotView& view) {
  if (store == nullptr) return 0;
  bool exact = false;
  store_lock(store, LW_SHARED);
  std::uint64_t count = Store(store->heap).count(pattern, view.visibility(), exact);
  store_unlock(store);
  view.report(store);
  if (exact) return count;
  // What is in flight is in the way. To settle some of it takes about as long as what follows, and spares later counts
  // that.
  constexpr std::uint64_t kLooksPerSettled = 8;
  for (std::uint64_t left = count / kLooksPerSettled; left > 0;) {
    const std::uint64_t batch = Min(left, kReaderSettles);
    if (settle_some(store, batch, false) == 0) break;
    left -= batch;
    CHECK_FOR_INTERRUPTS();
  }
  count = 0;
  for_each_batch(store, pattern, view, [&count](const LinkRow*, std::size_t n) {
    count += n;
    return true;
  });
  return count;
}

// ---------------------------------------------------------------------------
// Writing

WriteCall begin_write_call(FunctionCallInfo fcinfo, const WriteFunction& function) {
  const Relation rel = open_argument(fcinfo, RowExclusiveLock, function.required);
  PreventCommandIfReadOnly(function.name);
  PreventCommandIfParallelMode(function.name);
  PreventCommandDuringRecovery(function.name);
  check_read_allowed();
  refuse_special_tables(rel, function.name, function.required);

  CommandCounterIncrement();
  PushActiveSnapshot(GetTransactionSnapshot());
  if ((function.required & ACL_SELECT) != 0) begin_read(rel, GetActiveSnapshot());
  WriteCall call;
  call.target = {rel, store_spec(rel), store_open(rel, function.needs_memory), GetCurrentCommandId(true)};
  call.checks = (function.required & ACL_DELETE) != 0
                    ? nullptr
                    : begin_row_checks(call.target, (function.required & ACL_INSERT) != 0);
  if (call.target.store != nullptr && ++writes % kWritesPerSettling == 0)
    settle_some(call.target.store, kWriterSettles, true);
  return call;
}

void end_write_call(WriteCall& call) {
  end_row_checks(call.checks);
  PopActiveSnapshot();
  CommandCounterIncrement();
  table_close(call.target.rel, NoLock);
}

std::int64_t end_argument(FunctionCallInfo fcinfo, int n, const WriteTarget& target, AttrNumber column) {
  if (PG_ARGISNULL(n)) raise_null_part(target.rel, column);
  return PG_GETARG_INT64(n);
}

std::uint64_t delete_rows(const WriteTarget& t, const LinkRow* rows, std::size_t n, const Recheck& recheck) {
  const Writer writer = writer_of(begin_write(t.store), t.command);
  std::uint64_t deleted = 0;
  for (std::size_t i = 0; i < n;) {
    const std::size_t first = i;
    store_lock(t.store, LW_EXCLUSIVE);
    Store store(t.store->heap);
    while (i < n && store.erase(rows[i].version, writer).status == Status::kOk)
      ++i;
    store_unlock(t.store);
    announce_write(t.rel);
    deleted += i - first;
    if (i == n) break;
    // This one needs memory, has to be waited for, or was changed.
    LinkRow newest{};
    Change change = delete_link(t, rows[i++].version, newest);
    while (change == Change::kUpdated && recheck.wanted(newest, recheck.context)) {
      const Ref<Version> version = newest.version;
      change = delete_link(t, version, newest);
    }
    if (change == Change::kDone) ++deleted;
    CHECK_FOR_INTERRUPTS();
  }
  return deleted;
}

}  // namespace doublets::pg

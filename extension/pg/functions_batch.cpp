// Functions that write many links: create_links, delete_links, delete_usages, rebase.
#include <algorithm>

#include "functions_common.hpp"

namespace doublets::pg {
namespace {

constexpr WriteFunction kCreateLinks{"create_links()", ACL_INSERT, true};
constexpr WriteFunction kDeleteLinks{"delete_links()", ACL_DELETE | ACL_SELECT, false};
constexpr WriteFunction kDeleteUsages{"delete_usages()", ACL_DELETE | ACL_SELECT, false};
constexpr WriteFunction kRebase{"rebase()", ACL_UPDATE | ACL_SELECT, false};

// The ids go to `ids`.
void create_many(const WriteCall& call, const std::int64_t* sources, const std::int64_t* targets, std::size_t n,
                 std::int64_t* ids) {
  LinkInput links[kRowsPerBatch];
  for (std::size_t first = 0; first < n; first += kRowsPerBatch) {
    const std::size_t batch = n - first < kRowsPerBatch ? n - first : kRowsPerBatch;
    for (std::size_t i = 0; i < batch; ++i)
      links[i] = {default_id(call.checks, call.target), sources[first + i], targets[first + i], {}};
    insert_links(call.target, links, batch, OnConflict::kError);
    for (std::size_t i = 0; i < batch; ++i) {
      check_row(call.checks, call.target, links[i]);
      ids[first + i] = links[i].id;
    }
  }
}

// Ids, ascending and distinct.
struct IdSet {
  const std::int64_t* ids;
  std::size_t n;
};

IdSet make_set(const Int64Array& array) {
  int n;
  std::int64_t* ids = given_elements(array, &n);
  std::int64_t* end = ids + n;
  std::sort(ids, end);
  return {ids, static_cast<std::size_t>(std::unique(ids, end) - ids)};
}

bool is_in_set(const LinkRow& newest, const void* context) {
  const auto* set = static_cast<const IdSet*>(context);
  return std::binary_search(set->ids, set->ids + set->n, newest.id);
}

// DELETE ... WHERE id = ANY (set)
std::uint64_t delete_set(const WriteTarget& t, const IdSet& set) {
  SnapshotView view(GetActiveSnapshot());
  constexpr std::size_t kPerId = 2;  // that a snapshot may see
  LinkRow rows[kRowsPerBatch + kPerId];
  std::uint64_t deleted = 0, passed = 0;
  for (std::size_t i = 0; i < set.n;) {
    std::size_t found = 0;
    store_lock(t.store, LW_SHARED);
    const Store store(t.store->heap);
    for (std::size_t looked = 0; i < set.n && looked < kRowsPerBatch && found < kRowsPerBatch; ++i, ++looked) {
      const Search search = Search::of({.id = Range::point(set.ids[i])});
      Position position;
      found += store.scan(search, position, view.visibility(), rows + found, kPerId, passed);
    }
    store_unlock(t.store);
    view.report(t.store);
    if (found > 0) deleted += delete_rows(t, rows, found, {is_in_set, &set});
    CHECK_FOR_INTERRUPTS();
  }
  return deleted;
}

// Whether a link uses `id`, itself left out.
bool uses(const LinkRow& row, std::int64_t id) {
  return row.id != id && (row.source == id || row.target == id);
}

bool still_uses(const LinkRow& newest, const void* id) {
  return uses(newest, *static_cast<const std::int64_t*>(id));
}

// Gives `visit(rows, n)` the links that use `id` in batches, each link once: those with
// the source first, then those with the target alone.
template <class Visit>
void for_each_usage(const WriteTarget& t, std::int64_t id, Visit&& visit) {
  SnapshotView view(GetActiveSnapshot());
  for (const bool by_target : {false, true}) {
    const Pattern pattern = ends_pattern({!by_target, id}, {by_target, id});
    for_each_batch(t.store, pattern, view, [&](const LinkRow* found, std::size_t n) {
      LinkRow rows[kRowsPerBatch];
      std::size_t used = 0;
      for (std::size_t i = 0; i < n; ++i)
        if (found[i].id != id && !(by_target && found[i].source == id)) rows[used++] = found[i];
      if (used > 0) visit(rows, used);
      return true;
    });
  }
}

// Puts `to` in the place of `from` in one link; false if it was deleted or no longer
// uses it.
bool rebase_one(const WriteCall& call, const LinkRow& row, std::int64_t from, std::int64_t to) {
  return change_row(call, row, [from, to](const LinkRow& seen, LinkInput& link) {
    link = {seen.id, seen.source == from ? to : seen.source, seen.target == from ? to : seen.target, {}};
    return uses(seen, from);
  });
}

}  // namespace
}  // namespace doublets::pg

using namespace doublets::pg;
using doublets::LinkRow;

// create_links(store regclass, sources bigint[], targets bigint[]) returns bigint[]
DOUBLETS_FUNCTION(doublets_create_links) {
  WriteCall call = begin_write_call(fcinfo, kCreateLinks);
  const WriteTarget& t = call.target;
  if (PG_ARGISNULL(1)) raise_null_part(t.rel, t.spec->source);
  if (PG_ARGISNULL(2)) raise_null_part(t.rel, t.spec->target);
  const Int64Array sources = array_argument(fcinfo, 1);
  const Int64Array targets = array_argument(fcinfo, 2);
  if (sources.n != targets.n)
    ereport(ERROR,
            (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR), errmsg("arrays of sources and targets must have the same length"),
             errdetail("There are %d sources and %d targets.", sources.n, targets.n)));
  if (sources.has_nulls) raise_null_part(t.rel, t.spec->source);
  if (targets.has_nulls) raise_null_part(t.rel, t.spec->target);
  ArrayType* ids = make_array(sources.n);
  if (sources.n > 0)
    create_many(call, sources.values(), targets.values(), static_cast<std::size_t>(sources.n),
                reinterpret_cast<std::int64_t*>(ARR_DATA_PTR(ids)));
  end_write_call(call);
  PG_RETURN_ARRAYTYPE_P(ids);
}

// delete_links(store regclass, ids bigint[]) returns bigint
DOUBLETS_FUNCTION(doublets_delete_links) {
  WriteCall call = begin_write_call(fcinfo, kDeleteLinks);
  std::uint64_t deleted = 0;
  if (!PG_ARGISNULL(1)) {
    const Int64Array ids = array_argument(fcinfo, 1);
    if (call.target.store != nullptr) deleted = delete_set(call.target, make_set(ids));
  }
  end_write_call(call);
  PG_RETURN_INT64(static_cast<std::int64_t>(deleted));
}

// delete_usages(store regclass, id bigint) returns bigint
DOUBLETS_FUNCTION(doublets_delete_usages) {
  WriteCall call = begin_write_call(fcinfo, kDeleteUsages);
  std::uint64_t deleted = 0;
  if (call.target.store != nullptr && !PG_ARGISNULL(1)) {
    const std::int64_t id = PG_GETARG_INT64(1);
    for_each_usage(call.target, id, [&](const LinkRow* rows, std::size_t n) {
      deleted += delete_rows(call.target, rows, n, {still_uses, &id});
    });
  }
  end_write_call(call);
  PG_RETURN_INT64(static_cast<std::int64_t>(deleted));
}

// rebase(store regclass, old bigint, new bigint) returns bigint
DOUBLETS_FUNCTION(doublets_rebase) {
  WriteCall call = begin_write_call(fcinfo, kRebase);
  std::uint64_t changed = 0;
  if (call.target.store != nullptr && !PG_ARGISNULL(1) && !PG_ARGISNULL(2) &&
      PG_GETARG_INT64(1) != PG_GETARG_INT64(2)) {
    const std::int64_t from = PG_GETARG_INT64(1), to = PG_GETARG_INT64(2);
    for_each_usage(call.target, from, [&](const LinkRow* rows, std::size_t n) {
      for (std::size_t i = 0; i < n; ++i) {
        changed += rebase_one(call, rows[i], from, to) ? 1 : 0;
        CHECK_FOR_INTERRUPTS();
      }
    });
  }
  end_write_call(call);
  PG_RETURN_INT64(static_cast<std::int64_t>(changed));
}

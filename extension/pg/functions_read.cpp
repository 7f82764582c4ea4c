// Functions that read one value: get_link, search_link, count_links, count_usages.
//
// They are STABLE and judge by the snapshot of the statement that calls them.
#include "functions_common.hpp"

namespace doublets::pg {
namespace {

// A link as a value of type doublets.link, whose descriptor is kept for the next call.
Datum link_datum(FunctionCallInfo fcinfo, const LinkRow& row) {
  auto* desc = static_cast<TupleDesc>(fcinfo->flinfo->fn_extra);
  if (desc == nullptr) {
    TupleDesc found;
    if (get_call_result_type(fcinfo, nullptr, &found) != TYPEFUNC_COMPOSITE || found->natts != 3)
      elog(ERROR, "return type must be a row type of three columns");
    const MemoryContext caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
    desc = BlessTupleDesc(CreateTupleDescCopy(found));
    MemoryContextSwitchTo(caller);
    fcinfo->flinfo->fn_extra = desc;
  }
  Datum values[] = {Int64GetDatum(row.id), Int64GetDatum(row.source), Int64GetDatum(row.target)};
  bool nulls[] = {false, false, false};
  return HeapTupleGetDatum(heap_form_tuple(desc, values, nulls));
}

// The smallest id of the visible links of a pattern; 0: there is none.
LinkId smallest_id(StoreHandle* store, const Pattern& pattern) {
  // All searches are by id, but for those of a united store by one end.
  const bool by_id = store->layout == Layout::kSplit || pattern.source.is_all() == pattern.target.is_all();
  SnapshotView view(GetActiveSnapshot());
  LinkId smallest = 0;
  for_each_batch(store, pattern, view, [&](const LinkRow* rows, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
      if (smallest == 0 || rows[i].id < smallest) smallest = rows[i].id;
    return !by_id;
  });
  return smallest;
}

// Links that use `id`, itself left out, if all of it can be counted without looking at
// each link.
std::uint64_t count_usages_quickly(const Store& store, LinkId id, SnapshotView& view, bool& exact) {
  const Visibility seen_by = view.visibility();
  bool known[3] = {true, true, true};
  const std::uint64_t sources = store.count(ends_pattern({true, id}, {}), seen_by, known[0]);
  const std::uint64_t targets = store.count(ends_pattern({}, {true, id}), seen_by, known[1]);
  std::uint64_t both = 0, self = 0;
  if (sources > 0 && targets > 0) both = store.count(ends_pattern({true, id}, {true, id}), seen_by, known[2]);
  exact = known[0] && known[1] && known[2];
  const Ref<Version> version = sources + targets > 0 ? store.find(id, seen_by) : Ref<Version>{};
  if (version) {
    const LinkRow row = store.row(version);
    self = row.source == id || row.target == id ? 1 : 0;
  }
  return sources + targets - both - self;
}

std::uint64_t count_usages(StoreHandle* store, LinkId id) {
  SnapshotView view(GetActiveSnapshot());
  bool exact = false;
  store_lock(store, LW_SHARED);
  std::uint64_t count = count_usages_quickly(Store(store->heap), id, view, exact);
  store_unlock(store);
  view.report(store);
  if (exact) return count;
  count = 0;
  for (const bool by_target : {false, true})
    for_each_batch(store, ends_pattern({!by_target, id}, {by_target, id}), view,
                   [&](const LinkRow* rows, std::size_t n) {
                     for (std::size_t i = 0; i < n; ++i)
                       count += rows[i].id != id && !(by_target && rows[i].source == id) ? 1 : 0;
                     return true;
                   });
  return count;
}

}  // namespace
}  // namespace doublets::pg

using namespace doublets::pg;
using doublets::LinkId;
using doublets::LinkRow;
using doublets::Pattern;
using doublets::Store;

// get_link(store regclass, id bigint) returns doublets.link
DOUBLETS_FUNCTION(doublets_get_link) {
  StoreHandle* store = open_for_read(fcinfo);
  if (store == nullptr || PG_ARGISNULL(1)) PG_RETURN_NULL();
  SnapshotView view(GetActiveSnapshot());
  LinkRow row{};
  store_lock(store, LW_SHARED);
  const Store core(store->heap);
  if (const auto version = core.find(PG_GETARG_INT64(1), view.visibility())) row = core.row(version);
  store_unlock(store);
  view.report(store);
  if (!row.version) PG_RETURN_NULL();
  PG_RETURN_DATUM(link_datum(fcinfo, row));
}

// search_link(store regclass, source bigint, target bigint) returns bigint
DOUBLETS_FUNCTION(doublets_search_link) {
  StoreHandle* store = open_for_read(fcinfo);
  if (store == nullptr) PG_RETURN_NULL();
  const Pattern pattern = ends_pattern(optional_argument(fcinfo, 1), optional_argument(fcinfo, 2));
  const LinkId id = smallest_id(store, pattern);
  if (id == 0) PG_RETURN_NULL();
  PG_RETURN_INT64(id);
}

// count_links(store regclass, id bigint, source bigint, target bigint) returns bigint
DOUBLETS_FUNCTION(doublets_count_links) {
  StoreHandle* store = open_for_read(fcinfo);
  SnapshotView view(GetActiveSnapshot());
  PG_RETURN_INT64(static_cast<std::int64_t>(count_visible(store, pattern_arguments(fcinfo, 1), view)));
}

// count_usages(store regclass, id bigint) returns bigint
DOUBLETS_FUNCTION(doublets_count_usages) {
  StoreHandle* store = open_for_read(fcinfo);
  if (store == nullptr || PG_ARGISNULL(1)) PG_RETURN_INT64(0);
  PG_RETURN_INT64(static_cast<std::int64_t>(count_usages(store, PG_GETARG_INT64(1))));
}

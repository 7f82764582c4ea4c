// hubs: the nodes with the most links.
//
// The store tells how many links each of its values has without touching the links, as a rule; the best k so far are
// kept in a heap whose top is the one to be replaced next. With both ends a node's number of links is that of the
// links with it as source and that of the links with it as target, so that a link from a node to itself
// counts twice, as usual in graphs.
#include <algorithm>

#include "graph_search.hpp"
#include "set_function.hpp"

namespace doublets::pg {
namespace {

struct Hub {
  std::int64_t node;
  std::uint64_t links;
};

bool ranks_before(const Hub& a, const Hub& b) {
  return a.links != b.links ? a.links > b.links : a.node < b.node;
}

struct Hubs {
  Size budget;
  Hub* hubs;
  std::size_t count;
  std::size_t capacity;
  std::size_t limit;
  std::size_t next;  // to be returned
};

[[noreturn]] void raise_too_many(const Hubs& found) {
  ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("the nodes asked for exceed the memory limit"),
                  errdetail("%zu nodes were kept, and may take %zu kB.", found.count, found.budget / 1024),
                  errhint("Raise work_mem or hash_mem_multiplier, or ask for fewer nodes.")));
  pg_unreachable();
}

void keep(Hubs& found, const Hub& hub) {
  if (found.count < found.limit) {
    if (found.count == found.capacity) {
      const std::size_t capacity = Min(found.capacity * 2, Min(found.limit, found.budget / sizeof(Hub)));
      if (capacity == found.capacity) raise_too_many(found);
      found.hubs = static_cast<Hub*>(repalloc_huge(found.hubs, sizeof(Hub) * capacity));
      found.capacity = capacity;
    }
    found.hubs[found.count++] = hub;
    std::push_heap(found.hubs, found.hubs + found.count, ranks_before);
  } else if (ranks_before(hub, found.hubs[0])) {
    std::pop_heap(found.hubs, found.hubs + found.count, ranks_before);
    found.hubs[found.count - 1] = hub;
    std::push_heap(found.hubs, found.hubs + found.count, ranks_before);
  }
}

Pattern links_of(Access end, std::int64_t node) {
  Pattern pattern;
  (end == Access::kSource ? pattern.source : pattern.target) = Range::point(node);
  return pattern;
}

// How many links the n nodes have at the other end too, which is added to theirs.
void add_other_end(StoreHandle* store, Access end, SnapshotView& view, Degree* nodes, std::size_t n) {
  const Access other = end == Access::kSource ? Access::kTarget : Access::kSource;
  for (std::size_t i = 0; i < n; ++i)
    nodes[i].links += count_visible(store, links_of(other, nodes[i].value), view);
}

// Looks at all values that are that end of a link. With `both` the links at the other end count too, and if this is
// done `again` those values that are a source have been looked at already.
void look_at(StoreHandle* store, Access end, bool both, bool again, Hubs& found) {
  constexpr std::size_t kNodes = 512;
  Degree nodes[kNodes];
  SnapshotView view(GetActiveSnapshot());
  for (Position position; !position.done;) {
    store_lock(store, LW_SHARED);
    std::size_t n = Store(store->heap).degrees(end, Range{}, position, view.visibility(), nodes, kNodes);
    store_unlock(store);
    view.report(store);
    for (std::size_t i = 0; i < n; ++i)
      if (!nodes[i].exact) nodes[i].links = count_visible(store, links_of(end, nodes[i].value), view);
    // What is left to be counted may turn out to have no link that is seen, and with both ends each node is to be met
    // once.
    n = static_cast<std::size_t>(
        std::remove_if(nodes, nodes + n,
                       [&](const Degree& d) {
                         return d.links == 0 ||
                                (again && count_visible(store, links_of(Access::kSource, d.value), view) > 0);
                       }) -
        nodes);
    if (both && !again) add_other_end(store, end, view, nodes, n);
    for (std::size_t i = 0; i < n; ++i)
      keep(found, {nodes[i].value, nodes[i].links});
    CHECK_FOR_INTERRUPTS();
  }
}

void* begin_hubs(FunctionCallInfo fcinfo) {
  StoreHandle* store = open_for_read(fcinfo);
  if (PG_ARGISNULL(1) || PG_ARGISNULL(2)) return nullptr;
  const Direction direction = direction_argument(fcinfo, 1);
  const std::int64_t limit = PG_GETARG_INT64(2);
  if (limit < 0) ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("k must not be negative")));
  if (store == nullptr || limit == 0) return nullptr;
  constexpr std::size_t kFirst = 64;
  auto* found = static_cast<Hubs*>(palloc0(sizeof(Hubs)));
  found->budget = search_budget();
  found->limit = static_cast<std::size_t>(limit);
  found->capacity = Min(found->limit, kFirst);
  found->hubs = static_cast<Hub*>(palloc(sizeof(Hub) * found->capacity));
  const bool both = direction.outgoing && direction.incoming;
  if (direction.outgoing) look_at(store, Access::kSource, both, false, *found);
  if (direction.incoming) look_at(store, Access::kTarget, both, both, *found);
  std::sort_heap(found->hubs, found->hubs + found->count, ranks_before);
  return found;
}

bool next_hub(void* stream, Datum* values, bool* nulls) {
  auto& found = *static_cast<Hubs*>(stream);
  if (found.next == found.count) return false;
  const Hub& hub = found.hubs[found.next++];
  values[0] = Int64GetDatum(hub.node);
  values[1] = Int64GetDatum(static_cast<std::int64_t>(hub.links));
  nulls[0] = nulls[1] = false;
  return true;
}

}  // namespace
}  // namespace doublets::pg

using namespace doublets::pg;

// hubs(store regclass, direction text, k bigint) returns table (id, degree)
DOUBLETS_FUNCTION(doublets_hubs) {
  return return_set(fcinfo, {begin_hubs, next_hub});
}

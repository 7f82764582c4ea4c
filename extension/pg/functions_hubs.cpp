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

// A round over the values that are one end of a link.
struct Round {
  StoreHandle* store;
  SnapshotView& view;
  Access end;
  bool both;   // the links at the other end count too
  bool again;  // the second round of two: those values that are a source have been looked at
};

std::uint64_t count_links(const Round& round, Access end, std::int64_t node) {
  return count_visible(round.store, links_of(end, node), round.view);
}

// Whether nothing is to be made of a value: what was left to be counted may turn out to have no link that is
// seen, and with both ends each node is to be met once.
bool is_out(const Round& round, const Degree& node) {
  return node.links == 0 || (round.again && count_links(round, Access::kSource, node.value) > 0);
}

void look_at(const Round& round, Hubs& found) {
  constexpr std::size_t kNodes = 512;
  Degree nodes[kNodes];
  const Access other = round.end == Access::kSource ? Access::kTarget : Access::kSource;
  for (Position position; !position.done;) {
    store_lock(round.store, LW_SHARED);
    const std::size_t n =
        Store(round.store->heap).degrees(round.end, Range{}, position, round.view.visibility(), nodes, kNodes);
    store_unlock(round.store);
    round.view.report(round.store);
    for (std::size_t i = 0; i < n; ++i) {
      Degree& node = nodes[i];
      if (!node.exact) node.links = count_links(round, round.end, node.value);
      if (is_out(round, node)) continue;
      if (round.both && !round.again) node.links += count_links(round, other, node.value);
      keep(found, {node.value, node.links});
    }
    CHECK_FOR_INTERRUPTS();
  }
}

bool begin_hubs(void* stream, ReadCall& call, const NullableDatum* arguments) {
  auto& found = *static_cast<Hubs*>(stream);
  if (found.hubs != nullptr) pfree(found.hubs);
  found = Hubs{};
  if (arguments[1].isnull || arguments[2].isnull) return false;
  const Direction direction = direction_of(arguments[1].value);
  const std::int64_t limit = DatumGetInt64(arguments[2].value);
  if (limit < 0) ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("k must not be negative")));
  if (limit == 0) return false;
  constexpr std::size_t kFirst = 64;
  found.budget = search_budget();
  found.limit = static_cast<std::size_t>(limit);
  found.capacity = Min(found.limit, kFirst);
  found.hubs = static_cast<Hub*>(MemoryContextAlloc(call.context, sizeof(Hub) * found.capacity));
  read_store(call, [&](StoreHandle* store, SnapshotView& view) {
    const bool both = direction.outgoing && direction.incoming;
    if (store == nullptr) return;
    if (direction.outgoing) look_at({store, view, Access::kSource, both, false}, found);
    if (direction.incoming) look_at({store, view, Access::kTarget, both, both}, found);
  });
  std::sort_heap(found.hubs, found.hubs + found.count, ranks_before);
  return true;
}

bool next_hub(void* stream, ReadCall&, Datum* values, bool* nulls) {
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
  return return_set(fcinfo, kHubs);
}

namespace doublets::pg {

const SetFunction kHubs{doublets_hubs, 3, 2, SetKind::kHubs, {}, false, sizeof(Hubs), begin_hubs, next_hub};

}  // namespace doublets::pg

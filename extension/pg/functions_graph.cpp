// Functions on the graph of links: walk, reachable, shortest_path.
//
// What a node is, which memory they may take and what they lock: graph_search.hpp. A node that no link
// has is a graph of its own: a walk from it has one row, and it reaches itself.
#include "graph_search.hpp"
#include "set_function.hpp"

namespace doublets::pg {
namespace {

// ---------------------------------------------------------------------------
// walk: a level is returned when all of it is known, so that `via` can be the smallest of the links
// that lead to a node from the level before, and LIMIT leaves further levels alone.

struct Walk {
  Size budget;
  GraphSearch search;
  std::uint32_t next;  // place of the node to be returned next
  std::uint32_t end;   // of the level it is in
  int32 depth;         // of that level
  int32 max_depth;
};

bool next_level(Walk& walk, ReadCall& call) {
  if (walk.search.level_size() == 0 || walk.depth == walk.max_depth) return false;
  read_store(call, [&walk](StoreHandle* store, SnapshotView& view) {
    advance_search(walk.search, store, view, [](std::uint32_t) { return false; });
  });
  walk.end = walk.search.met.size();
  ++walk.depth;
  return walk.next < walk.end;
}

bool next_node(void* stream, ReadCall& call, Datum* values, bool* nulls) {
  auto& walk = *static_cast<Walk*>(stream);
  if (walk.next == walk.end && !next_level(walk, call)) return false;
  const Reached& reached = walk.search.met[walk.next++];
  values[0] = Int64GetDatum(reached.node);
  values[1] = Int32GetDatum(walk.depth);
  values[2] = Int64GetDatum(reached.via);
  nulls[0] = nulls[1] = false;
  nulls[2] = reached.via == 0;
  return true;
}

std::int64_t count_nodes(void* stream, ReadCall& call) {
  auto& walk = *static_cast<Walk*>(stream);
  std::int64_t n = 0;
  do {
    n += walk.end - walk.next;
    walk.next = walk.end;
  } while (next_level(walk, call));
  return n;
}

// Begins without starts. Of the arguments after the store only the depth may be null.
bool begin_walk(Walk& walk, const ReadCall& call, const NullableDatum* arguments) {
  if (arguments[1].isnull || arguments[2].isnull) return false;
  const Direction direction = direction_of(arguments[2].value);
  walk.max_depth = arguments[3].isnull ? PG_INT32_MAX : DatumGetInt32(arguments[3].value);
  if (walk.max_depth < 0)
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("max_depth must not be negative"),
                    errhint("0 stands for the starts alone, NULL for no limit.")));
  walk.budget = search_budget();
  begin_search(walk.search, direction, &walk.budget, call.context);
  walk.next = 0;
  walk.depth = 0;
  return true;
}

bool begin_walk_from_one(void* stream, ReadCall& call, const NullableDatum* arguments) {
  auto& walk = *static_cast<Walk*>(stream);
  if (!begin_walk(walk, call, arguments)) return false;
  add_start(walk.search, DatumGetInt64(arguments[1].value));
  walk.end = walk.search.met.size();
  return true;
}

bool begin_walk_from_many(void* stream, ReadCall& call, const NullableDatum* arguments) {
  auto& walk = *static_cast<Walk*>(stream);
  if (!begin_walk(walk, call, arguments)) return false;
  int n;
  const std::int64_t* starts = given_elements(array_of(arguments[1].value), &n);
  for (int i = 0; i < n; ++i)
    add_start(walk.search, starts[i]);
  walk.end = walk.search.met.size();
  return true;
}

// ---------------------------------------------------------------------------
// reachable, shortest_path: from both ends at once, a level of the side that has fewer nodes to go on
// from. As long as no node is met from both sides after a levels from the start and b from the goal, no path
// has a + b links or fewer; so the first node met is in the middle of a shortest path.

struct Route {
  Size budget;
  GraphSearch from_start;
  GraphSearch from_goal;
  std::uint32_t start_place;  // of the node met from both sides
  std::uint32_t goal_place;
};

// Requires that the start is not the goal.
bool find_route(Route& route, StoreHandle* store) {
  SnapshotView view(GetActiveSnapshot());
  for (;;) {
    const bool forward = route.from_start.level_size() <= route.from_goal.level_size();
    GraphSearch& search = forward ? route.from_start : route.from_goal;
    const GraphSearch& other = forward ? route.from_goal : route.from_start;
    if (search.level_size() == 0) return false;
    std::uint32_t here = 0, there = 0;
    const bool found = advance_search(search, store, view, [&](std::uint32_t first) {
      for (here = first; here < search.met.size(); ++here)
        if ((there = other.met.find(search.met[here].node)) != NodeSet::kNone) return true;
      return false;
    });
    if (!found) continue;
    route.start_place = forward ? here : there;
    route.goal_place = forward ? there : here;
    return true;
  }
}

// The route from start to goal, to be ended; false: there is none.
bool begin_route(FunctionCallInfo fcinfo, StoreHandle* store, Route& route) {
  const Direction direction = direction_of(PG_GETARG_DATUM(3));
  route.budget = search_budget();
  begin_search(route.from_start, direction, &route.budget, CurrentMemoryContext);
  begin_search(route.from_goal, direction.reversed(), &route.budget, CurrentMemoryContext);
  route.from_start.partner = &route.from_goal;
  route.from_goal.partner = &route.from_start;
  add_start(route.from_start, PG_GETARG_INT64(1));
  add_start(route.from_goal, PG_GETARG_INT64(2));
  route.start_place = route.goal_place = 0;
  return PG_GETARG_INT64(1) == PG_GETARG_INT64(2) || find_route(route, store);
}

void end_route(Route& route) {
  end_search(route.from_start);
  end_search(route.from_goal);
}

bool route_finds_nothing(FunctionCallInfo fcinfo) {
  return PG_ARGISNULL(1) || PG_ARGISNULL(2) || PG_ARGISNULL(3);
}

// Calls visit(link) for each link from a place back to where its search has begun.
template <class Visit>
void for_each_link_back(const GraphSearch& search, std::uint32_t place, Visit&& visit) {
  for (; search.met[place].via != 0; place = search.met[place].from)
    visit(search.met[place].via);
}

ArrayType* links_of(const Route& route) {
  int before = 0, behind = 0;
  for_each_link_back(route.from_start, route.start_place, [&](LinkId) { ++before; });
  for_each_link_back(route.from_goal, route.goal_place, [&](LinkId) { ++behind; });
  ArrayType* array = make_array(before + behind);
  auto* links = reinterpret_cast<std::int64_t*>(ARR_DATA_PTR(array));
  for_each_link_back(route.from_start, route.start_place, [&, i = before](LinkId id) mutable { links[--i] = id; });
  for_each_link_back(route.from_goal, route.goal_place, [&, i = before](LinkId id) mutable { links[i++] = id; });
  return array;
}

}  // namespace
}  // namespace doublets::pg

using namespace doublets::pg;

// walk(store regclass, start bigint, direction text, max_depth integer) returns table (id, depth, via)
DOUBLETS_FUNCTION(doublets_walk) {
  return return_set(fcinfo, kWalk);
}

// walk(store regclass, starts bigint[], direction text, max_depth integer) returns table (id, depth, via)
DOUBLETS_FUNCTION(doublets_walk_from_many) {
  return return_set(fcinfo, kWalkFromMany);
}

// reachable(store regclass, start bigint, goal bigint, direction text) returns boolean
DOUBLETS_FUNCTION(doublets_reachable) {
  StoreHandle* store = open_for_read(fcinfo);
  if (route_finds_nothing(fcinfo)) PG_RETURN_BOOL(false);
  Route route{};
  const bool found = begin_route(fcinfo, store, route);
  end_route(route);
  PG_RETURN_BOOL(found);
}

// shortest_path(store regclass, start bigint, goal bigint, direction text) returns bigint[]
DOUBLETS_FUNCTION(doublets_shortest_path) {
  StoreHandle* store = open_for_read(fcinfo);
  if (route_finds_nothing(fcinfo)) PG_RETURN_NULL();
  Route route{};
  const bool found = begin_route(fcinfo, store, route);
  ArrayType* links = found ? links_of(route) : nullptr;
  end_route(route);
  if (!found) PG_RETURN_NULL();
  PG_RETURN_ARRAYTYPE_P(links);
}

namespace doublets::pg {

const SetFunction kWalk{doublets_walk,       4,         3,          SetKind::kWalk, {}, false, sizeof(Walk),
                        begin_walk_from_one, next_node, count_nodes};
const SetFunction kWalkFromMany{doublets_walk_from_many, 4,         3,          SetKind::kWalk, {}, false, sizeof(Walk),
                                begin_walk_from_many,    next_node, count_nodes};

}  // namespace doublets::pg

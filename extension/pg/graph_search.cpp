#include "graph_search.hpp"

namespace doublets::pg {
namespace {

constexpr std::uint32_t kFirstCapacity = 256;

Size bytes_for(std::uint32_t capacity) {
  if (capacity == 0) return 0;
  return sizeof(Reached) * capacity + sizeof(NodeSet::Slot) * NodeSet::slots_for(capacity);
}

[[noreturn]] void raise_too_large(const GraphSearch& search) {
  ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("graph search exceeds its memory limit"),
                  errdetail("It has met %u nodes, and may take %zu kB.", search.met.size(), search_budget() / 1024),
                  errhint("Raise work_mem or hash_mem_multiplier, or limit the depth of the search.")));
  pg_unreachable();
}

}  // namespace

Direction direction_argument(FunctionCallInfo fcinfo, int n) {
  const char* name = text_to_cstring(PG_GETARG_TEXT_PP(n));
  if (strcmp(name, "outgoing") == 0) return {true, false};
  if (strcmp(name, "incoming") == 0) return {false, true};
  if (strcmp(name, "both") == 0) return {true, true};
  ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unrecognized direction \"%s\"", name),
                  errhint("Directions are \"outgoing\", \"incoming\" and \"both\".")));
  pg_unreachable();
}

Size search_budget() {
  return get_hash_memory_limit();
}

GraphSearch begin_search(Direction direction, Size* budget) {
  // Nobody shall be able to make nodes that meet in the hash: no two sessions place them alike.
  const auto seed = static_cast<std::uint64_t>(MyStartTimestamp) ^ static_cast<std::uint64_t>(MyProcPid) << 48;
  return {NodeSet(seed), direction, 0, budget, CurrentMemoryContext, nullptr, nullptr};
}

void add_start(GraphSearch& search, std::int64_t node) {
  const Neighbour start{node, 0, NodeSet::kNone};
  while (search.met.add(&start, 1, NodeSet::kNone) == 0)
    grow_search(search);
}

void grow_search(GraphSearch& search) {
  const std::uint32_t capacity = search.met.capacity();
  std::uint32_t more = capacity == 0 ? kFirstCapacity : Min(capacity, NodeSet::kMaxCapacity - capacity);
  while (more > 0 && bytes_for(capacity + more) - bytes_for(capacity) > *search.budget)
    more /= 2;
  if (more == 0) raise_too_large(search);
  *search.budget -= bytes_for(capacity + more) - bytes_for(capacity);
  const Size nodes_size = sizeof(Reached) * (capacity + more);
  const Size slots_size = sizeof(NodeSet::Slot) * NodeSet::slots_for(capacity + more);
  if (search.nodes == nullptr) {
    search.nodes = static_cast<Reached*>(MemoryContextAllocHuge(search.context, nodes_size));
  } else {
    pfree(search.slots);
    search.nodes = static_cast<Reached*>(repalloc_huge(search.nodes, nodes_size));
  }
  search.slots = static_cast<NodeSet::Slot*>(MemoryContextAllocHuge(search.context, slots_size));
  search.met.move_to(search.nodes, search.slots, capacity + more);
}

void end_search(GraphSearch& search) {
  if (search.nodes == nullptr) return;
  pfree(search.nodes);
  pfree(search.slots);
}

}  // namespace doublets::pg

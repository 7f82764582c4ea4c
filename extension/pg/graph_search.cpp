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

// ---------------------------------------------------------------------------
// Memory that a session keeps. Whoever borrows it gives it back at the end of the search, or else when the memory
// context of the search goes, as it does after an ERROR.

constexpr std::uint32_t kKeptCapacity = 4096;

}  // namespace

struct SearchMemory {
  Reached* nodes;
  NodeSet::Slot* slots;
  MemoryContextCallback* borrowed;  // null: it is free
};

namespace {

SearchMemory kept[2];

extern "C" void doublets_return_search_memory(void* argument) {
  auto* callback = static_cast<MemoryContextCallback*>(argument);
  for (SearchMemory& memory : kept)
    if (memory.borrowed == callback) memory.borrowed = nullptr;
}

SearchMemory* borrow_memory(MemoryContext context) {
  for (SearchMemory& memory : kept) {
    if (memory.borrowed != nullptr) continue;
    if (memory.nodes == nullptr)
      memory.nodes = static_cast<Reached*>(MemoryContextAlloc(TopMemoryContext, sizeof(Reached) * kKeptCapacity));
    if (memory.slots == nullptr)
      memory.slots = static_cast<NodeSet::Slot*>(
          MemoryContextAlloc(TopMemoryContext, sizeof(NodeSet::Slot) * NodeSet::slots_for(kKeptCapacity)));
    auto* callback = static_cast<MemoryContextCallback*>(MemoryContextAlloc(context, sizeof(MemoryContextCallback)));
    *callback = {doublets_return_search_memory, callback, nullptr};
    MemoryContextRegisterResetCallback(context, callback);
    memory.borrowed = callback;
    return &memory;
  }
  return nullptr;
}

// The callback stays registered, and finds nothing of its own.
void end_loan(GraphSearch& search) {
  if (search.kept != nullptr) search.kept->borrowed = nullptr;
  search.kept = nullptr;
}

// Gives a search memory for so many nodes.
void provide(GraphSearch& search, std::uint32_t capacity) {
  if (search.room == 0 && (search.kept = borrow_memory(search.context)) != nullptr) {
    search.nodes = search.kept->nodes;
    search.slots = search.kept->slots;
    search.room = kKeptCapacity;
  }
  if (capacity <= search.room) return;
  const Size nodes_size = sizeof(Reached) * capacity;
  const Size slots_size = sizeof(NodeSet::Slot) * NodeSet::slots_for(capacity);
  if (search.kept != nullptr || search.room == 0) {
    auto* nodes = static_cast<Reached*>(MemoryContextAllocHuge(search.context, nodes_size));
    if (search.room != 0) std::memcpy(nodes, search.nodes, sizeof(Reached) * search.met.size());
    search.nodes = nodes;
    end_loan(search);
  } else {
    pfree(search.slots);
    search.nodes = static_cast<Reached*>(repalloc_huge(search.nodes, nodes_size));
  }
  search.slots = static_cast<NodeSet::Slot*>(MemoryContextAllocHuge(search.context, slots_size));
  search.room = capacity;
}

}  // namespace

Direction direction_of(Datum datum) {
  const char* name = TextDatumGetCString(datum);
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

void begin_search(GraphSearch& search, Direction direction, Size* budget, MemoryContext context) {
  // Nobody shall be able to make nodes that meet in the hash: no two sessions place them alike.
  const auto seed = static_cast<std::uint64_t>(MyStartTimestamp) ^ static_cast<std::uint64_t>(MyProcPid) << 48;
  search.met = NodeSet(seed);
  search.direction = direction;
  search.level = 0;
  search.budget = budget;
  search.context = context;
  search.partner = nullptr;
  for (UnmetEnds& unmet : search.unmet) {
    if (unmet.ends != nullptr) pfree(unmet.ends);
    unmet = UnmetEnds{};
  }
}

void add_start(GraphSearch& search, std::int64_t node) {
  const Neighbour start{node, 0, NodeSet::kNone};
  while (search.met.add(&start, 1, NodeSet::kNone) == 0)
    grow_search(search);
}

void grow_search(GraphSearch& search) {
  const std::uint32_t capacity = search.met.capacity();
  std::uint32_t more = capacity == 0              ? kFirstCapacity
                       : capacity < kKeptCapacity ? 3 * capacity  // memory is at hand
                                                  : Min(capacity, NodeSet::kMaxCapacity - capacity);
  const auto fits = [&search, capacity, &more] {
    return bytes_for(capacity + more) - bytes_for(capacity) <= *search.budget;
  };
  if (!fits()) forget_unmet(search);
  while (more > 0 && !fits())
    more /= 2;
  if (more == 0) raise_too_large(search);
  *search.budget -= bytes_for(capacity + more) - bytes_for(capacity);
  provide(search, capacity + more);
  search.met.move_to(search.nodes, search.slots, capacity + more);
}

void end_search(GraphSearch& search) {
  if (search.kept == nullptr && search.room != 0) {
    pfree(search.nodes);
    pfree(search.slots);
  }
  end_loan(search);
  search.room = 0;
  forget_unmet(search);
}

}  // namespace doublets::pg

// Functions that return links: each, outgoing, incoming, usages.
#include "set_function.hpp"

namespace doublets::pg {
namespace {

// The first batch of a stream; most searches have few links, others get room for more.
constexpr std::size_t kFewRows = 32;

struct LinkStream {
  Search wanted;
  Position position;
  LinkId used;       // by usages: the links with it as source, then
  bool by_target;    // those with it as target
  bool has_targets;  // are still to come
  LinkRow* rows;     // the present batch
  std::size_t capacity;
  std::size_t next;
  std::size_t count;
};

// Begins the search for a pattern, narrowed by what the reader wants.
void search_for(LinkStream& stream, const Pattern& pattern, const Pattern& filter) {
  const auto narrowed = [](const Range& a, const Range& b) { return Range{Max(a.low, b.low), Min(a.high, b.high)}; };
  const Pattern both{narrowed(pattern.id, filter.id), narrowed(pattern.source, filter.source),
                     narrowed(pattern.target, filter.target)};
  stream.wanted = Search::of(both);
  stream.position = Position{};
  stream.position.done = both.is_empty();
}

bool begin_search(void* state, ReadCall& call, const Pattern& pattern) {
  auto& stream = *static_cast<LinkStream*>(state);
  search_for(stream, pattern, call.filter);
  stream.has_targets = false;
  stream.next = stream.count = 0;
  return true;
}

// Leaves out the link with the id used, and of those with it as target what was found by its source.
std::size_t keep_usages(const LinkStream& stream) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < stream.count; ++i) {
    const LinkRow& row = stream.rows[i];
    if (row.id != stream.used && !(stream.by_target && row.source == stream.used)) stream.rows[kept++] = row;
  }
  return kept;
}

// Makes room for a batch: a larger one if the last one was full.
void make_room(LinkStream& stream, MemoryContext context) {
  if (stream.rows != nullptr && (stream.count < stream.capacity || stream.capacity == kRowsPerBatch)) return;
  if (stream.rows != nullptr) pfree(stream.rows);
  stream.capacity = stream.rows == nullptr ? kFewRows : kRowsPerBatch;
  stream.rows = static_cast<LinkRow*>(MemoryContextAlloc(context, sizeof(LinkRow) * stream.capacity));
}

// Fetches links until there are some; false at the end.
template <bool kUsages>
bool refill(LinkStream& stream, ReadCall& call) {
  for (;;) {
    if (stream.position.done) {
      if (!kUsages || !stream.has_targets) return false;
      stream.has_targets = false;
      stream.by_target = true;
      search_for(stream, {.target = Range::point(stream.used)}, call.filter);
      continue;
    }
    make_room(stream, call.context);
    stream.next = 0;
    stream.count = read_store(call, [&stream](StoreHandle* store, SnapshotView& view) -> std::size_t {
      if (store == nullptr) {
        stream.position.done = true;
        return 0;
      }
      std::uint64_t passed = 0;
      store_lock(store, LW_SHARED);
      const std::size_t n =
          Store(store->heap)
              .scan(stream.wanted, stream.position, view.visibility(), stream.rows, stream.capacity, passed);
      store_unlock(store);
      view.report(store);
      return n;
    });
    if (kUsages) stream.count = keep_usages(stream);
    if (stream.count > 0) return true;
    CHECK_FOR_INTERRUPTS();
  }
}

template <bool kUsages>
bool next_link(void* state, ReadCall& call, Datum* values, bool* nulls) {
  auto& stream = *static_cast<LinkStream*>(state);
  if (stream.next == stream.count && !refill<kUsages>(stream, call)) return false;
  const LinkRow& row = stream.rows[stream.next++];
  values[0] = Int64GetDatum(row.id);
  values[1] = Int64GetDatum(row.source);
  values[2] = Int64GetDatum(row.target);
  nulls[0] = nulls[1] = nulls[2] = false;
  return true;
}

Range range_of(const NullableDatum& argument) {
  return argument.isnull ? Range{} : Range::point(DatumGetInt64(argument.value));
}

bool begin_each(void* state, ReadCall& call, const NullableDatum* arguments) {
  return begin_search(state, call, {range_of(arguments[1]), range_of(arguments[2]), range_of(arguments[3])});
}

bool begin_outgoing(void* state, ReadCall& call, const NullableDatum* arguments) {
  return !arguments[1].isnull && begin_search(state, call, {.source = range_of(arguments[1])});
}

bool begin_incoming(void* state, ReadCall& call, const NullableDatum* arguments) {
  return !arguments[1].isnull && begin_search(state, call, {.target = range_of(arguments[1])});
}

bool begin_usages(void* state, ReadCall& call, const NullableDatum* arguments) {
  if (!begin_outgoing(state, call, arguments)) return false;
  auto& stream = *static_cast<LinkStream*>(state);
  stream.used = DatumGetInt64(arguments[1].value);
  stream.by_target = false;
  stream.has_targets = true;
  return true;
}

}  // namespace
}  // namespace doublets::pg

using namespace doublets::pg;

// each(store regclass, id bigint, source bigint, target bigint) returns setof doublets.link
DOUBLETS_FUNCTION(doublets_each) {
  return return_set(fcinfo, kEach);
}

// outgoing(store regclass, source bigint) returns setof doublets.link
DOUBLETS_FUNCTION(doublets_outgoing) {
  return return_set(fcinfo, kOutgoing);
}

// incoming(store regclass, target bigint) returns setof doublets.link
DOUBLETS_FUNCTION(doublets_incoming) {
  return return_set(fcinfo, kIncoming);
}

// usages(store regclass, id bigint) returns setof doublets.link
DOUBLETS_FUNCTION(doublets_usages) {
  return return_set(fcinfo, kUsages);
}

namespace doublets::pg {

const SetFunction kEach{doublets_each,   4, 3, SetKind::kLinks, {1, 2, 3}, true, sizeof(LinkStream), begin_each,
                        next_link<false>};
const SetFunction kOutgoing{
    doublets_outgoing, 2, 3, SetKind::kLinks, {0, 1, 0}, false, sizeof(LinkStream), begin_outgoing, next_link<false>};
const SetFunction kIncoming{
    doublets_incoming, 2, 3, SetKind::kLinks, {0, 0, 1}, false, sizeof(LinkStream), begin_incoming, next_link<false>};
const SetFunction kUsages{doublets_usages, 2, 3, SetKind::kUsages, {0, 1, 1}, false, sizeof(LinkStream), begin_usages,
                          next_link<true>};

}  // namespace doublets::pg

// Links of one node in order of id, in the `united` layout, which keeps them by their other end.
//
// A walk by id comes upon them among all others. It finds the first few soon if the node has many, and late if it has
// few; then it is better to gather what the node has and to sort that. The executor knows how many that are, but not
// how many of them are wanted. So it walks until it has looked at as many links as there would be to gather, and
// gathers the rest then: it never does more than twice the work of the better way.
#include "fdw_scan.hpp"

#include <algorithm>
#include <limits>

namespace doublets::pg {
namespace {

std::uint64_t visited(const ScanState* state) noexcept {
  return state->found + state->passed;
}

void reserve(ScanState* state, std::size_t capacity) {
  Gathered& g = state->gathered;
  if (capacity <= g.capacity) return;
  g.capacity = std::max(capacity, g.capacity * 2);
  const Size size = g.capacity * sizeof(LinkRow);
  g.rows =
      static_cast<LinkRow*>(g.rows == nullptr ? MemoryContextAllocHuge(state->econtext->ecxt_estate->es_query_cxt, size)
                                              : repalloc_huge(g.rows, size));
}

}  // namespace

void set_patience(ScanState* state) {
  const Pattern& pattern = state->search.pattern;
  state->patience = std::numeric_limits<std::uint64_t>::max();
  if (!state->plan.ordered || state->search.access != Access::kId || state->spec->layout != Layout::kUnited ||
      state->allowed[kPartId].values != nullptr || !(pattern.source.is_point() || pattern.target.is_point()))
    return;
  store_lock(state->store, LW_SHARED);
  const Store store(state->store->heap);
  const Access access = store.best_access(pattern);
  const std::uint64_t n = store.estimate(pattern, access);
  store_unlock(state->store);
  if (access == Access::kId || !is_gathered(static_cast<double>(n))) return;
  state->gathered.access = access;
  state->patience = visited(state) + (n <= kFewGathered ? 0 : n);
}

bool is_patient(const ScanState* state) noexcept {
  return visited(state) + state->row_count < state->patience;
}

void gather_rest(ScanState* state) {
  Gathered& g = state->gathered;
  Search search{state->search.pattern, g.access, false};
  const bool backward = state->search.backward;
  if (state->position.started) (backward ? search.pattern.id.high : search.pattern.id.low) = state->position.at.first;
  state->indexes |= index_bit(g.access);
  ++state->searches;
  for (Position position; !position.done;) {
    CHECK_FOR_INTERRUPTS();
    reserve(state, g.count + kMostRows);
    LinkRow* rows = g.rows + g.count;
    store_lock(state->store, LW_SHARED);
    const std::size_t n =
        Store(state->store->heap).scan(search, position, state->view->visibility(), rows, kMostRows, state->passed);
    store_unlock(state->store);
    state->view->report(state->store);
    state->found += n;
    g.count += keep_wanted(state, rows, n);
  }
  std::sort(g.rows, g.rows + g.count,
            [backward](const LinkRow& a, const LinkRow& b) noexcept { return backward ? b.id < a.id : a.id < b.id; });
  state->finished = true;
}

void take_gathered(ScanState* state) noexcept {
  Gathered& g = state->gathered;
  state->row_count = std::min(g.count - g.next, state->row_capacity);
  std::copy_n(g.rows + g.next, state->row_count, state->rows);
  g.next += state->row_count;
}

}  // namespace doublets::pg

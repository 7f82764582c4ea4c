// Parallel scans: the leader and its workers divide the ids of a store among themselves. Each takes the next range of
// ids when it is done with its last one; snapshots decide about links, so it does not matter who reads a range, nor
// when.
//
// A worker is in the leader's transaction, whose changes it sees (TransactionIdIsCurrentTransactionId knows it there),
// and in its predicate locks (SERIALIZABLEXACT is shared). It maps the store's memory as any session does.
#include "fdw_scan.hpp"

#include <algorithm>

namespace doublets::pg {

// In the query's shared memory. What has no atomic is immutable once workers run.
struct ParallelScan {
  pg_atomic_uint64 next;  // number of the next range to be read
  std::uint64_t ranges;
  std::int64_t width;  // of a range; the last one has all ids from there on
  // For EXPLAIN ANALYZE, of those that have ended.
  pg_atomic_uint64 searches;
  pg_atomic_uint64 found;
  pg_atomic_uint64 passed;
};

bool next_range(ParallelScan* shared, Range& ids) noexcept {
  const std::uint64_t n = pg_atomic_fetch_add_u64(&shared->next, 1);
  if (n >= shared->ranges) return false;
  ids.low = n == 0 ? Range::kMin : static_cast<std::int64_t>(n) * shared->width;
  ids.high = n + 1 == shared->ranges ? Range::kMax : static_cast<std::int64_t>(n + 1) * shared->width - 1;
  return true;
}

namespace {

ScanState* state_of(const ForeignScanState* node) {
  return static_cast<ScanState*>(node->fdw_state);
}

// Small enough that all end at about the same time, large enough that taking one costs nothing. Ids beyond the dense
// ones are few, or the store would keep them densely.
void divide(const ScanState* state, ParallelScan* shared) {
  constexpr std::int64_t kLeast = 4096, kMost = 65536, kWanted = 256;
  std::int64_t ids = 0;
  if (state->store != nullptr) {
    store_lock(state->store, LW_SHARED);
    ids = static_cast<std::int64_t>(Store(state->store->heap).dense_ids());
    store_unlock(state->store);
  }
  shared->width = std::clamp(ids / kWanted, kLeast, kMost);
  shared->ranges = static_cast<std::uint64_t>(ids / shared->width) + 1;
}

}  // namespace

extern "C" bool doublets_is_parallel_safe(PlannerInfo*, RelOptInfo*, RangeTblEntry*) {
  return true;
}

extern "C" Size doublets_estimate_dsm(ForeignScanState*, ParallelContext*) {
  return sizeof(ParallelScan);
}

extern "C" void doublets_initialize_dsm(ForeignScanState* node, ParallelContext*, void* coordinate) {
  auto* shared = static_cast<ParallelScan*>(coordinate);
  pg_atomic_init_u64(&shared->next, 0);
  pg_atomic_init_u64(&shared->searches, 0);
  pg_atomic_init_u64(&shared->found, 0);
  pg_atomic_init_u64(&shared->passed, 0);
  divide(state_of(node), shared);
  state_of(node)->parallel = shared;
}

extern "C" void doublets_reinitialize_dsm(ForeignScanState*, ParallelContext*, void* coordinate) {
  pg_atomic_write_u64(&static_cast<ParallelScan*>(coordinate)->next, 0);
}

extern "C" void doublets_initialize_worker(ForeignScanState* node, shm_toc*, void* coordinate) {
  state_of(node)->parallel = static_cast<ParallelScan*>(coordinate);
}

// Adds up what EXPLAIN shows; the leader comes last, unless the query has had enough before.
extern "C" void doublets_shutdown_scan(ForeignScanState* node) {
  // Direct changes come by here too.
  if (castNode(ForeignScan, node->ss.ps.plan)->operation != CMD_SELECT) return;
  ScanState* state = state_of(node);
  if (state == nullptr || state->parallel == nullptr) return;
  ParallelScan* shared = state->parallel;
  state->searches += pg_atomic_fetch_add_u64(&shared->searches, state->searches);
  state->found += pg_atomic_fetch_add_u64(&shared->found, state->found);
  state->passed += pg_atomic_fetch_add_u64(&shared->passed, state->passed);
  state->parallel = nullptr;
  state->finished = true;
}

}  // namespace doublets::pg

// ANALYZE: settles the store and samples its links.
#include "fdw.hpp"

extern "C" {
#include "utils/sampling.h"
}

namespace doublets::pg {
namespace {

HeapTuple form_tuple(TupleDesc desc, const StoreSpec *spec, const LinkRow &row, Datum *values,
                     bool *nulls) {
  values[spec->id - 1] = Int64GetDatum(row.id);
  values[spec->source - 1] = Int64GetDatum(row.source);
  values[spec->target - 1] = Int64GetDatum(row.target);
  HeapTuple tuple = heap_form_tuple(desc, values, nulls);
  set_tid(&tuple->t_self, row.version);
  return tuple;
}

// A simple random sample of all visible links (Vitter's algorithm R), in order of id
// as far as it was never replaced.
extern "C" int acquire_sample_rows(Relation rel, int, HeapTuple *rows, int target_rows,
                                   double *total_rows, double *total_dead_rows) {
  constexpr std::size_t kBatch = 1024;
  check_read_allowed();
  *total_rows = *total_dead_rows = 0;
  StoreHandle *store = store_open(rel, false);
  if (store == nullptr)
    return 0;
  (void)settle_all(store);
  const StoreSpec *spec = store_spec(rel);
  const TupleDesc desc = RelationGetDescr(rel);
  auto *values = static_cast<Datum *>(palloc0(sizeof(Datum) * static_cast<Size>(desc->natts)));
  auto *nulls = static_cast<bool *>(palloc(sizeof(bool) * static_cast<Size>(desc->natts)));
  std::memset(nulls, true, sizeof(bool) * static_cast<std::size_t>(desc->natts));
  nulls[spec->id - 1] = nulls[spec->source - 1] = nulls[spec->target - 1] = false;
  auto *batch = static_cast<LinkRow *>(palloc(sizeof(LinkRow) * kBatch));
  SnapshotView view(GetActiveSnapshot());
  ReservoirStateData reservoir;
  reservoir_init_selection_state(&reservoir, target_rows);
  int kept = 0;
  std::uint64_t seen = 0, dead = 0;
  for (Position position; !position.done;) {
    CHECK_FOR_INTERRUPTS();
    store_lock(store, LW_SHARED);
    const std::size_t n =
        Store(store->heap).scan(Search{}, position, view.visibility(), batch, kBatch, dead);
    store_unlock(store);
    for (std::size_t i = 0; i < n; ++i, ++seen) {
      int at = kept;
      if (kept == target_rows) {
        at = static_cast<int>(static_cast<double>(seen + 1) *
                              sampler_random_fract(&reservoir.randstate));
        if (at >= target_rows)
          continue;
        heap_freetuple(rows[at]);
      } else {
        ++kept;
      }
      rows[at] = form_tuple(desc, spec, batch[i], values, nulls);
    }
  }
  *total_rows = static_cast<double>(seen);
  *total_dead_rows = static_cast<double>(dead);
  return kept;
}

} // namespace

extern "C" bool doublets_analyze(Relation, AcquireSampleRowsFunc *func, BlockNumber *total_pages) {
  *func = acquire_sample_rows;
  *total_pages = 1; // shared memory has no pages; a wrapper may not say zero
  return true;
}

} // namespace doublets::pg

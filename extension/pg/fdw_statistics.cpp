// What the planner is told about the columns of a store: how many different values there are. Nothing analyzes foreign
// tables by itself, and the store knows better anyway.
#include "fdw_plan.hpp"

namespace doublets::pg {
namespace {

bool includes_all(void*, const TxnSlot&, CommandId) noexcept {
  return true;
}

// The mean number of links per used value, from a sample of links: the number of values is the sum over all links of
// one divided by the degree of the link's end. The same store gives the same sample. Requires the store's lock.
double sampled_mean(const Store& store, Access end) noexcept {
  constexpr int kSamples = 32;
  constexpr double kGolden = 0.6180339887498949;  // its multiples are spread evenly
  const auto ids = static_cast<double>(store.header().ids.fresh);
  double fraction = 0, values = 0;
  int sampled = 0;
  for (int i = 0; i < kSamples; ++i) {
    fraction += kGolden;
    if (fraction >= 1) fraction -= 1;
    Search search{};
    search.pattern.id.low = 1 + static_cast<LinkId>(fraction * (ids - 1));
    LinkRow rows[2];
    Position position;
    std::uint64_t passed = 0;
    if (store.scan(search, position, {includes_all, nullptr}, rows, 2, passed) == 0) continue;
    const Pattern of_end = end == Access::kSource ? Pattern{.source = Range::point(rows[0].source)}
                                                  : Pattern{.target = Range::point(rows[0].target)};
    values += 1.0 / static_cast<double>(store.estimate(of_end, end));
    ++sampled;
  }
  return sampled > 0 ? sampled / values : 1;
}

void free_tuple(HeapTuple tuple) {
  heap_freetuple(tuple);
}

// A row of pg_statistic with nothing but the number of distinct values, as a fraction of the rows.
HeapTuple make_statistics(double mean) {
  constexpr Size kHeader = MAXALIGN(SizeofHeapTupleHeader);
  constexpr Size kSize = kHeader + sizeof(FormData_pg_statistic);
  auto* tuple = static_cast<HeapTuple>(palloc0(HEAPTUPLESIZE + kSize));
  tuple->t_len = kSize;
  tuple->t_data = reinterpret_cast<HeapTupleHeader>(reinterpret_cast<char*>(tuple) + HEAPTUPLESIZE);
  tuple->t_data->t_hoff = kHeader;
  auto* form = reinterpret_cast<Form_pg_statistic>(GETSTRUCT(tuple));
  form->stawidth = sizeof(std::int64_t);
  form->stadistinct = static_cast<float4>(-1.0 / Max(mean, 1.0));
  return tuple;
}

get_relation_stats_hook_type previous_hook = nullptr;

extern "C" bool doublets_relation_stats(PlannerInfo* root, RangeTblEntry* rte, AttrNumber column,
                                        VariableStatData* vardata) {
  if (rte->relkind == RELKIND_FOREIGN_TABLE && vardata->rel != nullptr && vardata->rel->fdwroutine != nullptr &&
      vardata->rel->fdwroutine->GetForeignRelSize == doublets_get_rel_size && vardata->rel->fdw_private != nullptr) {
    const PlanInfo* info = plan_info(vardata->rel);
    // What ANALYZE found is more, as long as it is about as many links.
    const bool analyzed = info->analyzed > info->links / 2 && info->analyzed <= info->links * 2;
    for (const Part part : {kPartId, kPartSource, kPartTarget})
      if (!analyzed && attribute_of(info->spec, part) == column) {
        vardata->statsTuple = make_statistics(info->mean[part]);
        vardata->freefunc = free_tuple;
        vardata->acl_ok = true;
        return true;
      }
  }
  return previous_hook != nullptr && previous_hook(root, rte, column, vardata);
}

}  // namespace

void mean_degrees(StoreHandle* store, double links, double (&mean)[kParts]) {
  mean[kPartId] = mean[kPartSource] = mean[kPartTarget] = 1;
  if (store == nullptr || links < 1) return;
  store_lock(store, LW_SHARED);
  const Store core(store->heap);
  const StoreHeader& header = core.header();
  MeanDegrees& known = store->mean_degrees;
  if (header.layout == Layout::kSplit) {
    mean[kPartSource] = links / static_cast<double>(Max(header.split.by_source.entries, 1));
    mean[kPartTarget] = links / static_cast<double>(Max(header.split.by_target.entries, 1));
  } else {
    // The ordered indexes do not count values; sampling them costs as much as planning.
    if (links > 1.5 * known.links || links < 0.67 * known.links)
      known = {links, sampled_mean(core, Access::kSource), sampled_mean(core, Access::kTarget)};
    mean[kPartSource] = known.source;
    mean[kPartTarget] = known.target;
  }
  store_unlock(store);
}

void statistics_init() {
  previous_hook = get_relation_stats_hook;
  get_relation_stats_hook = doublets_relation_stats;
}

}  // namespace doublets::pg

// What EXPLAIN says about a scan.
#include "fdw_scan.hpp"

namespace doublets::pg {

const char* index_name(Access access) {
  switch (access) {
    case Access::kId:
      return "id";
    case Access::kSource:
      return "source";
    case Access::kTarget:
      return "target";
    case Access::kPair:
      break;
  }
  return "source, target";
}

namespace {

// All of a set of them.
const char* index_names(int indexes) {
  StringInfoData names;
  initStringInfo(&names);
  for (const Access access : {Access::kId, Access::kSource, Access::kTarget, Access::kPair})
    if ((indexes & index_bit(access)) != 0)
      appendStringInfo(&names, "%s%s", names.len > 0 ? " or " : "", index_name(access));
  return names.data;
}

const char* order_name(const StoreSpec* spec, const PathChoice& choice) {
  const bool by_id = choice.access == Access::kId || choice.access == Access::kPair || spec->layout == Layout::kSplit;
  if (by_id) return choice.backward ? "id DESC" : "id";
  if (choice.access == Access::kSource)
    return choice.backward ? "source DESC, target DESC, id DESC" : "source, target, id";
  return choice.backward ? "target DESC, source DESC, id DESC" : "target, source, id";
}

// What an aggregate is of: such a node names no relation.
void explain_aggregate(const StoreSpec* spec, const ForeignScan* plan, ExplainState* es) {
  const int relation = bms_singleton_member(plan->fs_relids);
  // Columns may have names of their own.
  const auto column_name = [&](Part part) {
    const AttrNumber number = part == kPartId ? spec->id : part == kPartSource ? spec->source : spec->target;
    char* name = get_rte_attribute_name(rt_fetch(relation, es->rtable), number);
    return const_cast<char*>(quote_identifier(name));
  };
  ExplainPropertyText("Relations",
                      psprintf("Aggregate on (%s)",
                               quote_identifier(static_cast<const char*>(list_nth(es->rtable_names, relation - 1)))),
                      es);
  List* results = NIL;
  ListCell* cell;
  foreach (cell, scan_outputs(plan))
    switch (static_cast<Output>(lfirst_int(cell))) {
      case Output::kCount:
        results = lappend(results, pstrdup("count"));
        break;
      case Output::kLeastId:
        results = lappend(results, psprintf("min(%s)", column_name(kPartId)));
        break;
      case Output::kGreatestId:
        results = lappend(results, psprintf("max(%s)", column_name(kPartId)));
        break;
      default:
        break;
    }
  if (results != NIL) ExplainPropertyList("Aggregates", results, es);
  if (scan_group(plan) != kParts) ExplainPropertyList("Group Key", list_make1(column_name(scan_group(plan))), es);
}

}  // namespace

void explain_scan(const ScanState* state, const ForeignScanState* node, ExplainState* es) {
  const auto* plan = castNode(ForeignScan, node->ss.ps.plan);
  if (state->aggregate != nullptr) explain_aggregate(state->spec, plan, es);
  ExplainPropertyText("Layout", layout_name(state->spec->layout), es);
  ExplainPropertyText("Persistence", persistence_name(state->spec->persistence), es);
  // What was used once the values were known, if there was a choice; else what is expected.
  const bool chosen = state->searches > 0 && !plan->scan.plan.parallel_aware;
  const int indexes = chosen ? state->indexes : state->plan.indexes;
  if (indexes != 0) ExplainPropertyText("Index", index_names(indexes), es);
  if (state->plan.ordered) ExplainPropertyText("Order", order_name(state->spec, state->plan), es);
  if (plan->fdw_recheck_quals != NIL) {
    List* context = set_deparse_context_plan(es->deparse_cxt, node->ss.ps.plan, NIL);
    ExplainPropertyText("Index Cond",
                        deparse_expression(reinterpret_cast<::Node*>(make_ands_explicit(plan->fdw_recheck_quals)),
                                           context, es->verbose || list_length(es->rtable) > 1, false),
                        es);
  }
  if (es->analyze && es->verbose) {
    ExplainPropertyInteger("Searches", nullptr, static_cast<int64>(state->searches), es);
    ExplainPropertyInteger("Links Visited", nullptr, static_cast<int64>(state->found + state->passed), es);
    ExplainPropertyInteger("Versions Skipped", nullptr, static_cast<int64>(state->passed), es);
  }
}

extern "C" void doublets_explain_scan(ForeignScanState* node, ExplainState* es) {
  explain_scan(static_cast<const ScanState*>(node->fdw_state), node, es);
}

}  // namespace doublets::pg

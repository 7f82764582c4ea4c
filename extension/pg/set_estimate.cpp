// What the planner may expect of a set function: the store is asked where the arguments are known.
//
// Planning neither waits for a store nor tells anything of one that the user may not read: then, and where the
// store is not known yet, the numbers are those of a small graph.
#include "set_function.hpp"

namespace doublets::pg {
namespace {

constexpr double kUsualDegree = 8;  // links per node, where nothing is known
constexpr double kUsualLinks = 10000;

// What is known of a store.
struct Sketch {
  double links = kUsualLinks;
  double out_degree = kUsualDegree;
  double in_degree = kUsualDegree;
  double found = -1;  // links of the pattern asked for; negative: not known
};

// The value of an expression, if that is known when planning; else null.
const Const* known_value(PlannerInfo* root, ::Node* expression) {
  if (IsA(expression, Const)) return castNode(Const, expression);
  ::Node* value = estimate_expression_value(root, expression);
  return IsA(value, Const) ? castNode(Const, value) : nullptr;
}

void look_at(Relation rel, const Pattern& pattern, Sketch& sketch) {
  StoreHandle* store = store_attach(rel);
  sketch.links = sketch.found = 0;
  if (store == nullptr) return;
  store_lock(store, LW_SHARED);
  const Store core(store->heap);
  const StoreHeader& header = core.header();
  sketch.links = static_cast<double>(header.versions);
  if (header.layout == Layout::kSplit && header.versions > 0) {
    sketch.out_degree = sketch.links / static_cast<double>(header.split.by_source.entries);
    sketch.in_degree = sketch.links / static_cast<double>(header.split.by_target.entries);
  } else if (store->mean_degrees.links > 0) {  // known from planning a query of the table
    sketch.out_degree = store->mean_degrees.source;
    sketch.in_degree = store->mean_degrees.target;
  }
  if (!pattern.is_empty()) sketch.found = static_cast<double>(core.estimate(pattern, Search::access_of(pattern)));
  store_unlock(store);
}

Sketch sketch_of(PlannerInfo* root, ::Node* argument, const Pattern& pattern) {
  Sketch sketch;
  const Const* store = known_value(root, argument);
  if (store == nullptr || store->constisnull || RecoveryInProgress()) return sketch;
  const Oid oid = DatumGetObjectId(store->constvalue);
  if (!ConditionalLockRelationOid(oid, AccessShareLock)) return sketch;
  if (SearchSysCacheExists1(FOREIGNTABLEREL, ObjectIdGetDatum(oid)) && is_store(oid) &&
      pg_class_aclcheck(oid, GetUserId(), ACL_SELECT) == ACLCHECK_OK) {
    const Relation rel = relation_open(oid, NoLock);
    look_at(rel, pattern, sketch);
    relation_close(rel, NoLock);
  }
  UnlockRelationOid(oid, AccessShareLock);
  return sketch;
}

// The pattern that arguments and filter make, as far as they are known.
struct KnownPattern {
  Pattern pattern;
  bool open[3];  // the part is to have a value that is not known
  bool none;     // it is known that there is no such link
};

void narrow(PlannerInfo* root, ::Node* value, bool null_is_any, Range& range, bool& open, bool& none) {
  const Const* known = known_value(root, value);
  if (known == nullptr)
    open = true;
  else if (known->constisnull)
    none |= !null_is_any;
  else
    range = Range::point(DatumGetInt64(known->constvalue));
}

KnownPattern known_pattern(PlannerInfo* root, const SetFunction& function, const FuncExpr* call,
                           ::Node* const* filter) {
  KnownPattern known{};
  Range* const ranges[3] = {&known.pattern.id, &known.pattern.source, &known.pattern.target};
  for (int part = 0; part < 3; ++part) {
    if (function.parts[part] != 0)
      narrow(root, static_cast<::Node*>(list_nth(call->args, function.parts[part])), function.any, *ranges[part],
             known.open[part], known.none);
    if (filter != nullptr && filter[part] != nullptr)
      narrow(root, filter[part], false, *ranges[part], known.open[part], known.none);
  }
  return known;
}

// Links with these parts.
double links_found(const Sketch& sketch, const KnownPattern& known) {
  if (known.none) return 0;
  double rows = sketch.found < 0 ? sketch.links : sketch.found;
  const bool any_known = !known.pattern.is_all();
  if (sketch.found < 0 && any_known) {
    if (!known.pattern.id.is_all()) rows = 1;
    if (!known.pattern.source.is_all()) rows = Min(rows, sketch.out_degree);
    if (!known.pattern.target.is_all()) rows = Min(rows, sketch.in_degree);
  }
  if (known.open[0]) rows = Min(rows, 1);
  // A second end leaves few of the links of the first.
  if (known.open[1])
    rows = any_known ? Min(rows, 1 + rows * sketch.out_degree / Max(sketch.links, 1)) : Min(rows, sketch.out_degree);
  if (known.open[2])
    rows = any_known || known.open[1] ? Min(rows, 1 + rows * sketch.in_degree / Max(sketch.links, 1))
                                      : Min(rows, sketch.in_degree);
  return rows;
}

double walked_nodes(PlannerInfo* root, const FuncExpr* call, const Sketch& sketch) {
  const Const* depth = known_value(root, static_cast<::Node*>(lfourth(call->args)));
  auto* start = static_cast<::Node*>(lsecond(call->args));
  const double starts = exprType(start) == INT8OID ? 1 : estimate_array_length(start);
  const double nodes = starts + sketch.links / Max(sketch.out_degree, 1);
  if (depth == nullptr || depth->constisnull) return nodes;
  double level = starts, reached = starts;
  for (int32 i = 0; i < DatumGetInt32(depth->constvalue) && reached < nodes && level > 0; ++i)
    reached += level *= sketch.out_degree;
  return Min(reached, nodes);
}

}  // namespace

SetEstimate estimate_set(PlannerInfo* root, const SetFunction& function, const FuncExpr* call, ::Node* const* filter) {
  auto* store = static_cast<::Node*>(linitial(call->args));
  switch (function.kind) {
    case SetKind::kLinks: {
      const KnownPattern known = known_pattern(root, function, call, filter);
      const double rows = links_found(sketch_of(root, store, known.pattern), known);
      return {rows, rows};
    }
    case SetKind::kUsages: {
      double rows = 0;
      for (const int unused : {1, 2}) {  // by source, by target
        SetFunction side = function;
        side.parts[3 - unused] = 0;
        const KnownPattern known = known_pattern(root, side, call, filter);
        rows += links_found(sketch_of(root, store, known.pattern), known);
      }
      return {rows, rows};
    }
    case SetKind::kWalk: {
      const Sketch sketch = sketch_of(root, store, Pattern{});
      const double rows = walked_nodes(root, call, sketch);
      return {rows, rows * sketch.out_degree};
    }
    case SetKind::kHubs:
      break;
  }
  const Sketch sketch = sketch_of(root, store, Pattern{});
  const double nodes = sketch.links / Max(sketch.out_degree, 1);
  const Const* k = known_value(root, static_cast<::Node*>(lthird(call->args)));
  const double wanted = k == nullptr ? 10 : k->constisnull ? 0 : static_cast<double>(DatumGetInt64(k->constvalue));
  return {Min(wanted, nodes), nodes};
}

}  // namespace doublets::pg

using namespace doublets::pg;

// set_support(internal) returns internal: the support function of those that return sets
DOUBLETS_FUNCTION(doublets_set_support) {
  auto* request = reinterpret_cast<::Node*>(PG_GETARG_POINTER(0));
  if (IsA(request, SupportRequestRows)) {
    auto* rows = reinterpret_cast<SupportRequestRows*>(request);
    if (rows->node == nullptr || !IsA(rows->node, FuncExpr) || rows->root == nullptr) PG_RETURN_POINTER(nullptr);
    const auto* call = castNode(FuncExpr, rows->node);
    const SetFunction* function = set_function_of(call);
    if (function == nullptr) PG_RETURN_POINTER(nullptr);
    rows->rows = estimate_set(rows->root, *function, call, nullptr).rows;
    PG_RETURN_POINTER(rows);
  }
  if (IsA(request, SupportRequestCost)) {
    auto* cost = reinterpret_cast<SupportRequestCost*>(request);
    if (cost->node == nullptr || !IsA(cost->node, FuncExpr) || cost->root == nullptr) PG_RETURN_POINTER(nullptr);
    const auto* call = castNode(FuncExpr, cost->node);
    const SetFunction* function = set_function_of(call);
    if (function == nullptr) PG_RETURN_POINTER(nullptr);
    cost->startup = 0;
    cost->per_tuple = set_call_cost(estimate_set(cost->root, *function, call, nullptr));
    PG_RETURN_POINTER(cost);
  }
  PG_RETURN_POINTER(nullptr);
}

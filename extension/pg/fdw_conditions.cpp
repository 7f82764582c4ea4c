#include "fdw_conditions.hpp"

#include <algorithm>

namespace doublets::pg {

std::int64_t integer_value(Datum datum, Oid type) {
  switch (type) {
    case INT2OID:
      return DatumGetInt16(datum);
    case INT4OID:
      return DatumGetInt32(datum);
    default:
      Assert(type == INT8OID);
      return DatumGetInt64(datum);
  }
}

std::int64_t* array_values(Datum datum, MemoryContext context, int* n) {
  ArrayType* array = DatumGetArrayTypeP(datum);
  const Oid element = ARR_ELEMTYPE(array);
  int16 length;
  bool by_value;
  char align;
  get_typlenbyvalalign(element, &length, &by_value, &align);
  Datum* elements;
  bool* nulls;
  int count;
  deconstruct_array(array, element, length, by_value, align, &elements, &nulls, &count);
  auto* values =
      static_cast<std::int64_t*>(MemoryContextAlloc(context, sizeof(std::int64_t) * static_cast<Size>(Max(count, 1))));
  int kept = 0;
  for (int i = 0; i < count; ++i)
    if (!nulls[i]) values[kept++] = integer_value(elements[i], element);
  std::sort(values, values + kept);
  *n = static_cast<int>(std::unique(values, values + kept) - values);
  return values;
}

namespace {

constexpr Range kNothing{1, 0};

Range intersection(const Range& a, const Range& b) noexcept {
  return {std::max(a.low, b.low), std::min(a.high, b.high)};
}

// The values that pass `test` against `v`.
Range passing(Test test, std::int64_t v) noexcept {
  switch (test) {
    case Test::kLess:
      return v == Range::kMin ? kNothing : Range{Range::kMin, v - 1};
    case Test::kLessEqual:
      return {Range::kMin, v};
    case Test::kEqual:
      return Range::point(v);
    case Test::kGreaterEqual:
      return {v, Range::kMax};
    case Test::kGreater:
      return v == Range::kMax ? kNothing : Range{v + 1, Range::kMax};
    default:
      return Range{};
  }
}

}  // namespace

bool Allowed::contains(std::int64_t v) const noexcept {
  return values != nullptr ? std::binary_search(values, values + n, v) : range.contains(v);
}

void Allowed::narrow(Test test, Datum value, bool null, Oid type, MemoryContext context) {
  if (test == Test::kNotNull) return;
  if (null || test == Test::kNull) {
    range = kNothing;
    return;
  }
  if (test != Test::kAny) {
    range = intersection(range, passing(test, integer_value(value, type)));
    return;
  }
  int other_n;
  std::int64_t* other = array_values(value, context, &other_n);
  // The lists may be those of other branches too: they stay as they are.
  if (values != nullptr) {
    const auto end = std::remove_if(
        other, other + other_n, [this](std::int64_t v) noexcept { return !std::binary_search(values, values + n, v); });
    other_n = static_cast<int>(end - other);
  }
  values = other;
  n = other_n;
}

void Allowed::finish() {
  if (values == nullptr) return;
  std::int64_t* const first = std::lower_bound(values, values + n, range.low);
  n = static_cast<int>(std::upper_bound(first, values + n, range.high) - first);
  values = first;
  range = n == 0 ? kNothing : Range{values[0], values[n - 1]};
  if (n <= 1) values = nullptr;
}

ScanConditions prepare_conditions(List* codes, List* exprs, PlanState* state) {
  ScanConditions conditions{};
  conditions.items =
      static_cast<ScanCondition*>(palloc(sizeof(ScanCondition) * static_cast<Size>(Max(list_length(codes), 1))));
  const ListCell* expr_cell = list_head(exprs);
  ListCell* cell;
  foreach (cell, codes) {
    ScanCondition& c = conditions.items[conditions.n++];
    c = {part_of_code(lfirst_int(cell)), test_of_code(lfirst_int(cell)), nullptr, InvalidOid};
    conditions.branches += c.test == Test::kOr;
    if (!has_value(c.test)) continue;
    auto* expr = static_cast<Expr*>(lfirst(expr_cell));
    expr_cell = lnext(exprs, expr_cell);
    c.expr = ExecInitExpr(expr, state);
    c.type = exprType(reinterpret_cast<::Node*>(expr));
    if (c.test == Test::kAny && conditions.context == nullptr)
      conditions.context =
          AllocSetContextCreate(state->state->es_query_cxt, "doublets scan values", ALLOCSET_SMALL_SIZES);
  }
  return conditions;
}

int evaluate_conditions(const ScanConditions& conditions, ExprContext* econtext, AllowedParts* allowed) {
  if (conditions.context != nullptr) MemoryContextReset(conditions.context);
  AllowedParts common{};
  int count = 0;
  for (int i = 0, branch = 0; branch <= conditions.branches; ++branch, ++i) {
    AllowedParts& present = allowed[count];
    present = common;
    for (; i < conditions.n && conditions.items[i].test != Test::kOr; ++i) {
      const ScanCondition& c = conditions.items[i];
      bool null = false;
      const Datum value = c.expr == nullptr ? 0 : ExecEvalExprSwitchContext(c.expr, econtext, &null);
      present.parts[c.part].narrow(c.test, value, null, c.type, conditions.context);
    }
    if (branch == 0) common = present;
    bool none = false;
    for (Allowed& part : present.parts) {
      part.finish();
      none |= part.none();
    }
    if (branch == 0 && none) return 0;
    count += !none;
  }
  return count == 1 && conditions.branches > 0 ? 0 : count;
}

}  // namespace doublets::pg

// The conditions of a query that a store answers itself, from the planner to the values they
// have when a scan begins.
//
//   fdw_match.cpp       recognises them among the clauses of a query
//   fdw_conditions.cpp  combines their values: for each part of a link what is allowed
#pragma once

#include "access.hpp"

namespace doublets::pg {

// Parts of a link.
enum Part : int { kPartId, kPartSource, kPartTarget, kParts };

// What a condition demands of a part; the first five are the strategies of a B-tree.
enum class Test : int {
  kLess = BTLessStrategyNumber,
  kLessEqual = BTLessEqualStrategyNumber,
  kEqual = BTEqualStrategyNumber,
  kGreaterEqual = BTGreaterEqualStrategyNumber,
  kGreater = BTGreaterStrategyNumber,
  kAny,      // = ANY (array)
  kNull,     // IS NULL: never
  kNotNull,  // IS NOT NULL: always
  kOr,       // no condition: those that follow, up to the next one, are a branch of an OR
};

// Whether there is something a part is compared with.
inline bool has_value(Test test) {
  return test < Test::kNull;
}

// A part and a test in one integer, for lists that are copied with a plan.
inline int condition_code(Part part, Test test) {
  return static_cast<int>(test) * kParts + part;
}
inline Part part_of_code(int code) {
  return static_cast<Part>(code % kParts);
}
inline Test test_of_code(int code) {
  return static_cast<Test>(code / kParts);
}

// The values of one part that its conditions allow together. Each condition narrows it; it is complete
// after finish().
struct Allowed {
  Range range;
  std::int64_t* values;  // ascending and distinct, inside the range; null: all of the range
  int n;                 // of `values`

  bool none() const noexcept { return range.is_empty(); }
  int alternatives() const noexcept { return values != nullptr ? n : 1; }
  Range alternative(int i) const noexcept { return values != nullptr ? Range::point(values[i]) : range; }
  bool contains(std::int64_t v) const noexcept;

  // Takes one more condition into account. A list of alternatives is made in `context`; reading an array
  // may leave garbage in the current one.
  void narrow(Test test, Datum value, bool null, Oid type, MemoryContext context);
  void finish();
};

// What conditions leave of each part.
struct AllowedParts {
  Allowed parts[kParts];
  Access access;  // for whoever searches by them: the index to use

  bool contain(const LinkRow& row) const noexcept {
    return parts[kPartId].contains(row.id) && parts[kPartSource].contains(row.source) &&
           parts[kPartTarget].contains(row.target);
  }
};

// The conditions of a scan as the executor has them.
struct ScanCondition {
  Part part;
  Test test;
  ExprState* expr;  // null without a value
  Oid type;         // of it
};

struct ScanConditions {
  int branches;  // as many as kOr
  int n;
  ScanCondition* items;
  MemoryContext context;  // of lists of alternatives; null if there are none
};

// `codes` is a list of condition codes, `exprs` the values of those that have one, in the same order.
ScanConditions prepare_conditions(List* codes, List* exprs, PlanState* state);

// Evaluates them all; what lists they have stay valid until the next evaluation. `allowed`, with room for all branches
// and one, gets what the conditions before the first branch leave, and then what each branch leaves of that, but for
// branches that no link meets. Returns how many it got; 0: no link meets the conditions.
int evaluate_conditions(const ScanConditions& conditions, ExprContext* econtext, AllowedParts* allowed);

// An int2, int4 or int8 datum.
std::int64_t integer_value(Datum datum, Oid type);

// The distinct elements of an array of such, ascending; NULLs, which nothing is equal to,
// are left out. The answer is in `context`.
std::int64_t* array_values(Datum array, MemoryContext context, int* n);

}  // namespace doublets::pg

// What the planning files of the foreign-data wrapper share.
//
//   fdw_match.cpp       conditions among the clauses of a query
//   fdw_estimate.cpp    how many links they leave, what a search costs
//   fdw_statistics.cpp  how many different values a column has
//   fdw_paths.cpp       the ways to scan a store, and the orders they give
//   fdw_upper.cpp       aggregates
//   fdw_plan.cpp        the plan node
#pragma once

#include "fdw.hpp"

namespace doublets::pg {

// A clause that the store answers.
struct Condition {
  Part part;
  Test test;
  Expr* value;  // null without one
  RestrictInfo* clause;
  bool exact;  // else the clause demands more: it is a comparison of rows, this the bound of its first column
};

// In the planner's memory, for lists.
template <typename T>
T* copy_of(const T& value) {
  auto* copy = static_cast<T*>(palloc(sizeof(T)));
  *copy = value;
  return copy;
}

// An OR whose branches each have conditions that the store answers; or a comparison of rows, which is one too:
// (a, b) > (x, y) is a = x AND b > y OR a > x, the branches being in the order of the columns.
struct Alternatives {
  RestrictInfo* clause;
  List* branches;  // of Lists of Conditions
  bool exact;      // nothing of the clause is left to be checked
  List* columns;   // of a comparison of rows, Parts
  bool backward;   // its branches are in descending order
};

// A way to search and what is to be expected of it.
struct AccessEstimate {
  Access access;
  double searches;
  double visited;  // links looked at
};

// Clauses, as a scan divides them between the store and the executor.
struct Division {
  List* pushed;                // Conditions
  Alternatives* alternatives;  // the OR that the store answers too, or null
  List* local;                 // RestrictInfos the executor checks
};

// What is to be expected of the cheapest search: by one index, or by one for each branch of the OR.
struct Expectation {
  AccessEstimate best;
  double found;  // links that the store finds
  int indexes;   // see index_bit
};

// Planner's view of a store, in RelOptInfo.fdw_private.
struct PlanInfo {
  const StoreSpec* spec;
  StoreHandle* store;   // null: no links
  double links;         // versions in the store
  double analyzed;      // links of which ANALYZE has made statistics; -1: none
  double mean[kParts];  // links per used value of a part
  Division own;         // of the relation's own clauses
  Expectation expected;
  double selectivity;  // of those that are local
  QualCost local_cost;
};
inline PlanInfo* plan_info(const RelOptInfo* baserel) {
  return static_cast<PlanInfo*>(baserel->fdw_private);
}

inline AttrNumber attribute_of(const StoreSpec* spec, Part part) {
  return part == kPartId ? spec->id : part == kPartSource ? spec->source : spec->target;
}

// Whether the expression is a bare reference to a column of the relation, and to which.
bool is_part(::Node* node, Index relid, const StoreSpec* spec, Part* part);

// Whether the store can answer a clause, which is then described.
//
// These are `part op value` with an operator of the integer family's B-tree strategies, in either order of the
// arguments, `part = ANY (array)`, and `part IS [NOT] NULL`, where the value has no column of the store in it
// and is not volatile; and, for the first column, comparisons of rows.
bool match_condition(PlannerInfo* root, const RelOptInfo* baserel, RestrictInfo* clause, Condition* found);

// An OR of not too many branches that each have a condition the store can answer, or a comparison of rows; null: it is
// none.
Alternatives* match_alternatives(PlannerInfo* root, const RelOptInfo* baserel, RestrictInfo* clause);

// Whether a walk by an index, one branch after the other, finds links in the order of the index. Requires: the index is
// ordered.
bool is_stepwise(const Division& division, Access access);

// Divides RestrictInfos. Where there are several ORs the store answers the one that makes the search cheapest.
Division divide_clauses(PlannerInfo* root, const RelOptInfo* baserel, List* clauses);

// What is known about the values of a part when planning.
struct PartGuess {
  bool given;           // there is a condition with a value
  bool single;          // there is an equality with a single value
  bool equal;           // ... or with some
  bool known;           // all values are constants
  Allowed allowed;      // by the constants
  double alternatives;  // if `equal`
  List* ranges;         // RestrictInfos of the inequalities
};

// A set of conditions, summed up by part.
struct Guess {
  PartGuess parts[kParts];
  bool none;  // it is known that no link meets them
};
Guess guess_conditions(PlannerInfo* root, List* conditions);

// The mean number of links per used value of each part of a store with so many links.
void mean_degrees(StoreHandle* store, double links, double (&mean)[kParts]);

// Whether an access is there for conditions of this form, and confines the search.
bool is_confined(const PlanInfo* info, const Guess& guess, Access access);

// Whether an access looks at no other links than those that meet all the conditions.
bool is_answered(const PlanInfo* info, const Guess& guess, Access access);

AccessEstimate estimate_access(PlannerInfo* root, const RelOptInfo* baserel, const Guess& guess, Access access);
AccessEstimate best_access(PlannerInfo* root, const RelOptInfo* baserel, const Guess& guess);

// Links that meet all the conditions: the true number where they are constants that an index answers.
double estimate_rows(PlannerInfo* root, const RelOptInfo* baserel, const Guess& guess);

// What is to be expected of a search by the conditions and the OR of a division.
Expectation estimate_search(PlannerInfo* root, const RelOptInfo* baserel, const Division& division);

// The share of links that meets the local clauses of a division.
double local_selectivity(PlannerInfo* root, const RelOptInfo* baserel, const Division& division);

// Cost of a search that looks at links, of which `found` meet the conditions.
void cost_search(const RelOptInfo* baserel, const AccessEstimate& estimate, double found, Cost* startup, Cost* total);

// What the store answers, for ForeignScan: fdw_recheck_quals, condition codes and their values.
struct Encoded {
  List* clauses;
  List* codes;
  List* values;
};
Encoded encode_conditions(const Division& division, bool backward);

// The plan node of an aggregate's path.
ForeignScan* make_aggregate_plan(const ForeignPath* path, List* tlist, Plan* outer_plan);

}  // namespace doublets::pg

#include "fdw_plan.hpp"

#include <algorithm>

namespace doublets::pg {
namespace {

constexpr int kMaxProbes = 100;  // combinations of constants worth counting

// Parts whose conditions confine a search by an index, the leading ones first.
struct Confined {
  Part parts[kParts];
  int n;
};

Confined confined_by(const PlanInfo* info, const Guess& guess, Access access) {
  if (access == Access::kId) return {{kPartId}, 1};
  const Part lead = access == Access::kTarget ? kPartTarget : kPartSource;
  const Part other = lead == kPartSource ? kPartTarget : kPartSource;
  Confined c{{lead}, 1};
  const bool ordered = info->spec->layout == Layout::kUnited;
  if (access == Access::kPair || (ordered && guess.parts[lead].equal)) c.parts[c.n++] = other;
  // Where the ends are fixed the index is in order of id.
  if (!ordered || guess.parts[other].equal) c.parts[c.n++] = kPartId;
  return c;
}

Range& range_of(Pattern& pattern, Part part) {
  return part == kPartId ? pattern.id : part == kPartSource ? pattern.source : pattern.target;
}

// What the store says about all combinations of values of some parts, or, if there are many, about some of them.
double ask_store(const PlanInfo* info, const Guess& guess, const Confined& confined, Access access) {
  if (info->store == nullptr) return 0;
  const Allowed any{};
  const Allowed* allowed[kParts] = {&any, &any, &any};
  double combinations = 1;
  for (int i = 0; i < confined.n; ++i) {
    const Part p = confined.parts[i];
    if (!guess.parts[p].given) continue;
    allowed[p] = &guess.parts[p].allowed;
    combinations *= allowed[p]->alternatives();
  }
  const int probes = static_cast<int>(Min(combinations, kMaxProbes));
  std::uint64_t sum = 0;
  store_lock(info->store, LW_SHARED);
  const Store store(info->store->heap);
  for (int i = 0; i < probes; ++i) {
    Pattern pattern{};
    int rest = i;
    for (const Part p : {kPartId, kPartSource, kPartTarget}) {
      range_of(pattern, p) = allowed[p]->alternative(rest % allowed[p]->alternatives());
      rest /= allowed[p]->alternatives();
    }
    sum += store.estimate(pattern, access);
  }
  store_unlock(info->store);
  return static_cast<double>(sum) * (combinations / probes);
}

Access index_of(Part part) {
  return part == kPartId ? Access::kId : part == kPartSource ? Access::kSource : Access::kTarget;
}

// The share of all links that meets the conditions of one part.
double selectivity(PlannerInfo* root, const RelOptInfo* baserel, const Guess& guess, Part part) {
  const PlanInfo* info = plan_info(baserel);
  const PartGuess& g = guess.parts[part];
  if (!g.given || info->links < 1) return 1;
  const bool indexed = g.equal || part == kPartId || info->spec->layout == Layout::kUnited;
  if (g.known && indexed) return Min(1.0, ask_store(info, guess, {{part}, 1}, index_of(part)) / info->links);
  double share = g.equal ? Min(1.0, g.alternatives * info->mean[part] / info->links) : 1.0;
  if (g.ranges != NIL)
    share *= clauselist_selectivity(root, g.ranges, static_cast<int>(baserel->relid), JOIN_INNER, nullptr);
  return share;
}

// A value known when planning.
const Const* known_value(PlannerInfo* root, Expr* value) {
  if (IsA(value, Const)) return castNode(Const, value);
  if (IsA(value, Param) || contain_var_clause(reinterpret_cast<::Node*>(value))) return nullptr;
  ::Node* folded = estimate_expression_value(root, reinterpret_cast<::Node*>(value));
  return IsA(folded, Const) ? castNode(Const, folded) : nullptr;
}

}  // namespace

Guess guess_conditions(PlannerInfo* root, List* conditions) {
  Guess guess{};
  for (PartGuess& g : guess.parts) {
    g.known = true;
    g.alternatives = 1;
  }
  ListCell* cell;
  foreach (cell, conditions) {
    const auto* c = static_cast<const Condition*>(lfirst(cell));
    PartGuess& g = guess.parts[c->part];
    if (!has_value(c->test)) {
      g.allowed.narrow(c->test, 0, false, InvalidOid, CurrentMemoryContext);
      continue;
    }
    const bool first = !g.equal;
    g.given = true;
    if (c->test == Test::kEqual || c->test == Test::kAny) {
      const double n = c->test == Test::kEqual ? 1 : estimate_array_length(reinterpret_cast<::Node*>(c->value));
      g.equal = true;
      g.single |= c->test == Test::kEqual;
      g.alternatives = first ? n : Min(n, g.alternatives);
    } else {
      g.ranges = list_append_unique_ptr(g.ranges, c->clause);  // a comparison of rows gives several
    }
    if (const Const* constant = known_value(root, c->value))
      g.allowed.narrow(c->test, constant->constvalue, constant->constisnull, constant->consttype, CurrentMemoryContext);
    else
      g.known = false;
  }
  for (PartGuess& g : guess.parts) {
    g.allowed.finish();
    guess.none |= g.allowed.none();
    if (g.known && g.equal) g.alternatives = g.allowed.alternatives();
  }
  return guess;
}

bool is_confined(const PlanInfo* info, const Guess& guess, Access access) {
  const PartGuess* parts = guess.parts;
  const bool ordered = info->spec->layout == Layout::kUnited;
  switch (access) {
    case Access::kId:
      return true;
    case Access::kSource:
      return parts[kPartSource].equal || (ordered && parts[kPartSource].given);
    case Access::kTarget:
      return parts[kPartTarget].equal || (ordered && parts[kPartTarget].given);
    case Access::kPair:
      break;
  }
  return parts[kPartSource].equal && parts[kPartTarget].equal;
}

bool is_answered(const PlanInfo* info, const Guess& guess, Access access) {
  const Confined confined = confined_by(info, guess, access);
  for (const Part p : {kPartId, kPartSource, kPartTarget}) {
    const auto end = confined.parts + confined.n;
    if (guess.parts[p].given && std::find(confined.parts, end, p) == end) return false;
  }
  return is_confined(info, guess, access);
}

AccessEstimate estimate_access(PlannerInfo* root, const RelOptInfo* baserel, const Guess& guess, Access access) {
  const PlanInfo* info = plan_info(baserel);
  const Confined confined = confined_by(info, guess, access);
  AccessEstimate e{access, 1, 0};
  bool known = true;
  for (int i = 0; i < confined.n; ++i) {
    const PartGuess& g = guess.parts[confined.parts[i]];
    known &= g.known;
    // A list of ids does not make searches of their own in the indexes of the ends.
    if (g.equal && (access == Access::kId || confined.parts[i] != kPartId)) e.searches *= g.alternatives;
  }
  if (guess.none) return e;
  if (known) {
    e.visited = ask_store(info, guess, confined, access);
    return e;
  }
  e.visited = info->links;
  for (int i = 0; i < confined.n; ++i)
    e.visited *= selectivity(root, baserel, guess, confined.parts[i]);
  // Who asks for a pair or an id mostly knows that it is there.
  if (guess.parts[confined.parts[0]].equal) e.visited = Max(e.visited, Min(1.0, info->links));
  return e;
}

AccessEstimate best_access(PlannerInfo* root, const RelOptInfo* baserel, const Guess& guess) {
  AccessEstimate best = estimate_access(root, baserel, guess, Access::kId);
  for (const Access access : {Access::kSource, Access::kTarget, Access::kPair}) {
    if (!is_confined(plan_info(baserel), guess, access)) continue;
    const AccessEstimate e = estimate_access(root, baserel, guess, access);
    if (e.visited + e.searches <= best.visited + best.searches) best = e;
  }
  return best;
}

namespace {

// The same without what is asked of the id.
Guess of_any_id(Guess guess) {
  guess.parts[kPartId] = PartGuess{};
  guess.parts[kPartId].known = true;
  guess.parts[kPartId].alternatives = 1;
  guess.parts[kPartId].allowed.finish();
  return guess;
}

}  // namespace

double estimate_rows(PlannerInfo* root, const RelOptInfo* baserel, const Guess& guess) {
  const PlanInfo* info = plan_info(baserel);
  if (guess.none) return 0;
  double rows = info->links;
  for (const Access access : {Access::kPair, Access::kSource, Access::kTarget, Access::kId}) {
    if (!is_confined(info, guess, access)) continue;
    const Confined confined = confined_by(info, guess, access);
    double some = estimate_access(root, baserel, guess, access).visited;
    bool whole = false;
    if (info->spec->layout == Layout::kSplit && access != Access::kId) {
      // A short list of links is looked at whole, whatever the ids.
      const double list = estimate_access(root, baserel, of_any_id(guess), access).visited;
      whole = list <= SplitIndex::kMaxCandidates;
      if (whole) some = list;
    }
    bool exact = true;
    for (const Part p : {kPartId, kPartSource, kPartTarget}) {
      const PartGuess& g = guess.parts[p];
      if (!g.given) continue;
      const auto end = confined.parts + confined.n;
      const bool used = std::find(confined.parts, end, p) != end && !(p == kPartId && whole);
      if (!used) some *= selectivity(root, baserel, guess, p);
      exact &= used && g.known;
    }
    if (exact) return some;
    rows = Min(rows, some);
  }
  return rows;
}

namespace {

// The bit of the index that a search is confined by, if it is.
int indexes_of(const Guess& guess, Access access) {
  return access != Access::kId || guess.parts[kPartId].given ? index_bit(access) : 0;
}

}  // namespace

Expectation estimate_search(PlannerInfo* root, const RelOptInfo* baserel, const Division& division) {
  const Guess all = guess_conditions(root, division.pushed);
  Expectation expected{best_access(root, baserel, all), estimate_rows(root, baserel, all), 0};
  expected.indexes = indexes_of(all, expected.best.access);
  if (division.alternatives == nullptr) return expected;
  Expectation sum{};
  const double links = plan_info(baserel)->links;
  double others = links;
  ListCell* cell;
  foreach (cell, division.alternatives->branches) {
    const Guess branch = guess_conditions(root, list_concat_copy(division.pushed, static_cast<List*>(lfirst(cell))));
    const AccessEstimate e = best_access(root, baserel, branch);
    sum.best.searches += e.searches;
    sum.best.visited += e.visited;
    others *= 1 - Min(1.0, estimate_rows(root, baserel, branch) / Max(1.0, links));
    sum.indexes |= indexes_of(branch, e.access);
  }
  // Branches may have links in common; as PostgreSQL, they are taken for independent.
  sum.found = Min(links - others, expected.found);
  if (sum.best.searches + sum.best.visited < expected.best.searches + expected.best.visited) return sum;
  expected.found = sum.found;
  return expected;
}

double local_selectivity(PlannerInfo* root, const RelOptInfo* baserel, const Division& division) {
  return clauselist_selectivity(root, division.local, static_cast<int>(baserel->relid), JOIN_INNER, nullptr);
}

void cost_search(const RelOptInfo* baserel, const AccessEstimate& e, double found, Cost* startup, Cost* total) {
  // A search is two or three cache misses; a row is copied once under the lock.
  constexpr double kSearchOperators = 8;
  const PlanInfo* info = plan_info(baserel);
  const QualCost& target = baserel->reltarget->cost;
  *startup = info->local_cost.startup + target.startup;
  *total = *startup + (e.searches * kSearchOperators + e.visited) * cpu_operator_cost +
           found * (cpu_tuple_cost + info->local_cost.per_tuple + info->selectivity * target.per_tuple);
}

extern "C" void doublets_get_rel_size(PlannerInfo* root, RelOptInfo* baserel, Oid relid) {
  auto* info = static_cast<PlanInfo*>(palloc0(sizeof(PlanInfo)));
  baserel->fdw_private = info;
  const Relation rel = table_open(relid, NoLock);
  info->spec = store_spec(rel);
  info->store = RecoveryInProgress() ? nullptr : store_open(rel, false);
  table_close(rel, NoLock);
  if (info->store != nullptr) info->links = static_cast<double>(Store::size_hint(Store(info->store->heap).header()));
  mean_degrees(info->store, info->links, info->mean);
  info->analyzed = baserel->tuples;
  info->own = divide_clauses(root, baserel, baserel->baserestrictinfo);
  info->expected = estimate_search(root, baserel, info->own);
  info->selectivity = local_selectivity(root, baserel, info->own);
  cost_qual_eval(&info->local_cost, info->own.local, root);
  baserel->tuples = info->links;
  baserel->pages = static_cast<BlockNumber>(info->links * sizeof(Version) * 2 / BLCKSZ) + 1;
  // Columns are all fixed-width; only the reltarget's width is needed.
  baserel->reltarget->width = kParts * sizeof(std::int64_t);
  baserel->rows = clamp_row_est(info->expected.found * info->selectivity);
}

}  // namespace doublets::pg

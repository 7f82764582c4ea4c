// Reading a store: searches, counts, and what a search will cost.
#include <algorithm>
#include <cassert>

#include "store.hpp"

namespace doublets {
namespace {

// Versions of one id that a snapshot may see: one of those before it and, as in a table, a
// second one if its own transaction has put a link in the place of one that another has deleted
// since.
constexpr unsigned kVisible = 2;

constexpr std::size_t kMaxLooks = 1024;    // candidates looked at in one call
constexpr std::uint64_t kMaxWalk = 16384;  // versions in flight looked at in one call

// How many versions to look at next for `missing` links, when `looked` gave `found`.
std::size_t wanted(std::size_t missing, std::size_t found, std::size_t looked) noexcept {
  return missing * looked / std::max<std::size_t>(found, 1) + 1;
}

// Puts in order of id what a list gave in none, unless it is, as a rule: ids ascend as links are added.
void sort_by_id(LinkRow* begin, LinkRow* end, bool ascend, bool backward) noexcept {
  if (!ascend) std::sort(begin, end, [](const LinkRow& a, const LinkRow& b) noexcept { return a.id < b.id; });
  if (backward) std::reverse(begin, end);
}
void sort_by_id(const Heap& heap, Ref<Version>* begin, Ref<Version>* end, bool backward) noexcept {
  const auto before = [&heap](Ref<Version> a, Ref<Version> b) noexcept {
    return key_of<Order::kById>(heap.at(a), a) < key_of<Order::kById>(heap.at(b), b);
  };
  std::sort(begin, end, before);
  if (backward) std::reverse(begin, end);
}

}  // namespace

bool Store::sees_flight(const Flight& flight, const Visibility& v) const noexcept {
  if (flight.inserter && !v.includes(v.context, heap_.at(flight.inserter), flight.cmin)) return false;
  return !flight.deleter || !v.includes(v.context, heap_.at(flight.deleter), flight.deleted_by());
}

Ref<Version> Store::find(LinkId id, const Visibility& seen_by) const noexcept {
  const IdIndex ids(heap_, header_.ids);
  for (Ref<Version> v = ids.head(id); v; v = heap_.at(v).older)
    if (sees(v, seen_by)) return v;
  return {};
}

template <bool kSettled, class Index>
std::size_t Store::scan_index(const Index& index, const Search& search, Position& position, const Visibility& seen_by,
                              LinkRow* rows, std::size_t capacity, std::uint64_t& passed) const noexcept {
  const bool check = Index::needs_check(search);
  // Writes those of n versions that are seen, in the order of the walk; there is room for all.
  const auto take = [&](const auto* refs, std::size_t n, bool sorted, LinkRow* out) noexcept {
    for (std::size_t i = 0; i < n; ++i)
      ask_for(&heap_.at(Ref<Version>{refs[i]}));
    std::size_t seen = 0;
    LinkId last = 0;
    bool ascend = true;
    for (std::size_t i = 0; i < n; ++i) {
      const Ref<Version> ref{refs[i]};
      const Version& v = heap_.at(ref);
      if (!kSettled && v.flight && !sees(ref, seen_by)) continue;
      ascend &= last <= v.id;
      last = v.id;
      out[seen++] = {v.id, v.source, v.target, ref};
    }
    passed += n - seen;
    if (!sorted) sort_by_id(out, out + seen, ascend, search.backward);
    return seen;
  };
  if (!check && !position.started) {
    const auto all = index.at_hand(search.access, search.pattern.source.low, search.pattern.target.low);
    if (!all.empty() && all.size() <= capacity) {
      position.done = true;
      return take(all.data(), all.size(), all.size() == 1, rows);
    }
  }
  if (check && search.pattern.is_empty()) position.done = true;
  Ref<Version> refs[kStep];
  std::size_t found = 0, looked = 0, want = capacity;
  while (!position.done) {
    const Candidates met = index.candidates(search, position, refs, std::min(kStep, want));
    if (check || met.n > capacity - found) {
      for (std::size_t i = 0; i < met.n; ++i)
        ask_for(&heap_.at(refs[i]));
      found += pick<kSettled>(index, search, position, seen_by, refs, met, rows + found, capacity - found, passed);
    } else {
      found += take(refs, met.n, met.sorted, rows + found);
    }
    looked += met.n;
    if (found == capacity || looked >= kMaxLooks) break;
    want = wanted(capacity - found, found, looked);
  }
  return found;
}

std::size_t Store::scan(const Search& search, Position& position, const Visibility& seen_by, LinkRow* rows,
                        std::size_t capacity, std::uint64_t& passed) const noexcept {
  assert(offers(search.pattern, search.access));
  if constexpr (kVersioned)
    if (header_.flights != 0) return scan_as<false>(search, position, seen_by, rows, capacity, passed);
  return scan_as<true>(search, position, seen_by, rows, capacity, passed);
}

// scan; kSettled: nothing is in flight, so everything is seen and nobody asks link by link.
template <bool kSettled>
[[gnu::noinline]] std::size_t Store::scan_as(const Search& search, Position& position, const Visibility& seen_by,
                                             LinkRow* rows, std::size_t capacity,
                                             std::uint64_t& passed) const noexcept {
  if (search.access != Access::kId) {
    // Not by with_index: GCC would make functions of its lambdas, and they cost a short search as much as the check.
    if (header_.layout == Layout::kSplit)
      return scan_index<kSettled>(SplitIndex(heap_, header_.split, header_.seed), search, position, seen_by, rows,
                                  capacity, passed);
    return scan_index<kSettled>(UnitedIndex(heap_, header_.united), search, position, seen_by, rows, capacity, passed);
  }
  if (!search.pattern.id.is_point()) return scan_ids<kSettled>(search, position, seen_by, rows, capacity, passed);
  std::size_t found = 0;
  position.done = true;
  const IdIndex ids(heap_, header_.ids);
  for (Ref<Version> v = ids.head(search.pattern.id.low); v && found < capacity; v = heap_.at(v).older)
    if ((kSettled || sees(v, seen_by)) && search.pattern.matches(heap_.at(v)))
      rows[found++] = row(v);
    else
      ++passed;
  return found;
}

template <bool kSettled>
std::size_t Store::scan_ids(const Search& search, Position& position, const Visibility& seen_by, LinkRow* rows,
                            std::size_t capacity, std::uint64_t& passed) const noexcept {
  const IdIndex ids(heap_, header_.ids);
  const Pattern& pattern = search.pattern;
  const bool check = !pattern.source.is_all() || !pattern.target.is_all();
  Range left = pattern.id;
  LinkId& edge = search.backward ? left.high : left.low;
  if (position.started) edge = position.at.first;
  if (check && pattern.is_empty()) position.done = true;
  position.started = true;

  Ref<Version> heads[kStep / kVisible];
  std::size_t found = 0, looked = 0;
  // Writes what is seen of an id; false: there is no room for it.
  const auto take = [&](Ref<Version> head) noexcept {
    const std::size_t before = found;
    unsigned seen = 0;
    for (Ref<Version> v = head; v && seen < kVisible; v = heap_.at(v).older) {
      if (!kSettled && !sees(v, seen_by)) {
        ++passed;
      } else {
        ++seen;
        if (!check || pattern.matches(heap_.at(v))) {
          if (found == capacity) {
            found = before;
            return false;
          }
          rows[found++] = row(v);
        } else {
          ++passed;
        }
      }
      if (kSettled || !heap_.at(v).flight) break;  // settled: nothing older is left that anyone sees
    }
    return true;
  };
  for (std::size_t want = capacity; !position.done && found < capacity && looked < kMaxLooks;
       want = wanted(capacity - found, found, looked)) {
    LinkId next = 0;
    want = std::min(std::size(heads), want);
    const std::size_t n = search.backward ? ids.collect_backward(left.low, left.high, heads, want, next)
                                          : ids.collect(left.low, left.high, heads, want, next);
    for (std::size_t i = 0; i < n; ++i)
      ask_for(&heap_.at(heads[i]));
    for (std::size_t i = 0; i < n; ++i) {
      if (take(heads[i])) continue;
      next = heap_.at(heads[i]).id;
      break;
    }
    edge = position.at.first = next;
    position.done = next == 0;
    looked += n == 0 ? kStep : n;
  }
  return found;
}

// Writes those of some candidates that match and are seen, as many as there is room for; the others
// are met again.
template <bool kSettled, class Index>
[[gnu::noinline]] std::size_t Store::pick(const Index& index, const Search& search, Position& position,
                                          const Visibility& seen_by, Ref<Version>* refs, Candidates met, LinkRow* rows,
                                          std::size_t capacity, std::uint64_t& passed) const noexcept {
  if (!met.sorted) sort_by_id(heap_, refs, refs + met.n, search.backward);
  std::size_t found = 0;
  for (std::size_t i = 0; i < met.n; ++i) {
    if (found == capacity) {
      index.resume_after(search, position, refs[i - 1]);
      break;
    }
    if ((kSettled || sees(refs[i], seen_by)) && search.pattern.matches(heap_.at(refs[i])))
      rows[found++] = row(refs[i]);
    else
      ++passed;
  }
  return found;
}

// ---------------------------------------------------------------------------
// Estimates and counts

bool Store::offers(const Pattern& p, Access access) const noexcept {
  const bool split = header_.layout == Layout::kSplit;
  switch (access) {
    case Access::kId:
      return true;
    case Access::kSource:
      return !split || p.source.is_point();
    case Access::kTarget:
      return !split || p.target.is_point();
    case Access::kPair:
      return p.source.is_point() && p.target.is_point();
  }
  return false;
}

std::uint64_t Store::estimate(const Pattern& pattern, Access access) const noexcept {
  if (pattern.is_empty()) return 0;
  if (access != Access::kId) return with_index([&](auto& index) noexcept { return index.count(pattern, access); });
  const IdIndex ids(heap_, header_.ids);
  if (pattern.id.is_point()) return ids.head(pattern.id.low) ? 1 : 0;
  return pattern.id.is_all() ? header_.versions : ids.estimate(pattern.id.low, pattern.id.high);
}

Access Store::best_access(const Pattern& p) const noexcept {
  if (p.id.is_point()) return Access::kId;
  if (const Access key = Search::key_of(p); key != Access::kId) return key;
  Access best = Access::kId;
  std::uint64_t least = estimate(p, best);
  const auto consider = [&](Access access, bool useful) noexcept {
    if (!useful || !offers(p, access)) return;
    const std::uint64_t versions = estimate(p, access);
    if (versions <= least) {
      best = access;
      least = versions;
    }
  };
  consider(Access::kTarget, !p.target.is_all());
  consider(Access::kSource, !p.source.is_all());
  consider(Access::kPair, true);
  return best;
}

// Calls visit(version) for the versions that `seen_by` does not see: of those in flight, which alone
// can be invisible.
template <class Visit>
void Store::for_each_unseen(const Visibility& seen_by, Visit&& visit) const noexcept {
  for (Ref<Flight> f = header_.queue_head; f; f = heap_.at(f).next) {
    const Flight& flight = heap_.at(f);
    if (sees_flight(flight, seen_by)) continue;
    if (flight.version) {
      visit(heap_.at(flight.version));
      continue;
    }
    for (std::uint32_t i = 0; i < FlightRun::count(flight); ++i) {
      const Version& v = heap_.at(Ref<Version>{members(flight)[i]});
      if (v.flight == f) visit(v);
    }
  }
}

// Flattened: between the cache misses of a search there shall be so little to do that the processor reaches those of
// the next one.
[[gnu::flatten]] std::uint64_t Store::count(const Pattern& pattern, const Visibility& seen_by,
                                            bool& exact) const noexcept {
  // Nearly always. The pattern is left where it is: a copy by larger pieces than it was written in would wait until all
  // that was begun before, cache misses of other searches included, has ended.
  if (const Access key = Search::key_of(pattern); key != Access::kId) {
    const std::uint64_t all = with_index([&](const auto& index) noexcept { return index.count(pattern, key); });
    exact = header_.flights == 0;
    return exact ? all : without_unseen(pattern, all, seen_by, exact);
  }
  return count_walk(pattern, seen_by, exact);
}

// The rest of count, of a pattern that has `all` versions.
[[gnu::noinline]] std::uint64_t Store::without_unseen(const Pattern& pattern, std::uint64_t all,
                                                      const Visibility& seen_by, bool& exact) const noexcept {
  exact = header_.flights == 0 || all == 0 || header_.flights <= std::min(all, kMaxWalk);
  if (header_.flights == 0 || all == 0 || !exact) return all;
  for_each_unseen(seen_by, [&](const Version& v) noexcept { all -= pattern.matches(v); });
  return all;
}

// Count of a pattern that is no key.
[[gnu::noinline]] std::uint64_t Store::count_walk(const Pattern& pattern, const Visibility& seen_by,
                                                  bool& exact) const noexcept {
  const Search search{pattern, best_access(pattern)};
  bool counted = pattern.is_all();
  std::uint64_t all = 0;
  if (search.access == Access::kId)
    all = estimate(pattern, Access::kId);
  else
    with_index([&](const auto& index) noexcept {
      all = index.count(pattern, search.access);
      counted = index.counts(search, all);
    });
  if (counted) return without_unseen(pattern, all, seen_by, exact);
  exact = all <= kStep;
  if (!exact) return all;
  LinkRow rows[kStep];
  std::uint64_t found = 0, passed = 0;
  Position position;
  for (int calls = 0; !position.done && calls < 2; ++calls)  // the estimate may be wrong
    found += scan(search, position, seen_by, rows, std::size(rows), passed);
  exact = position.done;
  return found;
}

// ---------------------------------------------------------------------------
// Edges and degrees

Search Store::edge_search(const Pattern& p, bool largest) const noexcept {
  Search search{p, best_access(p), largest};
  if (by_id(search)) return search;
  // Else every link of the walk has to be looked at. Among the ids one of so many is of the pattern.
  const std::uint64_t n = estimate(p, search.access);
  if (n > estimate(p, Access::kId) / std::max<std::uint64_t>(n, 1)) search.access = Access::kId;
  return search;
}

void Store::edge(const Search& search, Position& position, const Visibility& seen_by, LinkId& id,
                 std::uint64_t& passed) const noexcept {
  const bool first_is_it = by_id(search);
  LinkRow rows[kStep];
  const std::size_t n = scan(search, position, seen_by, rows, first_is_it ? kVisible : kStep, passed);
  for (std::size_t i = 0; i < n; ++i)
    if (id == 0 || (search.backward ? rows[i].id > id : rows[i].id < id)) id = rows[i].id;
  position.done |= first_is_it && n > 0;
}

std::size_t Store::ends(Access end, Position& position, std::int64_t* out, std::size_t capacity) const noexcept {
  Degree found[kStep];
  const std::size_t n = with_index([&](const auto& index) noexcept {
    return index.degrees(end, Range{}, position, found, std::min(capacity, kStep));
  });
  for (std::size_t i = 0; i < n; ++i)
    out[i] = found[i].value;
  return n;
}

std::size_t Store::degrees(Access end, const Range& values, Position& position, const Visibility& seen_by, Degree* rows,
                           std::size_t capacity) const noexcept {
  std::size_t n =
      with_index([&](const auto& index) noexcept { return index.degrees(end, values, position, rows, capacity); });
  if (header_.flights == 0 || n == 0) return n;
  std::uint64_t versions = 0;
  for (std::size_t i = 0; i < n; ++i)
    versions += rows[i].links;
  if (header_.flights > std::min(versions, kMaxWalk)) {
    n = judge_degrees(end, position, seen_by, rows, n);
  } else {
    const auto below = [](const Degree& a, std::int64_t value) noexcept { return a.value < value; };
    std::sort(rows, rows + n, [](const Degree& a, const Degree& b) noexcept { return a.value < b.value; });
    for_each_unseen(seen_by, [&](const Version& v) noexcept {
      const std::int64_t value = end == Access::kTarget ? v.target : v.source;
      Degree* const row = std::lower_bound(rows, rows + n, value, below);
      if (row != rows + n && row->value == value) --row->links;
    });
  }
  return static_cast<std::size_t>(
      std::remove_if(rows, rows + n, [](const Degree& d) noexcept { return d.exact && d.links == 0; }) - rows);
}

// Counts what is seen link by link; what would take too long is left to the next call, or to the caller
// if a single value does.
std::size_t Store::judge_degrees(Access end, Position& position, const Visibility& seen_by, Degree* rows,
                                 std::size_t n) const noexcept {
  std::uint64_t looked = 0;
  for (std::size_t i = 0; i < n; ++i) {
    Degree& row = rows[i];
    row.exact = row.links <= kMaxLooks;
    if (!row.exact) continue;
    if (i > 0 && looked + row.links > 4 * kMaxLooks) {
      with_index([&](const auto& index) noexcept { index.resume_at(end, position, row.value); });
      return i;
    }
    looked += row.links;
    Search search{{}, end};
    (end == Access::kTarget ? search.pattern.target : search.pattern.source) = Range::point(row.value);
    row.links = 0;
    LinkRow found[kStep];
    std::uint64_t passed = 0;
    for (Position at; !at.done;)
      row.links += scan(search, at, seen_by, found, std::size(found), passed);
  }
  return n;
}

}  // namespace doublets

// Searches, counts, edges and degrees of a store compared with those of its naive model, at once and
// in steps between which the store changes.
#pragma once

#include "memory_heap.hpp"
#include "model_history.hpp"

namespace doublets::test {

class StoreComparison : protected ModelHistory {
 protected:
  StoreComparison(const StoreOptions& options, Choices& choices)
      : ModelHistory(options), choices_(choices), memory_(first_chunk(), [&](char* base, std::size_t bytes) {
          Store::format(base, bytes, 0, options.layout, options.unique_pairs, 0x1234567);
        }) {}

  Store store() { return Store(memory_.heap()); }

  std::int64_t value() {
    const std::uint32_t v = choices_.below(options_.values);
    switch (v) {
      case 0:
        return std::numeric_limits<std::int64_t>::min();
      case 1:
        return std::numeric_limits<std::int64_t>::max();
      case 2:
        return -1;
      default:
        return static_cast<std::int64_t>(v) - 3;
    }
  }

  LinkId given_id() {
    switch (choices_.below(6)) {
      case 0:
        return std::numeric_limits<std::int64_t>::max() - choices_.below(3);
      case 1:
        return 500 + choices_.below(1500);  // about the edges of the dense part
      case 2:
        return (LinkId{1} << (1 + choices_.below(62))) + choices_.below(3);
      default:
        return 1 + choices_.below(options_.values * 4);
    }
  }

  // ---- in steps ------------------------------------------------------------------------

  void start_cursor() {
    if (cursors_.size() >= 3) return;
    cursors_.emplace_back();
    Cursor& c = cursors_.back();
    c.snapshot = take_snapshot(0);
    c.counts_degrees = choices_.one_in(3);
    c.search = c.counts_degrees ? some_degrees() : some_search();
    c.expected = expected_of(visible(View{this, &c.snapshot, 0, 0}), c.search.pattern);
  }

  void advance_cursor(std::size_t index) {
    Cursor& c = cursors_[index];
    View v{this, &c.snapshot, 0, 0};
    if (c.counts_degrees) {
      next_degrees(v, c.search, c.position, 1 + choices_.below(20), c.degrees);
    } else {
      LinkRow rows[256];
      std::uint64_t passed = 0;
      const std::size_t n = store().scan(c.search, c.position, Visibility{includes, &v}, rows, some_capacity(), passed);
      c.rows.insert(c.rows.end(), rows, rows + n);
    }
    if (!c.position.done) return;
    if (c.counts_degrees)
      check_degrees(c.degrees, c.expected, c.search, "amid changes ");
    else
      check_rows(c.rows, c.expected, c.search, "amid changes ");
    cursors_.erase(cursors_.begin() + static_cast<std::ptrdiff_t>(index));
  }

  // ---- comparing -----------------------------------------------------------------------

  static bool matches(const Pattern& p, const ModelVersion& m) {
    return p.matches(Version{m.id, m.source, m.target, {}, {}});
  }

  std::size_t some_capacity() {
    return choices_.one_in(2) ? 256 - choices_.below(20) : 2 + choices_.below(choices_.one_in(2) ? 3 : 40);
  }

  // Anything, a value, or the values between two.
  template <class Value>
  Range some_range(Value value) {
    switch (choices_.below(4)) {
      case 0:
      case 1:
        return {};
      case 2:
        return Range::point(value());
      default: {
        Range r{value(), value()};
        if (choices_.one_in(4)) r.low = Range::kMin;
        if (choices_.one_in(4)) r.high = Range::kMax;
        if (r.is_empty() && !choices_.one_in(8)) std::swap(r.low, r.high);
        return r;
      }
    }
  }

  Pattern some_pattern() {
    Pattern p;
    p.source = some_range([&] { return options_.hub_one_in != 0 && choices_.one_in(2) ? 7 : value(); });
    p.target = some_range([&] { return value(); });
    p.id = some_range([&] { return choices_.one_in(16) ? value() : given_id(); });
    return p;
  }

  // A pattern, one of the ways to walk for it, and a direction.
  Search some_search() { return some_search(some_pattern()); }
  Search some_search(const Pattern& p) {
    Search search{p, Access::kId, choices_.one_in(2)};
    const auto access = static_cast<Access>(choices_.below(4));
    if (store().offers(p, access)) search.access = access;
    return search;
  }

  // The degrees of sources or targets, of all or of a range.
  Search some_degrees() {
    const Range values = some_range([&] { return value(); });
    if (choices_.one_in(2)) return {{.source = values}, Access::kSource};
    return {{.target = values}, Access::kTarget};
  }

  std::vector<std::size_t> expected_of(const std::vector<std::size_t>& seen, const Pattern& p) {
    std::vector<std::size_t> expected;
    for (const std::size_t i : seen)
      if (matches(p, versions_[i])) expected.push_back(i);
    return expected;
  }

  static std::string name_of(const Search& search) {
    static constexpr const char* kNames[] = {"id", "source", "target", "pair"};
    const auto range = [](const Range& r) { return "[" + std::to_string(r.low) + ", " + std::to_string(r.high) + "]"; };
    const Pattern& p = search.pattern;
    return std::string("a search for ids ") + range(p.id) + " sources " + range(p.source) + " targets " +
           range(p.target) + " by " + kNames[static_cast<int>(search.access)] + (search.backward ? " backwards " : " ");
  }

  // `rows`: all of a search, in the order found. `expected`: what there is.
  void check_rows(const std::vector<LinkRow>& rows, const std::vector<std::size_t>& expected, const Search& search,
                  const std::string& when = "") {
    const std::string what = when + name_of(search);
    std::set<std::uint32_t> found;
    for (const LinkRow& row : rows)
      demand(found.insert(row.version.unit).second, what + " found a link twice");
    demand(rows.size() == expected.size(),
           what + " found " + std::to_string(rows.size()) + " links instead of " + std::to_string(expected.size()));
    std::map<std::uint32_t, std::size_t> by_ref;
    for (const std::size_t i : expected)
      by_ref[versions_[i].ref.unit] = i;
    for (const LinkRow& row : rows) {
      const auto it = by_ref.find(row.version.unit);
      demand(it != by_ref.end(), what + " found a version that is not visible");
      const ModelVersion& m = versions_[it->second];
      demand(row.id == m.id && row.source == m.source && row.target == m.target, what + " found other contents");
    }
    const auto key = [&](const LinkRow& r) {
      if (search.access == Access::kId || options_.layout == Layout::kSplit)
        return std::tuple(r.id, LinkId{0}, LinkId{0});
      return search.access == Access::kTarget ? std::tuple(r.target, r.source, r.id)
                                              : std::tuple(r.source, r.target, r.id);
    };
    demand(std::is_sorted(rows.begin(), rows.end(),
                          [&](auto& a, auto& b) { return search.backward ? key(b) < key(a) : key(a) < key(b); }),
           what + "is not in order");
  }

  void compare_search(View v, const std::vector<std::size_t>& expected, const Search& search, std::size_t capacity) {
    std::vector<LinkRow> rows;
    LinkRow batch[300];
    std::uint64_t passed = 0;
    Position position;
    for (int calls = 0; !position.done; ++calls) {
      demand(calls < 100000, "a scan does not end");
      const std::size_t n = store().scan(search, position, Visibility{includes, &v}, batch, capacity, passed);
      demand(n <= capacity, "a scan found more links than were asked for");
      rows.insert(rows.end(), batch, batch + n);
    }
    check_rows(rows, expected, search);
  }

  void next_degrees(View v, const Search& search, Position& position, std::size_t capacity,
                    std::vector<Degree>& found) {
    Degree batch[40];
    const Range& values = search.access == Access::kSource ? search.pattern.source : search.pattern.target;
    const std::size_t n = store().degrees(search.access, values, position, Visibility{includes, &v}, batch, capacity);
    demand(n <= capacity, "more degrees were given than were asked for");
    found.insert(found.end(), batch, batch + n);
  }

  void check_degrees(const std::vector<Degree>& found, const std::vector<std::size_t>& expected, const Search& search,
                     const std::string& when = "") {
    const std::string what = when + "the degrees of " + name_of(search);
    std::map<std::int64_t, std::uint64_t> degrees;
    for (const std::size_t i : expected)
      ++degrees[search.access == Access::kSource ? versions_[i].source : versions_[i].target];
    for (const Degree& d : found) {
      demand(d.exact, what + "are not exact");
      const auto it = degrees.find(d.value);
      demand(it != degrees.end(), what + "have " + std::to_string(d.value) + " twice or in vain");
      demand(it->second == d.links, what + "are " + std::to_string(d.links) + " instead of " +
                                        std::to_string(it->second) + " for " + std::to_string(d.value));
      degrees.erase(it);
    }
    demand(degrees.empty(), what + "lack a value");
  }

  void compare_degrees(View v, const std::vector<std::size_t>& seen) {
    const Search search = some_degrees();
    std::vector<Degree> found;
    const std::size_t capacity = 1 + choices_.below(40);
    int calls = 0;
    for (Position position; !position.done; next_degrees(v, search, position, capacity, found))
      demand(++calls < 100000, "degrees do not end");
    check_degrees(found, expected_of(seen, search.pattern), search);
  }

  void compare_edge(View v, const std::vector<std::size_t>& expected, const Pattern& p) {
    const bool largest = choices_.one_in(2);
    const Search search = store().edge_search(p, largest);
    LinkId edge = 0, found = 0;
    for (const std::size_t i : expected)
      edge = edge == 0 || largest == (versions_[i].id > edge) ? versions_[i].id : edge;
    std::uint64_t passed = 0;
    int calls = 0;
    for (Position position; !position.done; store().edge(search, position, Visibility{includes, &v}, found, passed))
      demand(++calls < 100000, "the search for an edge does not end");
    demand(found == edge, std::string(largest ? "the largest id of " : "the smallest id of ") + name_of(search) +
                              "is " + std::to_string(edge) + " and not " + std::to_string(found));
  }

  void compare_pattern(View v, const std::vector<std::size_t>& seen, const Pattern& p) {
    const std::vector<std::size_t> expected = expected_of(seen, p);
    const Access best = store().best_access(p);
    demand(store().offers(p, best), "the best access is none");
    if (choices_.one_in(3)) compare_search(v, expected, {p, best, choices_.one_in(2)}, 256 + choices_.below(45));
    const Search search = some_search(p);
    compare_search(v, expected, search, some_capacity());
    if (choices_.one_in(3)) compare_edge(v, expected, p);
    const std::string shape = name_of(search);
    bool exact = false;
    const std::uint64_t count = store().count(p, Visibility{includes, &v}, exact);
    demand(!exact || count == expected.size(),
           shape + "counts " + std::to_string(count) + " instead of " + std::to_string(expected.size()));
    const bool point = p.id.is_all() && (search.access == Access::kPair || p.source.is_all() || p.target.is_all()) &&
                       (options_.layout == Layout::kUnited || Search::access_of(p) != Access::kId || p.is_all());
    demand(exact || store().header().flights != 0 || !point, shape + "does not count, with nothing in flight");
    if (p.id.is_all() || search.access != Access::kId)
      demand(store().estimate(p, search.access) >= expected.size(), "an estimate is less than what is visible");
  }

  void compare(View v) {
    const std::vector<std::size_t> seen = visible(v);
    compare_pattern(v, seen, {});
    for (int i = 0; i < 3; ++i)
      compare_degrees(v, seen);
    for (int i = 0; i < 12; ++i)
      compare_pattern(v, seen, some_pattern());
    std::set<std::int64_t> sources{12345}, targets{12345};
    std::set<LinkId> ids{1, 2, 12345678901};
    std::set<std::pair<std::int64_t, std::int64_t>> pairs{{12345, 0}, {0, 12345}, {0, 0}};
    for (const ModelVersion& m : versions_) {
      sources.insert(m.source);
      targets.insert(m.target);
    }
    for (const std::size_t i : seen) {
      const ModelVersion& m = versions_[i];
      if (seen.size() < 200 || i % 7 == 0) {
        ids.insert(m.id);
        pairs.insert({m.source, m.target});
      }
    }
    for (const std::int64_t source : sources) {
      if (sources.size() > 100 && choices_.below(4) != 0) continue;
      compare_pattern(v, seen, {.source = Range::point(source)});
    }
    for (const std::int64_t target : targets) {
      if (targets.size() > 100 && choices_.below(4) != 0) continue;
      compare_pattern(v, seen, {.target = Range::point(target)});
    }
    for (const auto& [source, target] : pairs)
      compare_pattern(v, seen, Pattern::pair(source, target));
    for (const LinkId id : ids) {
      Pattern p{.id = Range::point(id)};
      compare_pattern(v, seen, p);
      if (choices_.one_in(2)) p.source = Range::point(value());
      if (choices_.one_in(2)) p.target = Range::point(value());
      compare_pattern(v, seen, p);
    }
  }

  Choices& choices_;
  MemoryHeap memory_;

 private:
  static std::size_t first_chunk() { return (sizeof(StoreHeader) + 4095) / 4096 * 4096; }
};

}  // namespace doublets::test

// What searches cost, and the corners of theirs that random histories do not reach: hubs, long queues, tables
// that grow under a walk, colliding hashes.
#include <gtest/gtest.h>

#include <vector>

#include "auto_store.hpp"

namespace doublets {
namespace {

using test::AutoStore;

constexpr std::int64_t kHub = 7;

class SearchTest : public ::testing::TestWithParam<Layout> {
 protected:
  // Ids of the next links of a search, `capacity` of them.
  std::vector<LinkId> next(const Search& search, Position& position, std::size_t capacity, Visibility seen_by) {
    std::vector<LinkRow> rows(capacity);
    std::uint64_t passed = 0;
    rows.resize(links_.store().scan(search, position, seen_by, rows.data(), capacity, passed));
    std::vector<LinkId> ids;
    for (const LinkRow& row : rows)
      ids.push_back(row.id);
    return ids;
  }
  std::vector<LinkId> next(const Search& search, Position& position, std::size_t capacity) {
    return next(search, position, capacity, AutoStore::kAll);
  }

  // All degrees, in batches; `calls` is how many it took.
  std::map<std::int64_t, Degree> degrees(Access end, std::size_t capacity, int& calls, const Range& values = {}) {
    std::map<std::int64_t, Degree> found;
    std::vector<Degree> batch(capacity);
    calls = 0;
    for (Position position; !position.done; ++calls) {
      const std::size_t n = links_.store().degrees(end, values, position, AutoStore::kAll, batch.data(), capacity);
      for (std::size_t i = 0; i < n; ++i)
        EXPECT_TRUE(found.emplace(batch[i].value, batch[i]).second) << batch[i].value << " comes twice";
    }
    return found;
  }

  LinkId edge(const Pattern& pattern, bool largest, int& calls) {
    LinkId id = 0;
    std::uint64_t passed = 0;
    calls = 0;
    const Search search = links_.store().edge_search(pattern, largest);
    for (Position position; !position.done; ++calls)
      links_.store().edge(search, position, AutoStore::kAll, id, passed);
    return id;
  }

  void add_hub(int n) {
    for (int i = 0; i < n; ++i)
      links_.create(kHub, i % 10);
  }

  AutoStore links_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Layouts, SearchTest, ::testing::Values(Layout::kSplit, Layout::kUnited),
                         [](const auto& info) { return info.param == Layout::kSplit ? "Split" : "United"; });

TEST_P(SearchTest, AFewLinksCostALookAtAFew) {
  links_.settle_at_once = false;  // so that every version looked at is judged
  add_hub(5000);
  std::uint64_t judged = 0;
  const Visibility counting{[](void* n, const TxnSlot&, CommandId) noexcept {
                              ++*static_cast<std::uint64_t*>(n);
                              return true;
                            },
                            &judged};
  const Pattern hub{.source = Range::point(kHub)};
  for (const bool backward : {false, true}) {
    for (const Search& search :
         {Search{{}, Access::kId, backward}, Search{hub, Access::kSource, backward}, Search{hub, Access::kId, backward},
          Search{{.id = {2000, 4000}}, Access::kId, backward},
          Search{Pattern::pair(kHub, 3), Access::kPair, backward}}) {
      Position position;
      judged = 0;
      EXPECT_EQ(next(search, position, 10, counting).size(), 10u);
      EXPECT_LE(judged, 11u);
      judged = 0;
      EXPECT_EQ(next(search, position, 2, counting).size(), 2u);
      EXPECT_LE(judged, 3u);
    }
    // One in ten is of the pair: what is looked at grows with what is found.
    Position position;
    judged = 0;
    EXPECT_EQ(next({Pattern::pair(kHub, 3), Access::kId, backward}, position, 10, counting).size(), 10u);
    EXPECT_LE(judged, 200u);
  }
}

TEST_P(SearchTest, AHubIsEnteredAtAnyId) {
  add_hub(3000);
  Position position;
  const Access access = GetParam() == Layout::kSplit ? Access::kSource : Access::kId;
  Search page{{.id = {2001, Range::kMax}, .source = Range::point(kHub)}, access};
  EXPECT_EQ(next(page, position, 3), (std::vector<LinkId>{2001, 2002, 2003}));
  EXPECT_EQ(next(page, position, 2), (std::vector<LinkId>{2004, 2005}));
  page = {{.id = {Range::kMin, 1000}, .source = Range::point(kHub)}, access, true};
  position = {};
  EXPECT_EQ(next(page, position, 3), (std::vector<LinkId>{1000, 999, 998}));
  EXPECT_EQ(next(page, position, 2), (std::vector<LinkId>{997, 996}));
}

TEST_P(SearchTest, EstimatesOfIdsKnowWhatWasDeleted) {
  for (int i = 0; i < 6000; ++i)
    links_.create(i, i);
  const Store store = links_.store();
  EXPECT_EQ(store.estimate({}, Access::kId), 6000u);
  EXPECT_EQ(store.estimate({.id = {1000, 1099}}, Access::kId), 100u);
  for (LinkId id = 1; id < 6000; id += 2)
    links_.remove(id);
  EXPECT_EQ(store.estimate({.id = {1000, 1099}}, Access::kId), 50u);
  EXPECT_NEAR(static_cast<double>(store.estimate({.id = {1, 4000}}, Access::kId)), 2000, 50);
  for (int i = 0; i < 100; ++i)
    links_.create(1, 1, 1000000000000 + i);
  EXPECT_EQ(store.estimate({.id = {1000000000050, Range::kMax}}, Access::kId), 50u);
  EXPECT_EQ(store.estimate({.id = {5, 4}}, Access::kId), 0u);
}

TEST_P(SearchTest, TheCheapestAccessIsChosen) {
  add_hub(1000);
  links_.create(1, 5);
  const Store store = links_.store();
  EXPECT_EQ(store.best_access({}), Access::kId);
  EXPECT_EQ(store.best_access({.id = Range::point(3), .source = Range::point(kHub)}), Access::kId);
  EXPECT_EQ(store.best_access({.id = {3, 40}, .source = Range::point(kHub)}),
            GetParam() == Layout::kSplit ? Access::kSource : Access::kId);  // hubs are entered at the id
  EXPECT_EQ(store.best_access({.id = {3, 40}, .source = Range::point(1)}), Access::kSource);
  EXPECT_EQ(store.best_access({.source = Range::point(kHub)}), Access::kSource);
  EXPECT_EQ(store.best_access({.target = Range::point(5)}), Access::kTarget);
  EXPECT_EQ(store.best_access(Pattern::pair(kHub, 5)), Access::kPair);
  if (GetParam() == Layout::kUnited) {
    EXPECT_EQ(store.best_access({.source = {0, 6}}), Access::kSource);
    EXPECT_EQ(store.best_access({.source = {0, 8}, .target = {2, 3}}), Access::kTarget);
    EXPECT_EQ(store.best_access({.source = Range::point(kHub), .target = {2, 3}}), Access::kSource);
  } else {
    EXPECT_EQ(store.best_access({.source = {0, 6}}), Access::kId);
  }
}

TEST_P(SearchTest, CountsOfRangesAreExactWhereTheIndexKnowsThem) {
  add_hub(1000);
  bool exact = false;
  const auto count = [&](const Pattern& p) { return links_.store().count(p, AutoStore::kAll, exact); };
  EXPECT_EQ(count(Pattern::pair(kHub, 3)), 100u);
  EXPECT_TRUE(exact);
  if (GetParam() == Layout::kSplit) {
    EXPECT_EQ(count({.id = {101, 800}, .source = Range::point(kHub)}), 700u);
    EXPECT_TRUE(exact);
  } else {
    EXPECT_EQ(count({.source = {0, 100}}), 1000u);
    EXPECT_TRUE(exact);
    EXPECT_EQ(count({.source = Range::point(kHub), .target = {2, 8}}), 700u);
    EXPECT_TRUE(exact);
  }
  EXPECT_EQ(count({.id = {11, 30}, .source = {kHub, kHub + 1}, .target = {0, 4}}), 10u);
  EXPECT_TRUE(exact);
  links_.commit = false;
  links_.remove(500);
  EXPECT_EQ(count({.source = Range::point(kHub)}), 1000u);
  links_.create(kHub, 3);
  EXPECT_EQ(count({.id = {1, 2000}, .source = Range::point(kHub), .target = Range::point(3)}), 100u);
  EXPECT_TRUE(exact);
}

TEST_P(SearchTest, EdgesPassWhatIsNotSeen) {
  add_hub(1000);
  links_.create(1, 1, 5000000000);
  int calls = 0;
  EXPECT_EQ(edge({}, false, calls), 1);
  EXPECT_EQ(edge({}, true, calls), 5000000000);
  EXPECT_EQ(edge({.source = Range::point(kHub)}, true, calls), 1000);
  EXPECT_LE(calls, 1);
  EXPECT_EQ(edge({.source = Range::point(12345)}, true, calls), 0);
  EXPECT_EQ(edge({.id = {20, 30}, .target = Range::point(3)}, true, calls), 24);
  links_.commit = false;
  for (int i = 0; i < 3000; ++i)
    links_.create(kHub, 1, 6000000000 + i);
  EXPECT_EQ(edge({}, true, calls), 5000000000);
  EXPECT_GT(calls, 1);  // none holds the lock for long
  EXPECT_EQ(edge({.source = Range::point(kHub)}, true, calls), 1000);
}

TEST_P(SearchTest, DegreesCountHubsWithoutTheirLinks) {
  add_hub(2000);
  for (int i = 0; i < 300; ++i)
    links_.create(1000 + i % 150, i);
  int calls = 0;
  const auto sources = degrees(Access::kSource, 20, calls);
  EXPECT_EQ(sources.size(), 151u);
  EXPECT_EQ(sources.at(kHub).links, 2000u);
  EXPECT_EQ(sources.at(1010).links, 2u);
  EXPECT_EQ(degrees(Access::kTarget, 20, calls).at(3).links, 201u);
  const auto some = degrees(Access::kSource, 20, calls, {8, 1009});
  EXPECT_EQ(some.size(), 10u);
}

// More versions in flight than are walked at a time: links are judged node by node, and a hub is
// left to the caller.
TEST_P(SearchTest, DegreesStayBoundedWithManyInFlight) {
  for (int i = 0; i < 200; ++i)
    links_.create(1000 + i % 50, 1);
  add_hub(900);
  links_.commit = false;
  for (int i = 0; i < 17000; ++i)
    links_.create(i % 2 == 0 ? kHub : 1000 + i % 100, 1);
  int calls = 0;
  const auto sources = degrees(Access::kSource, 20, calls);
  EXPECT_EQ(sources.size(), 51u);
  EXPECT_FALSE(sources.at(kHub).exact);
  for (const auto& [value, degree] : sources) {
    if (value == kHub) continue;
    EXPECT_TRUE(degree.exact);
    EXPECT_EQ(degree.links, 4u) << value;
  }
}

TEST_P(SearchTest, DegreesMeetEachValueOnceThoughTheTableGrows) {
  for (int i = 0; i < 500; ++i)
    links_.create(i, i);
  std::map<std::int64_t, int> met;
  Degree batch[16];
  std::int64_t fresh = 1000;
  for (Position position; !position.done;) {
    const std::size_t n =
        links_.store().degrees(Access::kSource, {}, position, AutoStore::kAll, batch, std::size(batch));
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_EQ(++met[batch[i].value], 1);
    for (int i = 0; i < 50 && fresh < 4000; ++i)
      links_.create(fresh++, 0);
  }
  for (int i = 0; i < 500; ++i)
    EXPECT_EQ(met[i], 1) << i;
}

// The inverse of mix64: a value with any hash one likes.
std::uint64_t unmix64(std::uint64_t x) {
  const auto unshift = [](std::uint64_t y, int by) {
    std::uint64_t z = y;
    for (int i = 0; i < 64 / by + 1; ++i)
      z = y ^ z >> by;
    return z;
  };
  const auto inverse = [](std::uint64_t a) {  // of an odd number modulo 2^64, by Newton's method
    std::uint64_t b = a;
    for (int i = 0; i < 6; ++i)
      b *= 2 - a * b;
    return b;
  };
  x = unshift(x, 31) * inverse(0x94d049bb133111ebu);
  x = unshift(x, 27) * inverse(0xbf58476d1ce4e5b9u);
  return unshift(x, 30);
}

TEST_P(SearchTest, DegreesGoOnAmongValuesOfOneHash) {
  ASSERT_EQ(unmix64(mix64(123456789)), 123456789u);
  for (std::uint64_t i = 0; i < 100; ++i)
    links_.create(static_cast<std::int64_t>(unmix64(i << 32 | 0xabcdef) ^ links_.header().seed), 1);
  for (int i = 0; i < 100; ++i)
    links_.create(i, 1);
  int calls = 0;
  const auto sources = degrees(Access::kSource, 7, calls);
  EXPECT_EQ(sources.size(), 200u);
  for (const auto& [value, degree] : sources)
    EXPECT_EQ(degree.links, 1u);
}

}  // namespace
}  // namespace doublets

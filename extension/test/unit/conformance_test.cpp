// Exact values observed on the doublets libraries, as far as they concern the core. Base is
// {1:(1,1), 2:(2,2), 3:(1,2)}. The SQL tests have the same cases, and those of the
// functions the core does not have (delete_usages, rebase).
#include <gtest/gtest.h>

#include <random>

#include "auto_store.hpp"

namespace doublets {
namespace {

using test::AutoStore;
using Ids = std::set<LinkId>;
using Rows = std::map<LinkId, std::pair<std::int64_t, std::int64_t>>;

constexpr std::nullopt_t any = std::nullopt;
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

class ConformanceTest : public ::testing::TestWithParam<Layout> {
 protected:
  AutoStore links_{GetParam()};

  void make_base() {
    ASSERT_EQ(links_.point(), 1);
    ASSERT_EQ(links_.point(), 2);
    ASSERT_EQ(links_.create(1, 2), 3);
  }
  void TearDown() override {
    std::string faults;
    links_.store().verify([](void* to, const char* text) { *static_cast<std::string*>(to) += text; }, &faults);
    EXPECT_EQ(faults, "");
  }
};

INSTANTIATE_TEST_SUITE_P(Layouts, ConformanceTest, ::testing::Values(Layout::kSplit, Layout::kUnited),
                         [](const auto& info) { return info.param == Layout::kSplit ? "Split" : "United"; });

TEST_P(ConformanceTest, CreateUpdateDelete) {
  EXPECT_EQ(links_.create(0, 0), 1);
  EXPECT_EQ(links_.count(), 1);
  EXPECT_TRUE(links_.update(1, 1, 1));
  EXPECT_TRUE(links_.update(1, 0, 0));
  EXPECT_TRUE(links_.remove(1));
  EXPECT_EQ(links_.count(), 0);
}

TEST_P(ConformanceTest, TheGreatestValueIsOrdinary) {
  EXPECT_EQ(links_.create(kMax, kMax, 1), 1);
  EXPECT_EQ(links_.search(any, kMax, kMax), Ids{1});
}

TEST_P(ConformanceTest, MissingLinksAreNotChanged) {
  make_base();
  const Rows before = links_.rows();
  for (const LinkId id : {LinkId{100}, LinkId{0}}) {
    EXPECT_FALSE(links_.update(id, 1, 1));
    EXPECT_FALSE(links_.remove(id));
  }
  EXPECT_EQ(links_.rows(), before);
}

TEST_P(ConformanceTest, AFreedIdIsReused) {
  for (int i = 0; i < 3; ++i) links_.point();
  links_.remove(2);
  EXPECT_EQ(links_.point(), 2);
}

TEST_P(ConformanceTest, FreedIdsAtTheTopLowerTheCounter) {
  for (int i = 0; i < 3; ++i) links_.point();
  links_.remove(2);
  links_.remove(3);
  EXPECT_EQ(links_.count(), 1);
  EXPECT_EQ(links_.point(), 2);
}

TEST_P(ConformanceTest, FreedIdsAreReusedLastInFirstOut) {
  for (int i = 0; i < 5; ++i) links_.point();
  links_.remove(2);
  links_.remove(4);
  EXPECT_EQ(links_.point(), 4);
  EXPECT_EQ(links_.point(), 2);
}

TEST_P(ConformanceTest, AnEmptiedStoreBeginsAnew) {
  for (int i = 0; i < 5; ++i) links_.point();
  for (LinkId id = 1; id <= 5; ++id) links_.remove(id);
  EXPECT_EQ(links_.point(), 1);
}

TEST_P(ConformanceTest, TwentyRoundsOfReuse) {
  for (int round = 0; round < 20; ++round) {
    const LinkId a = links_.point();
    const LinkId b = links_.point();
    EXPECT_TRUE(links_.remove(a));
    const LinkId c = links_.point();
    EXPECT_EQ(c, a);
    EXPECT_TRUE(links_.remove(b));
    EXPECT_TRUE(links_.remove(c));
  }
  EXPECT_EQ(links_.count(), 0);
}

TEST_P(ConformanceTest, AMillionPoints) {
  constexpr LinkId kPoints = 1000000;
  for (LinkId id = 1; id <= kPoints; ++id) ASSERT_EQ(links_.point(), id);
  EXPECT_EQ(links_.count(), kPoints);
  for (const LinkId id : {LinkId{1}, kPoints / 2, kPoints})
    EXPECT_EQ(links_.rows(id), (Rows{{id, {id, id}}}));
}

TEST_P(ConformanceTest, SearchesOfTheBase) {
  make_base();
  EXPECT_EQ(links_.count(any, any, any), 3);
  EXPECT_EQ(links_.count(1), 1);
  EXPECT_EQ(links_.count(100), 0);
  EXPECT_EQ(links_.search(any, 1, any), (Ids{1, 3}));
  EXPECT_EQ(links_.search(any, any, 2), (Ids{2, 3}));
  EXPECT_EQ(links_.search(any, 1, 2), Ids{3});
  EXPECT_EQ(links_.search(any, 2, 1), Ids{});
  EXPECT_EQ(links_.count(3, 1, 2), 1);
  EXPECT_EQ(links_.count(3, 2, 1), 0);
  EXPECT_EQ(links_.count(3, any, 2), 1);
  EXPECT_EQ(links_.count(3, any, 1), 0);
  EXPECT_EQ(links_.count(3, 1, any), 1);
  EXPECT_EQ(links_.count(3, 2, any), 0);
  EXPECT_EQ(links_.count(100, any, any), 0);
}

TEST_P(ConformanceTest, IncomingOfOne) {
  links_.create(1, 1);
  links_.create(2, 1);
  links_.create(3, 1);
  EXPECT_EQ(links_.search(any, any, 1), (Ids{1, 2, 3}));
}

TEST_P(ConformanceTest, DanglingTargets) {
  make_base();
  EXPECT_TRUE(links_.remove(2));
  EXPECT_TRUE(links_.update(3, 2, 2));
  EXPECT_EQ(links_.rows(), (Rows{{1, {1, 1}}, {3, {2, 2}}}));
}

TEST_P(ConformanceTest, DanglingSources) {
  make_base();
  EXPECT_TRUE(links_.remove(1));
  EXPECT_EQ(links_.search(any, 1, any), Ids{3});
  EXPECT_EQ(links_.search(any, 1, 2), Ids{3});
  EXPECT_EQ(links_.search(1, any, any), Ids{});
}

TEST_P(ConformanceTest, ReferencesToAbsentLinks) {
  make_base();
  EXPECT_EQ(links_.create(1, 10), 4);
  EXPECT_EQ(links_.create(10, 1), 5);
  EXPECT_TRUE(links_.remove(1));
  EXPECT_EQ(links_.search(any, any, 1), Ids{5});
}

TEST_P(ConformanceTest, Usages) {
  make_base();
  EXPECT_EQ(links_.usages(1), 2);  // its own point and the link 3
  EXPECT_EQ(links_.usages(2), 2);
  const LinkId lone = links_.point();
  EXPECT_EQ(links_.usages(lone), 1);
}

TEST_P(ConformanceTest, UsagesFollowDeletions) {
  const LinkId base = links_.create(0, 0);
  std::vector<LinkId> made;
  for (int i = 0; i < 30; ++i) made.push_back(links_.create(base, 1000 + i));
  EXPECT_EQ(links_.usages(base), 30);
  for (int i = 0; i < 15; ++i) links_.remove(made[static_cast<std::size_t>(i)]);
  EXPECT_EQ(links_.usages(base), 15);
}

TEST(UniquePairsTest, ADuplicateIsRefusedAndFound) {
  for (const Layout layout : {Layout::kSplit, Layout::kUnited}) {
    AutoStore links(layout, true);
    links.point();
    links.point();
    EXPECT_EQ(links.create(1, 2), 3);
    EXPECT_EQ(links.create(1, 2), 0);
    EXPECT_EQ(links.status, Status::kDuplicatePair);
    EXPECT_EQ(links.get_or_create(1, 2), 3);
    EXPECT_FALSE(links.update(1, 2, 2));
    EXPECT_EQ(links.status, Status::kDuplicatePair);
    EXPECT_TRUE(links.update(3, 1, 2));  // with itself it does not conflict
    EXPECT_EQ(links.create(5, 5, 3), 0);
    EXPECT_EQ(links.status, Status::kDuplicateId);
    EXPECT_EQ(links.count(), 3);
  }
}

TEST_P(ConformanceTest, RandomCyclesThenNothing) {
  std::mt19937_64 random(25);
  Rows model;
  for (int step = 0; step < 6000; ++step) {
    if (model.empty() || (model.size() < 1000 && random() % 3 != 0)) {
      const auto s = static_cast<std::int64_t>(random() % 50), t = static_cast<std::int64_t>(random() % 50);
      const LinkId id = links_.create(s, t);
      ASSERT_TRUE(model.emplace(id, std::pair(s, t)).second);
    } else {
      const auto it = std::next(model.begin(), static_cast<std::ptrdiff_t>(random() % model.size()));
      ASSERT_TRUE(links_.remove(it->first));
      model.erase(it);
    }
    ASSERT_EQ(links_.count(), static_cast<std::int64_t>(model.size()));
  }
  EXPECT_EQ(links_.rows(), model);
  for (const auto& [id, ends] : model) links_.remove(id);
  EXPECT_EQ(links_.count(), 0);
}

TEST_P(ConformanceTest, MeshAndBipartiteGraph) {
  for (int a = 0; a < 10; ++a)
    for (int b = a + 1; b < 10; ++b) links_.create(a, b);
  EXPECT_EQ(links_.count(), 45);
  for (int a = 0; a < 10; ++a)
    for (int b = a + 1; b < 10; ++b) EXPECT_EQ(links_.count(any, a, b), 1);
  for (int a = 100; a < 105; ++a)
    for (int b = 200; b < 205; ++b) links_.create(a, b);
  for (int a = 100; a < 105; ++a)
    for (int b = 200; b < 205; ++b) {
      EXPECT_EQ(links_.search(any, a, b).size(), 1u);
      EXPECT_EQ(links_.search(any, b, a).size(), 0u);
    }
}

TEST_P(ConformanceTest, EverySecondUsageDeleted) {
  const LinkId base = links_.create(0, 0);
  std::vector<LinkId> made;
  for (int i = 0; i < 100; ++i) made.push_back(links_.create(base, 1000 + i));
  for (std::size_t i = 0; i < made.size(); i += 2) links_.remove(made[i]);
  EXPECT_EQ(links_.usages(base), 50);
}

TEST_P(ConformanceTest, RepeatedUpdatesOfOrdinaryLinks) {
  Rows model;
  for (int i = 0; i < 20; ++i) {
    const LinkId id = links_.create(i % 5, i % 7);
    model[id] = {i % 5, i % 7};
  }
  for (int round = 0; round < 4; ++round)
    for (LinkId id = 1; id <= 3; ++id) {
      model[id] = {round + id, round * id};
      EXPECT_TRUE(links_.update(id, round + id, round * id));
      EXPECT_EQ(links_.rows(), model);
    }
}

// Ids given by the caller, near the counter and far away.
TEST_P(ConformanceTest, GivenIdsDoNotMoveTheCounter) {
  EXPECT_EQ(links_.create(1, 1, kMax), kMax);
  EXPECT_EQ(links_.create(1, 1, 3), 3);
  EXPECT_EQ(links_.create(1, 1), 1);
  EXPECT_EQ(links_.create(1, 1), 2);
  EXPECT_EQ(links_.create(1, 1), 4);
  EXPECT_EQ(links_.create(1, 1, kMax), 0);
  EXPECT_EQ(links_.status, Status::kDuplicateId);
  EXPECT_EQ(links_.search(any, any, any), (Ids{1, 2, 3, 4, kMax}));
  EXPECT_LT(links_.header().heap.allocated_bytes, 1u << 20);
}

}  // namespace
}  // namespace doublets

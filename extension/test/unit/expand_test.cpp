// Steps of a traversal: the set of nodes against a map, the neighbours of many nodes against single searches.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "auto_store.hpp"
#include "core/node_set.hpp"

namespace doublets::test {
namespace {

// A set with memory of its own, which grows as asked.
struct GrowingSet {
  NodeSet set{7};
  std::vector<Reached> nodes;
  std::vector<NodeSet::Slot> slots;

  void grow(std::uint32_t capacity) {
    nodes.resize(capacity);
    // A set shall not rely on what it finds.
    slots.assign(NodeSet::slots_for(capacity), {-1, 12345});
    set.move_to(nodes.data(), slots.data(), capacity);
  }
  void add(const std::vector<Neighbour>& met, std::uint32_t level) {
    for (std::size_t done = 0; (done += set.add(met.data() + done, met.size() - done, level)) < met.size();)
      grow(set.capacity() * 2);
  }
};

TEST(NodeSet, EmptyAndFull) {
  NodeSet none;
  const Neighbour one{5, 1, 0};
  EXPECT_EQ(none.add(&one, 1, 0), 0u);
  GrowingSet s;
  s.grow(3);
  const Neighbour met[] = {{5, 1, 0}, {6, 1, 0}, {5, 2, 0}, {-7, 1, 0}, {6, 3, 0}, {8, 1, 0}, {5, 1, 0}};
  EXPECT_EQ(s.set.add(met, std::size(met), 0), 5u);
  EXPECT_EQ(s.set.size(), 3u);
  EXPECT_EQ(s.set.find(-7), 2u);
  EXPECT_EQ(s.set.find(8), NodeSet::kNone);
  s.grow(4);
  EXPECT_EQ(s.set.add(met + 5, 2, 0), 2u);
  EXPECT_EQ(s.set.find(8), 3u);
}

// Small numbers, negative ones, any; small ones at first; large ones at first, none of which is used again.
struct Numbers {
  std::int64_t low, high;    // of the first ten rounds
  std::int64_t then, below;  // of the others
};

class NodeSetOf : public ::testing::TestWithParam<Numbers> {};
INSTANTIATE_TEST_SUITE_P(Numbers, NodeSetOf,
                         ::testing::Values(Numbers{0, 50, 0, 50}, Numbers{0, 9000, 0, 9000},
                                           Numbers{-3000, 3000, -3000, 3000},
                                           Numbers{-(1ll << 61), 1ll << 61, -(1ll << 61), 1ll << 61},
                                           Numbers{0, 9000, 0, 1ll << 61}, Numbers{0, 1ll << 20, 0, 900}));

TEST_P(NodeSetOf, AgreesWithAMap) {
  std::mt19937_64 random(3);
  GrowingSet s;
  s.grow(1);
  std::map<std::int64_t, Reached> model;
  std::vector<std::int64_t> order;
  std::uint32_t level = 0;
  for (int round = 0; round < 40; ++round) {
    const std::int64_t low = round < 10 ? GetParam().low : GetParam().then;
    const std::int64_t high = round < 10 ? GetParam().high : GetParam().below;
    std::vector<Neighbour> met(random() % 700);
    for (Neighbour& m : met)
      m = {low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low)),
           static_cast<LinkId>(1 + random() % 1000), static_cast<std::uint32_t>(random() % 100)};
    s.add(met, level);
    for (const Neighbour& m : met) {
      const auto known = model.find(m.node);
      if (known == model.end()) {
        model[m.node] = m;
        order.push_back(m.node);
      } else if (m.via < known->second.via && std::find(order.begin() + level, order.end(), m.node) != order.end()) {
        known->second = m;
      }
    }
    if (round % 3 == 0) level = s.set.size();
    ASSERT_EQ(s.set.size(), order.size());
  }
  for (std::uint32_t i = 0; i < s.set.size(); ++i) {
    EXPECT_EQ(s.set[i].node, order[i]);
    EXPECT_EQ(s.set[i].via, model[order[i]].via);
    EXPECT_EQ(s.set[i].from, model[order[i]].from);
    EXPECT_EQ(s.set.find(order[i]), i);
  }
  for (const std::int64_t none : {GetParam().high + 1, std::int64_t{-9999}, std::int64_t{1} << 62})
    if (!model.contains(none)) {
      EXPECT_EQ(s.set.find(none), NodeSet::kNone);
    }
}

class Expand : public ::testing::TestWithParam<Layout> {};
INSTANTIATE_TEST_SUITE_P(Layouts, Expand, ::testing::Values(Layout::kSplit, Layout::kUnited));

// Nodes with no link, one, some, just as many as a list holds, and more than one step gives.
TEST_P(Expand, FindsTheNeighboursOfAllNodes) {
  AutoStore store(GetParam());
  std::mt19937_64 random(5);
  using Link = std::tuple<std::int64_t, LinkId, std::int64_t>;  // node, link, neighbour
  std::vector<Link> outgoing, incoming;
  const auto create = [&](std::int64_t source, std::int64_t target) {
    const LinkId id = store.create(source, target);
    outgoing.emplace_back(source, id, target);
    incoming.emplace_back(target, id, source);
  };
  for (int i = 0; i < 3000; ++i)
    create(static_cast<std::int64_t>(random() % 400), static_cast<std::int64_t>(random() % 400));
  const std::pair<std::int64_t, int> hubs[] = {{1000, 124}, {1001, 125}, {1002, 126}, {1003, 512}, {1004, 2000}};
  for (const auto& [hub, degree] : hubs)
    for (int i = 0; i < degree; ++i)
      create(hub, static_cast<std::int64_t>(random() % 400) - 10);
  for (const Access access : {Access::kSource, Access::kTarget}) {
    GrowingSet nodes;
    nodes.grow(600);
    for (std::int64_t node = -10; node < 450; ++node)
      nodes.add({{node, 0, 0}}, 0);
    for (const std::int64_t hub : {1004, 1003, 1000, 1001, 1002})
      nodes.add({{hub, 0, 0}}, 0);
    for (const std::uint32_t first : {0u, 17u}) {
      std::vector<Link> found, wanted;
      Neighbour batch[Store::kNeighbours];
      Expansion expansion{access, first, nodes.set.size()};
      std::size_t steps = 0;
      while (!expansion.done()) {
        const std::size_t n = store.store().expand(nodes.set, expansion, AutoStore::kAll, batch);
        ASSERT_LE(n, Store::kNeighbours);
        ASSERT_LT(++steps, 1000u);
        for (std::size_t i = 0; i < n; ++i)
          found.emplace_back(nodes.set[batch[i].from].node, batch[i].via, batch[i].node);
      }
      for (const Link& link : access == Access::kSource ? outgoing : incoming)
        if (const std::uint32_t place = nodes.set.find(std::get<0>(link)); place != NodeSet::kNone && place >= first)
          wanted.push_back(link);
      std::sort(found.begin(), found.end());
      std::sort(wanted.begin(), wanted.end());
      EXPECT_EQ(found, wanted);
      EXPECT_GT(wanted.size(), 2500u);
    }
  }
}

TEST_P(Expand, LeavesOutWhatIsNotSeen) {
  AutoStore store(GetParam());
  store.settle_at_once = false;
  for (std::int64_t i = 0; i < 200; ++i)
    store.create(1, i);
  for (LinkId id = 1; id <= 200; id += 2)
    store.remove(id);
  GrowingSet nodes;
  nodes.grow(1);
  nodes.add({{1, 0, 0}}, 0);
  Neighbour batch[Store::kNeighbours];
  Expansion expansion{Access::kSource, 0, 1};
  std::size_t n = 0;
  while (!expansion.done())
    n += store.store().expand(nodes.set, expansion, AutoStore::kAll, batch);
  EXPECT_EQ(n, 100u);
}

// Ends of live and of dead versions, each once, however many are asked for at a time.
TEST_P(Expand, NamesTheEndsOfAllVersions) {
  AutoStore store(GetParam());
  store.settle_at_once = false;
  std::mt19937_64 random(3);
  std::set<std::int64_t> sources, targets;
  for (int i = 0; i < 4000; ++i) {
    const auto source = static_cast<std::int64_t>(random() % 1500) - 700;
    const auto target = static_cast<std::int64_t>(random() >> (random() % 50));
    const LinkId id = store.create(source, target);
    sources.insert(source);
    targets.insert(target);
    if (i % 3 == 0) store.remove(id);
  }
  for (const Access end : {Access::kSource, Access::kTarget})
    for (const std::size_t capacity : {16u, 100u, 256u, 1000u}) {
      std::vector<std::int64_t> found;
      std::int64_t batch[1000];
      for (Position position; !position.done;) {
        const std::size_t n = store.store().ends(end, position, batch, capacity);
        ASSERT_LE(n, capacity);
        found.insert(found.end(), batch, batch + n);
      }
      std::sort(found.begin(), found.end());
      const auto& wanted = end == Access::kSource ? sources : targets;
      EXPECT_EQ(found, std::vector<std::int64_t>(wanted.begin(), wanted.end()));
    }
}

// Values with no link, with one, with more than a step gives; some of them twice; by every part.
TEST_P(Expand, MatchesValuesWithLinks) {
  AutoStore store(GetParam());
  store.settle_at_once = false;
  std::mt19937_64 random(11);
  std::vector<std::array<std::int64_t, 3>> links;
  const auto create = [&](std::int64_t source, std::int64_t target) {
    const LinkId id = store.create(source, target);
    // One of three is gone.
    if (id % 3 == 0)
      store.remove(id);
    else
      links.push_back({id, source, target});
  };
  for (int i = 0; i < 2000; ++i)
    create(static_cast<std::int64_t>(random() % 300), static_cast<std::int64_t>(random() % 300));
  for (int i = 0; i < 1500; ++i)
    create(1000, i % 7 - 3);
  std::vector<std::int64_t> values{1000, 1000, -1, 5, 5, Range::kMin, Range::kMax, 0};
  for (int i = 0; i < 900; ++i)
    values.push_back(static_cast<std::int64_t>(random() % 2500) - 20);
  for (const Access access : {Access::kId, Access::kSource, Access::kTarget}) {
    using Match = std::pair<std::uint32_t, std::array<std::int64_t, 3>>;
    std::vector<Match> found, wanted;
    MatchedLink batch[Store::kNeighbours];
    Expansion expansion{access, 0, static_cast<std::uint32_t>(values.size())};
    std::uint64_t passed = 0;
    std::size_t steps = 0;
    while (!expansion.done()) {
      const std::size_t n = store.store().match(values.data(), expansion, AutoStore::kAll, batch, passed);
      ASSERT_LE(n, Store::kNeighbours);
      ASSERT_LT(++steps, 1000u);
      for (std::size_t i = 0; i < n; ++i)
        found.push_back({batch[i].from, {batch[i].parts[0], batch[i].parts[1], batch[i].parts[2]}});
    }
    // By place, in the order asked.
    EXPECT_TRUE(std::is_sorted(found.begin(), found.end(),
                               [](const Match& a, const Match& b) { return a.first < b.first; }));
    const std::size_t part = access == Access::kId ? 0 : access == Access::kSource ? 1 : 2;
    for (std::uint32_t i = 0; i < values.size(); ++i)
      for (const auto& link : links)
        if (link[part] == values[i]) wanted.push_back({i, link});
    std::sort(found.begin(), found.end());
    std::sort(wanted.begin(), wanted.end());
    EXPECT_EQ(found, wanted);
    EXPECT_GT(wanted.size(), 500u);
    EXPECT_GT(passed, 100u);
  }
}

}  // namespace
}  // namespace doublets::test

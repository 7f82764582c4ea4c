// Tree against std::set: the same entries, counts and ranges after every load; verify
// finds damage; a plan is never exceeded.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/tree.hpp"
#include "core/tree_node.hpp"
#include "memory_heap.hpp"

namespace doublets {
namespace {

using test::MemoryHeap;
using tree_node::Header;
using tree_node::Inner;
using tree_node::Leaf;

struct Faults {
  std::vector<std::string> texts;
  static void add(void* self, const char* text) { static_cast<Faults*>(self)->texts.emplace_back(text); }
  bool has(const std::string& part) const {
    return std::any_of(texts.begin(), texts.end(), [&](const auto& t) { return t.find(part) != std::string::npos; });
  }
};

// A tree and its model, changed together.
template <Order O>
class Pair {
 public:
  Tree<O> tree() { return Tree<O>(memory_.heap(), root_); }

  Ref<Version> make(LinkId id, std::int64_t source, std::int64_t target) {
    memory_.ensure(2);
    const Ref<Version> ref = memory_.heap().take<Version>();
    memory_.heap().at(ref) = {id, source, target, {}, {}};
    return ref;
  }

  // Inserts; checks that no more is taken than was planned.
  Ref<Version> insert(LinkId id, std::int64_t source, std::int64_t target) {
    const Ref<Version> ref = make(id, source, target);
    insert(ref);
    return ref;
  }
  void insert(Ref<Version> ref) {
    const std::uint32_t plan = tree().plan().units();
    memory_.ensure(plan);
    const std::uint32_t before = memory_.header().bump_next;
    tree().insert(ref);
    ASSERT_LE(memory_.header().bump_next - before, plan);
    ASSERT_LE(memory_.header().bump_next, memory_.header().bump_end);
    model_.insert(key(ref));
  }

  void erase(Ref<Version> ref) {
    const TreeKey k = key(ref);
    tree().erase(ref);
    model_.erase(k);
    memory_.heap().give_back(ref);
  }

  TreeKey key(Ref<Version> ref) { return key_of<O>(memory_.heap().at(ref), ref); }

  // Every count and range that `probes` give, both directions, in batches.
  void compare(const std::vector<TreeKey>& probes) {
    Faults faults;
    std::uint64_t units = 0;
    ASSERT_EQ(tree().verify(Faults::add, &faults, units), model_.size());
    ASSERT_TRUE(faults.texts.empty()) << faults.texts.front();
    ASSERT_EQ(tree().size(), model_.size());
    const std::vector<TreeKey> all(model_.begin(), model_.end());
    for (const TreeKey& k : probes) {
      const auto below = std::lower_bound(all.begin(), all.end(), k) - all.begin();
      ASSERT_EQ(tree().count_below(k), static_cast<std::uint64_t>(below));
      compare_run(k.first);
    }
    compare_run(kKeyMin.first);
    compare_run(kKeyMax.first);
    for (std::size_t i = 0; i < probes.size(); ++i) {
      const TreeKey from = probes[i];
      const TreeKey upto = probes[(i * 7 + 3) % probes.size()];
      std::vector<std::uint32_t> expected;
      if (from < upto)
        for (auto it = model_.lower_bound(from); it != model_.end() && *it < upto; ++it) expected.push_back(it->version);
      ASSERT_EQ(forward(from, upto, 1 + i % 50), expected);
      std::reverse(expected.begin(), expected.end());
      ASSERT_EQ(backward(from, upto, 1 + i % 50), expected);
    }
  }

  // The entries with a first column, into just as much room as they take, and into less.
  void compare_run(std::int64_t first) {
    std::vector<std::uint32_t> expected, found;
    for (auto it = model_.lower_bound(key_from(first)); it != model_.end() && it->first == first; ++it)
      expected.push_back(it->version);
    std::vector<Ref<Version>> out(expected.size());
    const auto run = [&](std::size_t capacity) {
      const std::uint32_t leaf = tree().run_leaf(tree().run_parent(first), first);
      return tree().run(leaf, first, out.data(), capacity);
    };
    if (!expected.empty()) {
      ASSERT_EQ(run(expected.size() - 1), Tree<O>::kLong);
    }
    ASSERT_EQ(run(expected.size()), expected.size());
    for (const Ref<Version> ref : out)
      found.push_back(ref.unit);
    ASSERT_EQ(found, expected);
  }

  std::vector<std::uint32_t> forward(TreeKey from, TreeKey upto, std::size_t batch) {
    std::vector<std::uint32_t> found;
    std::vector<Ref<Version>> out(batch);
    for (;;) {
      const std::size_t n = tree().collect(from, upto, out.data(), batch);
      for (std::size_t i = 0; i < n; ++i) found.push_back(out[i].unit);
      if (n < batch) return found;
      from = key(out[n - 1]);
      ++from.version;
    }
  }

  std::vector<std::uint32_t> backward(TreeKey from, TreeKey upto, std::size_t batch) {
    std::vector<std::uint32_t> found;
    std::vector<Ref<Version>> out(batch);
    for (;;) {
      const std::size_t n = tree().collect_backward(from, upto, out.data(), batch);
      for (std::size_t i = 0; i < n; ++i) found.push_back(out[i].unit);
      if (n < batch) return found;
      upto = key(out[n - 1]);
    }
  }

  MemoryHeap memory_;
  std::uint32_t root_ = 0;
  std::set<TreeKey> model_;
};

template <class T>
class TreeTest : public ::testing::Test {
 public:
  static constexpr Order kOrder = T::value;
};
using Orders = ::testing::Types<std::integral_constant<Order, Order::kById>,
                                std::integral_constant<Order, Order::kBySourceTarget>,
                                std::integral_constant<Order, Order::kByTargetSource>>;
struct OrderNames {
  template <class T>
  static std::string GetName(int) {
    return T::value == Order::kById ? "ById" : T::value == Order::kBySourceTarget ? "BySourceTarget" : "ByTargetSource";
  }
};
TYPED_TEST_SUITE(TreeTest, Orders, OrderNames);

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

// Keys around present and absent entries, of all degrees of completeness.
template <Order O>
std::vector<TreeKey> probes(Pair<O>& pair, std::mt19937_64& random, std::int64_t range, std::size_t count) {
  std::vector<TreeKey> keys{kKeyMin, kKeyMax, key_from(0), key_from(kMax), key_from(-range), key_from(range)};
  std::vector<TreeKey> present(pair.model_.begin(), pair.model_.end());
  while (keys.size() < count) {
    const auto value = [&] { return static_cast<std::int64_t>(random() % (2 * range)) - range; };
    switch (random() % 6) {
      case 0:
        keys.push_back(key_from(value()));
        break;
      case 1:
        keys.push_back(key_from(value(), O == Order::kById ? 0 : value()));
        break;
      case 2:
        keys.push_back({value(), kMax, kMax, std::numeric_limits<std::uint32_t>::max()});
        break;
      default:
        if (present.empty()) break;
        TreeKey key = present[random() % present.size()];
        if (random() % 2) ++key.version;
        if (random() % 4 == 0) key.version = 0;
        keys.push_back(key);
    }
  }
  return keys;
}

TYPED_TEST(TreeTest, AnEmptyTreeAnswersNothing) {
  constexpr Order O = TestFixture::kOrder;
  Pair<O> pair;
  Ref<Version> out[1];
  EXPECT_EQ(pair.tree().size(), 0u);
  EXPECT_EQ(pair.tree().count_below(kKeyMax), 0u);
  EXPECT_EQ(pair.tree().collect(kKeyMin, kKeyMax, out, 1), 0u);
  EXPECT_EQ(pair.tree().collect_backward(kKeyMin, kKeyMax, out, 1), 0u);
  EXPECT_FALSE(pair.tree().contains(pair.make(1, 1, 1)));
  pair.tree().clear();
  EXPECT_EQ(pair.root_, 0u);
}

TYPED_TEST(TreeTest, RandomChangesMatchAModel) {
  constexpr Order O = TestFixture::kOrder;
  // Few distinct values: long runs; many: mostly single entries.
  for (const std::int64_t range : {1, 3, 40, 1000, 1000000}) {
    std::mt19937_64 random(static_cast<std::uint64_t>(range) + 11);
    Pair<O> pair;
    std::vector<Ref<Version>> present;
    const auto value = [&] { return static_cast<std::int64_t>(random() % (2 * range)) - range; };
    // Growing, steady, shrinking to nothing, growing again.
    for (const auto& [steps, inserts] : std::vector<std::pair<int, unsigned>>{{6000, 80}, {3000, 50}, {9000, 15}, {500, 90}}) {
      for (int i = 0; i < steps; ++i) {
        if (present.empty() || random() % 100 < inserts) {
          const LinkId id = O == Order::kById ? value() : static_cast<LinkId>(random() % 1000000 + 1);
          present.push_back(pair.insert(id, value(), value()));
          ASSERT_FALSE(::testing::Test::HasFatalFailure());
        } else {
          const std::size_t at = random() % present.size();
          ASSERT_TRUE(pair.tree().contains(present[at]));
          const Ref<Version> gone = present[at];
          present[at] = present.back();
          present.pop_back();
          pair.erase(gone);
        }
        if (i % 1500 == 0) {
          pair.compare(probes(pair, random, range, 60));
          ASSERT_FALSE(::testing::Test::HasFatalFailure());
        }
      }
      pair.compare(probes(pair, random, range, 300));
      ASSERT_FALSE(::testing::Test::HasFatalFailure());
    }
  }
}

TYPED_TEST(TreeTest, SortedLoadsMatchAModel) {
  constexpr Order O = TestFixture::kOrder;
  std::mt19937_64 random(5);
  for (const int direction : {1, -1}) {
    Pair<O> pair;
    std::vector<Ref<Version>> all;
    for (int i = 0; i < 20000; ++i) all.push_back(pair.insert(direction * i, direction * i, direction * i));
    pair.compare(probes(pair, random, 20000, 300));
    // From the end inserted last, then from the other one.
    for (int i = 0; i < 9000; ++i) {
      pair.erase(all.back());
      all.pop_back();
    }
    pair.compare(probes(pair, random, 20000, 100));
    for (const Ref<Version> ref : all) pair.erase(ref);
    pair.compare({kKeyMin, kKeyMax});
    ASSERT_EQ(pair.root_, 0u);
  }
}

TYPED_TEST(TreeTest, AscendingLoadsFillTheLeaves) {
  constexpr Order O = TestFixture::kOrder;
  Pair<O> pair;
  constexpr std::uint64_t kEntries = 41 * 400;
  for (std::uint64_t i = 0; i < kEntries; ++i)
    pair.insert(static_cast<LinkId>(i), static_cast<LinkId>(i), static_cast<LinkId>(i));
  Faults faults;
  std::uint64_t units = 0;
  pair.tree().verify(Faults::add, &faults, units);
  const std::uint64_t leaves = kEntries / tree_node::kLeafCapacity;
  EXPECT_LE(units, leaves * units_of<Leaf>() * 12 / 10);
}

// At the right end nodes may stay nearly empty; erasing around them must still work.
TYPED_TEST(TreeTest, AppendingAndErasingAtTheRightEnd) {
  constexpr Order O = TestFixture::kOrder;
  std::mt19937_64 random(17);
  Pair<O> pair;
  std::vector<Ref<Version>> all;
  std::int64_t next = 0;
  for (int round = 0; round < 60; ++round) {
    for (auto i = random() % 3000; i > 0; --i, ++next) all.push_back(pair.insert(next, next, next));
    for (auto i = random() % 3000; i > 0 && !all.empty(); --i) {
      const std::size_t near_end = all.size() - 1 - std::min<std::size_t>(all.size() - 1, random() % 60);
      pair.erase(all[near_end]);
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(near_end));
    }
    pair.compare({kKeyMin, kKeyMax, key_from(next / 2), key_from(next)});
    ASSERT_FALSE(::testing::Test::HasFatalFailure());
  }
}

// The first leaf under a second inner node comes and goes again while the first node is full, or has become less so.
TYPED_TEST(TreeTest, TheOnlyLeafOfANodeGoesAgain) {
  constexpr Order O = TestFixture::kOrder;
  constexpr unsigned kFull = tree_node::kInnerCapacity * tree_node::kLeafCapacity;
  for (const unsigned thinned : {0u, 700u})
    for (const unsigned extra : {1u, 2u, tree_node::kLeafCapacity}) {
      Pair<O> pair;
      std::vector<Ref<Version>> all;
      for (unsigned i = 0; i < kFull + extra; ++i) all.push_back(pair.insert(i + 1, i, i));
      for (unsigned i = 0; i < thinned; ++i) pair.erase(all[i]);
      for (unsigned i = 0; i < extra; ++i) pair.erase(all[kFull + i]);
      pair.compare({kKeyMin, kKeyMax, key_from(kFull / 2), key_from(kFull)});
      ASSERT_FALSE(::testing::Test::HasFatalFailure());
    }
}

TYPED_TEST(TreeTest, ExtremeValuesAreOrdinary) {
  constexpr Order O = TestFixture::kOrder;
  Pair<O> pair;
  const std::vector<std::int64_t> values{kMin, kMin + 1, -1, 0, 1, kMax - 1, kMax};
  std::vector<Ref<Version>> all;
  for (int round = 0; round < 6; ++round)
    for (const std::int64_t source : values)
      for (const std::int64_t target : values)
        all.push_back(pair.insert(O == Order::kById ? source : 1 + round, source, target));
  std::vector<TreeKey> keys{kKeyMin, kKeyMax};
  for (const std::int64_t value : values) {
    keys.push_back(key_from(value));
    keys.push_back({value, kMax, kMax, std::numeric_limits<std::uint32_t>::max()});
    if (O != Order::kById)
      for (const std::int64_t second : values) keys.push_back(key_from(value, second));
  }
  pair.compare(keys);
  for (const Ref<Version> ref : all) pair.erase(ref);
  EXPECT_EQ(pair.root_, 0u);
}

TYPED_TEST(TreeTest, ClearGivesEveryNodeBack) {
  constexpr Order O = TestFixture::kOrder;
  std::mt19937_64 random(3);
  for (const int entries : {0, 1, 41, 42, 3000, 30000}) {
    Pair<O> pair;
    std::vector<Ref<Version>> all;
    for (int i = 0; i < entries; ++i)
      all.push_back(pair.make(static_cast<LinkId>(random() >> 1), static_cast<LinkId>(random()), static_cast<LinkId>(random())));
    const std::uint64_t before = pair.memory_.header().used_bytes;
    for (const Ref<Version> ref : all) pair.insert(ref);
    Faults faults;
    std::uint64_t units = 0;
    pair.tree().verify(Faults::add, &faults, units);
    ASSERT_EQ(pair.memory_.header().used_bytes, before + units * kUnitBytes);
    pair.tree().clear();
    ASSERT_EQ(pair.memory_.header().used_bytes, before);
    ASSERT_EQ(pair.root_, 0u);
  }
}

// Erasing all but a few entries gives nearly all nodes back: no emptiness stays behind.
TYPED_TEST(TreeTest, NodesFollowTheEntries) {
  constexpr Order O = TestFixture::kOrder;
  std::mt19937_64 random(8);
  Pair<O> pair;
  std::vector<Ref<Version>> all;
  for (int i = 0; i < 40000; ++i) {
    const auto value = [&] { return static_cast<std::int64_t>(random() % 5000); };
    all.push_back(pair.insert(value(), value(), value()));
  }
  std::shuffle(all.begin(), all.end(), random);
  while (all.size() > 1000) {
    pair.erase(all.back());
    all.pop_back();
  }
  Faults faults;
  std::uint64_t units = 0;
  pair.tree().verify(Faults::add, &faults, units);
  EXPECT_LE(units, (1000 / tree_node::kLeafMinimum + 1) * units_of<Leaf>() + 8 * units_of<Inner>());
}

// Entries with the same first column, when they are few: in one leaf, however they came and whichever of them go.
TYPED_TEST(TreeTest, ShortRunsStayInALeaf) {
  constexpr Order O = TestFixture::kOrder;
  constexpr std::int64_t kRuns = 3000;
  for (const bool sorted : {false, true}) {
    std::mt19937_64 random(23);
    Pair<O> pair;
    const auto parted = [&pair](std::uint64_t& leaves) {
      Heap& heap = pair.memory_.heap();
      std::uint32_t node = pair.root_;
      while (heap.at(Ref<Header>{node}).level > 0) node = heap.at(Ref<Inner>{node}).child[0];
      std::uint64_t parted = 0;
      for (leaves = 1; heap.at(Ref<Leaf>{node}).header.next != 0; ++leaves) {
        const Leaf& left = heap.at(Ref<Leaf>{node});
        node = left.header.next;
        parted += left.first[left.header.count - 1] == heap.at(Ref<Leaf>{node}).first[0];
      }
      return parted;
    };
    std::vector<Ref<Version>> all;
    for (std::int64_t i = 0; i < 10 * kRuns; ++i) {
      const std::int64_t first = sorted ? i / 10 : static_cast<std::int64_t>(random() % kRuns);
      all.push_back(pair.insert(O == Order::kById ? first : i + 1, O == Order::kByTargetSource ? i : first,
                                O == Order::kBySourceTarget ? i : first));
    }
    std::uint64_t leaves = 0;
    std::uint64_t cut = parted(leaves);
    EXPECT_LE(cut, leaves / 20);
    EXPECT_LE(leaves, all.size() * 2 / tree_node::kLeafCapacity);
    std::shuffle(all.begin(), all.end(), random);
    while (all.size() > 4 * kRuns) {
      pair.erase(all.back());
      all.pop_back();
    }
    cut = parted(leaves);
    EXPECT_LE(cut, leaves / 20);
    pair.compare(probes(pair, random, kRuns, 200));
    ASSERT_FALSE(::testing::Test::HasFatalFailure());
  }
}

// Each kind of damage, planted in a tree of three levels, is reported.
TYPED_TEST(TreeTest, VerifyFindsEveryPlantedCorruption) {
  constexpr Order O = TestFixture::kOrder;
  std::mt19937_64 random(21);
  Pair<O> pair;
  std::vector<Ref<Version>> all;
  for (int i = 0; i < 30000; ++i) {
    const auto value = [&] { return static_cast<std::int64_t>(random() % 3000); };
    all.push_back(pair.insert(value(), value(), value()));
  }
  Heap& heap = pair.memory_.heap();
  Inner& root = heap.at(Ref<Inner>{pair.root_});
  ASSERT_EQ(root.header.level, 2);
  Inner& inner = heap.at(Ref<Inner>{root.child[1]});
  Leaf& leaf = heap.at(Ref<Leaf>{inner.child[2]});
  ASSERT_GT(inner.header.count, 3);
  ASSERT_GT(leaf.header.count, 4);

  const auto faults = [&] {
    Faults found;
    std::uint64_t units = 0;
    pair.tree().verify(Faults::add, &found, units);
    return found;
  };
  ASSERT_TRUE(faults().texts.empty());

  // Changes something, expects the fault, puts it right again.
  const auto planted = [&](auto& field, auto value, const std::string& expected) {
    const auto saved = field;
    field = static_cast<std::remove_reference_t<decltype(field)>>(value);
    const Faults found = faults();
    EXPECT_TRUE(found.has(expected)) << "not found: " << expected << "; reported: "
                                     << (found.texts.empty() ? "nothing" : found.texts.front());
    field = saved;
    ASSERT_TRUE(faults().texts.empty());
  };
  planted(inner.first[2], inner.first[2] + 1000000, "separator");
  planted(inner.first[2], inner.first[2] + (O == Order::kById ? 1 : 2), "outside its leaf's range");
  planted(inner.first[3], inner.first[1] - 1, "separator");
  planted(inner.first[0], 7, "unused separator");
  planted(root.first[1], root.first[1] + 20, "range");
  planted(inner.first[2], inner.first[2] - 1, "outside its leaf's range");
  planted(inner.entries[2], inner.entries[2] + 1, "count of the entries");
  planted(root.entries[1], root.entries[1] - 1, "count of the entries");
  planted(inner.child[2], inner.child[1], "link");
  planted(inner.child[2], 0xfffffff0u, "outside the tree's memory");
  planted(inner.child[2], 0u, "outside the tree's memory");
  planted(inner.child[2], root.child[1], "another level");
  planted(inner.child[2], pair.root_, "another level");
  planted(inner.header.level, 2, "another level");
  planted(inner.header.count, inner.header.count - 1, "count of the entries");
  planted(inner.header.count, 0, "empty or overfull");
  planted(inner.header.count, 1000, "empty or overfull");
  planted(leaf.header.level, 1, "another level");
  planted(leaf.header.count, leaf.header.count - 1, "count of the entries");
  planted(leaf.header.count, 42, "empty or overfull");
  planted(leaf.header.tag, 0, "another level");
  planted(leaf.header.next, 0, "right neighbour");
  planted(leaf.header.prev, inner.child[0], "left neighbour");
  planted(leaf.first[2], leaf.first[2] + 1, "first column differs");
  planted(leaf.version[2], leaf.version[3], "out of order");
  planted(leaf.version[2], 0xfffffff0u, "version is outside");
  // A version that changed under the tree: in its first column, or in its second while it
  // is followed by an entry with the same first column.
  unsigned in_run = 1;
  while (leaf.first[in_run] != leaf.first[in_run + 1]) ASSERT_LT(++in_run + 1u, leaf.header.count);
  Version& version = heap.at(Ref<Version>{leaf.version[in_run]});
  if (O == Order::kById) {
    planted(version.id, version.id + 100000, "first column differs");
  } else {
    planted(version.source, version.source + 100000, O == Order::kBySourceTarget ? "first column differs" : "order");
    planted(version.target, version.target + 100000, O == Order::kByTargetSource ? "first column differs" : "order");
  }
  planted(pair.root_, pair.root_ + 1, "root");
  planted(pair.root_, 0xfffffff0u, "root");
  planted(pair.root_, root.child[1], "");
  std::swap(leaf.version[1], leaf.version[2]);
  std::swap(leaf.first[1], leaf.first[2]);
  EXPECT_TRUE(faults().has("out of order"));
}

}  // namespace
}  // namespace doublets

// The store against a naive model, in both layouts.
#include <gtest/gtest.h>

#include <random>

#include "store_model.hpp"

namespace doublets {
namespace {

using test::Choices;
using test::Difference;
using test::StoreModel;
using test::StoreOptions;

class RandomChoices : public Choices {
 public:
  explicit RandomChoices(std::uint64_t seed) : random_(seed) {}
  std::uint32_t below(std::uint32_t n) override { return static_cast<std::uint32_t>(random_() % n); }

 private:
  std::mt19937_64 random_;
};

class StoreTest : public ::testing::TestWithParam<Layout> {
 protected:
  // `steps` random actions, compared every `every` of them, then everything is deleted.
  void run(StoreOptions options, std::uint64_t seed, int steps, int every) {
    options.layout = GetParam();
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomChoices choices(seed);
    StoreModel model(options, choices);
    int step = 0;
    try {
      for (; step < steps; ++step) {
        model.step();
        if (step % every == 0) model.compare_all();
      }
      model.compare_all();
      model.quiesce();
      model.compare_all();
      model.delete_everything();
      model.verify();
    } catch (const Difference& difference) {
      FAIL() << "step " << step << ": " << difference.what();
    }
    refusals_ += model.refusals();
    waits_ += model.waits();
    conflicts_ += model.conflicts();
  }

  std::uint64_t refusals_ = 0;
  std::uint64_t waits_ = 0;
  std::uint64_t conflicts_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Layouts, StoreTest, ::testing::Values(Layout::kSplit, Layout::kUnited),
                         [](const auto& info) { return info.param == Layout::kSplit ? "Split" : "United"; });

TEST_P(StoreTest, RandomTransactionsMatchAModelAfterEveryStep) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) run({.values = 6}, seed, 200, 1);
  EXPECT_GT(refusals_, 50u);
  EXPECT_GT(waits_, 2u);
  EXPECT_GT(conflicts_, 10u);
}

TEST_P(StoreTest, LongRandomRunsMatchAModel) {
  for (std::uint64_t seed = 100; seed <= 102; ++seed) run({.values = 40}, seed, 1500, 250);
}

TEST_P(StoreTest, UniquePairsMatchAModel) {
  for (std::uint64_t seed = 200; seed <= 209; ++seed) run({.unique_pairs = true, .values = 9}, seed, 400, 20);
  EXPECT_GT(conflicts_, 100u);
}

// One node with hundreds of links: its lists become trees and arrays again.
TEST_P(StoreTest, HubsMatchAModel) {
  for (std::uint64_t seed = 300; seed <= 301; ++seed)
    run({.values = 300, .hub_one_in = 2, .explicit_one_in = 20}, seed, 2500, 250);
}

// Two nodes only: long lists of one pair.
TEST_P(StoreTest, DuplicatePairsMatchAModel) {
  for (std::uint64_t seed = 400; seed <= 401; ++seed)
    run({.values = 2, .explicit_one_in = 20}, seed, 1500, 150);
}

TEST_P(StoreTest, ManyGivenIdsMatchAModel) {
  for (std::uint64_t seed = 500; seed <= 505; ++seed) run({.values = 12, .explicit_one_in = 1}, seed, 700, 70);
}

}  // namespace
}  // namespace doublets

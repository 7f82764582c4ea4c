// libFuzzer: the bytes decide every action on a store in both layouts; each is compared
// with the naive model of unit/store_model.hpp and verified as it goes.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "store_model.hpp"

namespace {

using namespace doublets;

class ByteChoices : public test::Choices {
 public:
  // The first byte says how far a pseudo-random sequence goes on where the bytes end, so
  // that short inputs, too, reach states that take many steps.
  ByteChoices(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {
    for (std::size_t i = 0; i < size; ++i) random_ = random_ * 6364136223846793005u + data[i] + 1;
    if (size > 0) extra_ = std::size_t{data[0]} * 16;
  }

  // When all is used up the answer is 0.
  std::uint32_t below(std::uint32_t n) override {
    std::uint32_t value = byte();
    if (n > 256) value |= static_cast<std::uint32_t>(byte()) << 8;
    return value % n;
  }
  bool more() const override { return at_ < size_ || extra_ > 0; }

 private:
  std::uint8_t byte() {
    if (at_ < size_) return data_[at_++];
    if (extra_ == 0) return 0;
    --extra_;
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint8_t>(random_ >> 56);
  }

  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
  std::size_t extra_ = 0;
  std::uint64_t random_ = 0;
};

void run(Layout layout, const std::uint8_t* data, std::size_t size) {
  ByteChoices choices(data, size);
  test::StoreOptions options;
  options.layout = layout;
  options.unique_pairs = choices.one_in(4);
  options.values = 3 + choices.below(60);
  options.hub_one_in = choices.below(4);
  options.explicit_one_in = 1 + choices.below(12);
  test::StoreModel model(options, choices);
  for (int step = 0; choices.more() && step < 2000; ++step) {
    model.step();
    if (step % 32 == 31) model.compare_all();
  }
  model.compare_all();
  model.delete_everything();
  model.verify();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const Layout layout : {Layout::kSplit, Layout::kUnited}) {
    try {
      run(layout, data, size);
    } catch (const test::Difference& difference) {
      std::fprintf(stderr, "%s: %s\n", layout == Layout::kSplit ? "split" : "united", difference.what());
      std::abort();
    }
  }
  return 0;
}

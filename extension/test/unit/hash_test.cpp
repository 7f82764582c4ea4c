// The table behind the searches of `split`.
#include <gtest/gtest.h>

#include "core/hash_index.hpp"

namespace doublets::test {
namespace {

// Every place of a bucket alone and together with every other, whatever stands behind the entries in use.
TEST(HashBucket, TellsItsEntriesWithAHash) {
  constexpr std::uint32_t kWanted = 0x80000001, kOther = 0x80000000;
  for (unsigned count = 0; count <= HashBucket::kEntries; ++count)
    for (unsigned places = 0; places < 1u << HashBucket::kEntries; ++places) {
      HashBucket bucket{};
      bucket.count = static_cast<std::uint8_t>(count);
      for (unsigned i = 0; i < HashBucket::kEntries; ++i) {
        bucket.hash[i] = (places >> i & 1) != 0 ? kWanted : kOther;
        bucket.ref[i] = kWanted;  // no hash
      }
      EXPECT_EQ(bucket.matches(kWanted), places & ((1u << count) - 1)) << count << " entries";
    }
}

}  // namespace
}  // namespace doublets::test

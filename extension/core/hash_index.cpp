#include "hash_index.hpp"

#include <cassert>

namespace doublets {

// Adds an entry to the chain of `bucket`, with an overflow bucket if all are full.
void HashIndex::put(HashBucket *bucket, std::uint32_t hash, std::uint32_t ref,
                    bool tag) noexcept {
  while (bucket->count == HashBucket::kEntries) {
    if (!bucket->overflow) {
      const auto fresh = heap_.take<HashBucket>();
      heap_.at(fresh) = HashBucket{};
      bucket->overflow = fresh;
      ++header_.overflow_buckets;
    }
    bucket = &heap_.at(bucket->overflow);
  }
  const unsigned i = bucket->count++;
  bucket->hash[i] = hash;
  HashIndex::Entry{bucket, i}.set(ref, tag);
}

void HashIndex::insert(std::uint32_t hash, std::uint32_t ref, bool tag,
                       const BlockPlan &planned) noexcept {
  if (header_.bucket_count == 0) {
    buckets_.append_page();
    header_.bucket_count = PagedArray<HashBucket>::kPerPage;
  }
  put(&buckets_[bucket_of(hash)], hash, ref, tag);
  ++header_.entries;
  if (header_.entries > std::uint64_t{header_.bucket_count} * kMeanLoad)
    split(planned);
}

// Frees the overflow buckets behind `bucket`, which are empty.
void HashIndex::trim(HashBucket *bucket) noexcept {
  auto next = bucket->overflow;
  bucket->overflow = {};
  while (next) {
    const auto after = heap_.at(next).overflow;
    heap_.give_back(next);
    --header_.overflow_buckets;
    next = after;
  }
}

// Splits the bucket whose turn it is, if there is room for the page and the overflow
// buckets this may take, beside the `planned` ones; otherwise the table stays a little
// fuller until there is.
void HashIndex::split(const BlockPlan &planned) noexcept {
  const std::uint32_t n = header_.bucket_count;
  if (n == ~0u)
    return;
  const std::uint32_t half = 1u << (31 - __builtin_clz(n));
  HashBucket *from = &buckets_[n - half];
  BlockPlan plan = planned;
  if (n == buckets_.size())
    plan += buckets_.plan();
  for (HashBucket *b = from; b->overflow; b = &heap_.at(b->overflow))
    plan.add(kOverflowClass);
  if (!heap_.can_take(plan))
    return;
  if (n == buckets_.size())
    buckets_.append_page();
  header_.bucket_count = n + 1;
  HashBucket *into = &buckets_[n];
  // Entries that stay move up in their own chain, never past the place they are read from.
  HashBucket *keep = from;
  unsigned kept = 0;
  for (HashBucket *b = from;; b = &heap_.at(b->overflow)) {
    const unsigned count = b->count;
    for (unsigned i = 0; i < count; ++i) {
      const std::uint32_t hash = b->hash[i], ref = b->ref[i];
      const bool tag = (b->tags >> i & 1) != 0;
      if ((hash & half) != 0) {
        put(into, hash, ref, tag);
        continue;
      }
      if (kept == HashBucket::kEntries) {
        keep->count = HashBucket::kEntries;
        keep = &heap_.at(keep->overflow);
        kept = 0;
      }
      keep->hash[kept] = hash;
      Entry{keep, kept}.set(ref, tag);
      ++kept;
    }
    if (!b->overflow)
      break;
  }
  keep->count = static_cast<std::uint8_t>(kept);
  trim(keep);
}

void HashIndex::erase(std::uint32_t hash, std::uint32_t ref) noexcept {
  const Entry entry = find(hash, [ref](std::uint32_t r, bool) noexcept { return r == ref; });
  assert(entry);
  // The last entry of the chain takes the place that becomes free.
  HashBucket *before = nullptr;
  HashBucket *last = &buckets_[bucket_of(hash)];
  while (last->overflow) {
    before = last;
    last = &heap_.at(last->overflow);
  }
  const unsigned end = --last->count;
  entry.bucket->hash[entry.index] = last->hash[end];
  entry.set(last->ref[end], (last->tags >> end & 1) != 0);
  if (last->count == 0 && before != nullptr)
    trim(before);
  --header_.entries;
}

} // namespace doublets

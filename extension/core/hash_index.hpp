// A hash multimap from 32-bit hashes to references, grown one bucket at a time.
//
// Linear hashing (Litwin 1980): there are n buckets; a hash is placed by its low
// bits, and each insert that finds the table too full splits the bucket whose turn
// it is. So no insert ever rehashes more than two chains. A bucket is one cache
// line of seven (hash, reference) pairs and one tag bit each; what does not fit goes to
// overflow buckets. The whole hash is stored, so splitting touches no record, and
// the caller compares keys only where all 32 bits agree.
//
// Distinct keys only: a caller with equal keys keeps them behind one entry, or
// chains would grow with the number of duplicates.
//
// Locks: reading needs the store's lock shared, everything else exclusive.
// Costs: find, insert, replace, erase O(1) expected. The table never shrinks.
#pragma once

#include <bit>

#include "paged_array.hpp"

namespace doublets {

// Mixes a 64-bit value; from Steele, Lea and Flood's SplitMix64 finalizer.
constexpr std::uint64_t mix64(std::uint64_t x) noexcept {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  x ^= x >> 31;
  return x;
}

struct HashBucket {
  static constexpr unsigned kEntries = 7;
  std::uint32_t hash[kEntries];
  std::uint32_t ref[kEntries];
  Ref<HashBucket> overflow;
  std::uint8_t count;
  std::uint8_t tags; // bit i: the tag of entry i
  std::uint16_t reserved;

  // The entries with this hash, a bit each. Without a branch: the processor need not guess what only
  // the bucket tells, and goes on to what comes after the search while the bucket is still on its way.
  unsigned matches(std::uint32_t wanted) const noexcept {
    using Four = std::uint32_t __attribute__((vector_size(16)));
    Four low, high; // the fourth comes twice
    std::memcpy(&low, hash, sizeof(Four));
    std::memcpy(&high, hash + kEntries - 4, sizeof(Four));
    const Four bits = (Four{1, 2, 4, 8} & Four(low == wanted)) | (Four{8, 16, 32, 64} & Four(high == wanted));
    std::uint64_t half[2];
    std::memcpy(half, &bits, sizeof(bits));
    half[0] |= half[1];
    return static_cast<unsigned>(half[0] | half[0] >> 32) & ((1u << count) - 1);
  }
};
static_assert(sizeof(HashBucket) == 64);

struct HashIndexHeader {
  PagedArrayHeader buckets;
  std::uint32_t bucket_count;
  std::uint32_t overflow_buckets;
  std::uint64_t entries;
};

class HashIndex {
public:
  HashIndex(Heap &heap, HashIndexHeader &header) noexcept
      : heap_(heap), header_(header), buckets_(heap, header.buckets) {}

  // Where an entry stands; null bucket: nowhere. Valid until the next change.
  struct Entry {
    HashBucket *bucket = nullptr;
    unsigned index = 0;
    explicit operator bool() const noexcept { return bucket != nullptr; }
    std::uint32_t ref() const noexcept { return bucket->ref[index]; }
    bool tag() const noexcept { return (bucket->tags >> index & 1) != 0; }
    void set(std::uint32_t ref, bool tag) const noexcept {
      bucket->ref[index] = ref;
      bucket->tags = static_cast<std::uint8_t>((bucket->tags & ~(1u << index)) | (unsigned{tag} << index));
    }
  };

  // The entry with this hash for which same(ref, tag) holds.
  template <class Same>
  Entry find(std::uint32_t hash, Same &&same) const noexcept {
    if (header_.bucket_count == 0)
      return {};
    for (HashBucket *b = &buckets_[bucket_of(hash)];; b = &heap_.at(b->overflow)) {
      for (unsigned left = b->matches(hash); left != 0; left &= left - 1) {
        const Entry entry{b, static_cast<unsigned>(std::countr_zero(left))};
        if (same(entry.ref(), entry.tag()))
          return entry;
      }
      if (!b->overflow)
        return {};
    }
  }

  void prefetch(std::uint32_t hash) const noexcept {
    if (header_.bucket_count != 0)
      ask_for(&buckets_[bucket_of(hash)]);
  }

  // Once the bucket is near: asks for what its entries of this hash refer to.
  void prefetch_entry(std::uint32_t hash) const noexcept {
    if (header_.bucket_count == 0)
      return;
    const HashBucket &b = buckets_[bucket_of(hash)];
    for (unsigned left = b.matches(hash); left != 0; left &= left - 1)
      ask_for(heap_.address(b.ref[std::countr_zero(left)]));
  }

  // Blocks one insert needs at the most. Splitting is done only where room is left
  // for it beside what the caller has planned, so it needs no plan.
  BlockPlan plan() const noexcept {
    BlockPlan p;
    p.add(kOverflowClass);
    if (header_.bucket_count == 0)
      p += buckets_.plan();
    return p;
  }

  // Requires: no entry for the key; can_take(plan()). `planned`: blocks the caller
  // may still take for the change this is part of; splitting leaves them alone.
  void insert(std::uint32_t hash, std::uint32_t ref, bool tag, const BlockPlan &planned) noexcept;

  // Requires: an entry (hash, ref).
  void erase(std::uint32_t hash, std::uint32_t ref) noexcept;

  std::uint64_t size() const noexcept { return header_.entries; }

  // The table in parts, for a walk that goes on while the table grows. The place of a hash is the hash
  // with its bits in reverse order. A bucket holds the hashes of a range of places, and when it is
  // split each half of the range keeps its own; so what stands below a place stays there.
  static constexpr std::uint64_t kPlaces = std::uint64_t{1} << 32;
  static std::uint32_t place_of(std::uint32_t hash) noexcept {
    hash = (hash >> 1 & 0x55555555) | (hash & 0x55555555) << 1;
    hash = (hash >> 2 & 0x33333333) | (hash & 0x33333333) << 2;
    hash = (hash >> 4 & 0x0f0f0f0f) | (hash & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(hash);
  }

  // Where the range of the bucket that holds `place` ends; kPlaces for the last one.
  std::uint64_t end_of_bucket(std::uint64_t place) const noexcept {
    const std::uint32_t n = header_.bucket_count;
    if (n <= 1)
      return kPlaces;
    unsigned bits = 32u - static_cast<unsigned>(__builtin_clz(n - 1));
    const std::uint32_t bucket = bucket_of(place_of(static_cast<std::uint32_t>(place)));
    const std::uint32_t half = 1u << (bits - 1);
    if (bucket < half && bucket + half >= n)
      --bits; // not split yet
    return (place | ((kPlaces >> bits) - 1)) + 1;
  }

  // Calls visit(hash, ref, tag) for the entries of the bucket that holds `place`.
  template <class Visit>
  void for_bucket(std::uint64_t place, Visit &&visit) const noexcept {
    if (header_.bucket_count == 0)
      return;
    for (HashBucket *b = &buckets_[bucket_of(place_of(static_cast<std::uint32_t>(place)))];; b = &heap_.at(b->overflow)) {
      for (unsigned i = 0; i < b->count; ++i)
        visit(b->hash[i], b->ref[i], (b->tags >> i & 1) != 0);
      if (!b->overflow)
        return;
    }
  }

  // Calls visit(hash, ref, tag) for every entry. With `expected_place` the visitor
  // also learns whether the entry stands in the bucket its hash demands.
  template <class Visit>
  void for_each(Visit &&visit) const noexcept {
    for (std::uint32_t n = 0; n < header_.bucket_count; ++n)
      for (HashBucket *b = &buckets_[n];; b = &heap_.at(b->overflow)) {
        for (unsigned i = 0; i < b->count && i < HashBucket::kEntries; ++i)
          visit(b->hash[i], b->ref[i], (b->tags >> i & 1) != 0, bucket_of(b->hash[i]) == n);
        if (!b->overflow)
          break;
      }
  }

  // Units of all buckets and directories, for accounting.
  std::uint64_t units() const noexcept {
    return buckets_.units() + std::uint64_t{header_.overflow_buckets} * units_of<HashBucket>();
  }

private:
  static constexpr unsigned kOverflowClass = size_class(units_of<HashBucket>());
  static constexpr unsigned kMeanLoad = 4;

  std::uint32_t bucket_of(std::uint32_t hash) const noexcept {
    const std::uint32_t n = header_.bucket_count;
    const std::uint32_t high = n <= 1 ? 0 : ~0u >> __builtin_clz(n - 1);
    const std::uint32_t bucket = hash & high;
    return bucket & (high >> unsigned{bucket >= n}); // no branch: it would be a random one
  }

  void put(HashBucket *bucket, std::uint32_t hash, std::uint32_t ref, bool tag) noexcept;
  void split(const BlockPlan &planned) noexcept;
  void trim(HashBucket *bucket) noexcept;

  Heap &heap_;
  HashIndexHeader &header_;
  PagedArray<HashBucket> buckets_;
};

} // namespace doublets

// The versions by a key that many of them may share: their source, their target, or both.
//
// A hash finds the key's entry. Of a key with one version that is the version itself; of
// one with more it is, tagged, a block that begins with the key and their number and goes on
// with the versions, up to 125 unordered; so whoever asks for them meets a bucket, a block of
// one cache line as a rule, and the versions. More of them are in a B+tree ordered by (id,
// version), whose root the block then holds, so that a hub of millions is as cheap to change as
// a small node and can be read from any id onwards.
//
// Keys need not be ids of links, and nothing depends on whether they are.
//
// Locks: reading needs the store's lock shared, changing it exclusive.
// Costs: find, count O(1) expected; add O(1), remove O(125) word compares, both O(log n) in
// a tree.
#pragma once

#include <span>

#include "hash_index.hpp"
#include "pattern.hpp"

namespace doublets {

enum class MapKey : std::uint8_t { kSource, kTarget, kPair };

// Begins the block of a key with two or more versions, of 2^class units.
template <MapKey K>
struct VersionList {
  static constexpr unsigned kColumns = K == MapKey::kPair ? 2 : 1;
  static constexpr unsigned kLargest = 4; // class
  struct Key {
    std::int64_t column[kColumns];
    friend constexpr bool operator==(const Key &, const Key &) noexcept = default;
  };

  Key key;
  std::uint32_t tree : 1;
  std::uint32_t bits : 31;  // of a tree the count, in a block of the largest class; else the
                            // count and from bit 8 the class
  std::uint32_t version[1]; // as many as the block holds; of a tree the root

  std::uint32_t count() const noexcept { return tree ? bits : bits & 0xff; }
  unsigned block_class() const noexcept { return tree ? kLargest : bits >> 8; }
  void set(std::uint32_t count, unsigned cls) noexcept {
    tree = 0;
    bits = count | cls << 8;
  }

  static constexpr std::uint32_t capacity(unsigned cls) noexcept {
    constexpr std::size_t kHead = sizeof(Key) + sizeof(std::uint32_t);
    return static_cast<std::uint32_t>(((kUnitBytes << cls) - kHead) / sizeof(std::uint32_t));
  }
};
static_assert(VersionList<MapKey::kSource>::capacity(0) == 5);
static_assert(VersionList<MapKey::kSource>::capacity(1) == 13);
static_assert(VersionList<MapKey::kPair>::capacity(0) == 3);

template <MapKey K>
class VersionMap {
public:
  using List = VersionList<K>;
  using Key = typename List::Key;
  static constexpr std::uint32_t kArrayMax = List::capacity(List::kLargest); // a longer list is a tree
  static constexpr std::uint32_t kTreeMin = 64; // a tree this short becomes an array

  VersionMap(Heap &heap, HashIndexHeader &header, std::uint64_t seed) noexcept
      : heap_(heap), seed_(seed), table_(heap, header) {}

  static Key key_of(std::int64_t source, std::int64_t target) noexcept {
    if constexpr (K == MapKey::kPair)
      return {{source, target}};
    else
      return {{K == MapKey::kSource ? source : target}};
  }
  static Key key_of(const Version &v) noexcept { return key_of(v.source, v.target); }

  // Where the versions of a key stand; valid until the map changes.
  HashIndex::Entry find(const Key &key) const noexcept {
    return table_.find(hash_of(key), [&key, this](std::uint32_t ref, bool list) noexcept {
      return (list ? heap_.at(Ref<List>{ref}).key : key_of(heap_.at(Ref<Version>{ref}))) == key;
    });
  }

  std::uint32_t count(HashIndex::Entry entry) const noexcept {
    return !entry ? 0 : entry.tag() ? list_at(entry).count() : 1;
  }

  // The versions of a key where they stand, in no order; of a tree none.
  std::span<const std::uint32_t> array(HashIndex::Entry entry) const noexcept {
    if (!entry || (entry.tag() && list_at(entry).tree))
      return {};
    if (!entry.tag())
      return {entry.bucket->ref + entry.index, 1};
    return {list_at(entry).version, list_at(entry).count()};
  }

  // The next versions of a key: of a tree at most `want` in `ids`, by id; a list that is no tree
  // comes whole and unordered, but for what `position` has passed. `out` holds kArrayMax at least.
  Candidates collect(HashIndex::Entry entry, const Range &ids, bool backward, Position &position,
                     Ref<Version> *out, std::size_t want) const noexcept;

  // How many collect would look at in all.
  std::uint64_t count(HashIndex::Entry entry, const Range &ids) const noexcept {
    if (!entry || !entry.tag())
      return entry ? 1 : 0;
    const List &list = list_at(entry);
    return list.tree && !ids.is_all() ? count_in_tree(heap_, list, ids) : list.count();
  }

  // The next keys with a first column in `values`, in order of place and value, and how many versions
  // each has; at most `capacity`. Touches no versions but those that are the only ones of their key.
  // Not for pairs.
  std::size_t degrees(const Range &values, Position &position, Degree *out,
                      std::size_t capacity) const noexcept;

  // Lets degrees go on with a key.
  void resume_at(Position &position, std::int64_t value) const noexcept {
    position = {place_key(value), true, false};
  }

  // Blocks add may take at the most.
  BlockPlan plan(HashIndex::Entry entry) const noexcept;

  // Requires: not in the map; `entry` of its key; can_take(plan(entry)). `planned`: as
  // HashIndex::insert.
  void add(Ref<Version> version, HashIndex::Entry entry, const BlockPlan &planned) noexcept;

  // Requires: in the map, ends unchanged. Takes no memory that is not free: a list moves to a
  // smaller block if there is one.
  void remove(Ref<Version> version) noexcept;

  // Asks for the bucket of a key and, once it is near, for what its entry refers to.
  void prefetch(const Key &key) const noexcept { table_.prefetch(hash_of(key)); }
  void prefetch_entry(const Key &key) const noexcept { table_.prefetch_entry(hash_of(key)); }

  // Checks the table and its lists; `covers` says whether a version is where it belongs. Returns
  // units of all blocks.
  std::uint64_t verify(std::uint64_t versions, void (*report)(void *, const char *),
                       void *context) const noexcept;
  bool covers(Ref<Version> version) const noexcept;

private:
  std::uint32_t hash_of(const Key &key) const noexcept {
    std::uint64_t h = mix64(static_cast<std::uint64_t>(key.column[0]) ^ seed_);
    if constexpr (K == MapKey::kPair)
      h = mix64(h + static_cast<std::uint64_t>(key.column[1]));
    return static_cast<std::uint32_t>(h);
  }
  TreeKey place_key(std::int64_t value) const noexcept {
    return {HashIndex::place_of(hash_of({{value}})), value, 0, 0};
  }
  List &list_at(HashIndex::Entry entry) const noexcept { return heap_.at(Ref<List>{entry.ref()}); }
  static std::uint64_t count_in_tree(Heap &heap, const List &list, const Range &ids) noexcept;
  List &move(HashIndex::Entry entry, unsigned cls) noexcept;
  void to_tree(List &list) noexcept;
  void to_array(List &list) noexcept;

  Heap &heap_;
  std::uint64_t seed_;
  HashIndex table_;
};

extern template class VersionMap<MapKey::kSource>;
extern template class VersionMap<MapKey::kTarget>;
extern template class VersionMap<MapKey::kPair>;

} // namespace doublets

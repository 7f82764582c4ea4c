// A counted B+tree over versions, in one of three orders.
//
// A leaf (512 bytes) holds, as two arrays, the first key column and the version of each
// entry, so that a search on the first column touches the leaf alone and only a run of
// equal first columns is resolved through the version records. An inner node (2 KiB)
// holds for each child a separator, a complete key that no entry of the child is below,
// the child, and the number of entries below it; counting a range is two descents.
// Entries are unique by (first, second, third, version). Those of a node with few links lie in one leaf: leaves are divided
// between runs of equal first columns, if one ends near the middle.
//
// Locks: reading needs the store's lock shared, insert, erase and clear exclusive.
// Costs: insert, erase, count_below O(log n); collect O(log n + k).
#pragma once

#include <cstddef>
#include <limits>

#include "version.hpp"

namespace doublets {

enum class Order : std::uint8_t {
  kById,           // (id, 0, 0)
  kBySourceTarget, // (source, target, id)
  kByTargetSource, // (target, source, id)
};

// A complete key; compared column by column, then by version number.
struct TreeKey {
  std::int64_t first;
  std::int64_t second;
  std::int64_t third;
  std::uint32_t version;

  friend constexpr auto operator<=>(const TreeKey &, const TreeKey &) noexcept = default;
};

// The smallest key whose first column(s) are at least the given ones.
constexpr TreeKey key_from(std::int64_t first,
                           std::int64_t second = std::numeric_limits<std::int64_t>::min(),
                           std::int64_t third = std::numeric_limits<std::int64_t>::min()) noexcept {
  return {first, second, third, 0};
}

inline constexpr TreeKey kKeyMin{std::numeric_limits<std::int64_t>::min(),
                                 std::numeric_limits<std::int64_t>::min(),
                                 std::numeric_limits<std::int64_t>::min(), 0};
// No entry reaches it: version numbers end below 2^32-1.
inline constexpr TreeKey kKeyMax{std::numeric_limits<std::int64_t>::max(),
                                 std::numeric_limits<std::int64_t>::max(),
                                 std::numeric_limits<std::int64_t>::max(),
                                 std::numeric_limits<std::uint32_t>::max()};

template <Order O>
inline TreeKey key_of(const Version &v, Ref<Version> ref) noexcept {
  if constexpr (O == Order::kById)
    return {v.id, 0, 0, ref.unit};
  else if constexpr (O == Order::kBySourceTarget)
    return {v.source, v.target, v.id, ref.unit};
  else
    return {v.target, v.source, v.id, ref.unit};
}

// How many links have a value as their source, or as their target.
struct Degree {
  std::int64_t value;
  std::uint64_t links;
  bool exact; // else they have to be counted one by one
};

// A view of the tree whose root is `root` (0: empty tree); the owner keeps the root
// where it likes. The versions must stay unchanged while they are in the tree.
template <Order O>
class Tree {
public:
  Tree(Heap &heap, std::uint32_t &root) noexcept : heap_(heap), root_(root) {}

  // Blocks one insert may take at the most.
  BlockPlan plan() const noexcept;

  // Requires: not in the tree; can_take(plan()).
  void insert(Ref<Version> version) noexcept;

  // Requires: in the tree.
  void erase(Ref<Version> version) noexcept;

  bool contains(Ref<Version> version) const noexcept;

  // Hint ahead of insert, erase or a search: bring the leaf for `key` closer. Any key will do.
  void prefetch(const TreeKey &key) const noexcept;

  // The same for insert alone, in steps each of which finds what the one before has asked for: the node above the leaf,
  // the leaf, the versions that `key` is compared with there, the first of them
  // and then the others. Returns how far it has come, for the next step; the tree may have grown meanwhile, but nothing may
  // have been erased.
  static constexpr unsigned kPrefetchSteps = 4;
  std::uint32_t prefetch(unsigned step, const TreeKey &key, std::uint32_t reached) const noexcept;

  // The run of a first column, its entries, in three steps, each of which asks for the memory that the next one
  // reads; a caller with many runs makes steps of others meanwhile, so that their cache misses overlap. What a step
  // returns is a node of the tree, for the next one as long as the lock is held.
  std::uint32_t run_parent(std::int64_t first) const noexcept;
  std::uint32_t run_leaf(std::uint32_t parent, std::int64_t first) const noexcept;
  // Writes the run and returns its length, if that is at most `capacity`; else returns kLong.
  static constexpr std::size_t kLong = std::numeric_limits<std::size_t>::max();
  std::size_t run(std::uint32_t leaf, std::int64_t first, Ref<Version> *out, std::size_t capacity) const noexcept;

  // Number of entries, O(children of the root).
  std::uint64_t size() const noexcept;

  // Number of entries whose key is less than `key`.
  std::uint64_t count_below(const TreeKey &key) const noexcept;

  // Entries in [from, upto), ascending: writes the first `capacity` of them to `out`,
  // returns how many it wrote. To go on, pass the last one's key with version + 1.
  std::size_t collect(const TreeKey &from, const TreeKey &upto, Ref<Version> *out,
                      std::size_t capacity) const noexcept;

  // The same, descending from `upto` (excluded) down to `from` (included).
  std::size_t collect_backward(const TreeKey &from, const TreeKey &upto, Ref<Version> *out,
                               std::size_t capacity) const noexcept;

  // The next values of the first column in [from, upto], ascending, and the number of entries of
  // each; at most `capacity`. Reads leaves only, and passes over long runs of a value by their
  // count: O(log n + k), however many entries there are.
  std::size_t runs(std::int64_t from, std::int64_t upto, Degree *out, std::size_t capacity) const noexcept;

  // Gives all nodes back; the tree is empty.
  void clear() noexcept;

  // Checks order, separators, counts, fill, links and depth. Calls report(context, text) for
  // each fault found, adds the units of all nodes to `units`, and returns the number
  // of entries seen. Never loops on a damaged tree.
  std::uint64_t verify(void (*report)(void *, const char *), void *context,
                       std::uint64_t &units) const noexcept;

private:
  Heap &heap_;
  std::uint32_t &root_;
};

extern template class Tree<Order::kById>;
extern template class Tree<Order::kBySourceTarget>;
extern template class Tree<Order::kByTargetSource>;

} // namespace doublets

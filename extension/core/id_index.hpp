// From link ids to versions, and the supply of ids.
//
// Ids near the next fresh one are dense: an array entry each. All others stand in a
// B+tree by id, so that memory follows the number of links and not the largest id.
// When the array grows over ids of the tree they move into it.
//
// An id is in use while any version has it. Fresh ids come from a counter; a freed id
// below the counter goes to a free list and is reused last-in first-out, except that
// ids adjoining the counter lower it and leave the list (as in LinksPlatform's
// doublets). The list is doubly linked through the dense entries.
//
// Locks: reading needs the store's lock shared, changing it exclusive.
// Costs: O(1) for dense ids, O(log n) for others.
#pragma once

#include "paged_array.hpp"
#include "tree.hpp"

namespace doublets {

// in use: word0 = newest version, word1 = kInUse
// free:   word0 = previous free id or 0, word1 = next free id + 1
// never used: both 0
struct IdEntry {
  static constexpr std::uint32_t kInUse = ~0u;
  std::uint32_t word0;
  std::uint32_t word1;
};

struct IdIndexHeader {
  PagedArrayHeader dense;
  std::uint32_t sparse_root;
  std::uint32_t free_head; // 0: none
  LinkId fresh;            // no id from here on was ever assigned from the counter
  std::uint64_t sparse_count;
};

class IdIndex {
public:
  IdIndex(Heap &heap, IdIndexHeader &header) noexcept
      : heap_(heap), header_(header), dense_(heap, header.dense),
        sparse_(heap, header.sparse_root) {}

  static constexpr LinkId kMax = INT64_MAX;

  // Newest version of an id, or null.
  Ref<Version> head(LinkId id) const noexcept {
    if (is_dense(id)) {
      const IdEntry &e = dense_[static_cast<std::uint64_t>(id)];
      return {e.word1 == IdEntry::kInUse ? e.word0 : 0};
    }
    return header_.sparse_count == 0 ? Ref<Version>{} : sparse_head(id);
  }

  // Sets `id` to the one the next assignment gives: kOk, or kNeedMemory and the blocks
  // wanted. Cheap unless
  // the counter has come upon explicitly given ids, which it then passes for good.
  Status assign(LinkId &id, BlockPlan &wanted) noexcept;

  // Blocks that putting a version under `id` may take.
  BlockPlan plan(LinkId id) const noexcept;

  // Puts `version`, whose id field is `id`, as the newest of its id; its `older` must
  // already be the present head. Requires: can_take(plan(id)).
  void push(LinkId id, Ref<Version> version) noexcept;

  // Takes a version out of the chain of its id and frees the id with the last one. `newer`: the
  // version before it, or null if that is unknown or there is none. The version's own
  // fields are still valid. Takes no memory. Returns what stands before the next older
  // version now, or null. O(1), but for a walk along the chain to an unknown `newer`.
  Ref<Version> remove(Ref<Version> version, Ref<Version> newer) noexcept;

  // Newest versions of the ids in [from, upto], ascending; at most `capacity`.
  // Sets `next` to the first id not looked at, 0 at the end. Bounded work per call.
  std::size_t collect(LinkId from, LinkId upto, Ref<Version> *out, std::size_t capacity,
                      LinkId &next) const noexcept;

  // The same, descending from `upto`.
  std::size_t collect_backward(LinkId from, LinkId upto, Ref<Version> *out, std::size_t capacity,
                               LinkId &next) const noexcept;

  // Number of ids in use in [from, upto]: exact but for long stretches of dense ids, of which
  // samples are counted. O(1), O(log n) with ids that are not dense.
  std::uint64_t estimate(LinkId from, LinkId upto) const noexcept;

  // Checks the free list, the counter and the tree; returns units of all blocks.
  std::uint64_t verify(void (*report)(void *, const char *), void *context) const noexcept;

private:
  static constexpr std::uint32_t kPerPage = PagedArray<IdEntry>::kPerPage;
  static constexpr std::uint64_t kMaxLooks = 16384; // entries passed over while the lock is held

  bool is_dense(LinkId id) const noexcept {
    return static_cast<std::uint64_t>(id) < dense_.size();
  }
  // Would a new id be put into the array, growing it by a page?
  bool becomes_dense(LinkId id) const noexcept {
    return static_cast<std::uint64_t>(id) < dense_.size() + kPerPage;
  }
  Ref<Version> sparse_head(LinkId id) const noexcept;
  std::uint64_t dense_in_use(std::uint64_t id, std::uint64_t n) const noexcept;
  void grow_dense() noexcept;
  void set_head(LinkId id, Ref<Version> old_head, Ref<Version> version) noexcept;
  void unlink_free(LinkId id) noexcept;
  void lower_fresh() noexcept;
  void release(LinkId id) noexcept;

  Heap &heap_;
  IdIndexHeader &header_;
  PagedArray<IdEntry> dense_;
  Tree<Order::kById> sparse_;
};

} // namespace doublets

// Row locks: which transactions hold which links against changes by others.
//
// Four strengths with the conflicts of PostgreSQL's heap. A lock is a record in the
// chain of its link's id, because a lock outlives an update that leaves the key alone: it
// then holds against the new version as it did against the old one. While a
// transaction holds a lock nobody else can give the id to another link, so the id
// stands for the link.
//
// A lock ends with its (sub)transaction, whose slot says so; the record is dropped later,
// by the next locker of the link or by settling, for which all records queue in order of
// creation. Updates and deletions need no record: the version's Flight is their lock.
//
// Locks: reading needs the store's lock shared, changing it exclusive.
// Costs: O(1) expected, plus the holders of the same link.
#pragma once

#include "hash_index.hpp"
#include "version.hpp"

namespace doublets {

enum class LockStrength : std::uint32_t { kKeyShare, kShare, kNoKeyUpdate, kUpdate };

// The matrix of the heap: KEY SHARE yields to UPDATE only, SHARE to both updates, updates
// to everything but KEY SHARE and NO KEY UPDATE.
constexpr bool conflict(LockStrength a, LockStrength b) noexcept {
  return static_cast<unsigned>(a) + static_cast<unsigned>(b) >= 3;
}

struct Locker {
  LinkId id;
  Ref<TxnSlot> slot;
  LockStrength strength;
  Ref<Locker> next;       // of the same id
  Ref<Locker> queue_prev; // in order of creation
  Ref<Locker> queue_next;
  Ref<Version> version;      // the one that was locked first: it and what comes of it are held
};
static_assert(sizeof(Locker) == kUnitBytes && std::is_trivially_copyable_v<Locker>);

struct LockTableHeader {
  HashIndexHeader index; // from ids to the first of their chains
  std::uint64_t lockers;
  Ref<Locker> queue_head;
  Ref<Locker> queue_tail;
};

class LockTable {
public:
  LockTable(Heap &heap, LockTableHeader &header, std::uint64_t seed) noexcept
      : heap_(heap), header_(header), index_(heap, header.index), seed_(seed) {}

  // The first record of a link; null: nobody holds it. Finished ones may be among them.
  Ref<Locker> first(LinkId id) const noexcept {
    if (header_.lockers == 0)
      return {};
    const HashIndex::Entry entry = find(id);
    return {entry ? entry.ref() : 0};
  }

  // Blocks one more record may take.
  BlockPlan plan() const noexcept {
    BlockPlan p = index_.plan();
    p.add(size_class(units_of<Locker>()));
    return p;
  }

  // Requires: can_take(plan()). `planned`: as HashIndex::insert. The caller counts the
  // reference to the slot.
  void add(Ref<Version> version, Ref<TxnSlot> slot, LockStrength strength, const BlockPlan &planned) noexcept;

  // Drops the records of a link whose transactions have ended; gone(slot) for each.
  template <class Gone>
  void sweep(LinkId id, Gone &&gone) noexcept {
    for (Ref<Locker> l = first(id); l;) {
      const Ref<Locker> next = heap_.at(l).next;
      if (ended(l)) {
        const Ref<TxnSlot> slot = heap_.at(l).slot;
        drop(l);
        gone(slot);
      }
      l = next;
    }
  }

  // Drops such records of any link, looking at up to `limit` of the queue, the oldest first;
  // those that have to stay go to its end. Returns how many were looked at.
  template <class Gone>
  std::uint64_t settle(std::uint64_t limit, Gone &&gone) noexcept {
    std::uint64_t looked = 0;
    for (const std::uint64_t all = header_.lockers; looked < limit && looked < all && header_.queue_head; ++looked) {
      const Ref<Locker> head = header_.queue_head;
      if (ended(head)) {
        sweep(heap_.at(head).id, gone);
      } else {
        dequeue(head);
        enqueue(head);
      }
    }
    return looked;
  }

  // Checks the chains and the queue; visit(slot) for each record. Returns units of all blocks.
  template <class Visit>
  std::uint64_t verify(void (*report)(void *, const char *), void *context,
                       Visit &&visit) const noexcept {
    std::uint64_t queued = 0, chained = 0;
    Ref<Locker> last{};
    for (Ref<Locker> l = header_.queue_head; l && queued <= header_.lockers; l = heap_.at(l).queue_next) {
      if (heap_.at(l).queue_prev != last)
        report(context, "the queue of row locks is damaged");
      visit(heap_.at(l).slot);
      last = l;
      ++queued;
    }
    index_.for_each([&](std::uint32_t hash, std::uint32_t ref, bool, bool in_place) noexcept {
      for (Ref<Locker> l{ref}; l && chained <= header_.lockers; l = heap_.at(l).next, ++chained)
        if (!in_place || hash_of(heap_.at(l).id) != hash || heap_.at(l).id != heap_.at(Ref<Locker>{ref}).id)
          report(context, "a row lock is in the chain of another link");
    });
    if (queued != header_.lockers || chained != header_.lockers || last != header_.queue_tail)
      report(context, "the row locks differ in number from their chains or their queue");
    return header_.lockers * units_of<Locker>() + index_.units();
  }

private:
  std::uint32_t hash_of(LinkId id) const noexcept {
    return static_cast<std::uint32_t>(mix64(static_cast<std::uint64_t>(id) ^ seed_));
  }
  HashIndex::Entry find(LinkId id) const noexcept {
    return index_.find(hash_of(id), [&](std::uint32_t ref, bool) noexcept {
      return heap_.at(Ref<Locker>{ref}).id == id;
    });
  }
  bool ended(Ref<Locker> l) const noexcept {
    return load_state(heap_.at(heap_.at(l).slot)) != TxnState::kRunning;
  }
  void enqueue(Ref<Locker> l) noexcept;
  void dequeue(Ref<Locker> l) noexcept;
  void drop(Ref<Locker> l) noexcept;

  Heap &heap_;
  LockTableHeader &header_;
  HashIndex index_;
  std::uint64_t seed_;
};

} // namespace doublets

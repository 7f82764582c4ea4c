#include "lock_table.hpp"

namespace doublets {

void LockTable::enqueue(Ref<Locker> l) noexcept {
  Locker &locker = heap_.at(l);
  locker.queue_prev = header_.queue_tail;
  locker.queue_next = {};
  (header_.queue_tail ? heap_.at(header_.queue_tail).queue_next : header_.queue_head) = l;
  header_.queue_tail = l;
}

void LockTable::dequeue(Ref<Locker> l) noexcept {
  const Locker &locker = heap_.at(l);
  (locker.queue_prev ? heap_.at(locker.queue_prev).queue_next : header_.queue_head) = locker.queue_next;
  (locker.queue_next ? heap_.at(locker.queue_next).queue_prev : header_.queue_tail) = locker.queue_prev;
}

void LockTable::add(Ref<Version> version, Ref<TxnSlot> slot, LockStrength strength,
                    const BlockPlan &planned) noexcept {
  const LinkId id = heap_.at(version).id;
  const auto l = heap_.take<Locker>();
  const HashIndex::Entry entry = find(id);
  heap_.at(l) = Locker{id, slot, strength, {entry ? entry.ref() : 0}, {}, {}, version};
  if (entry)
    entry.set(l.unit, false);
  else
    index_.insert(hash_of(id), l.unit, false, planned);
  enqueue(l);
  ++header_.lockers;
}

void LockTable::drop(Ref<Locker> l) noexcept {
  const LinkId id = heap_.at(l).id;
  const Ref<Locker> next = heap_.at(l).next;
  const HashIndex::Entry entry = find(id);
  if (entry.ref() != l.unit) {
    Ref<Locker> before{entry.ref()};
    while (heap_.at(before).next != l)
      before = heap_.at(before).next;
    heap_.at(before).next = next;
  } else if (next) {
    entry.set(next.unit, false);
  } else {
    index_.erase(hash_of(id), l.unit);
  }
  dequeue(l);
  heap_.give_back(l);
  --header_.lockers;
}

} // namespace doublets

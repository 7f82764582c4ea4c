// Settling: in-flight records that nobody needs any more are dropped, versions that nobody
// can see any more are removed.
#include <algorithm>

#include "store.hpp"

namespace doublets {

// Takes the head off the queue and frees it, but for a run's members.
void Store::pop_flight() noexcept {
  const Ref<Flight> head = header_.queue_head;
  const Flight &flight = heap_.at(head);
  header_.queue_head = flight.next;
  if (!header_.queue_head)
    header_.queue_tail = {};
  if (header_.open_run == head)
    header_.open_run = {};
  let_go(flight.inserter);
  let_go(flight.deleter);
  heap_.give_back(head);
  --header_.records;
}

// Settles up to `limit` members of the run at the head of the queue, last first: removes them, or else says that they
// are there.
template <class Index>
std::uint64_t Store::settle_run(Index &index, bool gone, std::uint64_t limit,
                                std::uint64_t &looked) noexcept {
  const Ref<Flight> head = header_.queue_head;
  Flight &run = heap_.at(head);
  header_.open_run = header_.open_run == head ? Ref<Flight>{} : header_.open_run;
  const std::uint32_t *refs = members(run);
  std::uint64_t dropped = 0;
  std::uint32_t left = FlightRun::count(run);
  const unsigned cls = FlightRun::block_class(run);
  std::uint64_t passed_over = 0;
  for (const std::uint64_t end = looked + limit; looked < end && left > 0;) {
    ask_for_removal(index, gone, [refs, left](std::size_t distance) noexcept {
      return Ref<Version>{distance < left ? refs[left - 1 - distance] : 0};
    });
    const Ref<Version> version{refs[--left]};
    Version &v = heap_.at(version);
    if (v.flight != head) { // deleted meanwhile: its own record says what becomes of it
      --header_.passed_over;
      looked += ++passed_over % 8 == 0; // quickly done
      continue;
    }
    ++looked;
    v.flight = {};
    --header_.flights;
    ++dropped;
    if (gone)
      remove(index, version, {});
  }
  FlightRun::set(run, left, cls);
  if (left == 0) {
    heap_.give_back(run.aux, cls);
    pop_flight();
  }
  return dropped;
}

// Asks for the memory that dealing with later versions will touch: the versions, and if they
// are to be removed what the index holds of them. `later(distance)` is the one so many places on.
template <class Index, class Later>
void Store::ask_for_removal(const Index &index, bool removed, Later &&later) const noexcept {
  constexpr std::size_t kSteps = Index::kPrefetchSteps;
  if (const Ref<Version> v = later((kSteps + 1) * kStride))
    ask_for(&heap_.at(v));
  for (std::size_t step = 0; removed && step < kSteps; ++step)
    if (const Ref<Version> v = later((kSteps - step) * kStride))
      index.prefetch(static_cast<unsigned>(step), heap_.at(v).source, heap_.at(v).target);
}

std::uint64_t Store::settle(TxnId horizon, std::uint64_t limit, bool *more) noexcept {
  return with_index([&](auto &index) noexcept { return settle(index, horizon, limit, more); });
}

template <class Index>
std::uint64_t Store::settle(Index &index, TxnId horizon, std::uint64_t limit,
                            bool *more) noexcept {
  const auto past = [&](Ref<TxnSlot> slot) noexcept {
    return load_state(heap_.at(slot)) == TxnState::kCommitted && heap_.at(slot).xid < horizon;
  };
  const auto aborted = [&](Ref<TxnSlot> slot) noexcept {
    return load_state(heap_.at(slot)) == TxnState::kAborted;
  };
  // The versions of the next records, as far as they have been looked at.
  constexpr std::size_t kAhead = 16;
  static_assert(kAhead >= (Index::kPrefetchSteps + 1) * kStride);
  Ref<Version> ahead[kAhead + 1] = {};
  std::size_t first = 0, known = 0;
  Ref<Flight> scout = header_.queue_head;

  std::uint64_t dropped = 0, looked = 0;
  bool blocked = false;
  for (; looked < limit && header_.queue_head; ++looked) {
    blocked = true; // if the loop is left here
    const Ref<Flight> head = header_.queue_head;
    Flight &flight = heap_.at(head);
    const bool undo = flight.inserter && aborted(flight.inserter);
    // One transaction's slots end one after the other: wait for the last of them.
    if (undo && flight.deleter && load_state(heap_.at(flight.deleter)) == TxnState::kRunning)
      break;
    // The queue is in order of insertion, so nothing behind an insertion that may
    // still be invisible to someone is likely to be ready.
    if (flight.inserter && !undo && !past(flight.inserter))
      break;
    for (; scout && known <= kAhead; scout = heap_.at(scout).next)
      ahead[(first + known++) % std::size(ahead)] = heap_.at(scout).version;
    if (known == 0) // the queue has been turned over once
      break;
    const bool gone = undo || (flight.deleter && !aborted(flight.deleter));
    const bool open = gone && !undo && !past(flight.deleter);
    ask_for_removal(index, gone && !open, [&](std::size_t distance) noexcept {
      return distance < known ? ahead[(first + distance) % std::size(ahead)] : Ref<Version>{};
    });
    if (!flight.version && !open) {
      blocked = false;
      dropped += settle_run(index, gone, limit - looked, looked);
      if (header_.queue_head == head)
        break; // the limit ended within the run
      first = (first + 1) % std::size(ahead);
      --known;
      continue;
    }
    blocked = false;
    first = (first + 1) % std::size(ahead);
    --known;
    if (!open) {
      const Ref<Version> version = flight.version;
      const Ref<Version> newer{flight.aux};
      pop_flight();
      heap_.at(version).flight = {};
      --header_.flights;
      ++dropped;
      if (gone)
        remove(index, version, newer);
      continue;
    }
    // Inserted for good, the deletion still open: it waits at the end of the queue.
    let_go(flight.inserter);
    flight.inserter = {};
    if (header_.queue_tail != head) {
      header_.queue_head = flight.next;
      flight.next = {};
      heap_.at(header_.queue_tail).next = head;
      header_.queue_tail = head;
    }
  }
  if (more != nullptr)
    *more = !blocked && header_.queue_head;
  return dropped;
}

} // namespace doublets

// Checks of a store's invariants: every structure by itself, each against the others, and the
// memory they take against what the heap has handed out.
#include <algorithm>
#include <cmath>

#include "store.hpp"

namespace doublets {
namespace {

// Units on the free list of a class; reports a list that cannot be right.
std::uint64_t free_units(const Heap &heap, unsigned cls, void (*report)(void *, const char *),
                         void *context) noexcept {
  const HeapHeader &h = heap.header();
  const std::uint64_t units = std::uint64_t{1} << cls;
  const std::uint64_t most = h.allocated_bytes / kUnitBytes / units;
  std::uint64_t n = 0;
  for (std::uint32_t unit = h.free_heads[cls]; unit != 0; ++n) {
    if (n > most || !heap.contains(unit, 1u << cls)) {
      report(context, "a list of free blocks is damaged");
      return n * units;
    }
    std::memcpy(&unit, heap.address(unit), sizeof(unit));
  }
  if (n != h.free_blocks[cls])
    report(context, "a list of free blocks is shorter or longer than its length says");
  return n * units;
}

} // namespace

void Store::verify(void (*report)(void *, const char *), void *context) const noexcept {
  const HeapHeader &h = heap_.header();
  const IdIndex ids(heap_, header_.ids);

  // Every version hangs in the chain of its id and stands in every index.
  std::uint64_t versions = 0, flying = 0;
  Ref<Version> heads[kMaxBlockUnits];
  for (LinkId next = 1; next != 0;) {
    const std::size_t n =
        ids.collect(next, IdIndex::kMax, heads, std::size(heads), next);
    for (std::size_t i = 0; i < n; ++i) {
      const LinkId id = heap_.at(heads[i]).id;
      if (ids.head(id) != heads[i])
        report(context, "an id does not lead to its newest version");
      for (Ref<Version> v = heads[i]; v; v = heap_.at(v).older) {
        if (heap_.at(v).id != id)
          report(context, "a chain of versions mixes ids");
        if (++versions > header_.versions)
          break;
        if (const Ref<Flight> f = heap_.at(v).flight) {
          ++flying;
          if (heap_.at(f).version && heap_.at(f).version != v)
            report(context, "an in-flight record belongs to another version");
        }
        if (!with_index([v](auto &index) noexcept { return index.covers(v); }))
          report(context, "a version is missing in an index");
      }
    }
  }
  if (versions != header_.versions)
    report(context, "the ids lead to more or fewer versions than there are");

  // Each of a slot's r references stands for 1/r of it, so that all of them are the slots.
  double slots = 0;
  std::uint64_t queued = 0, queued_versions = 0, member_units = 0, passed_over = 0;
  Ref<Flight> last{};
  for (Ref<Flight> f = header_.queue_head; f && queued <= header_.records; f = heap_.at(f).next) {
    const Flight &flight = heap_.at(f);
    if (flight.version) {
      ++queued_versions;
      if (heap_.at(flight.version).flight != f)
        report(context, "a queued in-flight record is not its version's");
      if (flight.aux != 0 && heap_.at(Ref<Version>{flight.aux}).older != flight.version)
        report(context, "an in-flight record is wrong about the next newer version");
    } else if (FlightRun::block_class(flight) >= kSizeClasses || FlightRun::count(flight) > FlightRun::capacity(flight)) {
      report(context, "a run of versions has an impossible size");
    } else {
      member_units += std::uint64_t{1} << FlightRun::block_class(flight);
      for (std::uint32_t i = 0; i < FlightRun::count(flight); ++i)
        if (heap_.at(Ref<Version>{members(flight)[i]}).flight == f)
          ++queued_versions;
        else if (flight.inserter)
          ++passed_over;
        else
          report(context, "a run of deleted versions holds one that does not name it");
      if (flight.inserter && flight.deleter)
        report(context, "a run of versions was both inserted and deleted");
    }
    if (!flight.inserter && !flight.deleter)
      report(context, "an in-flight record has no transaction");
    for (const Ref<TxnSlot> slot : {flight.inserter, flight.deleter})
      if (slot && (heap_.at(slot).references == 0 || heap_.at(slot).xid == 0))
        report(context, "an in-flight record names a dead transaction slot");
      else if (slot)
        slots += 1.0 / heap_.at(slot).references;
    last = f;
    ++queued;
  }
  if (queued != header_.records || last != header_.queue_tail ||
      passed_over != header_.passed_over || queued_versions != header_.flights || flying != header_.flights)
    report(context, "the queue of in-flight records is damaged");
  const auto count_slot = [&](Ref<TxnSlot> slot) noexcept {
    if (heap_.at(slot).references == 0 || heap_.at(slot).xid == 0)
      report(context, "a row lock names a dead transaction slot");
    else
      slots += 1.0 / heap_.at(slot).references;
  };
  const std::uint64_t lock_units = locks().verify(report, context, count_slot);
  if (std::abs(slots - static_cast<double>(header_.slots)) > 1e-7)
    report(context, "a transaction slot counts other than the records that name it");

  const std::uint64_t index_units = with_index(
      [&](auto &index) noexcept { return index.verify(header_.versions, report, context); });

  std::uint64_t used = h.header_units + index_units + lock_units + ids.verify(report, context) +
                       header_.versions * units_of<Version>() +
                       header_.records * units_of<Flight>() + member_units + header_.slots * units_of<TxnSlot>();
  if (used * kUnitBytes != h.used_bytes)
    report(context, "blocks in use differ from the blocks the structures hold");
  used += h.bump_end - h.bump_next;
  for (unsigned cls = 0; cls < kSizeClasses; ++cls)
    used += free_units(heap_, cls, report, context);
  if (used * kUnitBytes != h.allocated_bytes)
    report(context, "blocks in use and free blocks are not all of the memory");
}

} // namespace doublets

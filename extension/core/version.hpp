// The records of a store: versions of links, in-flight records, transaction slots.
//
// A link may have several versions: the one a running transaction is about to
// replace or delete, and its successors. A version whose transactions are finished
// and older than every snapshot is *settled*: it has no in-flight record and is
// visible to everybody, so reading it costs one comparison.
//
// All records are protected by the store's lock, except TxnSlot::state.
#pragma once

#include "heap.hpp"

namespace doublets {

struct Flight;

// A benchmark builds the core without versions, to tell what they cost: every change is
// final at once.
#ifdef DOUBLETS_UNVERSIONED
inline constexpr bool kVersioned = false;
#else
inline constexpr bool kVersioned = true;
#endif

// One version of a link; 32 bytes, one unit.
struct Version {
  LinkId id;
  std::int64_t source;
  std::int64_t target;
  Ref<Flight> flight; // null: settled
  Ref<Version> older; // next version of the same id, newest first
};
static_assert(sizeof(Version) == 32 && std::is_trivially_copyable_v<Version>);

// A writing (sub)transaction of one store. Exists while a Flight points to it.
// `state` changes once, from running, by the backend that owns the transaction and
// without the store's lock; a slot is freed only after that.
enum class TxnState : std::uint32_t { kRunning, kCommitted, kAborted };

struct TxnSlot {
  TxnId xid;
  std::uint32_t state; // a TxnState; only through load_state and store_state
  std::uint32_t references; // in-flight records that name this slot
  std::uint64_t reserved[2];
};
static_assert(sizeof(TxnSlot) == 32 && std::is_trivially_copyable_v<TxnSlot>);

inline TxnState load_state(const TxnSlot &slot) noexcept {
  return static_cast<TxnState>(__atomic_load_n(&slot.state, __ATOMIC_ACQUIRE));
}
inline void store_state(TxnSlot &slot, TxnState state) noexcept {
  __atomic_store_n(&slot.state, static_cast<std::uint32_t>(state), __ATOMIC_RELEASE);
}

// What is still undecided about a version, or about a run of versions that one command
// inserted and nobody has deleted, or that one command deleted after they were settled. The
// records of a store form a queue in order of creation, from which settling takes them.
//
// A run costs a bulk load, or a bulk deletion, four bytes per version instead of a record. An
// inserted version that is deleted gets a record of its own, behind the run; its place in the run
// remains and is passed over, because the version then names the other record. A deleted version of
// which more is to be said, that its id is in use again or that another transaction deletes
// it, gets one too, but leaves the run: that may go to the end of the queue, and a place in it
// would outlive the version.
struct Flight {
  Ref<Version> version;  // null: a run
  Ref<TxnSlot> inserter; // null: the insertion is settled
  Ref<TxnSlot> deleter;  // null: not deleted; of a run one of the two is null
  CommandId cmin;
  CommandId cmax; // with kKeyChanged; not deleted: 0 or kUnconfirmed
  Ref<Version> successor; // the version that replaced this one; null: deleted
  Ref<Flight> next;       // in the queue
  // A run: the block of its versions' references. A single record: the next newer version
  // of the same id, 0 if there is none or it is not known.
  std::uint32_t aux;

  // The deletion stands for a change of the key, whatever the successor looks like: its
  // transaction had the link locked FOR UPDATE.
  static constexpr CommandId kKeyChanged = 1u << 31;
  // The version is there, and has its id, but whether its pair is free is still open.
  static constexpr CommandId kUnconfirmed = ~CommandId{0};

  CommandId deleted_by() const noexcept { return cmax & ~kKeyChanged; }
  bool key_changed() const noexcept { return (cmax & kKeyChanged) != 0; }
  bool unconfirmed() const noexcept { return version && !deleter && cmax == kUnconfirmed; }
};
static_assert(sizeof(Flight) == 32 && std::is_trivially_copyable_v<Flight>);

// A run's number of members and the size class of their block share the field that
// says in a single record which command did what the run is not about.
struct FlightRun {
  static constexpr std::uint32_t kUnitMembers = kUnitBytes / sizeof(std::uint32_t);
  static constexpr std::uint32_t kMaxMembers = kUnitMembers << (kSizeClasses - 1);

  static std::uint32_t size(const Flight &f) noexcept { return f.deleter ? f.cmin : f.cmax; }
  static std::uint32_t count(const Flight &f) noexcept { return size(f) & 0xffff; }
  static unsigned block_class(const Flight &f) noexcept { return size(f) >> 16; }
  static std::uint32_t capacity(const Flight &f) noexcept { return kUnitMembers << block_class(f); }
  static void set(Flight &f, std::uint32_t count, unsigned cls) noexcept {
    (f.deleter ? f.cmin : f.cmax) = count | cls << 16;
  }
};

} // namespace doublets

// Row locks: who may change or hold a version, as PostgreSQL's heap_lock_tuple, heap_update and
// heap_delete have it.
#include "store.hpp"

namespace doublets {

bool Store::inserted_since(Ref<Version> version, CommandId command,
                           const Oracle &oracle) const noexcept {
  return inserted_by(version, Fate::kOwn, oracle) &&
         heap_.at(heap_.at(version).flight).cmin >= command;
}

// Whether `later` is what an update has made of `version`, or what others have made of that.
bool Store::comes_of(Ref<Version> later, Ref<Version> version) const noexcept {
  for (Ref<Flight> f = heap_.at(version).flight; f; f = heap_.at(version).flight) {
    version = heap_.at(f).successor;
    if (!version || version == later)
      break;
  }
  return version == later;
}

// Adds to an answer about a version what its holders say to a lock of this
// strength. Of several transactions in the way the oldest is to be waited for first.
// An update that keeps the key leaves those of KEY SHARE where they are: whoever wants more has to wait for
// them before he learns of it, but not for those who hold nothing but what the version has become.
void Store::check_holders(Ref<Version> version, LockStrength strength, const Oracle &oracle,
                          WriteResult &result) const noexcept {
  const bool superseded = result.status == Status::kUpdated;
  for (Ref<Locker> l = locks().first(heap_.at(version).id); l; l = heap_.at(l).next) {
    const Locker &locker = heap_.at(l);
    const TxnSlot &slot = heap_.at(locker.slot);
    switch (oracle.fate(oracle.context, slot)) {
    case Fate::kOwn:
      result.overtakes = true; // whoever stands in the line may be waiting for us
      break;
    case Fate::kRunning:
      if (conflict(locker.strength, strength) && !(superseded && comes_of(locker.version, version)) &&
          (result.status != Status::kWait || slot.xid < result.wait_for)) {
        result.status = Status::kWait;
        result.wait_for = slot.xid;
      }
      break;
    default:
      break;
    }
  }
}

// Whether a version may be updated or deleted now.
WriteResult Store::check(Ref<Version> version, LockStrength strength,
                         const Oracle &oracle) const noexcept {
  WriteResult r = fate(version, oracle);
  r.wanted = strength;
  if (r.status == Status::kSelfModified || r.status == Status::kDeleted)
    return r;
  check_holders(version, strength, oracle, r);
  if (r.status != Status::kUpdated)
    r.other = r.status == Status::kWait ? version : Ref<Version>{};
  return r;
}

// As fate, for somebody who only minds the key: updates that leave it alone do not matter,
// what comes after them does.
WriteResult Store::key_fate(Ref<Version> version, const Oracle &oracle) const noexcept {
  const Ref<Version> asked = version;
  for (;;) {
    WriteResult r = fate(version, oracle);
    const Ref<Flight> f = heap_.at(version).flight;
    const Ref<Version> successor =
        r.status == Status::kOk || !f ? Ref<Version>{} : heap_.at(f).successor;
    if (successor) {
      const Version &s = heap_.at(successor);
      if (!heap_.at(f).key_changed() && same_key(heap_.at(version), s.id, s.source, s.target)) {
        version = successor;
        continue;
      }
    }
    if (version != asked) {
      if (r.status == Status::kSelfModified)
        return {};
      if (r.status == Status::kUpdated)
        r.other = heap_.at(heap_.at(asked).flight).successor;
      r.overtakes = r.status == Status::kWait;
      r.follows = true;
    }
    return r;
  }
}

bool Store::holds(LinkId id, LockStrength strength, const Oracle &oracle) const noexcept {
  for (Ref<Locker> l = locks().first(id); l; l = heap_.at(l).next)
    if (heap_.at(l).strength >= strength &&
        oracle.fate(oracle.context, heap_.at(heap_.at(l).slot)) == Fate::kOwn)
      return true;
  return false;
}

WriteResult Store::lock(Ref<Version> version, LockStrength strength,
                        const Writer &writer) noexcept {
  const LinkId id = heap_.at(version).id;
  WriteResult r = fate(version, writer.oracle);
  if (r.status == Status::kSelfModified)
    return r;
  LockTable table = locks();
  // A lock on what the version has become is none on the version itself.
  if ((r.status == Status::kOk || r.status == Status::kWait) && holds(id, strength, writer.oracle))
    return {};
  if (strength == LockStrength::kKeyShare) {
    r = key_fate(version, writer.oracle);
    // Who holds a successor alone held it after it was made: else the key would count as changed.
    const bool free = r.status == Status::kOk;
    if (free)
      check_holders(version, strength, writer.oracle, r);
    if (r.status == Status::kWait && (free || !r.follows))
      r.other = version;
    r.wanted = strength;
  } else {
    r = check(version, strength, writer.oracle);
  }
  if (r.status != Status::kOk)
    return r;
  for (Ref<Locker> l = table.first(id); l; l = heap_.at(l).next)
    if (writer.slot && heap_.at(l).slot == writer.slot) {
      heap_.at(l).strength = strength;
      return {};
    }
  BlockPlan plan = table.plan();
  plan.add(size_class(units_of<TxnSlot>()));
  if (!heap_.can_take(plan)) {
    r.status = Status::kNeedMemory;
    r.units = plan.units();
    return r;
  }
  table.sweep(id, [this](Ref<TxnSlot> slot) noexcept { let_go(slot); });
  table.add(version, hold_slot(writer), strength, {});
  return {};
}

std::uint64_t Store::settle_locks(std::uint64_t limit) noexcept {
  return locks().settle(limit, [this](Ref<TxnSlot> slot) noexcept { let_go(slot); });
}

} // namespace doublets

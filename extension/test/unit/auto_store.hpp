// A store in which every change is a transaction of its own, settled at once: what the
// conformance cases and the tests of damage need.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/store.hpp"
#include "memory_heap.hpp"

namespace doublets::test {

class AutoStore {
 public:
  // Sees what is committed.
  static bool includes(void*, const TxnSlot& slot, CommandId) noexcept {
    return load_state(slot) == TxnState::kCommitted;
  }
  static constexpr Visibility kAll{includes, nullptr};

  explicit AutoStore(Layout layout, bool unique_pairs = false)
      : memory_(kFirstChunkBytes, [=](char* base, std::size_t bytes) {
          Store::format(base, bytes, 0, layout, unique_pairs, 99);
        }) {}

  using Any = std::optional<std::int64_t>;

  // Id of the new link; 0 and `status` if there is none.
  LinkId create(std::int64_t source, std::int64_t target, LinkId id = 0) {
    LinkInput link{id, source, target, {}};
    return write([&](const Writer& w) {
             std::size_t done = 0;
             return store().insert(&link, 1, w, done);
           })
               ? link.id
               : 0;
  }
  LinkId point() {
    LinkInput link{0, 0, 0, {}, true};
    return write([&](const Writer& w) {
             std::size_t done = 0;
             return store().insert(&link, 1, w, done);
           })
               ? link.id
               : 0;
  }
  LinkId get_or_create(std::int64_t source, std::int64_t target) {
    LinkInput link{0, source, target, {}};
    return write([&](const Writer& w) { return store().get_or_insert(link, w); }) ? link.id : 0;
  }
  // False if there is no such link, or the change is refused with `status`.
  bool update(LinkId id, std::int64_t source, std::int64_t target) {
    const Ref<Version> v = store().find(id, kAll);
    if (!v) return false;
    LinkInput link{id, source, target, {}};
    return write([&](const Writer& w) { return store().update(v, link, w); });
  }
  bool remove(LinkId id) {
    const Ref<Version> v = store().find(id, kAll);
    return v && write([&](const Writer& w) { return store().erase(v, w); });
  }

  std::set<LinkId> search(Any id, Any source, Any target) {
    std::set<LinkId> ids;
    for (const auto& [found, ends] : rows(id, source, target)) ids.insert(found);
    return ids;
  }
  std::map<LinkId, std::pair<std::int64_t, std::int64_t>> rows(Any id = {}, Any source = {}, Any target = {}) {
    std::map<LinkId, std::pair<std::int64_t, std::int64_t>> found;
    LinkRow batch[512];
    std::uint64_t passed = 0;
    for (Position position; !position.done;) {
      const std::size_t n =
          store().scan(Search::of(pattern(id, source, target)), position, kAll, batch, std::size(batch), passed);
      for (std::size_t i = 0; i < n; ++i) found[batch[i].id] = {batch[i].source, batch[i].target};
    }
    return found;
  }
  // -1: not exact.
  std::int64_t count(Any id = {}, Any source = {}, Any target = {}) {
    bool exact = false;
    const std::uint64_t n = store().count(pattern(id, source, target), kAll, exact);
    return exact ? static_cast<std::int64_t>(n) : -1;
  }
  // Links with the value as source or target.
  std::int64_t usages(std::int64_t value) {
    return count({}, value, {}) + count({}, {}, value) - count({}, value, value);
  }
  void settle() { (void)store().settle(~TxnId{0}, ~std::uint64_t{0}); }

  Store store() { return Store(memory_.heap()); }
  Heap& heap() { return memory_.heap(); }
  StoreHeader& header() { return reinterpret_cast<StoreHeader&>(memory_.header()); }

  bool settle_at_once = true;
  bool commit = true;  // else changes stay open, and unseen
  Status status = Status::kOk;

 private:
  static Fate fate(void*, const TxnSlot& slot) noexcept {
    return load_state(slot) == TxnState::kCommitted ? Fate::kCommitted : Fate::kOwn;
  }

  static Pattern pattern(Any id, Any source, Any target) {
    const auto range = [](Any v) { return v ? Range::point(*v) : Range{}; };
    return {range(id), range(source), range(target)};
  }

  template <class Change>
  bool write(Change change) {
    Ref<TxnSlot> slot{};
    const Writer w{xid_++, 1, slot, Oracle{fate, nullptr}};
    WriteResult r = change(w);
    while (r.status == Status::kNeedMemory) {
      if (memory_.grow(r.units) != Status::kOk) std::abort();
      r = change(w);
    }
    if (slot && commit) store_state(heap().at(slot), TxnState::kCommitted);
    if (settle_at_once) settle();
    status = r.status;
    return r.status == Status::kOk;
  }

  MemoryHeap memory_;
  TxnId xid_ = 1;
};

}  // namespace doublets::test

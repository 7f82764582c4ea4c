// What the current transaction has done to stores as a whole, and how that ends.
//
// Two things are noted, newest first, with the subtransaction they belong to:
//   created  a store came to be in a relation only this transaction can see (it made
//            or truncated it). Abort: the store dies. Commit: nothing.
//   retired  a store was truncated or dropped. Commit: it dies. Abort: it lives again.
// Undoing them newest first is right for any nesting: a second TRUNCATE revives
// the store of the first, whose creation is then undone, and so on.
//
// Everything below the callbacks' entry points changes flags, list heads and mappings
// only: it allocates nothing, attaches nothing and waits for short locks alone.
#include "registry.hpp"

#include "arenas.hpp"
#include "chunks.hpp"
#include "relation_cache.hpp"

namespace doublets::pg {
namespace {

enum class Deed { kCreated, kRetired };

struct Pending {  // in TopTransactionContext
  Pending* next;
  Deed deed;
  SubTransactionId subid;
  StoreHandle* handle;
};

Pending* pending;

// Handles of stores that died in this transaction, linked through StoreHandle::next_lost:
// others may still hold the pointers until it ends.
StoreHandle* lost;

void note(Deed deed, StoreHandle* handle) {
  auto* p = static_cast<Pending*>(MemoryContextAlloc(TopTransactionContext, sizeof(Pending)));
  *p = {pending, deed, GetCurrentSubTransactionId(), handle};
  pending = p;
}

void forget_current(StoreHandle* handle) {
  RelationEntry* entry = find_relation_entry(handle->key.relation);
  if (entry != nullptr && entry->handle == handle) entry->handle = nullptr;
}

void kill(StoreHandle* handle) {
  registry_set_state(handle->shared, StoreState::kDead);
  // The slot may be another store's now; the chunks are still this one's.
  chunks_give_back_all(&handle->heap.header(), handle->segments,
                       Min(handle->heap.mapped_chunks(), handle->segment_capacity));
  forget_current(handle);
  handle->next_lost = lost;
  lost = handle;
}

void revive(StoreHandle* handle) {
  registry_set_state(handle->shared, StoreState::kLive);
  RelationEntry* entry = find_relation_entry(handle->key.relation);
  if (entry != nullptr) {
    entry->handle = handle;
  } else {
    handle->next_lost = lost;  // the entry is gone: attach again when needed
    lost = handle;
  }
}

void undo(const Pending& p) {
  if (p.deed == Deed::kCreated)
    kill(p.handle);
  else
    revive(p.handle);
}

}  // namespace

void registry_created(StoreHandle* handle) {
  note(Deed::kCreated, handle);
}

bool registry_has_retired(Oid relation) {
  for (const Pending* p = pending; p != nullptr; p = p->next)
    if (p->deed == Deed::kRetired && p->handle->key.relation == relation) return true;
  return false;
}

void registry_retire(StoreHandle* handle) {
  note(Deed::kRetired, handle);  // may raise an ERROR, so first
  registry_set_state(handle->shared, StoreState::kRetired);
  forget_current(handle);
}

bool registry_has_pending() {
  return pending != nullptr;
}

void registry_at_subxact_end(bool commit, SubTransactionId my_subid, SubTransactionId parent_subid) {
  Pending** link = &pending;
  while (*link != nullptr) {
    Pending* p = *link;
    if (p->subid != my_subid) {
      link = &p->next;
    } else if (commit) {
      p->subid = parent_subid;
      link = &p->next;
    } else {
      *link = p->next;
      undo(*p);
      pfree(p);
    }
  }
}

void registry_at_xact_end(bool commit) {
  for (const Pending* p = pending; p != nullptr; p = p->next) {
    if (!commit)
      undo(*p);
    else if (p->deed == Deed::kRetired)
      kill(p->handle);
  }
  pending = nullptr;  // TopTransactionContext goes with the transaction
  while (lost != nullptr) {
    StoreHandle* handle = lost;
    lost = handle->next_lost;
    release_handle(handle);
  }
  release_stale_entries();
  if (registry_is_attached()) arenas_unmap_departed();
}

}  // namespace doublets::pg

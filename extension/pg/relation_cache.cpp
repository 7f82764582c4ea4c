// The backend's table of stores and the invalidations that reach it.
#include "relation_cache.hpp"

namespace doublets::pg {
namespace {

HTAB* entries;
bool any_suspect;      // some entry is
Oid horizon_relation;  // cached; InvalidOid: look it up

void mark(RelationEntry* entry) {
  entry->spec_valid = false;
  entry->suspect = true;
  ++entry->invalidations;
  any_suspect = true;
}

// A relcache invalidation; InvalidOid means all. May come at any catalog access, so
// nothing but flags changes.
void relation_invalidated(Datum, Oid relation) {
  if (relation == horizon_relation || !OidIsValid(relation)) horizon_relation = InvalidOid;
  if (OidIsValid(relation)) {
    RelationEntry* entry = find_relation_entry(relation);
    if (entry != nullptr) mark(entry);
    return;
  }
  HASH_SEQ_STATUS scan;
  hash_seq_init(&scan, entries);
  while (auto* entry = static_cast<RelationEntry*>(hash_seq_search(&scan)))
    mark(entry);
}

}  // namespace

void relation_cache_init() {
  HASHCTL control{};
  control.keysize = sizeof(Oid);
  control.entrysize = sizeof(RelationEntry);
  control.hcxt = TopMemoryContext;
  entries = hash_create("doublets stores", 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
  CacheRegisterRelcacheCallback(relation_invalidated, Datum{0});
}

RelationEntry* relation_entry(Oid relation) {
  bool found;
  auto* entry = static_cast<RelationEntry*>(hash_search(entries, &relation, HASH_ENTER, &found));
  if (!found) {
    *entry = RelationEntry{};
    entry->relation = relation;
  }
  return entry;
}

RelationEntry* find_relation_entry(Oid relation) {
  return static_cast<RelationEntry*>(hash_search(entries, &relation, HASH_FIND, nullptr));
}

void release_stale_entries() {
  if (!any_suspect) return;
  HASH_SEQ_STATUS scan;
  hash_seq_init(&scan, entries);
  while (auto* entry = static_cast<RelationEntry*>(hash_seq_search(&scan))) {
    if (!entry->suspect) continue;
    entry->suspect = false;
    if (entry->handle != nullptr) {
      if (handle_is_current(*entry->handle)) continue;
      release_handle(entry->handle);
    }
    hash_search(entries, &entry->relation, HASH_REMOVE, nullptr);
  }
  any_suspect = false;
}

Oid horizon_relation_oid() {
  if (!OidIsValid(horizon_relation)) {
    const Oid schema = get_namespace_oid("doublets", true);
    const Oid relation = OidIsValid(schema) ? get_relname_relid("horizon", schema) : InvalidOid;
    if (!OidIsValid(relation))
      ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("table doublets.horizon does not exist"),
                      errhint("It belongs to the extension doublets: create the extension again.")));
    horizon_relation = relation;
  }
  return horizon_relation;
}

}  // namespace doublets::pg

// What the catalogs say about a store: its columns and its options.
//
// One table of options (options.cpp) drives the validator, the hints and the
// loading. The result is cached per relation and backend, reloaded after a relcache
// invalidation, and checked at each load, because nothing in PostgreSQL prevents
// ALTER FOREIGN TABLE from renaming or retyping the columns of a store.
#pragma once

#include "../core/store.hpp"
#include "pg.hpp"

namespace doublets::pg {

enum class Persistence : std::uint8_t { kVolatile, kMapped, kDurable };

struct StoreSpec {
  AttrNumber id;  // attribute numbers of the three parts, 1 ..
  AttrNumber source;
  AttrNumber target;
  int natts;  // of the relation, dropped columns included
  Layout layout;
  Persistence persistence;
  bool unique_pairs;
  uint64 max_size;  // bytes; 0: no limit
};

// The columns and options of a store.
// Requires: `rel` is open with a lock. The answer is valid until the end of the
// transaction; its content changes only if the relation is altered.
// Errors: 42809 not a doublets store; 42703 a column is missing or superfluous;
// 42804 wrong type; HV00D, 22023 options; 0A000 a persistence not built yet.
// Cost: one hash lookup when cached.
const StoreSpec* store_spec(Relation rel);

// True if the relation is a foreign table of a wrapper whose handler is ours.
bool is_store(Oid relid);
bool is_store_server(Oid server);

// The errors of store_spec, without the cache, for a relation just created.
void check_store_definition(Relation rel);

// Reads layout, persistence, unique_pairs and max_size from a list of DefElem that
// the validator has accepted.
void read_options(List* options, StoreSpec* spec);

const char* layout_name(Layout layout);
const char* persistence_name(Persistence persistence);

// The extension's ordinary, always empty table whose horizon says which
// transactions every snapshot of this database has seen finished
// (GlobalVisTestFor needs such a relation). Errors: 42P01 if it was dropped.
Oid horizon_relation_oid();

}  // namespace doublets::pg

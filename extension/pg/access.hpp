// Changing stores on behalf of SQL: the waiting, growing and complaining that the core
// leaves to its caller. Shared by the foreign-data wrapper and the functions.
//
// All of it requires that the relation is open with RowExclusiveLock or stronger and
// that no LWLock is held.
#pragma once

#include "transactions.hpp"

namespace doublets::pg {

// A place in the line of those who want to change a version, as heap_acquire_tuplock has
// it: whoever holds the tuple's heavyweight lock waits for the transaction that has changed
// it, the others wait for the lock, so nobody is overtaken. An ERROR releases it.
struct TupleQueue {
  bool held;
  ItemPointerData tid;
};

// A relation being written by one command.
struct WriteTarget {
  Relation rel;
  const StoreSpec *spec;
  StoreHandle *store;
  CommandId command; // stamped on the changes
  TupleQueue queue;  // held only between Change::kUpdated and what follows it
};

// Opens the store of `rel` for writing, making its first memory if it has none, and
// settles a few records.
WriteTarget open_for_write(Relation rel, CommandId command);

enum class OnConflict : std::uint8_t { kError, kSkip };

// Inserts links[0 .. n) in order; assigned ids and versions are filled in. With kSkip
// links that conflict get a null version instead; n must then be 1.
// Waits for unfinished transactions that decide about an id or pair.
// Errors: 23505 duplicate id or pair, 40001 a conflict invisible to the transaction's
// snapshot with kSkip, those of store_grow.
void insert_links(const WriteTarget &target, LinkInput *links, std::size_t n,
                  OnConflict on_conflict);

// The link with the pair of `link` in the newest state, else inserts it; link.id and
// link.version say which. Returns whether it was inserted. Two callers never make two
// links: each waits for an unfinished creator of the pair.
// Errors: 40001 the link found is invisible to the transaction's snapshot; those of
// insert_links.
bool get_or_insert_link(const WriteTarget &target, LinkInput &link);

enum class Change : std::uint8_t {
  kDone,
  kSkip,    // already changed by this command
  kDeleted, // deleted meanwhile
  kUpdated, // READ COMMITTED: `newest` says what the link is now; decide again, and go on with
            // it or call give_up
};

// Replaces or deletes a version that the command's snapshot sees. Waits for a running
// transaction that has changed it. With kUpdated, `newest` is the last committed
// version of the chain, and nothing was changed.
// Errors: 40001 in REPEATABLE READ, 27000 changed by a trigger of the same command,
// 23505, those of store_grow.
Change update_link(WriteTarget &target, Ref<Version> version, LinkInput &link,
                   LinkRow &newest);
Change delete_link(WriteTarget &target, Ref<Version> version, LinkRow &newest);

// After kUpdated, if the newest version is not wanted: lets the next in line proceed.
void give_up(WriteTarget &target);

// The one ways to turn a version into a ctid and back. Offset 1 makes it valid.
inline void set_tid(ItemPointer tid, Ref<Version> version) {
  ItemPointerSet(tid, version.unit, 1);
}
inline Ref<Version> version_of(ItemPointer tid) {
  return {ItemPointerGetBlockNumberNoCheck(tid)};
}

// 23502, as a table with NOT NULL columns says it; `row`, if given, is described.
[[noreturn]] void raise_null_part(Relation rel, AttrNumber attnum, TupleTableSlot *row = nullptr);
// 22003 for an id of 0 or less.
[[noreturn]] void raise_bad_id(Relation rel, LinkId id);

} // namespace doublets::pg

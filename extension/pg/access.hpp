// Changing stores on behalf of SQL: the waiting, growing and complaining that the core
// leaves to its caller. Shared by the foreign-data wrapper and the functions.
//
// All of it requires that the relation is open with RowExclusiveLock or stronger and
// that no LWLock is held.
#pragma once

#include "transactions.hpp"

namespace doublets::pg {

// A relation being written by one command.
struct WriteTarget {
  Relation rel;
  const StoreSpec *spec;
  StoreHandle *store;
  CommandId command; // stamped on the changes
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
  kSkip,    // already changed by the own transaction
  kDeleted, // deleted meanwhile
  kUpdated, // READ COMMITTED: changed meanwhile, `newest` says what the link is now and is
            // locked: decide again
  kWouldBlock, // with a policy that does not wait
};

// Replaces or deletes a version that the command's snapshot sees. Waits for running
// transactions that have changed or locked it. With kUpdated nothing was changed, and
// `newest` is locked as heap_update and heap_delete do: kNoKeyUpdate if the version's id, and its pair where pairs are
// unique, were to stay as they are, else kUpdate.
// Errors: 40001 in REPEATABLE READ and SERIALIZABLE, 27000 changed by a trigger of the same
// command, 23505, those of store_grow.
Change update_link(const WriteTarget &target, Ref<Version> version, LinkInput &link, LinkRow &newest);
Change delete_link(const WriteTarget &target, Ref<Version> version, LinkRow &newest);

// Changes the links of rows[0 .. n), which the command's snapshot sees, in order, until one cannot be changed at once:
// returns how many were. That one is for update_link or delete_link, which wait or complain.
// Errors: 40001, those of store_grow, and of updates 23505 for a pair that had to be waited for.
std::size_t update_links(const WriteTarget &target, const LinkRow *rows, LinkInput *links, std::size_t n);
std::size_t delete_links(const WriteTarget &target, const LinkRow *rows, std::size_t n);

struct RowLock {
  LockStrength strength;
  LockWaitPolicy policy;
  bool before_change; // for a change to come: words the errors, and refuses what
                      // triggers of the same command have changed (27000)
};

// Locks a version that the command's snapshot sees, to the end of the (sub)transaction, as
// heap_lock_tuple does. kDone and kUpdated: `newest` is what was locked.
// Errors: 40001 in REPEATABLE READ and SERIALIZABLE, 55P03 with LockWaitError, those of
// store_grow.
Change lock_link(const WriteTarget &target, Ref<Version> version, const RowLock &how,
                 LinkRow &newest);

// The one ways to turn a version into a ctid and back. Offset 1 makes it valid.
inline void set_tid(ItemPointer tid, Ref<Version> version) {
  ItemPointerSet(tid, version.unit, 1);
}
inline Ref<Version> version_of(ItemPointer tid) {
  return {ItemPointerGetBlockNumberNoCheck(tid)};
}

// --- What inserting and changing share ---

inline constexpr std::size_t kRowsPerLock = 512; // keeps the store's lock well below a millisecond

// Makes room for blocks of `units` in all. Memory that finished transactions leave behind
// comes before new memory. Errors: those of store_grow.
void make_room(const WriteTarget &target, std::uint32_t units);

// Waits for the transaction that kWait names.
void wait_for(const WriteTarget &target, const WriteResult &result, XLTW_Oper oper);

// Does what lets a refused insertion or uniqueness check be repeated, or complains.
// Returns false if the link is to be skipped.
bool resolve(const WriteTarget &target, const WriteResult &result, const LinkInput &link,
             OnConflict on_conflict);

// Waits until it is known whether the pair of a link, applied with this answer, is free. An ERROR
// undoes it with the transaction. The link has no version until then. Errors: 23505.
void confirm_pair(const WriteTarget &target, WriteResult result, LinkInput &link);

// 40001
[[noreturn]] void raise_concurrent(bool deleted);

// 23502, as a table with NOT NULL columns says it; `row`, if given, is described.
[[noreturn]] void raise_null_part(Relation rel, AttrNumber attnum, TupleTableSlot *row = nullptr);
// 22003 for an id of 0 or less; `assign`: the store would give one.
[[noreturn]] void raise_bad_id(Relation rel, LinkId id, bool assign = true);

} // namespace doublets::pg

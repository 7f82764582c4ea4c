// A store of links with versions: the interface of the core.
//
// Store is one process's view of the shared structure that begins in chunk 0 of its
// heap. Transactions belong to the caller: it hands in who writes (Writer), how a
// transaction slot is to be judged (Oracle for the newest state, Visibility for a
// snapshot), and sets the state of its slots itself when a transaction ends.
//
// Locks: methods marked [shared] need the store's lock shared at least, those
// marked [exclusive] need it exclusive; the others need none. No method waits, throws,
// or keeps the lock's holder busy for longer than its batch.
//
// Every change is planned, then applied: unless kOk is returned nothing has changed, and
// applying cannot fail.
#pragma once

#include "id_index.hpp"
#include "lock_table.hpp"
#include "node_set.hpp"
#include "split_index.hpp"
#include "united_index.hpp"

namespace doublets {

enum class Layout : std::uint32_t { kSplit, kUnited };

struct StoreHeader {
  HeapHeader heap;
  Layout layout;
  std::uint32_t unique_pairs; // 0 or 1
  std::uint64_t seed;         // of the hashes
  std::uint64_t versions;
  std::uint64_t flights;      // versions in flight
  std::uint64_t records;      // in-flight records, in the queue
  std::uint64_t passed_over;  // members of runs that have records of their own
  std::uint64_t slots;
  Ref<Flight> queue_head;
  Ref<Flight> queue_tail;
  Ref<Flight> open_run;       // the last record of an insertion or deletion, which the next may join
  std::uint32_t reserved;
  LockTableHeader locks;
  IdIndexHeader ids;
  SplitHeader split;   // of layout kSplit
  UnitedHeader united; // of layout kUnited
};

// Newest state of a transaction, from the caller's point of view.
enum class Fate : std::uint8_t { kOwn, kRunning, kCommitted, kAborted };

struct Oracle {
  Fate (*fate)(void *context, const TxnSlot &slot) noexcept;
  void *context;
};

// Whether a snapshot includes what a transaction did with command `command`.
struct Visibility {
  bool (*includes)(void *context, const TxnSlot &slot, CommandId command) noexcept;
  void *context;
};

// The (sub)transaction that writes. `slot` is null until it first changes this
// store; then the core makes the slot and the caller keeps it for later changes.
struct Writer {
  TxnId xid;
  CommandId command;
  Ref<TxnSlot> &slot;
  Oracle oracle;
};

// A link to be written.
struct LinkInput {
  LinkId id; // 0: assign one
  std::int64_t source;
  std::int64_t target;
  Ref<Version> version; // out
  bool point = false;   // both ends shall be the id, whatever they are
  bool patient = false; // not to be inserted as long as it is open whether its pair is free
};

// A link found.
struct LinkRow {
  LinkId id;
  std::int64_t source;
  std::int64_t target;
  Ref<Version> version;
};

// Which nodes of a set a traversal is to look around, by place, and how far it has come.
struct Expansion {
  Access access;      // kSource: links that lead away from them, kTarget: to them
  std::uint32_t next; // the first node whose links have not all been looked at
  std::uint32_t end;
  Position position{}; // in those
  bool done() const noexcept { return next == end; }
};

// A link found by one of many values, and by which, by place.
struct MatchedLink {
  std::int64_t parts[3]; // id, source, target
  std::uint32_t from;
};

struct WriteResult {
  Status status = Status::kOk;
  std::uint32_t units = 0;   // kNeedMemory: how many are wanted at least
  TxnId wait_for = 0;        // kWait: until this transaction has ended
  CommandId command = 0;     // kSelfModified: by this command
  bool applied = false;      // kWait: done already, but for what Store::confirm decides
  bool changing = false;     // kWait: the version is being changed, and not only held
  bool conflicts = false;    // about the version to be changed, not about what it shall become
  LockStrength wanted{};     // kWait, conflicts: how strongly it is to be locked
  bool overtakes = false;    // kWait: not to wait in the line of those who want the link
  bool follows = false;      // kWait: decided by a successor of the version asked for
  Ref<Version> other{};      // kUpdated: the successor; kDuplicate*, kWait: the version met
};

class Store {
public:
  explicit Store(Heap &heap) noexcept;

  // Makes zeroed memory the first chunk of an empty store.
  static void format(char *base, std::size_t bytes, std::uint64_t handle, Layout layout,
                     bool unique_pairs, std::uint64_t seed) noexcept;

  const StoreHeader &header() const noexcept { return header_; }

  // --- Reading [shared] ---

  // The next links of a search that `seen_by` sees, in its order (see Access): writes at most
  // `capacity` (>= 2) to `rows`, advances `position`. May write none and not be done: bounded
  // work. Looks at hardly more versions than it takes to fill `rows`, so whoever wants few
  // links asks for few. `passed` is raised by the versions looked at and not written.
  // Requires: search.access is one the layout has for the pattern.
  std::size_t scan(const Search &search, Position &position, const Visibility &seen_by,
                   LinkRow *rows, std::size_t capacity, std::uint64_t &passed) const noexcept;

  // The other ends of the links, as `seen_by` sees them, of the nodes that `expansion` names: writes
  // at most kNeighbours to `out` and advances it. May write none and not be done: bounded work.
  static constexpr std::size_t kNeighbours = 512;
  std::size_t expand(const NodeSet &nodes, Expansion &expansion, const Visibility &seen_by,
                     Neighbour *out) const noexcept;

  // The links, as `seen_by` sees them, that have one of values[expansion.next .. expansion.end) as the part that
  // expansion.access names (kId too), by place, in no order among those of a place; writes at most kNeighbours to
  // `out` and advances `expansion`. May write none and not be done. `passed` as in scan.
  std::size_t match(const std::int64_t *values, Expansion &expansion, const Visibility &seen_by, MatchedLink *out,
                    std::uint64_t &passed) const noexcept;

  // Links of `pattern` that `seen_by` sees. If `exact` comes out true: O(1) or O(log n) plus the
  // smaller of the versions in flight and the candidates, or few candidates were looked at; else
  // the caller has to scan.
  std::uint64_t count(const Pattern &pattern, const Visibility &seen_by, bool &exact) const noexcept;

  // Versions, visible or not, that a search by `access` looks at: exact, but for ranges of ids, of
  // which samples are counted. O(1) or O(log n).
  std::uint64_t estimate(const Pattern &pattern, Access access) const noexcept;

  // Whether a search for the pattern may walk that index.
  bool offers(const Pattern &pattern, Access access) const noexcept;

  // The access with the smallest estimate. O(1) for patterns of points, else as estimate.
  Access best_access(const Pattern &pattern) const noexcept;

  // Whether a search finds links in order of id.
  bool by_id(const Search &search) const noexcept {
    return header_.layout == Layout::kSplit || search.access == Access::kId || search.access == Access::kPair;
  }

  // The search that finds the smallest id of a pattern soonest, or the largest.
  Search edge_search(const Pattern &pattern, bool largest) const noexcept;

  // Goes on with such a search until position.done; then `id` is the smallest, or largest, id that
  // `seen_by` sees, or 0, which it must be at first. One step if the id in question is seen.
  void edge(const Search &search, Position &position, const Visibility &seen_by, LinkId &id,
            std::uint64_t &passed) const noexcept;

  // The next values in `values` that links seen by `seen_by` have as their source (`end` is kSource) or
  // target (kTarget), and how many: at most `capacity`. Each value comes once; `united`: ascending,
  // `split`: in no order. May write none and not be done. Touches no links of a node with several
  // unless versions in flight make it necessary. A row that is not exact has more versions than are
  // judged at a time: the caller has to scan for its links and count them.
  std::size_t degrees(Access end, const Range &values, Position &position, const Visibility &seen_by,
                      Degree *rows, std::size_t capacity) const noexcept;

  // The next values that versions, whoever sees them, have as their source (`end` is kSource) or target: at most
  // `capacity`, each of them once, as degrees. May write none and not be done.
  std::size_t ends(Access end, Position &position, std::int64_t *out, std::size_t capacity) const noexcept;

  // The version with this id that `seen_by` sees, or null.
  Ref<Version> find(LinkId id, const Visibility &seen_by) const noexcept;

  // Whether a snapshot sees a version.
  bool sees(Ref<Version> version, const Visibility &v) const noexcept {
    if constexpr (!kVersioned)
      return true;
    const Ref<Flight> flight = heap_.at(version).flight;
    return !flight || sees_flight(heap_.at(flight), v);
  }

  // Whether the transaction that inserted a version has this fate; false once it is settled.
  bool inserted_by(Ref<Version> version, Fate fate, const Oracle &oracle) const noexcept;

  // Whether the caller's transaction inserted a version by this command or a later one.
  bool inserted_since(Ref<Version> version, CommandId command, const Oracle &oracle) const noexcept;

  // What has become of a version in the newest state, whoever holds it: kOk, kSelfModified,
  // kUpdated, kDeleted; kWait while an unfinished transaction is changing it.
  WriteResult fate(Ref<Version> version, const Oracle &oracle) const noexcept;

  // The smallest-id live link with a pair in the newest state; kWait if an unfinished
  // transaction decides. kOk with null `other`: there is none.
  WriteResult find_pair_newest(std::int64_t source, std::int64_t target,
                               const Oracle &oracle) const noexcept;

  LinkRow row(Ref<Version> version) const noexcept {
    const Version &v = heap_.at(version);
    return {v.id, v.source, v.target, version};
  }

  // --- Writing [exclusive] ---

  // Inserts links[0 .. n) in order until one cannot be; `done` is how many were. Only
  // kOk means all. A link that waits for its pair has its id meanwhile, as a row that waits for an
  // entry of a second unique index: it is inserted, and not counted by `done`, if the answer says so.
  WriteResult insert(LinkInput *links, std::size_t n, const Writer &writer,
                     std::size_t &done) noexcept;

  // The smallest-id live link with the pair of `link` in the newest state, else inserts
  // it: looking and inserting are one step. kOk with `other`: it was there, link.id and
  // link.version say which; kOk with null `other`: it was inserted.
  WriteResult get_or_insert(LinkInput &link, const Writer &writer) noexcept;

  // Whether the pair of a version that was applied while that was open is free now.
  WriteResult confirm(Ref<Version> version, const Oracle &oracle) noexcept;

  // Replaces a version. link.id is the id it shall have (never 0). As insert if the pair is open.
  WriteResult update(Ref<Version> version, LinkInput &link, const Writer &writer) noexcept;

  // Replaces the versions of rows[0 .. n) by links[0 .. n), in order, until one cannot be; `done` is how
  // many were. As insert about a link that waits for its pair.
  WriteResult update(const LinkRow *rows, LinkInput *links, std::size_t n, const Writer &writer,
                     std::size_t &done) noexcept;

  // Deletes a version, or those of rows[0 .. n) until one cannot be.
  WriteResult erase(Ref<Version> version, const Writer &writer) noexcept;
  WriteResult erase(const LinkRow *rows, std::size_t n, const Writer &writer, std::size_t &done) noexcept;

  // Locks a version and its successors to the end of the writer's transaction.
  WriteResult lock(Ref<Version> version, LockStrength strength, const Writer &writer) noexcept;

  // Drops the records of row locks that have ended; looks at up to `limit`, returns how many.
  std::uint64_t settle_locks(std::uint64_t limit) noexcept;

  // Drops in-flight records that nobody needs: looks at up to `limit`, starting with the
  // oldest. Effects of transactions before `horizon` are visible or dead to everyone.
  // Returns the number dropped; `more` says that it ended because of the limit, so that there
  // may be progress even where nothing was dropped.
  std::uint64_t settle(TxnId horizon, std::uint64_t limit, bool *more = nullptr) noexcept;

  // Ids below this are kept densely; the others are few, or far apart. [shared]
  std::uint64_t dense_ids() const noexcept {
    return std::uint64_t{header_.ids.dense.pages} * PagedArray<IdEntry>::kPerPage;
  }

  // What settling everything may have to look at.
  std::uint64_t unsettled() const noexcept {
    return header_.flights + header_.records + header_.passed_over;
  }

  // Number of versions; may be asked without a lock, as a hint.
  static std::uint64_t size_hint(const StoreHeader &header) noexcept {
    return __atomic_load_n(&header.versions, __ATOMIC_RELAXED);
  }

  // Whether there is anything to settle; may be asked without a lock, as a hint.
  static bool has_unsettled(const StoreHeader &header, std::uint64_t n = 1) noexcept {
    return __atomic_load_n(&header.flights, __ATOMIC_RELAXED) +
               __atomic_load_n(&header.locks.lockers, __ATOMIC_RELAXED) >= n;
  }

  // --- Checking [shared] ---

  // Reports each broken invariant as a line of text. O(n log n).
  void verify(void (*report)(void *, const char *), void *context) const noexcept;

private:
  // Versions looked at in one step; bounds the time the store's lock is held.
  static constexpr std::size_t kStep = 256;
  static_assert(kStep >= SplitIndex::kMaxCandidates);

  // Changes between two steps of asking for memory ahead: time enough for it to arrive.
  static constexpr std::size_t kStride = 4;

  template <class F>
  decltype(auto) with_index(F &&f) const noexcept {
    if (header_.layout == Layout::kSplit) {
      SplitIndex index(heap_, header_.split, header_.seed);
      return f(index);
    }
    UnitedIndex index(heap_, header_.united);
    return f(index);
  }

  template <class NodeAt>
  std::size_t meet(NodeAt &&node_at, Expansion &expansion, Ref<Version> *refs, std::uint32_t *from) const noexcept;
  template <bool kSettled>
  std::size_t scan_as(const Search &search, Position &position, const Visibility &seen_by,
                      LinkRow *rows, std::size_t capacity, std::uint64_t &passed) const noexcept;
  template <bool kSettled>
  std::size_t scan_ids(const Search &search, Position &position, const Visibility &seen_by,
                       LinkRow *rows, std::size_t capacity, std::uint64_t &passed) const noexcept;
  template <bool kSettled, class Index>
  [[gnu::always_inline]] inline std::size_t scan_index(const Index &index, const Search &search, Position &position,
                         const Visibility &seen_by, LinkRow *rows, std::size_t capacity,
                         std::uint64_t &passed) const noexcept;
  template <bool kSettled, class Index>
  std::size_t pick(const Index &index, const Search &search, Position &position, const Visibility &seen_by,
                   Ref<Version> *refs, Candidates met, LinkRow *rows, std::size_t capacity,
                   std::uint64_t &passed) const noexcept;
  std::uint64_t without_unseen(const Pattern &pattern, std::uint64_t all, const Visibility &seen_by,
                               bool &exact) const noexcept;
  std::uint64_t count_walk(const Pattern &pattern, const Visibility &seen_by, bool &exact) const noexcept;
  template <class Visit>
  void for_each_unseen(const Visibility &seen_by, Visit &&visit) const noexcept;
  std::size_t judge_degrees(Access end, Position &position, const Visibility &seen_by, Degree *rows,
                            std::size_t n) const noexcept;
  bool sees_flight(const Flight &flight, const Visibility &v) const noexcept;
  WriteResult conflict_of(Ref<Version> version, Ref<Version> except, Status duplicate,
                          const Oracle &oracle) const noexcept;
  WriteResult check_id(LinkId id, Ref<Version> except, const Oracle &oracle) const noexcept;
  WriteResult check_pair(std::int64_t source, std::int64_t target, Ref<Version> except,
                         const Oracle &oracle) const noexcept;
  template <class Index>
  WriteResult put(Index &index, LinkInput &link, Ref<Version> except, const Writer &writer) noexcept;
  std::uint32_t *members(const Flight &run) const noexcept {
    return reinterpret_cast<std::uint32_t *>(heap_.address(run.aux));
  }
  template <class Index, class Change>
  WriteResult each_ahead(Index &index, const LinkInput *links, std::size_t n, std::size_t &done,
                         Change &&change) noexcept;
  template <class Index>
  WriteResult replace(Index &index, Ref<Version> version, LinkInput &link, const Writer &writer) noexcept;
  bool joins_insertions(const Writer &writer) const noexcept;
  bool joins_deletions(Ref<Version> version, const Writer &writer) const noexcept;
  bool in_deletion_run(Ref<Version> version) const noexcept;
  void plan_join(BlockPlan &plan) const noexcept;
  void join(Ref<Version> version) noexcept;
  Ref<Flight> take_out(Ref<Version> version) noexcept;
  void fly(Ref<Version> version, const Writer &writer) noexcept;
  Ref<Flight> new_flight(Ref<Version> version) noexcept;
  void pop_flight() noexcept;
  template <class Index, class Later>
  void ask_for_removal(const Index &index, bool removed, Later &&later) const noexcept;
  template <class Index>
  std::uint64_t settle(Index &index, TxnId horizon, std::uint64_t limit, bool *more) noexcept;
  template <class Index>
  std::uint64_t settle_run(Index &index, bool gone, std::uint64_t limit,
                           std::uint64_t &looked) noexcept;
  Ref<TxnSlot> hold_slot(const Writer &writer) noexcept;
  void let_go(Ref<TxnSlot> slot) noexcept;
  void mark_deleted(Ref<Version> version, Ref<Version> successor, const Writer &writer) noexcept;
  Ref<Flight> fly_alone(Ref<Version> version, const Writer &writer) noexcept;
  void note_newer(Ref<Version> version, Ref<Version> newer) noexcept;
  LockTable locks() const noexcept { return {heap_, header_.locks, header_.seed}; }
  bool same_key(const Version &a, LinkId id, std::int64_t source, std::int64_t target) const noexcept {
    return a.id == id && (header_.unique_pairs == 0 || (a.source == source && a.target == target));
  }
  WriteResult check(Ref<Version> version, LockStrength strength, const Oracle &oracle) const noexcept;
  WriteResult key_fate(Ref<Version> version, const Oracle &oracle) const noexcept;
  bool comes_of(Ref<Version> later, Ref<Version> version) const noexcept;
  void check_holders(Ref<Version> version, LockStrength strength, const Oracle &oracle,
                     WriteResult &result) const noexcept;
  bool holds(LinkId id, LockStrength strength, const Oracle &oracle) const noexcept;
  template <class Index>
  void remove(Index &index, Ref<Version> version, Ref<Version> newer) noexcept;

  Heap &heap_;
  StoreHeader &header_;
};

} // namespace doublets

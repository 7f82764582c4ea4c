// Reading a store for the executor: plain scans, aggregates and direct changes.
//
// A search walks one index of the store; a scan is one search, or several if a condition has a list of values or if
// there is an OR. Which index is decided when the values of the conditions are known, unless the plan counts on an
// order.
#pragma once

#include "fdw.hpp"

namespace doublets::pg {

struct Aggregate;     // fdw_aggregate.cpp
struct ParallelScan;  // fdw_parallel.cpp

// Links that a scan has gathered and sorted (fdw_gather.cpp).
struct Gathered {
  Access access;  // by which they are found
  LinkRow* rows;
  std::size_t capacity, count, next;
};

struct ScanState {
  StoreHandle* store;  // null: no memory, no links
  const StoreSpec* spec;
  SnapshotView* view;
  WriteTarget* locking;    // null: rows are read without locking them
  Aggregate* aggregate;    // null: rows are links
  ParallelScan* parallel;  // null: all links are read here
  ExprContext* econtext;
  ScanConditions conditions;
  PathChoice plan;
  AllowedParts* alternatives;  // what the present values allow: all conditions but an OR, then each branch of it
  int alternative_count;
  int alternative;   // the one being searched for: all links of a branch, or those of 0 that meet one
  Allowed* allowed;  // its parts
  bool started;      // values are evaluated, the position is that of the first search
  bool finished;
  bool filter;         // the search finds links that are not wanted
  int iterated_count;  // parts of whose alternatives each search takes one, the outer loop first
  Part iterated[2];
  int at[2];  // the present combination
  Search search;
  Position position;
  static constexpr std::size_t kFirstRows = 16;  // enough for most nodes, and few for who wants few
  LinkRow few[kFirstRows];
  LinkRow* rows;
  std::size_t row_capacity;
  std::size_t row_count;
  std::size_t next_row;
  std::uint64_t patience;  // of found + passed: then the rest is gathered
  Gathered gathered;
  int indexes;  // for EXPLAIN ANALYZE: those used, see index_bit
  std::uint64_t searches;
  std::uint64_t found;   // links the store has given
  std::uint64_t passed;  // versions it has looked at and not given
};

// Prepares the scan of a relation that a plan node describes. With EXEC_FLAG_EXPLAIN_ONLY nothing but
// what EXPLAIN shows. Errors: those of begin_read and store_open.
ScanState* make_scan(ForeignScanState* node, Relation rel, int eflags);

// Begins at the beginning, with new values, when the next row is asked for.
void restart_scan(ScanState* state);

// Evaluates the conditions and sets up the first search. False: no link meets them.
bool start_scan(ScanState* state);

// Takes the next of the ranges into which a parallel scan has divided the ids; false after the last.
bool next_range(ParallelScan* shared, Range& ids) noexcept;

// Goes on to the next search of the present alternative; false after the last.
bool next_search(ScanState* state);

// Leaves those of `n` rows that the conditions allow and no alternative before the present one has given; how many.
std::size_t keep_wanted(const ScanState* state, LinkRow* rows, std::size_t n) noexcept;

// A walk by id through `united` that would find the links of a node too late gathers and sorts them instead.
void set_patience(ScanState* state);  // for the search set up
bool is_patient(const ScanState* state) noexcept;
void gather_rest(ScanState* state);             // of the search; it is then finished
void take_gathered(ScanState* state) noexcept;  // the next of them as the present batch, if there are any

// Reads on until there are rows in [rows + next_row, rows + row_count), or `finished`.
void fill_scan(ScanState* state);

// Makes batches of up to `rows` links, for whoever wants many. The present batch is lost.
void enlarge_batch(ScanState* state, std::size_t rows);
inline constexpr std::size_t kMostRows = 1024;  // copied under one hold of the lock

// For a plan of an aggregate. The next row in `slot`, or an empty slot.
void prepare_aggregate(ScanState* state, ForeignScanState* node);
void restart_aggregate(ScanState* state);
TupleTableSlot* next_aggregate(ScanState* state, TupleTableSlot* slot);
// Makes a slot, prepared once, show a link; nobody else may write to it.
void prepare_slot(const StoreSpec* spec, TupleTableSlot* slot);
void show_link(const StoreSpec* spec, const LinkRow& row, TupleTableSlot* slot);

const char* index_name(Access access);
void explain_scan(const ScanState* state, const ForeignScanState* node, ExplainState* es);

// The next link, or null at the end. Valid until the next call.
inline const LinkRow* next_link(ScanState* state) {
  if (state->next_row == state->row_count) {
    if (!state->started) (void)start_scan(state);
    fill_scan(state);
    if (state->row_count == 0) return nullptr;
  }
  return &state->rows[state->next_row++];
}

}  // namespace doublets::pg

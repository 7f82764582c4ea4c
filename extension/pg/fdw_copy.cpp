// Rows of COPY into a store wait for each other and are inserted together, so that the core can ask ahead for the
// memory of many. The server does that for tables alone before version 16; the conditions are its own
// (CopyFrom in copyfrom.c), and so is how errors name the line of a row that had waited.
#include "fdw.hpp"

extern "C" {
#include "commands/copy.h"
#include "commands/copyfrom_internal.h"
#include "optimizer/optimizer.h"
}

namespace doublets::pg {
namespace {

// The COPY that is running, which its error context knows.
CopyFromState running_copy() {
  for (const ErrorContextCallback* c = error_context_stack; c != nullptr; c = c->previous)
    if (c->callback == CopyFromErrorCallback) return static_cast<CopyFromState>(c->arg);
  return nullptr;
}

}  // namespace

struct CopyBuffer {
  CopyFromState copy;
  bool over;  // the last line has been read, and COPY's error context is gone
  int count;
  LinkInput links[kRowsPerLock];
  std::uint64_t lines[kRowsPerLock];
};

namespace {

// The rows are inserted in order: it is the first without a version that an error is about.
void name_line(void* arg) {
  auto* buffer = static_cast<CopyBuffer*>(arg);
  int row = 0;
  while (row < buffer->count - 1 && buffer->links[row].version) ++row;
  buffer->copy->cur_lineno = buffer->lines[row];
  buffer->copy->line_buf_valid = false;
  if (buffer->over) CopyFromErrorCallback(buffer->copy);
}

}  // namespace

void copy_waiting(CopyBuffer* buffer, const WriteTarget& target, bool over) {
  if (buffer->count == 0) return;
  buffer->over = over;
  const uint64 line = buffer->copy->cur_lineno;
  const bool line_valid = buffer->copy->line_buf_valid;
  ErrorContextCallback context{error_context_stack, name_line, buffer};
  error_context_stack = &context;
  insert_links(target, buffer->links, static_cast<std::size_t>(buffer->count), OnConflict::kError);
  error_context_stack = context.previous;
  buffer->copy->cur_lineno = line;
  buffer->copy->line_buf_valid = line_valid;
  buffer->count = 0;
}

// Triggers, volatile defaults and a volatile WHERE could look for the rows; those of partitions, triggers of others.
CopyBuffer* copy_buffer(const ResultRelInfo* rinfo, EState* estate) {
  const CopyFromState copy = running_copy();
  if (copy == nullptr || copy->rel != rinfo->ri_RelationDesc || rinfo->ri_TrigDesc != nullptr ||
      copy->volatile_defexprs || contain_volatile_functions(copy->whereClause))
    return nullptr;
  auto* buffer = static_cast<CopyBuffer*>(MemoryContextAlloc(estate->es_query_cxt, sizeof(CopyBuffer)));
  buffer->copy = copy;
  buffer->over = false;
  buffer->count = 0;
  return buffer;
}

void copy_row(CopyBuffer* buffer, const WriteTarget& target, const LinkInput& link) {
  buffer->links[buffer->count] = link;
  buffer->lines[buffer->count] = buffer->copy->cur_lineno;
  if (++buffer->count == static_cast<int>(kRowsPerLock)) copy_waiting(buffer, target, false);
}

}  // namespace doublets::pg

// A schedule: what several sessions do, one statement at a time. As text, a file for --replay:
//
//   layout split
//   unique false
//   setup INSERT INTO links VALUES (1, 1, 2)
//   1 end BEGIN ISOLATION LEVEL REPEATABLE READ
//   2 write UPDATE links SET source = 3 WHERE id = 1
//
// Lines that begin with # are comments. A step names the session, the effect of its statement, and the statement.
// `:id` stands for an id that the store is to assign: NULL in the store, then in the table what the store came up with.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace doublets::differential {

inline constexpr int kSessions = 4;

// What a statement may do to others, which decides when it may be issued at all (see runner.hpp).
enum class Effect {
  kRead,   // locks no row
  kEnd,    // transaction control: takes no new lock
  kWrite,  // waits for one row or key at a time, in an order that is defined
  kMany,   // locks several rows in the order in which its plan meets them
};

struct Step {
  int session = 0;  // 0 to kSessions - 1; written as 1 to kSessions
  Effect effect = Effect::kRead;
  std::string sql;
};

struct Schedule {
  std::string layout = "split";
  bool unique = false;
  std::vector<std::string> setup;
  std::vector<Step> steps;
};

std::ostream& operator<<(std::ostream& out, const Step& step);
std::ostream& operator<<(std::ostream& out, const Schedule& schedule);

// Errors: std::runtime_error, naming the line.
Schedule read_schedule(std::istream& in);

}  // namespace doublets::differential

// Runs a schedule in both worlds, in lock-step, and compares after each step: which sessions are blocked and by
// whom, and what those that are not got: SQLSTATE, command tag with its count, rows (in order where the statement
// asks for one).
//
// A step counts as over when in each world every session is idle or blocked. What PostgreSQL itself leaves to chance
// or to the plan is kept out, by rules that hold in replays too, where steps were left out:
//
// - A blocked session gets no statement.
// - A statement that locks several rows (Effect::kMany) meets them in the order of its plan. It is issued only when
//   nobody is blocked, and while it is itself, others only read or end transactions. Where the worlds show that they
//   met different rows first (it waits for different sessions, or fails in one and waits or fails otherwise in the
//   other), the schedule ends undecided.
// - A queue of waiters is orderly as long as the row stays. When the head of it has gone on, the others follow to a
//   new version of the row, in a race; and heapam_tuple_lock waits for a transaction before it takes a place in the
//   line. So after that, if the worlds agree on whose end is waited for but not on who is next, the schedule ends
//   undecided; and a difference that does not come again when replayed counts as none (Report::queue_moved).
// - Sessions that wait for the same one go on at the same time. Unless both only read, the later one is cancelled.
// - Which session a deadlock hits is a matter of milliseconds, and so is who goes on then. It must be found in both
//   worlds, and ends the schedule.
// - A store assigns ids, a table is told them. A statement whose id depends on a blocked one is cancelled.
// - A snapshot can see two rows of one id: one that a concurrent transaction has deleted, and one that its own
//   transaction has inserted since. Then it depends on the plan how many of them a table shows, for ids are unique to
//   the planner. The schedule ends undecided.
// - Under SERIALIZABLE both may refuse what need not be refused: a table because it locks pages of its indexes, a
//   store because it locks as a whole. Where but one does, the schedule ends undecided. (That the store refuses
//   enough is what serial.hpp tests.)
#pragma once

#include <array>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "schedule.hpp"
#include "worlds.hpp"

namespace doublets::differential {

enum class Verdict { kAgree, kDifference, kUndecided };

// What came of a schedule.
struct Report {
  Verdict verdict = Verdict::kAgree;
  std::string kind;  // of the difference, or why it is undecided; in one word or a few
  std::string text;
  std::vector<std::string> transcript;
  std::size_t statements = 0;
  std::size_t blocked = 0;   // of these
  bool queue_moved = false;  // a session went on for which another was waiting, which may still wait
};

class Runner {
 public:
  // Resets the worlds. Errors of all members: ConnectionError, std::runtime_error when the test itself cannot go on.
  Runner(Worlds& worlds, const Schedule& schedule, Plant plant);

  // Runs a step if the rules let it be issued now. Returns whether it was.
  bool run(const Step& step);
  // Commits what is open, waits for what is blocked, compares the tables and verifies the store.
  void finish();

  // Whether there is anything left to compare.
  bool open() const { return open_; }
  const Report& report() const { return report_; }

  // For those who choose the next step; the worlds agree on these.
  bool pending(int session) const { return logical(session).pending; }
  char transaction(int session) const { return worlds_.session(kNative, session).transaction(); }
  const std::set<int>& blockers(int session) const { return logical(session).blockers[kNative]; }

 private:
  // A session of the schedule: one in each world.
  struct Logical {
    bool pending = false;
    bool repeatable = false;  // its last BEGIN asked for REPEATABLE READ
    std::size_t issued = 0;   // when, in statements
    Step step;
    std::array<std::set<int>, 2> blockers;
  };

  Logical& logical(int session) { return logical_[static_cast<std::size_t>(session)]; }
  const Logical& logical(int session) const { return logical_[static_cast<std::size_t>(session)]; }

  std::set<int> roots(int session, WorldName world) const;
  bool admits(const Step& step) const;
  void issue(const Step& step);
  void send(const Step& step);
  std::vector<Waiter> collect();
  bool settle();
  void compare();
  void compare_ended(int session);
  bool refused(WorldName world, int session);
  bool deadlocked(WorldName world);
  void cancel_races();
  void cancel(int session, const char* why);
  void compare_ends();
  bool somebody_sees_twins();
  bool sees_twins(WorldName world, int session);
  void differ(const std::string& kind, const std::string& text);
  void end(Verdict verdict, const std::string& kind, const std::string& text);
  void note(const std::string& line) { report_.transcript.push_back(line); }

  Worlds& worlds_;
  std::array<Logical, kSessions> logical_;
  Report report_;
  bool open_ = true;
  long next_id_ = 500000;  // for ids that the store did not assign after all
};

// Runs a whole schedule.
Report run_schedule(Worlds& worlds, const Schedule& schedule, Plant plant);

}  // namespace doublets::differential

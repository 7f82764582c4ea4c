#include "serial.hpp"

#include <poll.h>

#include <algorithm>
#include <sstream>

#include "generator.hpp"

namespace doublets::differential {
namespace {

struct Done {
  std::string sql;
  Outcome outcome;
};

using Transaction = std::vector<Done>;

constexpr const char* kRows = "SELECT 'link', * FROM links UNION ALL SELECT 'helper', * FROM helper";

// Runs transactions on the store and keeps those that commit.
class History {
 public:
  History(Worlds& worlds, Generator& generator, Random& random, const char* level)
      : worlds_(worlds), generator_(generator), random_(random), level_(level) {}

  void run(int sessions, int steps) {
    for (int i = 0; i < steps; ++i)
      step(static_cast<int>(random_.below(static_cast<std::uint64_t>(sessions))), false);
    for (bool busy = true; busy;) {
      busy = false;
      for (int i = 0; i < sessions; ++i)
        busy |= step(i, true);
    }
    // Who is still blocked is so by nobody that is left, or the last commit has just let it go.
    for (int i = 0; i < sessions; ++i)
      worlds_.session(kStore, i).quiet();
  }

  const std::vector<Transaction>& committed() const { return committed_; }
  std::size_t refused() const { return refused_; }
  const std::string& text() const { return text_; }

 private:
  bool step(int session, bool ends);
  void settle();
  void take(int session);

  Worlds& worlds_;
  Generator& generator_;
  Random& random_;
  const char* level_;
  std::array<Transaction, kSessions> open_;
  std::array<std::string, kSessions> sent_;
  std::vector<Transaction> committed_;
  std::size_t refused_ = 0;
  std::string text_;
};

// Returns whether there was something to do.
bool History::step(int number, bool ends) {
  Session& session = worlds_.session(kStore, number);
  if (session.pending()) return false;
  const auto i = static_cast<std::size_t>(number);
  const char transaction = session.transaction();
  if (transaction == 'I' && ends) return false;
  if (transaction == 'E')
    sent_[i] = "ROLLBACK";
  else if (transaction == 'I')
    sent_[i] = std::string("BEGIN ISOLATION LEVEL ") + level_;
  else
    sent_[i] = ends || open_[i].size() > 3 || random_.percent(20) ? "COMMIT" : generator_.plain_statement();
  text_ += std::to_string(number + 1) + ": " + sent_[i] + "\n";
  session.send(sent_[i]);
  settle();
  return true;
}

// Takes what has come until all are done or blocked.
void History::settle() {
  for (;;) {
    std::vector<Waiter> waiters;
    std::vector<pollfd> fds;
    for (int i = 0; i < kSessions; ++i) {
      Session& session = worlds_.session(kStore, i);
      if (!session.pending()) continue;
      if (session.collect()) {
        take(i);
      } else {
        waiters.push_back({kStore, i});
        fds.push_back({session.socket(), POLLIN, 0});
      }
    }
    if (waiters.empty()) return;
    if (poll(fds.data(), fds.size(), 2) == 0 && !worlds_.blockers(waiters).empty()) return;
  }
}

void History::take(int number) {
  const auto i = static_cast<std::size_t>(number);
  const Outcome& outcome = worlds_.session(kStore, number).outcome();
  if (outcome.state == Outcome::kLost) throw ConnectionError(outcome.message);
  text_ += "   " + std::to_string(number + 1) + ": " + outcome.text() + "\n";
  if (outcome.state == "40001") ++refused_;
  if (sent_[i] == "COMMIT" && outcome.tag == "COMMIT") {
    if (!open_[i].empty()) committed_.push_back(open_[i]);
    open_[i].clear();
  } else if (outcome.state != "00000" || sent_[i] == "ROLLBACK" || sent_[i].starts_with("BEGIN")) {
    open_[i].clear();
  } else {
    open_[i].push_back({sent_[i], outcome});
  }
}

// Looks for an order.
class Search {
 public:
  Search(Session& table, const std::vector<Transaction>& transactions, const Outcome& rows)
      : table_(table), transactions_(transactions), rows_(rows), used_(transactions.size()) {}

  // REQUIRES: the table is as it was in the beginning; it is so again afterwards.
  bool found() {
    table_.run("BEGIN");
    const bool found = extend(0);
    table_.run("ROLLBACK");
    return found;
  }
  bool gave_up() const { return tries_ >= kMostTries; }

 private:
  static constexpr std::size_t kMostTries = 3000;

  bool extend(std::size_t depth) {
    if (depth == transactions_.size()) return same(kRows, table_.run(kRows), rows_);
    const std::string savepoint = "s" + std::to_string(depth);
    // The order of the commits comes first, being the right one most of the time.
    for (std::size_t i = 0; i < transactions_.size() && !gave_up(); ++i) {
      if (used_[i]) continue;
      used_[i] = true;
      table_.run("SAVEPOINT " + savepoint);
      if (repeats(transactions_[i]) && extend(depth + 1)) return true;
      table_.run("ROLLBACK TO " + savepoint);
      used_[i] = false;
    }
    return false;
  }

  bool repeats(const Transaction& transaction) {
    ++tries_;
    return std::all_of(transaction.begin(), transaction.end(),
                       [this](const Done& done) { return same(done.sql, table_.ask(done.sql), done.outcome); });
  }

  Session& table_;
  const std::vector<Transaction>& transactions_;
  const Outcome& rows_;
  std::vector<bool> used_;
  std::size_t tries_ = 0;
};

}  // namespace

SerialResult run_serial(Worlds& worlds, const SerialTest& test) {
  SerialResult result;
  constexpr int kSteps = 32;
  for (std::size_t i = 0; i < test.schedules && result.problem.empty(); ++i) {
    const std::uint64_t seed = test.seed + i;
    Random random(seed);
    Generator generator(seed, {});
    const Schedule schedule = generator.start(test.layouts[seed % test.layouts.size()]);
    worlds.reset(schedule, Plant::kNone);
    History history(worlds, generator, random, test.level);
    history.run(static_cast<int>(random.between(2, kSessions)), kSteps);
    const Outcome rows = worlds.control(kStore).run(kRows);
    Search search(worlds.control(kNative), history.committed(), rows);
    const bool found = search.found();
    ++result.schedules;
    result.committed += history.committed().size();
    result.refused += history.refused();
    if (!found && search.gave_up()) {
      ++result.undecided;
    } else if (!found) {
      std::ostringstream text;
      text << "seed " << seed << '\n' << schedule << history.text() << "at the end: " << rows.text() << '\n';
      result.problem = text.str();
    }
  }
  return result;
}

}  // namespace doublets::differential

#include "generator.hpp"

namespace doublets::differential {

Generator::Generator(std::uint64_t seed, const Features& features) : random_(seed), features_(features) {}

// Each schedule leaves out some kinds of statements, so that the others meet more often.
void Generator::choose_families() {
  const std::vector<Family> all = {
      {Effect::kRead, &Generator::select, 12},
      {Effect::kRead, &Generator::aggregate, 4},
      {Effect::kRead, &Generator::ordered, 4},
      {Effect::kRead, &Generator::join, 6},
      {Effect::kRead, &Generator::prepared, 3},
      {Effect::kRead, &Generator::cursor, features_.cursors ? 6u : 0},
      {Effect::kRead, &Generator::read_function, features_.functions ? 6u : 0},
      {Effect::kWrite, &Generator::insert, 16},
      {Effect::kWrite, &Generator::update, 16},
      {Effect::kWrite, &Generator::remove, 4},
      {Effect::kWrite, &Generator::joined, 5},
      {Effect::kWrite, &Generator::with, 4},
      {Effect::kWrite, &Generator::block, 3},
      {Effect::kWrite, &Generator::helper, 3},
      {Effect::kWrite, &Generator::function, features_.functions ? 8u : 0},
      {Effect::kWrite, &Generator::truncate, features_.truncate ? 1u : 0},
      {Effect::kWrite, &Generator::maintain, 1},
      {Effect::kMany, &Generator::insert_many, 5},
      {Effect::kMany, &Generator::update_many, 7},
      {Effect::kMany, &Generator::remove_many, 2},
      {Effect::kMany, &Generator::function_many, features_.functions ? 4u : 0},
      {Effect::kWrite, &Generator::lock_one, features_.row_locks ? 8u : 0},
      {Effect::kWrite, &Generator::lock_next, features_.row_locks ? 3u : 0},
      {Effect::kMany, &Generator::lock_many, features_.row_locks ? 4u : 0},
  };
  families_.clear();
  while (families_.empty())
    for (const Family& family : all)
      if (family.weight > 0 && random_.percent(70)) families_.push_back(family);
}

Schedule Generator::start(const std::string& layout) {
  choose_families();
  unique_ = random_.percent(40) && features_.unique_pairs;
  sessions_ = static_cast<int>(random_.between(2, kSessions));
  serializable_percent_ = !features_.serializable ? 0 : random_.percent(15) ? 100 : random_.percent(50) ? 20 : 0;
  deferrable_session_ =
      features_.deferrable && serializable_percent_ > 0 && sessions_ > 2 && random_.percent(25) ? sessions_ - 1 : -1;
  autocommit_percent_ = random_.percent(30) ? 60 : 15;
  hot_percent_ = static_cast<unsigned>(random_.between(30, 90));
  hot_ids_ = random_.between(1, 4);
  Schedule schedule;
  schedule.layout = layout;
  schedule.unique = unique_;
  // Pairs repeat only where they may.
  const long rows = random_.percent(10) ? random_.between(0, 2) : random_.between(3, 9);
  for (long i = 1; i <= rows; ++i)
    schedule.setup.push_back("INSERT INTO links VALUES (" + std::to_string(i) + ", " +
                             std::to_string(unique_ ? 1 + i / 3 : random_.between(1, 4)) + ", " +
                             std::to_string(unique_ ? 1 + i % 3 : random_.between(1, 4)) + ")");
  return schedule;
}

// Those who hold others up come more often, for waits to end.
int Generator::choose_session(const Runner& runner) {
  std::vector<int> able, blockers;
  for (int i = 0; i < sessions_; ++i)
    if (!runner.pending(i)) able.push_back(i);
  for (int i = 0; i < sessions_; ++i)
    for (const int blocker : runner.blockers(i))
      if (!runner.pending(blocker)) blockers.push_back(blocker);
  if (!blockers.empty() && random_.percent(40)) return random_.of(blockers);
  return able.empty() ? 0 : random_.of(able);
}

Step Generator::next(const Runner& runner) {
  session_ = choose_session(runner);
  const char transaction = runner.transaction(session_);
  bool somebody_waits = false;
  for (int i = 0; i < sessions_; ++i)
    somebody_waits |= runner.pending(i);
  if (transaction == 'E' && random_.percent(95)) return {session_, Effect::kEnd, after_failure()};
  if (transaction == 'I' && !random_.percent(autocommit_percent_)) return {session_, Effect::kEnd, begin()};
  if (transaction == 'T' && random_.percent(somebody_waits ? 30 : 14)) return {session_, Effect::kEnd, control()};
  unsigned total = 0;
  for (const Family& family : families_)
    total += family.weight;
  std::uint64_t pick = random_.below(total);
  for (const Family& family : families_) {
    if (pick < family.weight) return {session_, family.effect, (this->*family.make)()};
    pick -= family.weight;
  }
  return {session_, Effect::kRead, select()};
}

std::string Generator::plain_statement() {
  const Maker makers[] = {&Generator::select,  &Generator::aggregate, &Generator::ordered,       &Generator::join,
                          &Generator::update,  &Generator::update,    &Generator::update_many,   &Generator::remove,
                          &Generator::insert,  &Generator::insert,    &Generator::remove_many,   &Generator::joined,
                          &Generator::helper,  &Generator::with,      &Generator::read_function, &Generator::function,
                          &Generator::lock_one};
  for (;;) {
    const std::string sql = (this->*makers[random_.below(std::size(makers))])();
    const auto has = [&sql](const char* part) { return sql.find(part) != std::string::npos; };
    if (!has(":id") && !has("CONFLICT") && !has("NOWAIT") && !has("SKIP")) return sql;
  }
}

std::string Generator::begin() {
  names().savepoints.clear();
  // pg_safe_snapshot_blocking_pids() knows nothing of a session that has older serializable transactions of its own;
  // hence a session that waits for safe snapshots does nothing else under SERIALIZABLE.
  if (session_ == deferrable_session_ && random_.percent(40))
    return "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE";
  std::string sql = "BEGIN";
  if (session_ != deferrable_session_ && random_.percent(serializable_percent_))
    sql += " ISOLATION LEVEL SERIALIZABLE";
  else if (random_.percent(40))
    sql += " ISOLATION LEVEL REPEATABLE READ";
  else if (random_.percent(20))
    sql += random_.of({" ISOLATION LEVEL READ COMMITTED", " ISOLATION LEVEL READ UNCOMMITTED"});
  return sql + (random_.percent(6) ? " READ ONLY" : "");
}

// One of the names, or rarely one that may not be known.
const std::string& Generator::known(const std::vector<std::string>& names) {
  static const std::vector<std::string> some{"a", "b", "c"};
  return random_.of(names.empty() || random_.percent(3) ? some : names);
}

std::string Generator::set_savepoint() {
  names().savepoints.push_back(known({}));
  return "SAVEPOINT " + names().savepoints.back();
}

// ROLLBACK TO or RELEASE.
std::string Generator::back_to_savepoint(const char* command) {
  std::vector<std::string>& savepoints = names().savepoints;
  const std::string name = known(savepoints);
  for (std::size_t i = savepoints.size(); i > 0; --i)
    if (savepoints[i - 1] == name) {
      savepoints.resize(std::string(command) == "RELEASE" ? i - 1 : i);
      break;
    }
  return std::string(command) + " " + name;
}

std::string Generator::end_transaction(const char* sql) {
  names().savepoints.clear();
  names().cursors.clear();
  return sql;
}

std::string Generator::control() {
  const bool nested = !names().savepoints.empty();
  switch (random_.below(10)) {
    case 0:
    case 1:
      return set_savepoint();
    case 2:
    case 3:
      return nested ? back_to_savepoint("ROLLBACK TO") : set_savepoint();
    case 4:
      return nested ? back_to_savepoint("RELEASE") : end_transaction("ROLLBACK");
    case 5:
      return end_transaction(random_.of({"ROLLBACK", "ROLLBACK", "COMMIT AND CHAIN"}));
    default:
      return end_transaction("COMMIT");
  }
}

std::string Generator::after_failure() {
  if (!names().savepoints.empty() && random_.percent(80)) return back_to_savepoint("ROLLBACK TO");
  return end_transaction(random_.of({"ROLLBACK", "COMMIT"}));
}

}  // namespace doublets::differential

// What is kept in the store, by source:
//
//   1001 to 1020  accounts, id = source - 1000, target = what is in it; transfers keep the sum
//   2000          a counter, id 50; target = the number of members
//   3000          members, which come, go and change their ids
//   4000 to 4004  pairs that get_or_create makes and others delete; never the same one twice
//   5000          jobs to be done, target = number; the ordinary tables `ordered` and `done` know the same jobs
//   6000          two on call, ids 61 and 62; target > 0 is on duty, and under SERIALIZABLE one always is
#include "stress.hpp"

#include <atomic>
#include <chrono>
#include <iostream>
#include <map>
#include <mutex>
#include <thread>

#include "random.hpp"
#include "session.hpp"

namespace doublets::differential {
namespace {

constexpr const char* kOptions =
    "-c search_path=stress,doublets,public -c deadlock_timeout=20ms -c client_min_messages=error";

// A transaction that the server ended.
struct Ended {
  std::string state;
};

// What all sessions share.
struct Shared {
  std::atomic<bool> stop = false;
  std::atomic<long> job = 0;
  std::mutex mutex;  // protects what follows
  std::string problem;
  std::map<std::string, long> done;   // transactions by kind
  std::map<std::string, long> ended;  // by SQLSTATE

  void fail(const std::string& text) {
    const std::lock_guard lock(mutex);
    if (problem.empty()) problem = text;
    stop = true;
  }
};

class Worker {
 public:
  Worker(const Stress& stress, Shared& shared, int number)
      : stress_(stress),
        shared_(shared),
        random_(stress.seed * 1000 + static_cast<std::uint64_t>(number)),
        session_(kOptions) {}

  void run();
  void check();

 private:
  void transfer();
  void transfer_absolute();
  void members();
  void pairs();
  void order_job();
  void do_job();
  void on_call();
  void maintain();

  void begin(const char* level) { begun_ = true, sql(std::string("BEGIN ISOLATION LEVEL ") + level); }
  // Or rolls back; returns whether it committed.
  bool commit() {
    const bool commits = random_.percent(85);
    sql(commits ? "COMMIT" : "ROLLBACK");
    begun_ = false;
    return commits;
  }
  Outcome sql(const std::string& text);
  std::string value(const std::string& text) {
    const Outcome outcome = sql(text);
    return outcome.rows.empty() ? "" : outcome.rows[0];
  }
  void expect(const std::string& text, const std::string& wanted);
  std::string number(long low, long high) { return std::to_string(random_.between(low, high)); }

  const Stress& stress_;
  Shared& shared_;
  Random random_;
  Session session_;
  bool begun_ = false;
};

Outcome Worker::sql(const std::string& text) {
  Outcome outcome = session_.ask(text);
  if (outcome.state == Outcome::kLost) shared_.fail("lost the connection in " + text + ": " + outcome.message);
  if (outcome.state != "00000") {
    // Serialization failure, deadlock, duplicate, cancelled: part of the game.
    const bool fair =
        outcome.state == "40001" || outcome.state == "40P01" || outcome.state == "23505" || outcome.state == "57014";
    if (!fair) shared_.fail(outcome.text() + " in " + text);
    throw Ended{outcome.state};
  }
  return outcome;
}

void Worker::expect(const std::string& text, const std::string& wanted) {
  const std::string got = value(text);
  if (got != wanted) shared_.fail(text + " gives " + got + " instead of " + wanted);
}

// All invariants, in one snapshot.
void Worker::check() {
  begin(random_.of({"REPEATABLE READ", "REPEATABLE READ READ ONLY", "SERIALIZABLE READ ONLY"}));
  for (int twice = 0; twice < 2; ++twice) {
    expect("SELECT count(*), sum(target) FROM links WHERE source BETWEEN 1001 AND 1020", "20|20000");
    expect("SELECT sum(target) FROM links WHERE id BETWEEN 1 AND 20 AND source = id + 1000", "20000");
    expect("SELECT (SELECT target FROM links WHERE id = 50) - (SELECT count(*) FROM links WHERE source = 3000)", "0");
    expect("SELECT count(*) FROM (SELECT FROM links GROUP BY source, target HAVING count(*) > 1) AS l", "0");
    expect("SELECT count(*) FROM (SELECT FROM links GROUP BY id HAVING count(*) > 1) AS l", "0");
    expect("SELECT (SELECT count(*) FROM ordered) - (SELECT count(*) FROM done) - count_links('links', NULL, 5000)",
           "0");
    expect(
        "SELECT count(*) FROM ordered AS o WHERE (EXISTS (SELECT FROM done AS d WHERE d.job = o.job)) ="
        " (EXISTS (SELECT FROM links WHERE source = 5000 AND target = o.job))",
        "0");
    expect("SELECT count(*) > 0 FROM links WHERE source = 6000 AND target > 0", "t");
    expect("SELECT count(*) - count_links('links') FROM links", "0");
  }
  commit();
}

void Worker::transfer() {
  const std::string amount = number(1, 50);
  begin(random_.of({"READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"}));
  sql("UPDATE links SET target = target - " + amount + " WHERE id = " + number(1, 20));
  if (random_.percent(20)) {
    sql("SAVEPOINT a");
    sql("UPDATE links SET target = target + 7 WHERE source = 1000 + " + number(1, 20));
    sql("ROLLBACK TO a");
  }
  sql("UPDATE links SET target = target + " + amount + " WHERE source = 1000 + " + number(1, 20));
  commit();
}

// Reads, locks or trusts the isolation level, and writes what it has worked out.
void Worker::transfer_absolute() {
  const long low = random_.between(1, 19), high = random_.between(low + 1, 20);
  const bool locks = random_.percent(50) && !stress_.faulty;
  begin(stress_.faulty || locks ? "READ COMMITTED" : random_.of({"REPEATABLE READ", "SERIALIZABLE"}));
  const Outcome both = sql("SELECT id, target FROM links WHERE id IN (" + std::to_string(low) + ", " +
                           std::to_string(high) + ") ORDER BY id" + (locks ? " FOR UPDATE" : ""));
  if (both.rows.size() != 2) return shared_.fail("an account is missing");
  for (int i = 0; i < 2; ++i) {
    const std::string& row = both.rows[static_cast<std::size_t>(i)];
    const std::size_t bar = row.find('|');
    sql("UPDATE links SET target = " + std::to_string(std::stol(row.substr(bar + 1)) + (i == 0 ? -10 : 10)) +
        " WHERE id = " + row.substr(0, bar));
  }
  commit();
}

void Worker::members() {
  begin(random_.of({"READ COMMITTED", "REPEATABLE READ"}));
  switch (random_.below(4)) {
    case 0:
    case 1:
      sql("INSERT INTO links (source, target) VALUES (3000, " + number(1, 200) + ")");
      sql("UPDATE links SET target = target + 1 WHERE id = 50");
      break;
    case 2: {
      const Outcome gone = sql("DELETE FROM links WHERE source = 3000 AND target BETWEEN " + number(1, 100) + " AND " +
                               number(90, 200) + " AND id % 3 = " + number(0, 2) + " RETURNING id");
      sql("UPDATE links SET target = target - " + std::to_string(gone.rows.size()) + " WHERE source = 2000");
      break;
    }
    default:
      sql("UPDATE links SET id = " + number(100000, 200000) + " WHERE source = 3000 AND target = " + number(1, 200));
  }
  commit();
}

// A deleted pair is made anew by a snapshot that sees the old one, except where transactions can run one by one.
void Worker::pairs() {
  const std::string pair = number(4000, 4004) + ", " + number(1, 4);
  const std::string level = random_.of({"READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"});
  std::string id, again;
  begin(level.c_str());
  if (random_.percent(35)) {
    sql("DELETE FROM links WHERE (source, target) = (" + pair + ")");
  } else {
    id = again = value("SELECT get_or_create('links', " + pair + ")");
    if (random_.percent(50)) again = value("SELECT get_or_create('links', " + pair + ")");
  }
  if (commit() && level == "SERIALIZABLE" && id != again)
    shared_.fail("get_or_create gives two ids for (" + pair + "), " + id + " and " + again + ", and commits");
}

void Worker::order_job() {
  begin("READ COMMITTED");
  for (long i = random_.between(1, 3); i > 0; --i) {
    const std::string job = std::to_string(++shared_.job);
    sql("INSERT INTO links (source, target) VALUES (5000, " + job + ")");
    sql("INSERT INTO ordered VALUES (" + job + ")");
  }
  commit();
}

// That a job is done twice is an error of `done`, which knows each job once.
void Worker::do_job() {
  begin("READ COMMITTED");
  const std::string job =
      value("SELECT id, target FROM links WHERE source = 5000 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED");
  if (!job.empty()) {
    const std::size_t bar = job.find('|');
    const std::string number = job.substr(bar + 1);
    expect("DELETE FROM links WHERE id = " + job.substr(0, bar) + " RETURNING source, target", "5000|" + number);
    if (session_.ask("INSERT INTO done VALUES (" + number + ")").state == "23505")
      shared_.fail("job " + number + " is done twice");
  }
  commit();
}

void Worker::on_call() {
  begin("SERIALIZABLE");
  const bool both = value("SELECT count(*) FROM links WHERE source = 6000 AND target > 0") == "2";
  const std::string one = number(61, 62);
  sql(both ? "UPDATE links SET target = -id WHERE id = " + one
           : "UPDATE links SET target = id WHERE source = 6000 AND target < 0");
  commit();
}

void Worker::maintain() {
  switch (random_.below(4)) {
    case 0:
      sql("ANALYZE links");
      break;
    case 1:
      sql("SELECT settle('links')");
      break;
    case 2:
      if (sql("SELECT verify_store('links')").rows.size() > 0)
        shared_.fail("verify_store: " + session_.outcome().text());
      break;
    default:  // what waits longer is cancelled from now on
      sql("SET statement_timeout = " + std::string(random_.of({"0", "0", "30"})));
  }
}

void Worker::run() {
  using Job = void (Worker::*)();
  struct Kind {
    const char* name;
    Job job;
    unsigned weight;
  };
  constexpr Kind kKinds[] = {{"check", &Worker::check, 12},
                             {"transfer", &Worker::transfer, 20},
                             {"absolute", &Worker::transfer_absolute, 15},
                             {"members", &Worker::members, 20},
                             {"pairs", &Worker::pairs, 12},
                             {"order", &Worker::order_job, 8},
                             {"job", &Worker::do_job, 14},
                             {"on call", &Worker::on_call, 8},
                             {"maintain", &Worker::maintain, 1}};
  std::map<std::string, long> done, ended;
  while (!shared_.stop) {
    std::uint64_t pick = random_.below(110);
    for (const Kind& kind : kKinds) {
      if (pick >= kind.weight) {
        pick -= kind.weight;
        continue;
      }
      try {
        (this->*kind.job)();
        ++done[kind.name];
      } catch (const Ended& end) {
        ++ended[end.state];
        if (begun_) (void)session_.ask("ROLLBACK");
        begun_ = false;
      }
      break;
    }
  }
  const std::lock_guard lock(shared_.mutex);
  for (const auto& [name, n] : done)
    shared_.done[name] += n;
  for (const auto& [state, n] : ended)
    shared_.ended[state] += n;
}

void make_tables(Session& session, const std::string& layout) {
  session.run("CREATE EXTENSION IF NOT EXISTS doublets");
  session.run("CREATE SCHEMA IF NOT EXISTS stress");
  session.run("DROP FOREIGN TABLE IF EXISTS links; DROP TABLE IF EXISTS ordered, done");
  session.run("CREATE FOREIGN TABLE links (id bigint, source bigint, target bigint) SERVER doublets OPTIONS (layout '" +
              layout + "', unique_pairs 'true')");
  session.run("CREATE TABLE ordered (job bigint PRIMARY KEY); CREATE TABLE done (job bigint PRIMARY KEY)");
  session.run("INSERT INTO links SELECT i, 1000 + i, 1000 FROM generate_series(1, 20) AS i");
  session.run("INSERT INTO links VALUES (50, 2000, 0), (61, 6000, 61), (62, 6000, 62)");
}

// When nobody is left, nothing stays in flight.
void check_end(Shared& shared) {
  Session session(kOptions);
  const Outcome broken = session.run("SELECT verify_store('links')");
  if (!broken.rows.empty()) shared.fail("verify_store: " + broken.text());
  std::string left;
  for (int i = 0; i < 100; ++i) {
    session.run("SELECT settle('links')");
    left = session.run("SELECT versions_in_flight FROM store_stats('links')").rows.at(0);
    if (left == "0") return;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // another session's snapshot may be in the way
  }
  shared.fail(left + " versions are in flight though nothing runs");
}

}  // namespace

bool run_stress(const Stress& stress) {
  {
    Session session(kOptions);
    make_tables(session, stress.layout);
  }
  Shared shared;
  std::vector<std::thread> threads;
  for (int i = 0; i < stress.sessions; ++i)
    threads.emplace_back([&stress, &shared, i] {
      try {
        Worker(stress, shared, i).run();
      } catch (const std::exception& e) {
        shared.fail(e.what());
      }
    });
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(stress.seconds);
  while (std::chrono::steady_clock::now() < end && !shared.stop)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  shared.stop = true;
  for (std::thread& thread : threads)
    thread.join();
  if (shared.problem.empty()) {
    Worker(stress, shared, stress.sessions).check();
    check_end(shared);
  }
  const bool well = shared.problem.empty();
  if (stress.faulty) return well;
  std::cout << "# " << stress.layout << ", " << stress.sessions << " sessions:";
  for (const auto& [name, n] : shared.done)
    std::cout << ' ' << name << ' ' << n << ';';
  for (const auto& [state, n] : shared.ended)
    std::cout << ' ' << state << ' ' << n << ';';
  std::cout << '\n';
  std::cout << (well ? "ok" : "not ok") << " - many sessions on a store (" << stress.layout << ") keep its invariants"
            << (well ? "" : ": " + shared.problem) << '\n';
  return well;
}

}  // namespace doublets::differential

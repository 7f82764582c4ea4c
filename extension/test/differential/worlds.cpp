#include "worlds.hpp"

#include <chrono>
#include <sstream>
#include <thread>

#include "worlds_sql.hpp"

namespace doublets::differential {
namespace {

// Index scans alone, so that both worlds visit rows through the same kind of plan and the table takes predicate locks
// as fine as it can.
constexpr const char* kOptions =
    "-c enable_seqscan=off -c enable_bitmapscan=off -c max_parallel_workers_per_gather=0 -c jit=off"
    " -c client_min_messages=error -c check_function_bodies=off -c lock_timeout=60s -c deadlock_timeout=20ms -c "
    "search_path=";

const std::string kPaths[] = {"native,public", "store,doublets,public"};

constexpr const char* kMonitor =
    "PREPARE waits(int[]) AS SELECT p, l.pid IS NOT NULL, array_to_string(pg_blocking_pids(p), ' '), "
    "array_to_string(pg_safe_snapshot_blocking_pids(p), ' ') "
    "FROM unnest($1) WITH ORDINALITY AS u(p, n) LEFT JOIN pg_locks AS l ON l.pid = p AND NOT l.granted ORDER BY n";

// What is planted when: a trigger on the native table, or a constraint.
const char* planted(Plant plant) {
  switch (plant) {
    case Plant::kRows:  // an UPDATE that writes something else
      return "CREATE OR REPLACE FUNCTION native.planted() RETURNS trigger LANGUAGE plpgsql AS "
             "'BEGIN NEW.target := NEW.target + 1; RETURN NEW; END';"
             "CREATE TRIGGER planted BEFORE UPDATE ON links FOR EACH ROW WHEN (NEW.source = 3) EXECUTE FUNCTION "
             "planted();";
    case Plant::kCount:  // a DELETE that spares a row
      return "CREATE OR REPLACE FUNCTION native.planted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';"
             "CREATE TRIGGER planted BEFORE DELETE ON links FOR EACH ROW WHEN (OLD.source = 2) EXECUTE FUNCTION "
             "planted();";
    case Plant::kState:  // an error of its own
      return "ALTER TABLE links ADD CHECK (id <> 102);";
    case Plant::kBlocking:  // inserters wait for each other
      return "CREATE OR REPLACE FUNCTION native.planted() RETURNS trigger LANGUAGE plpgsql AS "
             "'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END';"
             "CREATE TRIGGER planted BEFORE INSERT ON links FOR EACH ROW EXECUTE FUNCTION planted();";
    default:
      return "";
  }
}

std::set<int> numbers(const std::string& text) {
  std::istringstream in(text);
  std::set<int> set;
  for (int n; in >> n;)
    set.insert(n);
  return set;
}

// Whether the waiters of one world wait in a circle; `edges` by session.
bool circular(const std::array<std::set<int>, kSessions>& edges) {
  for (int start = 0; start < kSessions; ++start) {
    std::set<int> seen, next = edges[static_cast<std::size_t>(start)];
    while (!next.empty()) {
      const int session = *next.begin();
      next.erase(next.begin());
      if (session == start) return true;
      if (seen.insert(session).second)
        next.insert(edges[static_cast<std::size_t>(session)].begin(), edges[static_cast<std::size_t>(session)].end());
    }
  }
  return false;
}

}  // namespace

Worlds::Worlds() {
  connect();
  Session& control = *monitor_;
  control.run("CREATE EXTENSION IF NOT EXISTS doublets");
  control.run(
      "DO $$ DECLARE store text; BEGIN"
      " FOR store IN SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class AS c JOIN pg_namespace AS n"
      " ON n.oid = c.relnamespace WHERE n.nspname = 'store' AND c.relkind = 'f' LOOP"
      " EXECUTE 'DROP FOREIGN TABLE ' || store; END LOOP; END $$");
  control.run("DROP SCHEMA IF EXISTS native CASCADE");
  control.run("DROP SCHEMA IF EXISTS store CASCADE");
  control.run("CREATE SCHEMA native");
  control.run("CREATE SCHEMA store");
  controls_[kNative]->run(kNativeFunctions);
  controls_[kStore]->run(kStoreFunctions);
}

void Worlds::connect() {
  for (const WorldName world : kWorlds) {
    const std::string options = kOptions + kPaths[world];
    sessions_[world].clear();
    for (int i = 0; i < kSessions; ++i)
      sessions_[world].push_back(std::make_unique<Session>(options));
    controls_[world] = std::make_unique<Session>(options);
  }
  monitor_ = std::make_unique<Session>("-c jit=off");
  monitor_->run(kMonitor);
}

void Worlds::reset(const Schedule& schedule, Plant plant) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  for (bool again = false;; again = true) {
    try {
      if (again) connect();
      for (const WorldName world : kWorlds)
        for (const auto& session : sessions_[world]) {
          session->quiet();
          session->run("ROLLBACK");
          session->run("DISCARD ALL");
        }
      break;
    } catch (const ConnectionError&) {
      if (std::chrono::steady_clock::now() > deadline) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
  }
  const std::string unique = schedule.unique ? "true" : "false";
  controls_[kNative]->run(
      "DROP TABLE IF EXISTS links, helper;"
      "CREATE TABLE links (id bigint PRIMARY KEY, source bigint NOT NULL, target bigint NOT NULL" +
      std::string(schedule.unique ? ", UNIQUE (source, target)" : "") +
      ");CREATE INDEX ON links (source);CREATE INDEX ON links (target);" + kHelper + planted(plant));
  controls_[kStore]->run(
      "DROP FOREIGN TABLE IF EXISTS links; DROP TABLE IF EXISTS helper;"
      "CREATE FOREIGN TABLE links (id bigint, source bigint NOT NULL, target bigint NOT NULL) SERVER doublets"
      " OPTIONS (layout '" +
      schedule.layout + "', unique_pairs '" + unique + "');" + kHelper);
  for (const WorldName world : kWorlds)
    for (const std::string& sql : schedule.setup)
      controls_[world]->run(sql);
}

int Worlds::number_of(int pid) const {
  for (const WorldName world : kWorlds)
    for (int i = 0; i < kSessions; ++i)
      if (sessions_[world][static_cast<std::size_t>(i)]->pid() == pid) return i;
  return -1;
}

std::vector<std::set<int>> Worlds::blockers(const std::vector<Waiter>& waiters) {
  std::string pids;
  for (const Waiter& w : waiters)
    pids += (pids.empty() ? "" : ",") + std::to_string(session(w.world, w.session).pid());
  const Outcome outcome = monitor_->run("EXECUTE waits('{" + pids + "}')");
  std::vector<std::set<int>> result;
  std::array<std::array<std::set<int>, kSessions>, 2> edges;
  for (std::size_t i = 0; i < waiters.size() && i < outcome.rows.size(); ++i) {
    // pid|waits for a lock|whose|whose end a safe snapshot needs
    std::istringstream row(outcome.rows[i]);
    std::string pid, waits, locks, snapshots;
    std::getline(row, pid, '|');
    std::getline(row, waits, '|');
    std::getline(row, locks, '|');
    std::getline(row, snapshots, '|');
    const std::set<int> found = numbers(waits == "t" ? locks : snapshots);
    std::set<int> sessions;
    for (const int blocker : found) {
      const int number = number_of(blocker);
      if (number < 0) return {};
      sessions.insert(number);
    }
    if (sessions.empty()) return {};
    edges[waiters[i].world][static_cast<std::size_t>(waiters[i].session)] = sessions;
    result.push_back(sessions);
  }
  for (const auto& world : edges)
    if (circular(world)) return {};
  return result;
}

}  // namespace doublets::differential

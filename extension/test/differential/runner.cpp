#include "runner.hpp"

#include <poll.h>

#include <algorithm>
#include <sstream>

namespace doublets::differential {
namespace {

constexpr const char* kDeadlock = "40P01";
constexpr const char* kSuccess = "00000";
constexpr const char* kOrder = "order of rows";
constexpr const char* kTwins = "an id seen twice";
constexpr const char* kQueue = "order of waiters";
constexpr std::chrono::seconds kHang{30};

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

bool asks_for_id(const Step& step) {
  return contains(step.sql, ":id");
}

// The statement with the id, or the array of ids, that it asks for.
std::string with_id(const std::string& sql, const std::string& id) {
  std::string text = sql;
  const std::size_t at = text.find(":id");
  if (at != std::string::npos) text.replace(at, text.compare(at, 4, ":ids") == 0 ? 4 : 3, id);
  return text;
}

std::string text_of(const std::set<int>& sessions) {
  std::string text;
  for (const int session : sessions)
    text += (text.empty() ? "" : ", ") + std::to_string(session + 1);
  return text;
}

bool meet(const std::set<int>& a, const std::set<int>& b) {
  return std::any_of(a.begin(), a.end(), [&b](int session) { return b.contains(session); });
}

}  // namespace

Runner::Runner(Worlds& worlds, const Schedule& schedule, Plant plant) : worlds_(worlds) {
  worlds.reset(schedule, plant);
}

void Runner::end(Verdict verdict, const std::string& kind, const std::string& text) {
  if (!open_) return;
  open_ = false;
  report_.verdict = verdict;
  report_.kind = kind;
  report_.text = text;
}

void Runner::differ(const std::string& kind, const std::string& text) {
  if (open_ && kind != "lost" && somebody_sees_twins())
    end(Verdict::kUndecided, kTwins, text);
  else
    end(Verdict::kDifference, kind, text);
}

bool Runner::sees_twins(WorldName world, int number) {
  Session& session = worlds_.session(world, number);
  if (session.pending() || session.transaction() != 'T') return false;
  return !session.ask("SELECT FROM links GROUP BY id HAVING count(*) > 1").rows.empty();
}

bool Runner::somebody_sees_twins() {
  for (const WorldName world : kWorlds)
    for (int i = 0; i < kSessions; ++i)
      if (sees_twins(world, i)) return true;
  return false;
}

bool Runner::admits(const Step& step) const {
  if (!open_ || logical(step.session).pending) return false;
  for (const Logical& other : logical_) {
    if (!other.pending) continue;
    if (step.effect == Effect::kMany) return false;
    if (other.step.effect == Effect::kMany && step.effect == Effect::kWrite) return false;
  }
  return true;
}

// Sends the step in both worlds; where it asks for an id, in the store first, and waits for what comes of that.
void Runner::send(const Step& step) {
  Session& store = worlds_.session(kStore, step.session);
  Session& native = worlds_.session(kNative, step.session);
  store.send(with_id(step.sql, "NULL"));
  if (!asks_for_id(step)) return native.send(step.sql);
  (void)settle();
  // Where the store came up with none, the table is not to either; were it to, the outcomes would tell.
  const bool got = !store.pending() && store.outcome().state == kSuccess && store.outcome().rows.size() == 1;
  const std::string row = got ? store.outcome().rows[0] : std::to_string(next_id_++);
  if (!got && contains(step.sql, ":ids")) return native.send(with_id(step.sql, "NULL"));
  native.send(with_id(step.sql, "'" + row.substr(0, row.find('|')) + "'"));
}

bool Runner::run(const Step& step) {
  if (!admits(step)) return false;
  try {
    issue(step);
  } catch (const ConnectionError& e) {
    differ("lost", e.what());
  }
  return true;
}

void Runner::issue(const Step& step) {
  Logical& session = logical(step.session);
  session.pending = true;
  session.step = step;
  session.issued = ++report_.statements;
  if (contains(step.sql, "BEGIN ") && step.effect == Effect::kEnd)
    session.repeatable = contains(step.sql, "REPEATABLE READ");
  std::ostringstream line;
  line << step;
  note(line.str());
  send(step);
  if (!settle()) return;
  compare();
  if (open_ && session.pending) ++report_.blocked;
  if (open_ && session.pending && asks_for_id(step)) cancel(step.session, "the id it asks for");
  cancel_races();
  // Under SERIALIZABLE the look would count as a read, so there it is left to when there is a difference.
  // Not of this session alone: its step may be what others have waited for.
  for (int i = 0; i < kSessions && open_; ++i) {
    const Logical& other = logical(i);
    if (other.repeatable && (contains(other.step.sql, "INSERT") || contains(other.step.sql, "SET id")) &&
        sees_twins(kNative, i))
      end(Verdict::kUndecided, kTwins, "");
  }
}

// Takes what has come; returns who is still pending.
std::vector<Waiter> Runner::collect() {
  std::vector<Waiter> waiters;
  for (const WorldName world : kWorlds)
    for (int i = 0; i < kSessions; ++i)
      if (worlds_.session(world, i).pending() && !worlds_.session(world, i).collect()) waiters.push_back({world, i});
  return waiters;
}

// Waits until every pending statement is done or blocked for good. Returns false when that does not come to pass.
bool Runner::settle() {
  const auto deadline = std::chrono::steady_clock::now() + kHang;
  // Milliseconds before the locks are looked at; a look costs as much as a statement, so more each time.
  int patience = 2;
  for (bool first = true; std::chrono::steady_clock::now() < deadline; first = false) {
    const std::vector<Waiter> waiters = collect();
    if (waiters.empty()) return true;
    std::vector<pollfd> fds;
    for (const Waiter& w : waiters)
      fds.push_back({worlds_.session(w.world, w.session).socket(), POLLIN, 0});
    const bool fresh = std::any_of(waiters.begin(), waiters.end(),
                                   [this](const Waiter& w) { return logical(w.session).blockers[w.world].empty(); });
    // Who was blocked before stays so in most cases; those just sent are given a moment.
    if (poll(fds.data(), fds.size(), first && !fresh ? 0 : patience) > 0) continue;
    patience = std::min(patience * 2, 50);
    const std::vector<std::set<int>> found = worlds_.blockers(waiters);
    if (found.empty()) continue;
    for (std::size_t i = 0; i < waiters.size(); ++i)
      logical(waiters[i].session).blockers[waiters[i].world] = found[i];
    return true;
  }
  std::string who;
  for (const Waiter& w : collect())
    who += std::string(" ") + kWorldNames[w.world] + " " + std::to_string(w.session + 1);
  differ("hang", "neither done nor blocked after 30 seconds:" + who);
  return false;
}

// Compares the sessions that were pending, of which each is now done or blocked.
void Runner::compare() {
  const bool deadlocks[] = {deadlocked(kNative), deadlocked(kStore)};
  if (deadlocks[kNative] && deadlocks[kStore]) return end(Verdict::kAgree, "deadlock", "");
  if (deadlocks[kNative] || deadlocks[kStore])
    return differ("deadlock", std::string("in the ") + (deadlocks[kNative] ? "table" : "store") + " alone");
  for (int i = 0; i < kSessions; ++i)
    if (refused(kNative, i) != refused(kStore, i))
      return end(Verdict::kUndecided, refused(kStore, i) ? "the store refuses more" : "the table refuses more", "");
  for (int i = 0; i < kSessions && open_; ++i) {
    Logical& session = logical(i);
    if (!session.pending) continue;
    const bool waits[] = {worlds_.session(kNative, i).pending(), worlds_.session(kStore, i).pending()};
    const Outcome& native = worlds_.session(kNative, i).outcome();
    const Outcome& store = worlds_.session(kStore, i).outcome();
    const std::string who = "session " + std::to_string(i + 1);
    if (!waits[kNative] && !waits[kStore]) {
      compare_ended(i);
    } else if (waits[kNative] && waits[kStore]) {
      note("# " + who + " waits for " + text_of(session.blockers[kNative]));
      if (session.blockers[kNative] == session.blockers[kStore]) continue;
      if (session.step.effect == Effect::kMany)
        end(Verdict::kUndecided, kOrder, who);
      else if (report_.queue_moved && roots(i, kNative) == roots(i, kStore))
        end(Verdict::kUndecided, kQueue, who);
      else
        differ("blockers", who + " waits for " + text_of(session.blockers[kNative]) + " in the table, for " +
                               text_of(session.blockers[kStore]) + " in the store");
    } else if (session.step.effect == Effect::kMany && (waits[kNative] ? store : native).state != kSuccess) {
      end(Verdict::kUndecided, kOrder, who);
    } else if (waits[kNative]) {
      differ("blocking",
             who + " waits for " + text_of(session.blockers[kNative]) + " in the table; in the store: " + store.text());
    } else {
      differ("blocking",
             who + " waits for " + text_of(session.blockers[kStore]) + " in the store; in the table: " + native.text());
    }
  }
}

// Whether a statement that was pending ended for what serializable transactions have read and written.
bool Runner::refused(WorldName world, int session) {
  const Session& s = worlds_.session(world, session);
  return logical(session).pending && !s.pending() && s.outcome().state == "40001" &&
         contains(s.outcome().message, "read/write dependencies");
}

// Whether a statement that was pending ended in a deadlock.
bool Runner::deadlocked(WorldName world) {
  for (int i = 0; i < kSessions; ++i) {
    const Session& session = worlds_.session(world, i);
    if (logical(i).pending && !session.pending() && session.outcome().state == kDeadlock) return true;
  }
  return false;
}

// The sessions that can let a waiting one go on, by way of others that wait, too.
std::set<int> Runner::roots(int session, WorldName world) const {
  std::set<int> seen, roots, next = logical(session).blockers[world];
  while (!next.empty()) {
    const int s = *next.begin();
    next.erase(next.begin());
    if (!seen.insert(s).second) continue;
    if (logical(s).pending)
      next.insert(logical(s).blockers[world].begin(), logical(s).blockers[world].end());
    else
      roots.insert(s);
  }
  return roots;
}

void Runner::compare_ended(int i) {
  Logical& session = logical(i);
  const Outcome& native = worlds_.session(kNative, i).outcome();
  const Outcome& store = worlds_.session(kStore, i).outcome();
  const std::string who = "session " + std::to_string(i + 1);
  session.pending = false;
  session.blockers = {};
  for (const Logical& other : logical_)
    report_.queue_moved |= other.pending && other.blockers[kNative].contains(i);
  note("#   " + std::to_string(i + 1) + ": " + native.text());
  if (store.state == Outcome::kLost || native.state == Outcome::kLost) {
    differ("lost", who + ": " + (store.state == Outcome::kLost ? store.message : native.message));
  } else if (!same(session.step.sql, native, store)) {
    if (session.step.effect == Effect::kMany && native.state != kSuccess && store.state != kSuccess)
      end(Verdict::kUndecided, kOrder, who);
    else
      differ(native.state != store.state ? "state" : "rows",
             who + "\n  table: " + native.text() + "\n  store: " + store.text());
  } else if (worlds_.session(kStore, i).transaction() != transaction(i)) {
    differ("transaction", who + " is in another state");
  }
}

void Runner::cancel(int session, const char* why) {
  note("# session " + std::to_string(session + 1) + " is cancelled: " + why);
  for (const WorldName world : kWorlds)
    if (worlds_.session(world, session).pending()) worlds_.session(world, session).cancel();
  // The locks would still show it as waiting for a moment.
  for (const WorldName world : kWorlds) {
    Session& s = worlds_.session(world, session);
    while (!s.collect()) {
      pollfd fd{s.socket(), POLLIN, 0};
      if (poll(&fd, 1, 10000) == 0) return differ("hang", "a cancelled statement goes on");
    }
  }
  if (settle()) compare();
}

// Of two sessions that the end of one would release at the same time, the later one gives up.
void Runner::cancel_races() {
  while (open_) {
    int loser = -1;
    for (int i = 0; i < kSessions; ++i)
      for (int j = 0; j < kSessions; ++j) {
        const Logical &a = logical(i), &b = logical(j);
        if (!a.pending || !b.pending || a.issued >= b.issued) continue;
        if (a.step.effect == Effect::kRead && b.step.effect == Effect::kRead) continue;
        if (meet(a.blockers[kNative], b.blockers[kNative]) || meet(a.blockers[kStore], b.blockers[kStore])) loser = j;
      }
    if (loser < 0) return;
    cancel(loser, "a race");
  }
}

void Runner::finish() {
  for (bool busy = true; busy && open_;) {
    busy = false;
    for (int i = 0; i < kSessions && open_; ++i)
      if (!logical(i).pending && transaction(i) != 'I') {
        busy = true;
        run({i, Effect::kEnd, "COMMIT"});
      }
    for (int i = 0; i < kSessions && open_ && !busy; ++i)
      if (logical(i).pending) {
        busy = true;
        cancel(i, "the end");
      }
  }
  try {
    if (open_) compare_ends();
  } catch (const ConnectionError& e) {
    differ("lost", e.what());
  }
}

void Runner::compare_ends() {
  // The same rows, whichever way they are found.
  const Step all{0, Effect::kRead,
                 "SELECT 'row', id, source, target FROM links"
                 " UNION ALL SELECT 'source', s, count(*), sum(id) FROM generate_series(-2, 12) AS s JOIN links ON "
                 "source = s GROUP BY s"
                 " UNION ALL SELECT 'target', t, count(*), sum(id) FROM generate_series(-2, 12) AS t JOIN links ON "
                 "target = t GROUP BY t"
                 " UNION ALL SELECT 'pair', s, t, sum(id) FROM generate_series(0, 6) AS s, generate_series(0, 6) AS t"
                 " JOIN LATERAL (SELECT id FROM links WHERE source = s AND target = t) AS l ON true GROUP BY s, t"
                 " UNION ALL SELECT 'id', i, source, target FROM generate_series(1, 30) AS i JOIN links ON id = i"
                 " UNION ALL SELECT 'helper', id, link, value FROM helper"};
  const Outcome native = worlds_.control(kNative).run(all.sql);
  const Outcome store = worlds_.control(kStore).run(all.sql);
  if (!same(all.sql, native, store))
    return differ("tables", "at the end\n  table: " + native.text() + "\n  store: " + store.text());
  const Outcome broken = worlds_.control(kStore).run("SELECT verify_store('links')");
  if (!broken.rows.empty()) differ("verify", broken.text());
}

Report run_schedule(Worlds& worlds, const Schedule& schedule, Plant plant) {
  Runner runner(worlds, schedule, plant);
  for (const Step& step : schedule.steps)
    runner.run(step);
  runner.finish();
  return runner.report();
}

}  // namespace doublets::differential

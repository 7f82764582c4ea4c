// The two worlds a schedule runs in: schema `native` with an ordinary table `links`, schema `store` with a store of
// that name, each with its own session for every session of the schedule; and the view of who waits for whom.
#pragma once

#include <array>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "schedule.hpp"
#include "session.hpp"

namespace doublets::differential {

enum WorldName { kNative, kStore };
inline constexpr std::array<WorldName, 2> kWorlds{kNative, kStore};
inline constexpr const char* kWorldNames[] = {"native", "store"};

// A pending session of a schedule in one world.
struct Waiter {
  WorldName world;
  int session;
};

// A fault put into the native world on purpose, to see that it is found.
enum class Plant { kNone, kRows, kCount, kState, kBlocking };

class Worlds {
 public:
  // Makes the schemas and their functions in the database that the PG* variables name. Errors: ConnectionError,
  // std::runtime_error.
  Worlds();

  // New tables as the schedule wants them, sessions as if just connected. Waits for a server that is recovering from
  // a crash.
  void reset(const Schedule& schedule, Plant plant);

  Session& session(WorldName world, int number) { return *sessions_[world][static_cast<std::size_t>(number)]; }
  // A session in that world that takes no part.
  Session& control(WorldName world) { return *controls_[world]; }

  // If each of the waiters is blocked and none of them can go on without a session that is not waiting: the numbers of
  // the sessions each one waits for. Else empty: somebody is at work, or there is a deadlock to be found. The locks are
  // looked at in one instant, so the answer cannot be torn.
  std::vector<std::set<int>> blockers(const std::vector<Waiter>& waiters);

 private:
  void connect();
  int number_of(int pid) const;  // -1: no session of ours

  std::array<std::vector<std::unique_ptr<Session>>, 2> sessions_;
  std::array<std::unique_ptr<Session>, 2> controls_;
  std::unique_ptr<Session> monitor_;
};

}  // namespace doublets::differential

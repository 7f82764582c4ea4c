// Whether what commits under SERIALIZABLE on a store could have happened one transaction after the other.
//
// Random transactions of several sessions run on the store alone. Then an order is looked for in which the committed
// ones, run one by one on an ordinary table, give each statement the outcome it had, and in the end the rows that are
// there. This is the definition itself, so it needs no table under SERIALIZABLE to compare with, which refuses more in
// one place and less in another.
#pragma once

#include <cstdint>
#include <string>

#include "worlds.hpp"

namespace doublets::differential {

struct SerialTest {
  std::uint64_t seed = 1;  // of the first schedule
  std::size_t schedules = 100;
  std::vector<std::string> layouts{"split", "united"};
  const char* level = "SERIALIZABLE";  // a weaker one must be found out
};

struct SerialResult {
  std::size_t schedules = 0, committed = 0, refused = 0, undecided = 0;
  std::string problem;  // a history without such an order, if there was one
};

// Stops at the first problem. Errors: ConnectionError, std::runtime_error.
SerialResult run_serial(Worlds& worlds, const SerialTest& test);

}  // namespace doublets::differential

// Many sessions at once on one store, with invariants that hold in every snapshot.
#pragma once

#include <cstdint>
#include <string>

namespace doublets::differential {

struct Stress {
  std::string layout = "split";
  std::uint64_t seed = 1;  // of what is tried; the order is the machine's
  int seconds = 10;
  int sessions = 12;
  bool faulty = false;  // transfers that lose updates, to see that it is found; says nothing
};

// Runs in schema `stress` of the database that the PG* variables name. Prints one line, "ok - …" or "not ok - …" with
// the first thing that was wrong. Returns whether all was well. Errors: ConnectionError, std::runtime_error.
bool run_stress(const Stress& stress);

}  // namespace doublets::differential

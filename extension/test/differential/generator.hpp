// Makes up schedules, step by step, knowing how the steps so far went.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "random.hpp"
#include "runner.hpp"
#include "schedule.hpp"

namespace doublets::differential {

// What may occur in a schedule.
struct Features {
  bool row_locks = true;
  bool serializable = true;
  bool deferrable = true;
  bool functions = true;
  bool cursors = true;
  bool truncate = true;
  bool unique_pairs = true;
};

class Generator {
 public:
  Generator(std::uint64_t seed, const Features& features);

  // Options and first rows; the steps are to come.
  Schedule start(const std::string& layout);
  // The next step, or one of no use (the runner skips those that its rules forbid).
  Step next(const Runner& runner);
  // A statement whose outcome follows from the rows alone: it neither controls transactions nor skips what is locked,
  // nor does it ask for an id or make anything of a conflict.
  std::string plain_statement();

 private:
  using Maker = std::string (Generator::*)();
  // A kind of statement, and how often it comes in this schedule.
  struct Family {
    Effect effect;
    Maker make;
    unsigned weight;
  };

  // What a session has made and may refer to, as far as is known without looking at what came of it.
  struct Names {
    std::vector<std::string> savepoints, cursors, prepared;
  };

  // generator.cpp: the course of transactions
  Names& names() { return names_[static_cast<std::size_t>(session_)]; }
  std::string begin();
  std::string control();
  std::string after_failure();
  std::string end_transaction(const char* sql);
  std::string set_savepoint();
  std::string back_to_savepoint(const char* command);
  const std::string& known(const std::vector<std::string>& names);
  int choose_session(const Runner& runner);
  void choose_families();

  // generator_parts.cpp: values and conditions
  std::string id();
  std::string fresh_id();
  std::string new_id();
  std::string end_value();
  std::string list(std::string (Generator::*value)());
  std::string condition();
  std::string several();
  std::string one();
  std::string change();
  std::string change_of_many();

  // generator_reads.cpp
  std::string select();
  std::string aggregate();
  std::string ordered();
  std::string join();
  std::string read_function();
  std::string cursor();
  std::string prepared();
  std::string lock_one();
  std::string lock_many();
  std::string lock_next();

  // generator_writes.cpp
  std::string insert();
  std::string insert_many();
  std::string update();
  std::string update_many();
  std::string remove();
  std::string remove_many();
  std::string joined();
  std::string with();
  std::string block();
  std::string helper();
  std::string function();
  std::string function_many();
  std::string truncate();
  std::string maintain();
  std::string maybe_returning();

  Random random_;
  Features features_;
  bool unique_ = false;
  int sessions_ = 2;
  int session_ = 0;  // of the step that is being made
  std::array<Names, kSessions> names_;
  unsigned serializable_percent_ = 0;
  int deferrable_session_ = -1;
  unsigned autocommit_percent_ = 0;
  unsigned hot_percent_ = 0;  // how often an id is one of the first hot_ids_
  long hot_ids_ = 1;
  long last_fresh_ = 100;
  long shift_ = 1000;
  std::vector<Family> families_;
};

}  // namespace doublets::differential

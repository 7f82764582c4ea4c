#include "schedule.hpp"

#include <istream>
#include <ostream>
#include <sstream>
#include <stdexcept>

namespace doublets::differential {
namespace {

constexpr const char* kEffects[] = {"read", "end", "write", "many"};

Effect effect_of(const std::string& word) {
  for (int i = 0; i < 4; ++i)
    if (word == kEffects[i]) return static_cast<Effect>(i);
  throw std::runtime_error("no effect '" + word + "'");
}

void read_line(const std::string& line, Schedule& schedule) {
  std::istringstream in(line);
  std::string word;
  in >> word;
  if (word == "layout") {
    in >> schedule.layout;
  } else if (word == "unique") {
    in >> word;
    schedule.unique = word == "true";
  } else {
    Step step;
    if (word != "setup") {
      step.session = word.size() == 1 ? word[0] - '1' : -1;
      if (step.session < 0 || step.session >= kSessions) throw std::runtime_error("no session '" + word + "'");
      in >> word;
      step.effect = effect_of(word);
      word.clear();
    }
    std::getline(in >> std::ws, step.sql);
    if (word == "setup")
      schedule.setup.push_back(step.sql);
    else
      schedule.steps.push_back(step);
  }
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Step& step) {
  return out << step.session + 1 << ' ' << kEffects[static_cast<int>(step.effect)] << ' ' << step.sql;
}

std::ostream& operator<<(std::ostream& out, const Schedule& schedule) {
  out << "layout " << schedule.layout << "\nunique " << (schedule.unique ? "true" : "false") << '\n';
  for (const std::string& sql : schedule.setup)
    out << "setup " << sql << '\n';
  for (const Step& step : schedule.steps)
    out << step << '\n';
  return out;
}

Schedule read_schedule(std::istream& in) {
  Schedule schedule;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    try {
      read_line(line, schedule);
    } catch (const std::exception& e) {
      throw std::runtime_error("line " + std::to_string(number) + ": " + e.what());
    }
  }
  return schedule;
}

}  // namespace doublets::differential

// Random schedules of several sessions on an ordinary table and on a store, compared statement by statement. The server
// and the database are those that the PG* variables name. See README.md.
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>

#include "generator.hpp"
#include "reduce.hpp"
#include "runner.hpp"
#include "serial.hpp"
#include "stress.hpp"

namespace doublets::differential {
namespace {

struct Settings {
  std::uint64_t seed = 1;
  std::size_t schedules = 100;
  std::size_t statements = 0;   // instead of a number of schedules
  std::size_t steps = 60;       // of a schedule
  std::size_t differences = 1;  // to be shown before the program ends
  std::vector<std::string> layouts{"split", "united"};
  std::vector<std::string> replays;
  int stress = 0;          // seconds
  std::size_t serial = 0;  // schedules
  bool self_test = false;
  bool reduces = true;
  bool shows = false;
  Plant plant = Plant::kNone;
  Features features;
};

constexpr const char* kUsage = R"(usage: differential [OPTION]…
  --seed N         of the first schedule; each next one has the next seed (default 1)
  --schedules N    how many (default 100)
  --statements N   go on until so many statements were run, instead
  --steps N        of each schedule (default 60)
  --layout NAME    split or united (default: in turn)
  --without NAME   leave out row_locks, serializable, deferrable, functions, cursors,
                   truncate or unique_pairs; may be given again
  --differences N  go on until so many are found (default 1)
  --no-reduce      show differences as they were found
  --show           show every schedule, with what happened
  --replay FILE    run a schedule from a file instead; may be given again
  --stress SECONDS instead of schedules, twelve sessions at once on a store of each layout, with invariants
  --serial N       instead, N schedules on the store alone: what commits under SERIALIZABLE could have run one by one
  --self-test      plant faults and see that they are found and reduced
)";

// What all schedules together came to.
struct Totals {
  std::size_t schedules = 0, statements = 0, blocked = 0, undecided = 0, differences = 0;
  std::map<std::string, std::size_t> ends;  // other than a plain agreement
};

bool* feature(Features& features, const std::string& name) {
  const std::map<std::string, bool*> all = {
      {"row_locks", &features.row_locks},      {"serializable", &features.serializable},
      {"deferrable", &features.deferrable},    {"functions", &features.functions},
      {"cursors", &features.cursors},          {"truncate", &features.truncate},
      {"unique_pairs", &features.unique_pairs}};
  const auto found = all.find(name);
  return found == all.end() ? nullptr : found->second;
}

bool parse(int argc, char** argv, Settings& settings) {
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--self-test" || name == "--no-reduce" || name == "--show") {
      settings.self_test |= name == "--self-test";
      settings.reduces &= name != "--no-reduce";
      settings.shows |= name == "--show";
      continue;
    }
    if (++i == argc) return false;
    const std::string value = argv[i];
    if (name == "--seed") {
      settings.seed = std::strtoull(value.c_str(), nullptr, 10);
    } else if (name == "--schedules") {
      settings.schedules = std::strtoull(value.c_str(), nullptr, 10);
    } else if (name == "--statements") {
      settings.statements = std::strtoull(value.c_str(), nullptr, 10);
    } else if (name == "--serial") {
      settings.serial = std::strtoull(value.c_str(), nullptr, 10);
    } else if (name == "--stress") {
      settings.stress = std::atoi(value.c_str());
    } else if (name == "--steps") {
      settings.steps = std::strtoull(value.c_str(), nullptr, 10);
    } else if (name == "--differences") {
      settings.differences = std::strtoull(value.c_str(), nullptr, 10);
    } else if (name == "--layout") {
      settings.layouts = {value};
    } else if (name == "--replay") {
      settings.replays.push_back(value);
    } else if (name == "--without" && feature(settings.features, value) != nullptr) {
      *feature(settings.features, value) = false;
    } else {
      return false;
    }
  }
  return true;
}

// Makes and runs the schedule of a seed.
Report run_random(Worlds& worlds, const Settings& settings, std::uint64_t seed, Schedule& schedule) {
  Generator generator(seed, settings.features);
  schedule = generator.start(settings.layouts[seed % settings.layouts.size()]);
  Runner runner(worlds, schedule, settings.plant);
  for (std::size_t i = 0; i < settings.steps && runner.open(); ++i) {
    const Step step = generator.next(runner);
    if (runner.run(step)) schedule.steps.push_back(step);
  }
  runner.finish();
  return runner.report();
}

Schedule reduce_difference(Worlds& worlds, const Settings& settings, const Schedule& schedule,
                           const std::string& kind) {
  return reduce(schedule, [&](const Schedule& smaller) {
    const Report report = run_schedule(worlds, smaller, settings.plant);
    return report.verdict == Verdict::kDifference && report.kind == kind;
  });
}

void show(const Schedule& schedule, const Report& report) {
  std::cout << schedule << "# --- what happened:\n";
  for (const std::string& line : report.transcript)
    std::cout << "# " << line << '\n';
  std::cout << "# --- " << report.kind << ": ";
  for (const char c : report.text)
    std::cout << (c == '\n' ? "\n# " : std::string(1, c));
  std::cout << '\n';
}

// Shows a difference, reduced if it comes again.
void show_difference(Worlds& worlds, const Settings& settings, std::uint64_t seed, const Schedule& schedule,
                     const Report& report) {
  std::cout << "not ok - seed " << seed << ": " << report.kind << '\n';
  if (!settings.reduces) return show(schedule, report);
  const Report again = run_schedule(worlds, schedule, settings.plant);
  if (again.verdict != Verdict::kDifference || again.kind != report.kind) {
    std::cout << "# it does not come again when replayed; as it was:\n";
    return show(schedule, report);
  }
  const Schedule small = reduce_difference(worlds, settings, schedule, report.kind);
  show(small, run_schedule(worlds, small, settings.plant));
}

// A difference after a queue has moved may be a race that either world can win (runner.hpp); one that is there to stay
// shows in nearly every replay.
bool is_chance(Worlds& worlds, const Settings& settings, const Schedule& schedule, const Report& report) {
  if (!report.queue_moved) return false;
  constexpr int kReplays = 5, kMayAgree = 1;
  int agreed = 0;
  for (int i = 0; i < kReplays; ++i) agreed += run_schedule(worlds, schedule, settings.plant).verdict != Verdict::kDifference;
  return agreed > kMayAgree;
}

Totals run_all(Worlds& worlds, const Settings& settings) {
  Totals totals;
  const auto enough = [&] {
    return settings.statements > 0 ? totals.statements >= settings.statements : totals.schedules >= settings.schedules;
  };
  for (std::size_t i = 0; !enough() && totals.differences < settings.differences; ++i) {
    Schedule schedule;
    Report report = run_random(worlds, settings, settings.seed + i, schedule);
    ++totals.schedules;
    totals.statements += report.statements;
    totals.blocked += report.blocked;
    if (settings.shows) show(schedule, report);
    if (report.verdict == Verdict::kDifference && is_chance(worlds, settings, schedule, report)) {
      report.verdict = Verdict::kUndecided;
      report.kind = "a difference only once";
    }
    if (report.verdict == Verdict::kUndecided) ++totals.undecided;
    if (!report.kind.empty()) ++totals.ends[report.kind];
    if (report.verdict == Verdict::kDifference) {
      ++totals.differences;
      show_difference(worlds, settings, settings.seed + i, schedule, report);
      std::cout.flush();
    }
  }
  return totals;
}

bool replay(Worlds& worlds, const Settings& settings, const std::string& name) {
  std::ifstream file(name);
  if (!file) throw std::runtime_error("cannot read " + name);
  const Schedule schedule = read_schedule(file);
  const Report report = run_schedule(worlds, schedule, settings.plant);
  const bool agrees = report.verdict != Verdict::kDifference;
  std::cout << (agrees ? "ok" : "not ok") << " - " << name.substr(name.rfind('/') + 1) << '\n';
  if (!agrees || settings.shows) show(schedule, report);
  return agrees;
}

// Each planted fault is found, reduced to a few steps that show it when replayed from their text, and not without it.
int self_test(Worlds& worlds, Settings settings) {
  constexpr std::size_t kFewSteps = 6;
  const std::pair<Plant, const char*> plants[] = {
      {Plant::kRows, "rows"}, {Plant::kCount, "rows"}, {Plant::kState, "state"}, {Plant::kBlocking, "blocking"}};
  int failures = 0;
  for (const auto& [plant, kind] : plants) {
    std::string problem = "not found";
    settings.plant = plant;
    for (std::uint64_t seed = settings.seed; seed < settings.seed + 300 && problem == "not found"; ++seed) {
      Schedule schedule;
      const Report report = run_random(worlds, settings, seed, schedule);
      if (report.verdict != Verdict::kDifference || report.kind != kind) continue;
      std::stringstream text;
      text << reduce_difference(worlds, settings, schedule, kind);
      const Schedule small = read_schedule(text);
      if (small.steps.size() > kFewSteps)
        problem = "reduced to " + std::to_string(small.steps.size()) + " steps only";
      else if (run_schedule(worlds, small, plant).kind != kind)
        problem = "does not show when replayed";
      else if (run_schedule(worlds, small, Plant::kNone).verdict == Verdict::kDifference)
        problem = "shows without the fault";
      else
        problem.clear();
    }
    failures += problem.empty() ? 0 : 1;
    std::cout << (problem.empty() ? "ok" : "not ok") << " - a planted fault (" << static_cast<int>(plant) << ", "
              << kind << ") is found" << (problem.empty() ? "" : ": " + problem) << '\n';
  }
  const bool found = !run_stress({.seconds = 10, .faulty = true});
  std::cout << (found ? "ok" : "not ok") << " - lost updates are found\n";
  const bool told = !run_serial(worlds, {.level = "REPEATABLE READ"}).problem.empty();
  std::cout << (told ? "ok" : "not ok") << " - REPEATABLE READ is found not to be SERIALIZABLE\n";
  return failures == 0 && found && told ? 0 : 1;
}

int serial(Worlds& worlds, const Settings& settings) {
  const SerialResult result =
      run_serial(worlds, {.seed = settings.seed, .schedules = settings.serial, .layouts = settings.layouts});
  const bool well = result.problem.empty();
  std::cout << "# " << result.schedules << " schedules, " << result.committed << " transactions committed, "
            << result.refused << " statements refused; too many orders to try: " << result.undecided << '\n'
            << (well ? "ok" : "not ok") << " - what commits under SERIALIZABLE could have run one by one\n";
  if (!well) std::cout << "# no order gives these results:\n" << result.problem;
  return well ? 0 : 1;
}

// Half of the time on each layout.
int stress(const Settings& settings) {
  bool well = true;
  for (const std::string& layout : settings.layouts)
    well &= run_stress({.layout = layout,
                        .seed = settings.seed,
                        .seconds = settings.stress / static_cast<int>(settings.layouts.size())});
  return well ? 0 : 1;
}

int run(const Settings& settings) {
  if (settings.stress > 0) return stress(settings);
  Worlds worlds;
  if (!settings.replays.empty()) {
    bool well = true;
    for (const std::string& name : settings.replays)
      well &= replay(worlds, settings, name);
    return well ? 0 : 1;
  }
  if (settings.serial > 0) return serial(worlds, settings);
  if (settings.self_test) return self_test(worlds, settings);
  const Totals totals = run_all(worlds, settings);
  std::cout << "# " << totals.schedules << " schedules, " << totals.statements << " statements, " << totals.blocked
            << " of them blocked";
  for (const auto& [kind, n] : totals.ends)
    std::cout << "; " << kind << ": " << n;
  std::cout << '\n';
  // What is left undecided proves nothing; it has to stay the exception.
  constexpr std::size_t kMostPercent = 10;
  const bool decided = totals.schedules < 50 || totals.undecided * 100 <= totals.schedules * kMostPercent;
  if (!decided) std::cout << "not ok - " << totals.undecided << " schedules undecided\n";
  if (decided && totals.differences == 0)
    std::cout << "ok - " << totals.statements << " statements in " << totals.schedules
              << " schedules without a difference\n";
  return decided && totals.differences == 0 ? 0 : 1;
}

}  // namespace
}  // namespace doublets::differential

int main(int argc, char** argv) {
  using namespace doublets::differential;
  Settings settings;
  if (!parse(argc, argv, settings)) {
    std::cerr << kUsage;
    return 2;
  }
  try {
    return run(settings);
  } catch (const std::exception& e) {
    std::cout << "not ok - " << e.what() << '\n';
    return 2;
  }
}

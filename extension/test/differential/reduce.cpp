#include "reduce.hpp"

#include <algorithm>

namespace doublets::differential {
namespace {

// Leaves out pieces of one list of the schedule; returns whether anything went.
template <class T>
bool leave_out(Schedule& schedule, std::vector<T> Schedule::*list, const Shows& shows) {
  bool any = false;
  for (std::size_t size = std::max<std::size_t>((schedule.*list).size() / 2, 1); size > 0; size /= 2) {
    // From the end: later steps seldom matter to earlier ones.
    for (std::size_t end = (schedule.*list).size(); end > 0;) {
      const std::size_t first = end > size ? end - size : 0;
      Schedule smaller = schedule;
      auto& items = smaller.*list;
      items.erase(items.begin() + static_cast<std::ptrdiff_t>(first), items.begin() + static_cast<std::ptrdiff_t>(end));
      if (shows(smaller)) {
        schedule = smaller;
        any = true;
      }
      end = first;
    }
  }
  return any;
}

}  // namespace

Schedule reduce(Schedule schedule, const Shows& shows) {
  for (bool any = true; any;) {
    any = leave_out(schedule, &Schedule::steps, shows);
    any |= leave_out(schedule, &Schedule::setup, shows);
  }
  return schedule;
}

}  // namespace doublets::differential

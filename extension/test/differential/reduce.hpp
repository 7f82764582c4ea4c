// Makes a schedule that shows a difference as small as it gets.
#pragma once

#include <functional>

#include "schedule.hpp"

namespace doublets::differential {

// Whether a schedule still shows the difference.
using Shows = std::function<bool(const Schedule&)>;

// REQUIRES: shows(schedule). Leaves out steps and first rows, in ever smaller pieces, as long as the rest shows the
// difference; none of what is left can be left out alone. (A. Zeller, R. Hildebrandt, Simplifying and isolating
// failure-inducing input, 2002.)
Schedule reduce(Schedule schedule, const Shows& shows);

}  // namespace doublets::differential

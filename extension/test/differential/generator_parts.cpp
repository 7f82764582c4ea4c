// Values are few, so that statements meet: ids 1 to 12, a few of them hot, ends 1 to 5.
#include <algorithm>

#include "generator.hpp"

namespace doublets::differential {

// An id that is likely to be there.
std::string Generator::id() {
  if (random_.percent(hot_percent_)) return std::to_string(random_.between(1, hot_ids_));
  if (last_fresh_ > 100 && random_.percent(40))
    return std::to_string(random_.between(std::max(101L, last_fresh_ - 3), last_fresh_));
  if (random_.percent(5)) return random_.of({"-1", "0", "9223372036854775807", "77"});
  return std::to_string(random_.between(1, 10));
}

std::string Generator::fresh_id() {
  return std::to_string(++last_fresh_);
}

// An id for a row that comes or moves: free, or perhaps taken. Positive, for a store refuses others (README).
std::string Generator::new_id() {
  if (random_.percent(40)) return fresh_id();
  if (random_.percent(60)) return std::to_string(random_.between(1, hot_ids_));  // deleted ones come back
  return std::to_string(random_.percent(70) ? random_.between(1, 12) : random_.between(101, last_fresh_ + 2));
}

std::string Generator::end_value() {
  if (random_.percent(4)) return random_.of({"0", "-1", "9223372036854775807", "-9223372036854775808", "101"});
  return std::to_string(random_.between(1, 5));
}

std::string Generator::list(std::string (Generator::*value)()) {
  std::string text;
  for (long i = random_.between(1, 4); i > 0; --i)
    text += (text.empty() ? "" : ", ") + (this->*value)();
  return text;
}

// Any condition on links.
std::string Generator::condition() {
  const std::string value = end_value();
  switch (random_.below(25)) {
    case 22:
      return "source = " + value + " AND id > " + id();
    case 23:
      return "target = " + value + " AND id <= " + id() + " AND id >= " + id();
    case 24:
      return "source BETWEEN " + value + " AND " + end_value() + " AND target > " + end_value();
    case 0:
      return "true";
    case 1:
      return "id = " + id();
    case 2:
      return "id IN (" + list(&Generator::id) + ")";
    case 3:
      return "id BETWEEN " + id() + " AND " + id();
    case 4:
      return "id > " + id();
    case 5:
    case 6:
      return "source = " + value;
    case 7:
    case 8:
      return "target = " + value;
    case 9:
    case 10:
      return "source = " + value + " AND target = " + end_value();
    case 11:
      return "source IN (" + list(&Generator::end_value) + ")";
    case 12:
      return "target = ANY ('{" + list(&Generator::end_value) + "}'::bigint[])";
    case 13:
      return "source IN (" + list(&Generator::end_value) + ") AND target IN (" + list(&Generator::end_value) + ")";
    case 14:
      return "source >= " + value + " AND target < " + end_value();
    case 15:
      return "source = " + value + " OR target = " + value;
    case 16:
      return "source = target";
    case 17:
      return "NOT (source = " + value + ")";
    case 18:
      return "source = " + value + " AND id <> " + id();
    case 19:
      return "(source, target) IN ((" + value + ", " + end_value() + "), (" + end_value() + ", " + end_value() + "))";
    case 20:
      return random_.of({"id = ANY ('{}')", "source IS NULL", "target = NULL", "id = 1.5", "source = 2::smallint",
                         "target % 2 = 1", "id = source"});
    default:
      return "id IN (" + list(&Generator::id) + ") AND source = " + value;
  }
}

// A condition that several rows may meet.
std::string Generator::several() {
  return random_.percent(15) ? "id IN (" + list(&Generator::id) + ")" : condition();
}

// A condition that one row can meet at most: the id, perhaps with what a recheck may find changed.
std::string Generator::one() {
  std::string text = "id = " + id();
  if (random_.percent(20))
    text += random_.of({" AND source = ", " AND target < ", " AND source <> ", " AND target = "}) + end_value();
  return text;
}

// What an UPDATE of one row sets.
std::string Generator::change() {
  switch (random_.below(9)) {
    case 0:
      return "source = " + end_value();
    case 1:
      return "target = " + end_value();
    case 2:
      return "source = " + end_value() + ", target = " + end_value();
    case 3:
      return "source = source + 1";
    case 4:
      return "target = target + 10";
    case 5:
      return "source = target, target = source";
    case 6:
      return "id = " + new_id();
    case 7:
      return "id = id";
    default:
      return random_.percent(10) ? "target = NULL" : "source = source";
  }
}

// What an UPDATE of several rows sets: nothing that could succeed in one order of rows and fail in another. Ids move to
// where none has been.
std::string Generator::change_of_many() {
  if (unique_)
    return random_.of({"source = source", "target = target", "source = source + 100", "target = -target - 100"});
  switch (random_.below(12)) {
    case 0:
    case 1:
    case 2:
      return "source = " + end_value();
    case 3:
    case 4:
    case 5:
      return "target = " + end_value();
    case 6:
    case 7:
      return "source = target, target = source";
    case 8:
    case 9:
      return "target = target + 1";
    case 10:
      return "source = source";
    default:
      return "id = id + " + std::to_string(shift_ *= 2);
  }
}

}  // namespace doublets::differential

// What a search asks for and how far it has come.
#pragma once

#include "tree.hpp"

namespace doublets {

// Fixed parts of the links wanted; a part not fixed is anything.
struct Pattern {
  LinkId id = 0;
  std::int64_t source = 0;
  std::int64_t target = 0;
  bool has_id = false;
  bool has_source = false;
  bool has_target = false;

  bool matches(const Version &v) const noexcept {
    return (!has_id || v.id == id) && (!has_source || v.source == source) &&
           (!has_target || v.target == target);
  }
};

// Where a search goes on. A value; it stays meaningful while links come and go.
struct Position {
  TreeKey from = kKeyMin; // by index: the first key not looked at
  LinkId next_id = 1;     // by id: the first id not looked at
  bool done = false;
};

} // namespace doublets

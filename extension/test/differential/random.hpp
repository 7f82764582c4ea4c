// Random choices that depend on the seed alone, not on the standard library's distributions.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

namespace doublets::differential {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  // A number of [0, n); n > 0.
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }

  // A number of [low, high].
  long between(long low, long high) {
    return low + static_cast<long>(below(static_cast<std::uint64_t>(high - low + 1)));
  }

  bool percent(unsigned chance) { return below(100) < chance; }

  const char* of(std::initializer_list<const char*> words) { return words.begin()[below(words.size())]; }

  template <class T>
  const T& of(const std::vector<T>& values) {
    return values[below(values.size())];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace doublets::differential

#include "united_index.hpp"

namespace doublets {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

struct Range {
  TreeKey from;
  TreeKey upto;
};

// Keys that begin with `first`, or with (first, *second).
constexpr Range prefix(std::int64_t first, const std::int64_t *second) noexcept {
  constexpr std::uint32_t kLast = ~0u;
  if (second == nullptr)
    return {{first, kMin, kMin, 0}, {first, kMax, kMax, kLast}};
  return {{first, *second, kMin, 0}, {first, *second, kMax, kLast}};
}

Range range_of(const Pattern &p) noexcept {
  if (p.has_source)
    return prefix(p.source, p.has_target ? &p.target : nullptr);
  return prefix(p.target, nullptr);
}

template <Order O>
std::size_t collect(const Heap &heap, const Tree<O> &tree, const Range &range,
                    Position &position, Ref<Version> *out, std::size_t capacity) noexcept {
  const TreeKey from = position.from > range.from ? position.from : range.from;
  const std::size_t n = tree.collect(from, range.upto, out, capacity);
  if (n < capacity) {
    position.done = true;
  } else {
    position.from = key_of<O>(heap.at(out[n - 1]), out[n - 1]);
    ++position.from.version;
  }
  return n;
}

} // namespace

std::uint64_t UnitedIndex::count(const Pattern &pattern) const noexcept {
  const Range r = range_of(pattern);
  return pattern.has_source ? by_source_.count_below(r.upto) - by_source_.count_below(r.from)
                            : by_target_.count_below(r.upto) - by_target_.count_below(r.from);
}

std::size_t UnitedIndex::candidates(const Pattern &pattern, Position &position, Ref<Version> *out,
                                    std::size_t capacity) const noexcept {
  const Range r = range_of(pattern);
  return pattern.has_source ? collect(heap_, by_source_, r, position, out, capacity)
                            : collect(heap_, by_target_, r, position, out, capacity);
}

std::uint64_t UnitedIndex::verify(std::uint64_t versions, void (*report)(void *, const char *),
                                  void *context) const noexcept {
  std::uint64_t units = 0;
  if (by_source_.verify(report, context, units) != versions ||
      by_target_.verify(report, context, units) != versions)
    report(context, "an index holds more or fewer versions than there are");
  return units;
}

} // namespace doublets

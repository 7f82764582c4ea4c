#include "united_index.hpp"

namespace doublets {
namespace {

// The keys of a walk in the order (first, second, id).
KeyRange keys_of(const Range &first, const Range &second, const Range &id) noexcept {
  KeyRange keys{key_from(first.low), {first.high, Range::kMax, Range::kMax, kKeyMax.version}};
  if (!first.is_point())
    return keys;
  keys.from.second = second.low;
  keys.upto.second = second.high;
  if (!second.is_point())
    return keys;
  keys.from.third = id.low;
  keys.upto.third = id.high;
  return keys;
}

KeyRange keys_of(const Pattern &p, Access access) noexcept {
  return access == Access::kTarget ? keys_of(p.target, p.source, p.id) : keys_of(p.source, p.target, p.id);
}

} // namespace

std::uint64_t UnitedIndex::count(const Pattern &p, Access access) const noexcept {
  const KeyRange keys = keys_of(p, access);
  return access == Access::kTarget ? count_keys(by_target_, keys) : count_keys(by_source_, keys);
}

Candidates UnitedIndex::candidates(const Search &search, Position &position, Ref<Version> *out,
                                   std::size_t want) const noexcept {
  const KeyRange keys = keys_of(search.pattern, search.access);
  const bool backward = search.backward;
  return {search.access == Access::kTarget ? walk(heap_, by_target_, keys, backward, position, out, want)
                                           : walk(heap_, by_source_, keys, backward, position, out, want),
          true};
}

void UnitedIndex::resume_after(const Search &search, Position &position, Ref<Version> version) const noexcept {
  if (search.access == Access::kTarget)
    move_past<Order::kByTargetSource>(position, search.backward, heap_, version);
  else
    move_past<Order::kBySourceTarget>(position, search.backward, heap_, version);
}

std::size_t UnitedIndex::degrees(Access end, const Range &values, Position &position, Degree *out,
                                 std::size_t capacity) const noexcept {
  const std::int64_t from = position.started ? std::max(position.at.first, values.low) : values.low;
  const std::size_t n = end == Access::kTarget ? by_target_.runs(from, values.high, out, capacity)
                                               : by_source_.runs(from, values.high, out, capacity);
  position.done = n < capacity || out[n - 1].value >= values.high;
  if (!position.done)
    resume_at(end, position, out[n - 1].value + 1);
  return n;
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

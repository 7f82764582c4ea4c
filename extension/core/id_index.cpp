#include "id_index.hpp"

#include <algorithm>
#include <cassert>

namespace doublets {

Ref<Version> IdIndex::sparse_head(LinkId id) const noexcept {
  Ref<Version> found{};
  if (sparse_.collect(key_from(id, 0, 0), kKeyMax, &found, 1) == 1 && heap_.at(found).id == id)
    return found;
  return {};
}

Status IdIndex::assign(LinkId &id, BlockPlan &wanted) noexcept {
  lower_fresh();
  if (header_.free_head != 0) {
    id = header_.free_head;
    return Status::kOk;
  }
  for (;;) {
    // The counter stays within the array, so that every id below it has a place on
    // the free list. Ids of the tree that it would meet have moved into the array.
    if (!is_dense(header_.fresh)) {
      wanted = dense_.plan();
      if (!heap_.can_take(wanted))
        return Status::kNeedMemory;
      grow_dense();
    }
    id = header_.fresh;
    if (!head(id))
      return Status::kOk;
    ++header_.fresh;
  }
}

BlockPlan IdIndex::plan(LinkId id) const noexcept {
  if (is_dense(id))
    return {};
  return becomes_dense(id) ? dense_.plan() : sparse_.plan();
}

// Appends a page and moves the tree's ids of its range into it.
void IdIndex::grow_dense() noexcept {
  const auto first = static_cast<LinkId>(dense_.size());
  dense_.append_page();
  const auto end = static_cast<LinkId>(dense_.size());
  while (header_.sparse_count > 0) {
    Ref<Version> version{};
    if (sparse_.collect(key_from(first, 0, 0), key_from(end, 0, 0), &version, 1) == 0)
      break;
    sparse_.erase(version);
    --header_.sparse_count;
    dense_[static_cast<std::uint64_t>(heap_.at(version).id)] = {version.unit, IdEntry::kInUse};
  }
}

void IdIndex::push(LinkId id, Ref<Version> version) noexcept {
  const Ref<Version> older = heap_.at(version).older;
  if (!older && !is_dense(id) && becomes_dense(id))
    grow_dense();
  if (!older && is_dense(id)) {
    if (dense_[static_cast<std::uint64_t>(id)].word1 != 0)
      unlink_free(id);
    if (id == header_.fresh)
      ++header_.fresh;
  }
  set_head(id, older, version);
}

void IdIndex::set_head(LinkId id, Ref<Version> old_head, Ref<Version> version) noexcept {
  if (is_dense(id)) {
    dense_[static_cast<std::uint64_t>(id)] = {version.unit, IdEntry::kInUse};
    return;
  }
  // The tree holds one version per id. The new one enters the place the old one leaves.
  if (old_head) {
    sparse_.erase(old_head);
    --header_.sparse_count;
  }
  if (version) {
    sparse_.insert(version);
    ++header_.sparse_count;
  }
}

Ref<Version> IdIndex::remove(Ref<Version> version, Ref<Version> newer) noexcept {
  const Version &v = heap_.at(version);
  if (!newer) {
    const Ref<Version> newest = head(v.id);
    if (newest == version) {
      if (v.older)
        set_head(v.id, version, v.older);
      else
        release(v.id);
      return {};
    }
    newer = newest;
    while (heap_.at(newer).older != version)
      newer = heap_.at(newer).older;
  }
  heap_.at(newer).older = v.older;
  return newer;
}

// Frees an id whose last version is `head(id)`.
void IdIndex::release(LinkId id) noexcept {
  if (!is_dense(id)) {
    sparse_.erase(sparse_head(id));
    --header_.sparse_count;
    return;
  }
  IdEntry &e = dense_[static_cast<std::uint64_t>(id)];
  e = {0, 0};
  if (id >= header_.fresh)
    return; // the counter will come to it
  e = {0, header_.free_head + 1};
  if (header_.free_head != 0)
    dense_[header_.free_head].word0 = static_cast<std::uint32_t>(id);
  header_.free_head = static_cast<std::uint32_t>(id);
  lower_fresh();
}

// Takes free ids that adjoin the counter off the list. Bounded: what is left over
// stays on the list, which is correct, and is met again by a later call.
void IdIndex::lower_fresh() noexcept {
  for (int steps = 0; steps < 8192 && header_.fresh > 1; ++steps) {
    const LinkId id = header_.fresh - 1;
    const IdEntry &e = dense_[static_cast<std::uint64_t>(id)];
    if (e.word1 == 0 || e.word1 == IdEntry::kInUse)
      return;
    unlink_free(id);
    dense_[static_cast<std::uint64_t>(id)] = {0, 0};
    --header_.fresh;
  }
}

void IdIndex::unlink_free(LinkId id) noexcept {
  const IdEntry e = dense_[static_cast<std::uint64_t>(id)];
  assert(e.word1 != 0 && e.word1 != IdEntry::kInUse);
  const std::uint32_t next = e.word1 - 1;
  if (e.word0 != 0)
    dense_[e.word0].word1 = next + 1;
  else
    header_.free_head = next;
  if (next != 0)
    dense_[next].word0 = e.word0;
}

std::size_t IdIndex::collect(LinkId from, LinkId upto, Ref<Version> *out, std::size_t capacity,
                             LinkId &next) const noexcept {
  std::size_t n = 0;
  auto id = static_cast<std::uint64_t>(from < 1 ? 1 : from);
  const auto last = static_cast<std::uint64_t>(upto);
  std::uint64_t looks = 0;
  while (upto > 0 && id <= last && id < dense_.size()) {
    const std::uint32_t in_page = static_cast<std::uint32_t>(id % kPerPage);
    const IdEntry *page = &dense_[id - in_page];
    for (std::uint32_t i = in_page; i < kPerPage && id <= last; ++i, ++id) {
      if (n == capacity || ++looks > kMaxLooks) {
        next = static_cast<LinkId>(id);
        return n;
      }
      if (page[i].word1 == IdEntry::kInUse)
        out[n++] = {page[i].word0};
    }
  }
  next = 0;
  if (upto < 1 || id > last || header_.sparse_count == 0)
    return n;
  const TreeKey end = upto == kMax ? kKeyMax : key_from(upto + 1, 0, 0);
  const std::size_t found =
      sparse_.collect(key_from(static_cast<LinkId>(id), 0, 0), end, out + n, capacity - n);
  n += found;
  if (n == capacity && n > 0) {
    const LinkId reached = heap_.at(out[n - 1]).id;
    next = found == 0 ? static_cast<LinkId>(id) : reached == kMax ? 0 : reached + 1;
  }
  return n;
}

std::size_t IdIndex::collect_backward(LinkId from, LinkId upto, Ref<Version> *out,
                                      std::size_t capacity, LinkId &next) const noexcept {
  next = 0;
  const auto first = static_cast<std::uint64_t>(from < 1 ? 1 : from);
  if (upto < 1 || static_cast<std::uint64_t>(upto) < first)
    return 0;
  auto id = static_cast<std::uint64_t>(upto);
  std::size_t n = 0;
  if (id >= dense_.size() && header_.sparse_count > 0) {
    const auto low = static_cast<LinkId>(std::max(first, dense_.size()));
    const TreeKey end = upto == kMax ? kKeyMax : key_from(upto + 1, 0, 0);
    n = sparse_.collect_backward(key_from(low, 0, 0), end, out, capacity);
    if (n == capacity) {
      const auto reached = static_cast<std::uint64_t>(heap_.at(out[n - 1]).id);
      next = reached > first ? static_cast<LinkId>(reached - 1) : 0;
      return n;
    }
  }
  std::uint64_t looks = 0;
  for (id = std::min(id, dense_.size() == 0 ? 0 : dense_.size() - 1); id >= first;) {
    const IdEntry *page = &dense_[id - id % kPerPage];
    for (std::uint64_t i = id % kPerPage + 1; i-- > 0 && id >= first; --id) {
      if (n == capacity || ++looks > kMaxLooks) {
        next = static_cast<LinkId>(id);
        return n;
      }
      if (page[i].word1 == IdEntry::kInUse)
        out[n++] = {page[i].word0};
    }
  }
  return n;
}

// Of the ids [id, id + n), all dense, how many are in use.
std::uint64_t IdIndex::dense_in_use(std::uint64_t id, std::uint64_t n) const noexcept {
  std::uint64_t used = 0;
  for (const std::uint64_t end = id + n; id < end; ++id)
    used += dense_[id].word1 == IdEntry::kInUse;
  return used;
}

std::uint64_t IdIndex::estimate(LinkId from, LinkId upto) const noexcept {
  constexpr std::uint64_t kSamples = 16, kSampled = 32;
  const auto first = static_cast<std::uint64_t>(from < 1 ? 1 : from);
  if (upto < 1 || static_cast<std::uint64_t>(upto) < first)
    return 0;
  std::uint64_t used = 0;
  if (first < dense_.size()) {
    const std::uint64_t n = std::min<std::uint64_t>(static_cast<std::uint64_t>(upto), dense_.size() - 1) - first + 1;
    if (n <= kSamples * kSampled) {
      used = dense_in_use(first, n);
    } else {
      for (std::uint64_t i = 0; i < kSamples; ++i)
        used += dense_in_use(first + (n - kSampled) / (kSamples - 1) * i, kSampled);
      used = static_cast<std::uint64_t>(static_cast<double>(used) / (kSamples * kSampled) * static_cast<double>(n));
    }
  }
  if (header_.sparse_count > 0 && static_cast<std::uint64_t>(upto) >= dense_.size())
    used += sparse_.count_below({upto, kKeyMax.second, kKeyMax.third, kKeyMax.version}) -
            sparse_.count_below(key_from(static_cast<LinkId>(first)));
  return used;
}

std::uint64_t IdIndex::verify(void (*report)(void *, const char *), void *context) const noexcept {
  std::uint64_t units = dense_.units();
  if (sparse_.verify(report, context, units) != header_.sparse_count)
    report(context, "the count of sparse ids differs from their tree");
  std::uint64_t marked = 0;
  for (std::uint64_t id = 1; id < dense_.size(); ++id) {
    const IdEntry &e = dense_[id];
    const bool free = e.word1 != 0 && e.word1 != IdEntry::kInUse;
    marked += free;
    if (free && static_cast<LinkId>(id) >= header_.fresh)
      report(context, "a free id is not below the next fresh id");
    if (e.word1 == 0 && static_cast<LinkId>(id) < header_.fresh)
      report(context, "an id below the next fresh id is neither in use nor free");
    if (e.word1 == IdEntry::kInUse && e.word0 == 0)
      report(context, "an id in use has no version");
    else if (e.word1 == IdEntry::kInUse && static_cast<std::uint64_t>(heap_.at(Ref<Version>{e.word0}).id) != id)
      report(context, "an id leads to a version of another id");
  }
  std::uint64_t listed = 0;
  std::uint32_t previous = 0;
  for (std::uint32_t id = header_.free_head; id != 0; ++listed) {
    if (listed > marked || id >= dense_.size() || dense_[id].word0 != previous ||
        dense_[id].word1 == 0 || dense_[id].word1 == IdEntry::kInUse) {
      report(context, "the list of free ids is damaged");
      return units;
    }
    previous = id;
    id = dense_[id].word1 - 1;
  }
  if (listed != marked)
    report(context, "a free id is not on the list of free ids");
  return units;
}

} // namespace doublets

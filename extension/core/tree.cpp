#include "tree.hpp"

#include "tree_edit.hpp"

namespace doublets {

using namespace tree_node;

template <Order O>
BlockPlan Tree<O>::plan() const noexcept {
  BlockPlan p;
  p.add(kLeafClass);
  if (root_ != 0) p.add(kInnerClass, header_at(heap_, root_).level + 1u);
  return p;
}

template <Order O>
void Tree<O>::insert(Ref<Version> version) noexcept {
  const TreeKey key = key_of<O>(heap_.at(version), version);
  if (root_ == 0) {
    root_ = make_leaf(heap_);
    insert_in_leaf(leaf_at(heap_, root_), 0, key.first, key.version);
    return;
  }
  Step path[kMaxLevels];
  unsigned depth = 0;
  const std::uint32_t leaf_ref = descend<true>(heap_, root_, key, [&](std::uint32_t node, Inner& inner, unsigned index) {
    ++inner.entries[index];
    path[depth++] = {node, index};
  });
  Leaf& leaf = leaf_at(heap_, leaf_ref);
  const unsigned at = leaf_rank<O, true>(heap_, leaf, key);
  if (leaf.header.count < kLeafCapacity) {
    insert_in_leaf(leaf, at, key.first, key.version);
    return;
  }
  bool right_end = at == kLeafCapacity && leaf.header.next == 0;
  NewChild child = split_leaf<O>(heap_, leaf_ref, at, key);
  while (depth > 0) {
    const Step step = path[--depth];
    Inner& parent = inner_at(heap_, step.node);
    parent.entries[step.index] -= child.entries;
    if (parent.header.count < kInnerCapacity) {
      insert_in_inner(parent, step.index + 1, child);
      return;
    }
    right_end = right_end && step.index + 1 == kInnerCapacity;
    child = split_inner(heap_, step.node, step.index + 1, right_end, child);
  }
  const std::uint32_t left = root_;
  const unsigned level = header_at(heap_, left).level;
  root_ = make_inner(heap_, level + 1);
  Inner& root = inner_at(heap_, root_);
  const std::uint64_t below =
      level == 0 ? entries_of(leaf_at(heap_, left)) : entries_of(inner_at(heap_, left));
  insert_in_inner(root, 0, {kKeyMin, left, static_cast<std::uint32_t>(below)});
  insert_in_inner(root, 1, child);
}

template <Order O>
void Tree<O>::erase(Ref<Version> version) noexcept {
  const TreeKey key = key_of<O>(heap_.at(version), version);
  Step path[kMaxLevels];
  unsigned depth = 0;
  const std::uint32_t leaf_ref = descend<true>(heap_, root_, key, [&](std::uint32_t node, Inner& inner, unsigned index) {
    --inner.entries[index];
    path[depth++] = {node, index};
  });
  Leaf& leaf = leaf_at(heap_, leaf_ref);
  unsigned count = leaf.header.count;
  unsigned at = rank<false>(leaf.first, key.first);
  while (leaf.version[at] != key.version) ++at;
  close_gap(leaf.first, at, count);
  close_gap(leaf.version, at, count);
  cut(leaf, --count);

  // From the leaf up: nodes below their minimum.
  std::uint32_t node = leaf_ref;
  bool low = count < kLeafMinimum;
  while (low && depth > 0) {
    const Step step = path[--depth];
    Inner& parent = inner_at(heap_, step.node);
    if (parent.header.count > 1) {
      if (parent.header.level == 1)
        join_or_share<O, Leaf>(heap_, parent, step.index, kLeafCapacity);
      else
        join_or_share<O, Inner>(heap_, parent, step.index, kInnerCapacity);
    } else if (header_at(heap_, node).count == 0) {  // the only child, at the right end
      if (parent.header.level == 1) unlink_leaf(heap_, node);
      free_node(heap_, node);
      parent.header.count = 0;
    } else {
      break;
    }
    node = step.node;
    low = parent.header.count < kInnerMinimum;
  }
  while (root_ != 0) {
    const Header& root = header_at(heap_, root_);
    if (root.count > 1 || (root.level == 0 && root.count == 1)) break;
    const std::uint32_t old = root_;
    root_ = root.count == 0 ? 0 : inner_at(heap_, old).child[0];
    free_node(heap_, old);
  }
}

template <Order O>
bool Tree<O>::contains(Ref<Version> version) const noexcept {
  if (root_ == 0) return false;
  const TreeKey key = key_of<O>(heap_.at(version), version);
  const Leaf& leaf = leaf_at(heap_, descend(heap_, root_, key, [](std::uint32_t, Inner&, unsigned) {}));
  const unsigned count = leaf.header.count;
  for (unsigned i = rank<false>(leaf.first, key.first); i < count && leaf.first[i] == key.first; ++i)
    if (leaf.version[i] == key.version) return true;
  return false;
}

namespace {

// Of a step: a change of the child will change the number of its entries.
void ask_for_count(std::uint32_t, const Inner& inner, unsigned index) noexcept { ask_for(&inner.entries[index]); }

}  // namespace

template <Order O>
void Tree<O>::prefetch(const TreeKey& key) const noexcept {
  if (root_ != 0) (void)descend(heap_, root_, key, ask_for_count);
}

template <Order O>
std::uint32_t Tree<O>::prefetch(unsigned step, const TreeKey& key, std::uint32_t reached) const noexcept {
  if (root_ == 0) return 0;
  if (step == 0) return descend(heap_, root_, key, [](std::uint32_t, Inner&, unsigned) {}, 1);
  if (reached == 0) return 0;
  if (step == 1) return descend(heap_, reached, key, ask_for_count);
  const Leaf& leaf = leaf_at(heap_, reached);
  Run run = run_of(leaf, key.first);
  if (run.high <= run.low + kFewVersions) {
    if (step == 2) prefetch_versions(heap_, leaf, run);
  } else if (step == 2) {
    prefetch_pivots(heap_, leaf, run);
  } else {
    for (int i = 0; i < 2; ++i) run = half_of<O>(heap_, leaf, run, key);
    prefetch_versions(heap_, leaf, run);
  }
  return reached;
}

// The parent of the leaf where a run begins; the only leaf, if it has none.
template <Order O>
std::uint32_t Tree<O>::run_parent(std::int64_t first) const noexcept {
  std::uint32_t node = root_;
  if (node == 0) return 0;
  for (unsigned level = header_at(heap_, node).level; level > 1; --level) {
    const Inner& inner = inner_at(heap_, node);
    node = inner.child[run_child(inner, first)];
    approach(heap_, node, level);
  }
  return node;
}

template <Order O>
std::uint32_t Tree<O>::run_leaf(std::uint32_t parent, std::int64_t first) const noexcept {
  if (parent == 0 || header_at(heap_, parent).level == 0) return parent;
  const Inner& inner = inner_at(heap_, parent);
  const std::uint32_t leaf = inner.child[run_child(inner, first)];
  approach(heap_, leaf, 1);
  return leaf;
}

template <Order O>
std::size_t Tree<O>::run(std::uint32_t leaf_ref, std::int64_t first, Ref<Version>* out,
                         std::size_t capacity) const noexcept {
  if (leaf_ref == 0) return 0;
  std::size_t found = 0;
  unsigned begin = rank<false>(leaf_at(heap_, leaf_ref).first, first);
  for (;;) {
    const Leaf& leaf = leaf_at(heap_, leaf_ref);
    const unsigned count = leaf.header.count;
    const unsigned end = std::min(rank<true>(leaf.first, first), count);
    if (end - begin > capacity - found) return kLong;
    for (unsigned i = begin; i < end; ++i)
      out[found++] = {leaf.version[i]};
    leaf_ref = leaf.header.next;
    if (end < count || leaf_ref == 0) return found;
    begin = 0;
  }
}

template <Order O>
std::uint64_t Tree<O>::size() const noexcept {
  if (root_ == 0) return 0;
  return header_at(heap_, root_).level == 0 ? entries_of(leaf_at(heap_, root_)) : entries_of(inner_at(heap_, root_));
}

template <Order O>
std::uint64_t Tree<O>::count_below(const TreeKey& key) const noexcept {
  if (root_ == 0) return 0;
  std::uint64_t below = 0;
  const std::uint32_t leaf = descend(heap_, root_, key, [&](std::uint32_t, const Inner& inner, unsigned index) {
    below += entries_in(inner, 0, index);
  });
  return below + leaf_rank<O>(heap_, leaf_at(heap_, leaf), key);
}

template <Order O>
std::size_t Tree<O>::collect(const TreeKey& from, const TreeKey& upto, Ref<Version>* out,
                             std::size_t capacity) const noexcept {
  if (root_ == 0 || capacity == 0 || !(from < upto)) return 0;
  LeavesAhead ahead(heap_, root_);
  std::uint32_t node = ahead.enter(from);
  unsigned begin = leaf_rank<O>(heap_, leaf_at(heap_, node), from);
  std::size_t found = 0;
  for (;;) {
    const Leaf& leaf = leaf_at(heap_, node);
    const unsigned count = leaf.header.count;
    const std::uint32_t next = leaf.header.next;
    unsigned end = count;
    if (begin < count && leaf.first[count - 1] >= upto.first) end = range_end<O>(heap_, leaf, begin, upto);
    const bool last = end < count || next == 0;
    if (!last) ahead.ask();
    const auto wanted = static_cast<unsigned>(std::min<std::size_t>(end - begin, capacity - found));
    for (unsigned i = begin; i < begin + wanted; ++i) {
      prefetch_version(heap_, leaf.version[i]);
      out[found++] = {leaf.version[i]};
    }
    if (last || found == capacity) return found;
    node = next;
    begin = 0;
    ahead.step(leaf_at(heap_, node));
  }
}

template <Order O>
std::size_t Tree<O>::collect_backward(const TreeKey& from, const TreeKey& upto, Ref<Version>* out,
                                      std::size_t capacity) const noexcept {
  if (root_ == 0 || capacity == 0 || !(from < upto)) return 0;
  std::uint32_t node = descend(heap_, root_, upto, [](std::uint32_t, Inner&, unsigned) {});
  unsigned end = leaf_rank<O>(heap_, leaf_at(heap_, node), upto);
  std::size_t found = 0;
  for (;;) {
    const Leaf& leaf = leaf_at(heap_, node);
    const std::uint32_t prev = leaf.header.prev;
    unsigned begin = 0;
    if (end > 0 && leaf.first[0] <= from.first) begin = std::min(end, leaf_rank<O>(heap_, leaf, from));
    const bool last = begin > 0 || prev == 0;
    if (!last) prefetch_bytes(heap_.address(prev), kLeafBytes);
    const auto wanted = static_cast<unsigned>(std::min<std::size_t>(end - begin, capacity - found));
    for (unsigned i = end; i > end - wanted; --i) {
      prefetch_version(heap_, leaf.version[i - 1]);
      out[found++] = {leaf.version[i - 1]};
    }
    if (last || found == capacity) return found;
    node = prev;
    end = leaf_at(heap_, node).header.count;
  }
}

template <Order O>
std::size_t Tree<O>::runs(std::int64_t from, std::int64_t upto, Degree* out, std::size_t capacity) const noexcept {
  if (root_ == 0 || capacity == 0) return 0;
  std::size_t found = 0;
  LeavesAhead ahead(heap_, root_);
  std::uint32_t node = ahead.enter(key_from(from));
  unsigned at = rank<false>(leaf_at(heap_, node).first, from);
  while (node != 0) {
    const Leaf& leaf = leaf_at(heap_, node);
    const unsigned count = leaf.header.count;
    ahead.ask();
    while (at < count) {
      const std::int64_t value = leaf.first[at];
      if (found > 0 && out[found - 1].value == value) {
        if (at == 0 && leaf.first[count - 1] == value) break;  // a long run
      } else if (value > upto || found == capacity) {
        return found;
      } else {
        out[found++] = {value, 0, true};
      }
      const unsigned begin = at;
      while (at < count && leaf.first[at] == value) ++at;
      out[found - 1].links += at - begin;
    }
    if (at == count) {
      node = leaf.header.next;
      at = 0;
      if (node != 0) ahead.step(leaf_at(heap_, node));
      continue;
    }
    Degree& run = out[found - 1];
    const TreeKey end{run.value, kKeyMax.second, kKeyMax.third, kKeyMax.version};
    run.links = count_below(end) - count_below(key_from(run.value));
    if (run.value == kKeyMax.first) return found;
    node = ahead.enter(key_from(run.value + 1));
    at = rank<false>(leaf_at(heap_, node).first, run.value + 1);
  }
  return found;
}

template <Order O>
void Tree<O>::clear() noexcept {
  // Depth first; a step's index is the next child to free.
  Step path[kMaxLevels];
  unsigned depth = 0;
  std::uint32_t node = root_;
  root_ = 0;
  while (node != 0) {
    if (header_at(heap_, node).level > 0) {
      path[depth++] = {node, 0};
    } else {
      free_node(heap_, node);
    }
    node = 0;
    while (depth > 0 && node == 0) {
      Step& step = path[depth - 1];
      const Inner& inner = inner_at(heap_, step.node);
      if (step.index < inner.header.count) {
        node = inner.child[step.index++];
      } else {
        free_node(heap_, step.node);
        --depth;
      }
    }
  }
}

template class Tree<Order::kById>;
template class Tree<Order::kBySourceTarget>;
template class Tree<Order::kByTargetSource>;

}  // namespace doublets

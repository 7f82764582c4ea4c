// Checks of a tree that may be damaged in any way.
#include <iterator>

#include "tree_search.hpp"

namespace doublets {

using namespace tree_node;

namespace {

// One walk over a tree that may be damaged: follows no reference it has not checked.
template <Order O>
class Verifier {
 public:
  Verifier(const Heap& heap, void (*report)(void*, const char*), void* context) noexcept
      : heap_(heap), report_(report), context_(context) {
    nodes_left_ = heap.header().allocated_bytes / kLeafBytes + 1;
  }

  std::uint64_t run(std::uint32_t root, std::uint64_t& units) noexcept;

 private:
  struct Level {
    std::uint32_t node;
    unsigned next_child;
    std::uint64_t entries_before;  // seen when the current child was entered
    TreeKey low;                   // the node's own range, [low, high)
    TreeKey high;
  };

  void fault(const char* text) noexcept { report_(context_, text); }
  template <class Node>
  void check_unused(const Node& node) noexcept {
    for (unsigned i = node.header.count; i < std::size(node.first); ++i)
      if (node.first[i] != kUnused) {
        fault("tree: an unused place of a node is not marked so");
        return;
      }
  }
  bool check_node(std::uint32_t node, unsigned level, std::uint64_t& units) noexcept;
  void check_leaf(std::uint32_t node, const TreeKey& low, const TreeKey& high) noexcept;
  void check_separators(const Inner& inner, const TreeKey& low, const TreeKey& high) noexcept;

  const Heap& heap_;
  void (*report_)(void*, const char*);
  void* context_;
  std::uint64_t nodes_left_;
  std::uint64_t entries_ = 0;
  std::uint32_t last_leaf_ = 0;
  TreeKey last_key_ = kKeyMin;
};

// Checks what a node says about itself; false if it must not be looked into.
template <Order O>
bool Verifier<O>::check_node(std::uint32_t node, unsigned level, std::uint64_t& units) noexcept {
  const unsigned size = level == 0 ? units_of<Leaf>() : units_of<Inner>();
  if (nodes_left_ == 0 || node % 2 != 0 || !heap_.contains(node, size)) {
    fault("tree: a node reference leads outside the tree's memory");
    return false;
  }
  --nodes_left_;
  units += std::uint64_t{1} << size_class(size);
  const Header& h = header_at(heap_, node);
  if (h.tag != (level == 0 ? kLeafTag : kInnerTag) || h.level != level) {
    fault("tree: a node has another level than its parent says");
    return false;
  }
  if (h.count == 0 || h.count > (level == 0 ? kLeafCapacity : kInnerCapacity)) {
    fault("tree: a node is empty or overfull");
    return false;
  }
  if (level > 0 && (h.next != 0 || h.prev != 0)) fault("tree: an inner node has neighbours");
  return true;
}

template <Order O>
void Verifier<O>::check_separators(const Inner& inner, const TreeKey& low, const TreeKey& high) noexcept {
  check_unused(inner);
  if (separator(inner, 0) != kKeyMin) fault("tree: the unused separator of a node is set");
  TreeKey before = low;
  for (unsigned i = 1; i < inner.header.count; ++i) {
    const TreeKey key = separator(inner, i);
    if (key < before || !(key < high)) fault("tree: a separator is outside its node's range");
    before = key;
  }
}

template <Order O>
void Verifier<O>::check_leaf(std::uint32_t node, const TreeKey& low, const TreeKey& high) noexcept {
  const Leaf& leaf = leaf_at(heap_, node);
  if (leaf.header.prev != last_leaf_) fault("tree: a leaf's link to its left neighbour is wrong");
  if (last_leaf_ != 0 && leaf_at(heap_, last_leaf_).header.next != node)
    fault("tree: a leaf's link to its right neighbour is wrong");
  last_leaf_ = node;
  check_unused(leaf);
  if (leaf.header.count < kLeafMinimum && high != kKeyMax) fault("tree: a leaf is too empty");
  for (unsigned i = 0; i < leaf.header.count; ++i) {
    const Ref<Version> ref{leaf.version[i]};
    if (!heap_.contains(ref.unit, units_of<Version>())) {
      fault("tree: an entry's version is outside the store's memory");
      continue;
    }
    const TreeKey key = key_of<O>(heap_.at(ref), ref);
    if (key.first != leaf.first[i]) fault("tree: an entry's first column differs from its version's");
    if (key < low || !(key < high)) fault("tree: an entry is outside its leaf's range");
    if (entries_ + i > 0 && !(last_key_ < key)) fault("tree: entries are out of order");
    last_key_ = key;
  }
  entries_ += leaf.header.count;
}

template <Order O>
std::uint64_t Verifier<O>::run(std::uint32_t root, std::uint64_t& units) noexcept {
  if (root % 2 != 0 || !heap_.contains(root, units_of<Leaf>())) {
    fault("tree: the root is outside the store's memory");
    return 0;
  }
  const unsigned top = header_at(heap_, root).level;
  if (top >= kMaxLevels) {
    fault("tree: the root's level is impossible");
    return 0;
  }
  if (!check_node(root, top, units)) return 0;
  if (top == 0) {
    check_leaf(root, kKeyMin, kKeyMax);
  } else {
    if (header_at(heap_, root).count < 2) fault("tree: the root has a single child");
    Level path[kMaxLevels];
    unsigned depth = 0;
    path[depth++] = {root, 0, 0, kKeyMin, kKeyMax};
    check_separators(inner_at(heap_, root), kKeyMin, kKeyMax);
    while (depth > 0) {
      Level& here = path[depth - 1];
      const Inner& inner = inner_at(heap_, here.node);
      const unsigned level = top - depth;  // of the children
      if (here.next_child > 0 && entries_ - here.entries_before != inner.entries[here.next_child - 1])
        fault("tree: the count of the entries below a child is wrong");
      if (here.next_child == inner.header.count) {
        --depth;
        continue;
      }
      const unsigned index = here.next_child++;
      here.entries_before = entries_;
      const std::uint32_t child = inner.child[index];
      const TreeKey low = index == 0 ? here.low : separator(inner, index);
      const TreeKey high = index + 1 == inner.header.count ? here.high : separator(inner, index + 1);
      if (!check_node(child, level, units)) continue;
      if (level == 0) {
        check_leaf(child, low, high);
      } else {
        check_separators(inner_at(heap_, child), low, high);
        path[depth++] = {child, 0, entries_, low, high};
      }
    }
  }
  if (last_leaf_ != 0 && leaf_at(heap_, last_leaf_).header.next != 0)
    fault("tree: the last leaf has a right neighbour");
  return entries_;
}

}  // namespace

template <Order O>
std::uint64_t Tree<O>::verify(void (*report)(void*, const char*), void* context,
                              std::uint64_t& units) const noexcept {
  if (root_ == 0) return 0;
  return Verifier<O>(heap_, report, context).run(root_, units);
}

template std::uint64_t Tree<Order::kById>::verify(void (*)(void*, const char*), void*, std::uint64_t&) const noexcept;
template std::uint64_t Tree<Order::kBySourceTarget>::verify(void (*)(void*, const char*), void*,
                                                            std::uint64_t&) const noexcept;
template std::uint64_t Tree<Order::kByTargetSource>::verify(void (*)(void*, const char*), void*,
                                                            std::uint64_t&) const noexcept;

}  // namespace doublets

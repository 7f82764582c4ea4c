#include "split_index.hpp"

#include <cassert>

namespace doublets {

HashIndex::Entry SplitIndex::find_pair(std::int64_t source, std::int64_t target) const noexcept {
  return pairs_.find(pair_hash(source, target), [=, this](std::uint32_t ref, bool list) noexcept {
    if (list) {
      const PairNode &p = heap_.at(Ref<PairNode>{ref});
      return p.source == source && p.target == target;
    }
    const Version &v = heap_.at(Ref<Version>{ref});
    return v.source == source && v.target == target;
  });
}

SplitIndex::Probe SplitIndex::probe(std::int64_t source, std::int64_t target) const noexcept {
  constexpr unsigned kRecord = size_class(units_of<LinkNode>());
  static_assert(size_class(units_of<PairNode>()) == kRecord);
  Probe p{find_node(source), find_node(target), find_pair(source, target), {}};
  if (!p.source || !p.target) {
    p.blocks.add(kRecord, 2);
    p.blocks += nodes_.plan();
    p.blocks += nodes_.plan();
  }
  if (p.source)
    p.blocks += lists_.plan(heap_.at(p.source).out);
  if (p.target)
    p.blocks += lists_.plan(heap_.at(p.target).in);
  if (!p.pair) {
    p.blocks += pairs_.plan();
  } else if (p.pair.tag()) {
    p.blocks += lists_.plan(heap_.at(Ref<PairNode>{p.pair.ref()}).list);
  } else {
    p.blocks.add(kRecord);
    p.blocks += lists_.plan(LinkList::of_one({p.pair.ref()}));
  }
  return p;
}

Ref<LinkNode> SplitIndex::make_node(std::int64_t key, const BlockPlan &planned) noexcept {
  const auto node = heap_.take<LinkNode>();
  heap_.at(node) = LinkNode{key, {}, {}, 0};
  nodes_.insert(node_hash(key), node.unit, false, planned);
  return node;
}

void SplitIndex::add(Ref<Version> version, const Probe &probe) noexcept {
  const Version &v = heap_.at(version);
  if (!probe.pair) {
    pairs_.insert(pair_hash(v.source, v.target), version.unit, false, probe.blocks);
  } else {
    if (!probe.pair.tag()) {
      const auto pair = heap_.take<PairNode>();
      heap_.at(pair) = PairNode{v.source, v.target, LinkList::of_one({probe.pair.ref()}), 0};
      probe.pair.set(pair.unit, true);
    }
    lists_.add(heap_.at(Ref<PairNode>{probe.pair.ref()}).list, version);
  }
  const Ref<LinkNode> source = probe.source ? probe.source : make_node(v.source, probe.blocks);
  lists_.add(heap_.at(source).out, version);
  const Ref<LinkNode> target = probe.target             ? probe.target
                           : v.target == v.source ? source
                                                  : make_node(v.target, probe.blocks);
  lists_.add(heap_.at(target).in, version);
}

void SplitIndex::drop_node_if_unused(Ref<LinkNode> node) noexcept {
  const LinkNode &n = heap_.at(node);
  if (n.out.count() != 0 || n.in.count() != 0)
    return;
  nodes_.erase(node_hash(n.key), node.unit);
  heap_.give_back(node);
}

void SplitIndex::remove(Ref<Version> version) noexcept {
  const Version &v = heap_.at(version);
  const HashIndex::Entry entry = find_pair(v.source, v.target);
  assert(entry);
  if (!entry.tag()) {
    pairs_.erase(pair_hash(v.source, v.target), version.unit);
  } else {
    const Ref<PairNode> pair{entry.ref()};
    LinkList &list = heap_.at(pair).list;
    lists_.remove(list, version);
    if (list.count() == 1) {
      entry.set(list.ref, false);
      heap_.give_back(pair);
    }
  }
  const Ref<LinkNode> source = find_node(v.source);
  lists_.remove(heap_.at(source).out, version);
  const Ref<LinkNode> target = v.target == v.source ? source : find_node(v.target);
  lists_.remove(heap_.at(target).in, version);
  drop_node_if_unused(source);
  if (target != source)
    drop_node_if_unused(target);
}

// Sets `list` to the shortest list that has all matches; false if there are none.
bool SplitIndex::list_of(const Pattern &pattern, LinkList &list) const noexcept {
  if (pattern.has_source && pattern.has_target) {
    const HashIndex::Entry entry = find_pair(pattern.source, pattern.target);
    if (!entry)
      return false;
    list = entry.tag() ? heap_.at(Ref<PairNode>{entry.ref()}).list : LinkList::of_one({entry.ref()});
    return true;
  }
  const Ref<LinkNode> node = find_node(pattern.has_source ? pattern.source : pattern.target);
  if (!node)
    return false;
  list = pattern.has_source ? heap_.at(node).out : heap_.at(node).in;
  return list.count() != 0;
}

std::uint64_t SplitIndex::count(const Pattern &pattern) const noexcept {
  LinkList list{};
  return list_of(pattern, list) ? list.count() : 0;
}

std::size_t SplitIndex::candidates(const Pattern &pattern, Position &position, Ref<Version> *out,
                                   std::size_t capacity) const noexcept {
  LinkList list{};
  if (!list_of(pattern, list)) {
    position.done = true;
    return 0;
  }
  const std::size_t n = lists_.collect(list, position.from, out, capacity);
  // An array that was a tree before may be met in the middle of a search: the
  // versions already seen are left out.
  std::size_t kept = n;
  if (!list.tree && position.from > kKeyMin) {
    kept = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (key_of<Order::kById>(heap_.at(out[i]), out[i]) >= position.from)
        out[kept++] = out[i];
  }
  if (!list.tree || n < capacity) {
    position.done = true;
  } else {
    position.from = key_of<Order::kById>(heap_.at(out[n - 1]), out[n - 1]);
    ++position.from.version;
  }
  return kept;
}

bool SplitIndex::covers(Ref<Version> version) const noexcept {
  const Version &v = heap_.at(version);
  const Ref<LinkNode> source = find_node(v.source), target = find_node(v.target);
  const HashIndex::Entry pair = find_pair(v.source, v.target);
  return source && target && pair && lists_.contains(heap_.at(source).out, version) &&
         lists_.contains(heap_.at(target).in, version) &&
         (pair.tag() ? lists_.contains(heap_.at(Ref<PairNode>{pair.ref()}).list, version)
                     : pair.ref() == version.unit);
}

std::uint64_t SplitIndex::verify(std::uint64_t versions, void (*report)(void *, const char *),
                                 void *context) const noexcept {
  std::uint64_t units = nodes_.units() + pairs_.units();
  std::uint64_t out = 0, in = 0, pairs = 0, nodes = 0, entries = 0;
  nodes_.for_each([&](std::uint32_t hash, std::uint32_t ref, bool tag, bool placed) noexcept {
    const LinkNode &n = heap_.at(Ref<LinkNode>{ref});
    if (!placed || tag || hash != node_hash(n.key))
      report(context, "a node stands in the wrong place of the node directory");
    if (n.out.count() == 0 && n.in.count() == 0)
      report(context, "a node without links was kept");
    units += units_of<LinkNode>() + lists_.verify(n.out, report, context) +
             lists_.verify(n.in, report, context);
    out += n.out.count();
    in += n.in.count();
    ++nodes;
  });
  pairs_.for_each([&](std::uint32_t hash, std::uint32_t ref, bool list, bool placed) noexcept {
    std::int64_t source, target;
    if (list) {
      const PairNode &p = heap_.at(Ref<PairNode>{ref});
      source = p.source;
      target = p.target;
      if (p.list.count() < 2)
        report(context, "a pair kept a list of fewer than two versions");
      units += units_of<PairNode>() + lists_.verify(p.list, report, context);
      pairs += p.list.count();
    } else {
      const Version &v = heap_.at(Ref<Version>{ref});
      source = v.source;
      target = v.target;
      ++pairs;
    }
    if (!placed || hash != pair_hash(source, target))
      report(context, "a pair stands in the wrong place of the pair directory");
    ++entries;
  });
  if (nodes != nodes_.size() || entries != pairs_.size())
    report(context, "a directory counts other than its entries");
  if (out != versions || in != versions || pairs != versions)
    report(context, "an index holds more or fewer versions than there are");
  return units;
}

} // namespace doublets

// Layout `split`: adjacency per node, and a hash of pairs.
//
// Every value used as a source or target has a node with the list of the versions
// that leave it and the list of those that enter it; a hash finds the node of a value.
// A second hash finds the versions of a pair: an entry is the version itself while there
// is one, else (tagged) a PairNode with their list. Values need not be ids of links,
// and no structure depends on whether they are.
//
// Locks: reading needs the store's lock shared, changing it exclusive.
// Costs: add, remove O(1) expected (O(log degree) at hubs); degree and pair O(1);
// candidates O(k).
#pragma once

#include "hash_index.hpp"
#include "link_list.hpp"
#include "pattern.hpp"

namespace doublets {

struct LinkNode {
  std::int64_t key;
  LinkList out; // versions whose source is the key
  LinkList in;  // versions whose target is the key
  std::uint64_t reserved;
};
static_assert(sizeof(LinkNode) == 32);

struct PairNode {
  std::int64_t source;
  std::int64_t target;
  LinkList list; // two or more versions
  std::uint64_t reserved;
};
static_assert(sizeof(PairNode) == 32);

struct SplitHeader {
  HashIndexHeader nodes;
  HashIndexHeader pairs;
};

class SplitIndex {
public:
  SplitIndex(Heap &heap, SplitHeader &header, std::uint64_t seed) noexcept
      : heap_(heap), seed_(seed), nodes_(heap, header.nodes), pairs_(heap, header.pairs),
        lists_(heap) {}

  // Where a pair's parts stand, found while planning and used when applying.
  struct Probe {
    Ref<LinkNode> source;
    Ref<LinkNode> target;
    HashIndex::Entry pair;
    BlockPlan blocks; // that add may take; splitting leaves as many alone, so the
                      // caller may put in what else the change takes
  };
  Probe probe(std::int64_t source, std::int64_t target) const noexcept;

  // Requires: `probe` of its ends, made since the last change; can_take(probe.blocks).
  void add(Ref<Version> version, const Probe &probe) noexcept;
  // Requires: in the index, ends unchanged. Takes no memory.
  void remove(Ref<Version> version) noexcept;

  // Asks for the memory that adding or removing a pair will touch, in three steps, each of
  // which finds what the one before has asked for: buckets, records, lists. Callers with
  // many pairs run the steps ahead of the changes, so that their cache misses overlap.
  static constexpr unsigned kPrefetchSteps = 3;
  void prefetch(unsigned step, std::int64_t source, std::int64_t target) const noexcept {
    if (step == 0) {
      nodes_.prefetch(node_hash(source));
      nodes_.prefetch(node_hash(target));
      pairs_.prefetch(pair_hash(source, target));
    } else if (step == 1) {
      nodes_.prefetch_entry(node_hash(source));
      nodes_.prefetch_entry(node_hash(target));
      pairs_.prefetch_entry(pair_hash(source, target));
    } else {
      if (const Ref<LinkNode> node = find_node(source))
        lists_.prefetch(heap_.at(node).out);
      if (const Ref<LinkNode> node = find_node(target))
        lists_.prefetch(heap_.at(node).in);
    }
  }

  // Versions, whatever their visibility, with the source and/or target of `pattern`
  // (one at least).
  std::uint64_t count(const Pattern &pattern) const noexcept;
  std::size_t candidates(const Pattern &pattern, Position &position, Ref<Version> *out,
                         std::size_t capacity) const noexcept;

  // Checks that exactly the versions the caller passes to `covers` are indexed: the
  // caller counts them. Returns units of all blocks.
  std::uint64_t verify(std::uint64_t versions, void (*report)(void *, const char *),
                       void *context) const noexcept;
  bool covers(Ref<Version> version) const noexcept;

private:
  std::uint32_t node_hash(std::int64_t key) const noexcept {
    return static_cast<std::uint32_t>(mix64(static_cast<std::uint64_t>(key) ^ seed_));
  }
  std::uint32_t pair_hash(std::int64_t source, std::int64_t target) const noexcept {
    const std::uint64_t s = mix64(static_cast<std::uint64_t>(source) ^ seed_);
    return static_cast<std::uint32_t>(mix64(s + static_cast<std::uint64_t>(target)));
  }
  HashIndex::Entry node_entry(std::int64_t key) const noexcept {
    return nodes_.find(node_hash(key), [this, key](std::uint32_t ref, bool) noexcept {
      return heap_.at(Ref<LinkNode>{ref}).key == key;
    });
  }
  Ref<LinkNode> find_node(std::int64_t key) const noexcept {
    const HashIndex::Entry entry = node_entry(key);
    return {entry ? entry.ref() : 0};
  }
  HashIndex::Entry find_pair(std::int64_t source, std::int64_t target) const noexcept;
  Ref<LinkNode> make_node(std::int64_t key, const BlockPlan &planned) noexcept;
  void drop_node_if_unused(Ref<LinkNode> node) noexcept;
  bool list_of(const Pattern &pattern, LinkList &list) const noexcept;

  Heap &heap_;
  std::uint64_t seed_;
  HashIndex nodes_;
  HashIndex pairs_;
  LinkLists lists_;
};

} // namespace doublets

// The nodes of a Tree. Private to tree.cpp and to the tests that damage them.
//
// Both kinds begin with a NodeHeader. Nodes are aligned to 64 bytes (Heap gives blocks
// of two units and more an even unit), so a node of n bytes touches n / 64 cache lines.
// Keys are stored column by column: a search reads the first column, the others only
// among equal ones.
#pragma once

#include "version.hpp"

namespace doublets::tree_node {

struct Header {
  std::uint16_t level;  // 0: leaf
  std::uint16_t count;  // entries of a leaf, children of an inner node; at least 1
  std::uint32_t tag;    // kLeafTag or kInnerTag; verify reads it, nothing else does
  std::uint32_t next;   // leaves: the neighbours in key order, 0 at the ends; inner: 0
  std::uint32_t prev;
};
static_assert(sizeof(Header) == 16);

inline constexpr std::uint32_t kLeafTag = 0x6661656c;   // "leaf"
inline constexpr std::uint32_t kInnerTag = 0x726e6e69;  // "innr"

// Fills the unused places of a node's first column: searches always look at all places.
inline constexpr std::int64_t kUnused = INT64_MAX;

inline constexpr unsigned kLeafBytes = 512;
inline constexpr unsigned kLeafCapacity = (kLeafBytes - sizeof(Header)) / 12;

struct Leaf {
  Header header;
  std::int64_t first[kLeafCapacity];
  std::uint32_t version[kLeafCapacity];  // Ref<Version>
};
static_assert(sizeof(Leaf) <= kLeafBytes && sizeof(Leaf) > kLeafBytes / 2);

// Separator i (i >= 1) divides child i - 1, all below it, from child i, all at or above
// it. Separator 0 is unused and holds the smallest key there is.
// Larger than a leaf: there are few of them, and a level less is a cache miss less.
inline constexpr unsigned kInnerBytes = 2048;
inline constexpr unsigned kInnerCapacity = (kInnerBytes - sizeof(Header)) / 36;

struct Inner {
  Header header;
  std::int64_t first[kInnerCapacity];
  std::int64_t second[kInnerCapacity];
  std::int64_t third[kInnerCapacity];
  std::uint32_t version[kInnerCapacity];
  std::uint32_t child[kInnerCapacity];    // Ref<Leaf> or Ref<Inner>
  std::uint32_t entries[kInnerCapacity];  // below the child
};
static_assert(sizeof(Inner) <= kInnerBytes && sizeof(Inner) > kInnerBytes / 2);

// A node below its minimum is merged with a neighbour or filled from it, except at the
// right end of the tree, where appending leaves nodes nearly empty until more arrive.
inline constexpr unsigned kLeafMinimum = kLeafCapacity / 3;
inline constexpr unsigned kInnerMinimum = kInnerCapacity / 3;

// Levels no tree can reach: fewer than 2^28 leaves fit a store, and every inner node off
// the right edge has at least kInnerMinimum children.
inline constexpr unsigned kMaxLevels = 24;

}  // namespace doublets::tree_node

#include "version_map.hpp"
#include "tree_node.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace doublets {
namespace {

using IdTree = Tree<Order::kById>;

constexpr unsigned kTreeLeaf = size_class(units_of<tree_node::Leaf>());
constexpr unsigned kTreeInner = size_class(units_of<tree_node::Inner>());

} // namespace

template <MapKey K>
Candidates VersionMap<K>::collect(HashIndex::Entry entry, const Range &ids, bool backward,
                                  Position &position, Ref<Version> *out, std::size_t want) const noexcept {
  if (entry && entry.tag() && list_at(entry).tree) [[unlikely]]
    return {walk(heap_, IdTree(heap_, list_at(entry).version[0]), keys_of(ids), backward, position, out, want),
            true};
  position.done = true;
  const std::uint32_t count = this->count(entry);
  const std::uint32_t *versions = count == 0   ? nullptr
                                  : count == 1 ? entry.bucket->ref + entry.index
                                               : list_at(entry).version;
  if (!position.started) {
    for (std::uint32_t i = 0; i < count; ++i)
      out[i] = {versions[i]};
    return {count, count < 2};
  }
  std::size_t n = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Ref<Version> v{versions[i]};
    const TreeKey key = doublets::key_of<Order::kById>(heap_.at(v), v);
    if (backward ? key < position.at : key >= position.at)
      out[n++] = v;
  }
  return {n, n < 2};
}

template <MapKey K>
std::uint64_t VersionMap<K>::count_in_tree(Heap &heap, const List &list, const Range &ids) noexcept {
  std::uint32_t root = list.version[0];
  return count_keys(IdTree(heap, root), keys_of(ids));
}

template <MapKey K>
std::size_t VersionMap<K>::degrees(const Range &values, Position &position, Degree *out,
                                   std::size_t capacity) const noexcept {
  constexpr int kMaxBuckets = 4096; // looked at in one call
  constexpr int kAhead = 4;
  TreeKey from{position.started ? position.at : TreeKey{0, Range::kMin, 0, 0}};
  position.started = true;
  // Buckets are asked for ahead of the walk, then what their entries refer to.
  std::uint64_t near = static_cast<std::uint64_t>(from.first), far = near;
  const auto ask = [this](std::uint64_t &place, bool entries) noexcept {
    if (place >= HashIndex::kPlaces)
      return;
    const std::uint32_t hash = HashIndex::place_of(static_cast<std::uint32_t>(place));
    if (entries)
      table_.for_bucket(place, [this](std::uint32_t, std::uint32_t ref, bool) noexcept { ask_for(heap_.address(ref)); });
    else
      table_.prefetch(hash);
    place = table_.end_of_bucket(place);
  };
  for (int i = 0; i < 2 * kAhead; ++i)
    ask(far, false);
  for (int i = 0; i < kAhead; ++i)
    ask(near, true);

  std::size_t n = 0;
  for (int buckets = 0; buckets < kMaxBuckets && n < capacity; ++buckets) {
    const auto place = static_cast<std::uint64_t>(from.first);
    if (place >= HashIndex::kPlaces)
      break;
    ask(far, false);
    ask(near, true);
    const std::size_t first = n;
    TreeKey left = kKeyMax; // the least key for which there is no room
    table_.for_bucket(place, [&](std::uint32_t, std::uint32_t ref, bool tag) noexcept {
      const std::int64_t value = tag ? heap_.at(Ref<List>{ref}).key.column[0] : key_of(heap_.at(Ref<Version>{ref})).column[0];
      if (!values.contains(value) || place_key(value) < from)
        return;
      Degree degree{value, tag ? heap_.at(Ref<List>{ref}).count() : 1, true};
      std::size_t at = first;
      while (at < n && place_key(out[at].value) < place_key(value))
        ++at;
      for (; at < n; ++at)
        std::swap(out[at], degree);
      if (n < capacity)
        out[n++] = degree;
      else
        left = std::min(left, place_key(degree.value));
    });
    from = left != kKeyMax ? left : TreeKey{static_cast<std::int64_t>(table_.end_of_bucket(place)), Range::kMin, 0, 0};
  }
  position.at = from;
  position.done = static_cast<std::uint64_t>(from.first) >= HashIndex::kPlaces;
  return n;
}

template <MapKey K>
BlockPlan VersionMap<K>::plan(HashIndex::Entry entry) const noexcept {
  BlockPlan p;
  if (!entry)
    return table_.plan();
  if (!entry.tag()) {
    p.add(0);
    return p;
  }
  List &list = list_at(entry);
  if (list.tree)
    return IdTree(heap_, list.version[0]).plan();
  const unsigned cls = list.block_class();
  if (list.count() == kArrayMax) {
    // Inserting one by one leaves leaves half full at least.
    p.add(kTreeLeaf, 2 * (kArrayMax + 1) / tree_node::kLeafCapacity + 2);
    p.add(kTreeInner);
  } else if (list.count() == List::capacity(cls)) {
    p.add(cls + 1);
  }
  return p;
}

template <MapKey K>
void VersionMap<K>::add(Ref<Version> version, HashIndex::Entry entry, const BlockPlan &planned) noexcept {
  const Key key = key_of(heap_.at(version));
  if (!entry) {
    table_.insert(hash_of(key), version.unit, false, planned);
    return;
  }
  if (!entry.tag()) {
    const std::uint32_t block = heap_.take(0);
    List &list = heap_.at(Ref<List>{block});
    list.key = key;
    list.set(2, 0);
    list.version[0] = entry.ref();
    list.version[1] = version.unit;
    entry.set(block, true);
    return;
  }
  List *list = &list_at(entry);
  if (!list->tree && list->count() == kArrayMax)
    to_tree(*list);
  if (list->tree) {
    IdTree(heap_, list->version[0]).insert(version);
    ++list->bits;
    return;
  }
  const std::uint32_t count = list->count();
  if (count == List::capacity(list->block_class()))
    list = &move(entry, list->block_class() + 1);
  list->version[count] = version.unit;
  list->set(count + 1, list->block_class());
}

template <MapKey K>
void VersionMap<K>::remove(Ref<Version> version) noexcept {
  const Key key = key_of(heap_.at(version));
  const HashIndex::Entry entry = find(key);
  assert(entry);
  if (!entry.tag()) {
    assert(entry.ref() == version.unit);
    table_.erase(hash_of(key), version.unit);
    return;
  }
  List &list = list_at(entry);
  const std::uint32_t left = list.count() - 1;
  if (list.tree) {
    IdTree(heap_, list.version[0]).erase(version);
    list.bits = left;
    if (left == kTreeMin)
      to_array(list);
    return;
  }
  std::uint32_t *found = std::find(list.version, list.version + left, version.unit);
  assert(*found == version.unit);
  *found = list.version[left];
  const unsigned cls = list.block_class();
  list.set(left, cls);
  if (left == 1) {
    const std::uint32_t block = entry.ref();
    entry.set(list.version[0], false);
    heap_.give_back(block, cls);
  } else if (cls > 0 && left <= List::capacity(cls) / 4 && heap_.has_free(cls - 1)) {
    // Blocks are never cut: a store that grows and shrinks would turn all its memory into
    // small ones.
    move(entry, cls - 1);
  }
}

// Moves a list that is no tree to a block of another class, which has room for it.
template <MapKey K>
typename VersionMap<K>::List &VersionMap<K>::move(HashIndex::Entry entry, unsigned cls) noexcept {
  const std::uint32_t block = heap_.take(cls);
  const std::uint32_t old_block = entry.ref();
  const List &old = list_at(entry);
  const unsigned old_class = old.block_class();
  const std::uint32_t count = old.count();
  List &list = heap_.at(Ref<List>{block});
  std::memcpy(static_cast<void *>(&list), &old, offsetof(List, version) + count * sizeof(std::uint32_t));
  list.set(count, cls);
  heap_.give_back(old_block, old_class);
  entry.set(block, true);
  return list;
}

template <MapKey K>
void VersionMap<K>::to_tree(List &list) noexcept {
  std::uint32_t root = 0;
  IdTree tree(heap_, root);
  const std::uint32_t count = list.count();
  for (std::uint32_t i = 0; i < count; ++i)
    tree.insert({list.version[i]});
  list.tree = 1;
  list.bits = count;
  list.version[0] = root;
}

template <MapKey K>
void VersionMap<K>::to_array(List &list) noexcept {
  Ref<Version> members[kTreeMin];
  std::uint32_t root = list.version[0];
  IdTree tree(heap_, root);
  const auto n = static_cast<std::uint32_t>(tree.collect(kKeyMin, kKeyMax, members, kTreeMin));
  assert(n == list.count());
  tree.clear();
  list.set(n, List::kLargest);
  for (std::uint32_t i = 0; i < n; ++i)
    list.version[i] = members[i].unit;
}

template <MapKey K>
bool VersionMap<K>::covers(Ref<Version> version) const noexcept {
  const HashIndex::Entry entry = find(key_of(heap_.at(version)));
  if (!entry || !entry.tag())
    return entry && entry.ref() == version.unit;
  List &list = list_at(entry);
  if (list.tree)
    return IdTree(heap_, list.version[0]).contains(version);
  std::uint32_t *const end = list.version + std::min(list.count(), kArrayMax);
  return std::find(list.version, end, version.unit) != end;
}

template <MapKey K>
std::uint64_t VersionMap<K>::verify(std::uint64_t versions, void (*report)(void *, const char *),
                                    void *context) const noexcept {
  std::uint64_t units = table_.units(), seen = 0, entries = 0;
  table_.for_each([&](std::uint32_t hash, std::uint32_t ref, bool tag, bool placed) noexcept {
    ++entries;
    if (!tag) {
      if (!placed || hash != hash_of(key_of(heap_.at(Ref<Version>{ref}))))
        report(context, "a version stands in the wrong place of a directory");
      ++seen;
      return;
    }
    List &list = heap_.at(Ref<List>{ref});
    if (!placed || hash != hash_of(list.key))
      report(context, "a list of versions stands in the wrong place of a directory");
    if (list.count() < 2)
      report(context, "a list of fewer than two versions was kept");
    seen += list.count();
    if (list.tree) {
      if (IdTree(heap_, list.version[0]).verify(report, context, units) != list.count())
        report(context, "a list counts other than its tree");
    } else if (list.block_class() > List::kLargest || list.count() > List::capacity(list.block_class())) {
      report(context, "a list is longer than its block");
      return;
    }
    units += std::uint64_t{1} << list.block_class();
  });
  if (entries != table_.size())
    report(context, "a directory counts other than its entries");
  if (seen != versions)
    report(context, "an index holds more or fewer versions than there are");
  return units;
}

template class VersionMap<MapKey::kSource>;
template class VersionMap<MapKey::kTarget>;
template class VersionMap<MapKey::kPair>;

} // namespace doublets

// Functions that write one link: create_link, create_point, get_or_create, update_link,
// delete_link.
#include "functions_common.hpp"

namespace doublets::pg {
namespace {

constexpr WriteFunction kCreateLink{"create_link()", ACL_INSERT, true};
constexpr WriteFunction kCreatePoint{"create_point()", ACL_INSERT, true};
constexpr WriteFunction kGetOrCreate{"get_or_create()", ACL_INSERT | ACL_SELECT, true};
constexpr WriteFunction kUpdateLink{"update_link()", ACL_UPDATE | ACL_SELECT, false};
constexpr WriteFunction kDeleteLink{"delete_link()", ACL_DELETE | ACL_SELECT, false};

LinkId create(WriteCall& call, LinkInput& link) {
  link.id = default_id(call.checks, call.target);
  insert_links(call.target, &link, 1, OnConflict::kError);
  check_row(call.checks, call.target, link);
  return link.id;
}

// The links with an id that the call's snapshot sees: two, if the own transaction has put one in the place
// of one that another transaction has deleted since.
constexpr std::size_t kMaxSeen = 2;
std::size_t find_rows(const WriteTarget& t, LinkId id, LinkRow* rows) {
  SnapshotView view(GetActiveSnapshot());
  const Search search = Search::of({.id = Range::point(id)});
  Position position;
  std::uint64_t passed = 0;
  store_lock(t.store, LW_SHARED);
  const std::size_t n = Store(t.store->heap).scan(search, position, view.visibility(), rows, kMaxSeen, passed);
  store_unlock(t.store);
  view.report(t.store);
  return n;
}

// UPDATE ... WHERE id = wanted.id
bool update(const WriteCall& call, const LinkInput& wanted) {
  LinkRow rows[kMaxSeen];
  const std::size_t n = find_rows(call.target, wanted.id, rows);
  bool done = false;
  for (std::size_t i = 0; i < n; ++i)
    done |= change_row(call, rows[i], [&wanted](const LinkRow& newest, LinkInput& link) {
      link = wanted;
      return newest.id == wanted.id;
    });
  return done;
}

// DELETE ... WHERE id = id
bool remove(const WriteCall& call, LinkId id) {
  LinkRow rows[kMaxSeen];
  const std::size_t n = find_rows(call.target, id, rows);
  const auto same_id = [](const LinkRow& newest, const void* wanted) {
    return newest.id == *static_cast<const LinkId*>(wanted);
  };
  return n > 0 && delete_rows(call.target, rows, n, {same_id, &id}) > 0;
}

}  // namespace
}  // namespace doublets::pg

using namespace doublets::pg;
using doublets::LinkInput;
using doublets::LinkRow;

// create_link(store regclass, source bigint, target bigint) returns bigint
DOUBLETS_FUNCTION(doublets_create_link) {
  WriteCall call = begin_write_call(fcinfo, kCreateLink);
  LinkInput link{};
  link.source = end_argument(fcinfo, 1, call.target, call.target.spec->source);
  link.target = end_argument(fcinfo, 2, call.target, call.target.spec->target);
  const doublets::LinkId id = create(call, link);
  end_write_call(call);
  PG_RETURN_INT64(id);
}

// create_point(store regclass) returns bigint
DOUBLETS_FUNCTION(doublets_create_point) {
  WriteCall call = begin_write_call(fcinfo, kCreatePoint);
  LinkInput link{};
  link.point = true;
  const doublets::LinkId id = create(call, link);
  end_write_call(call);
  PG_RETURN_INT64(id);
}

// get_or_create(store regclass, source bigint, target bigint) returns bigint
DOUBLETS_FUNCTION(doublets_get_or_create) {
  WriteCall call = begin_write_call(fcinfo, kGetOrCreate);
  LinkInput link{};
  link.source = end_argument(fcinfo, 1, call.target, call.target.spec->source);
  link.target = end_argument(fcinfo, 2, call.target, call.target.spec->target);
  link.id = default_id(call.checks, call.target);
  if (get_or_insert_link(call.target, link)) check_row(call.checks, call.target, link);
  end_write_call(call);
  PG_RETURN_INT64(link.id);
}

// update_link(store regclass, id bigint, source bigint, target bigint) returns boolean
DOUBLETS_FUNCTION(doublets_update_link) {
  WriteCall call = begin_write_call(fcinfo, kUpdateLink);
  LinkInput link{};
  link.source = end_argument(fcinfo, 2, call.target, call.target.spec->source);
  link.target = end_argument(fcinfo, 3, call.target, call.target.spec->target);
  bool done = false;
  if (call.target.store != nullptr && !PG_ARGISNULL(1)) {
    link.id = PG_GETARG_INT64(1);
    done = update(call, link);
  }
  end_write_call(call);
  PG_RETURN_BOOL(done);
}

// delete_link(store regclass, id bigint) returns boolean
DOUBLETS_FUNCTION(doublets_delete_link) {
  WriteCall call = begin_write_call(fcinfo, kDeleteLink);
  bool done = false;
  if (call.target.store != nullptr && !PG_ARGISNULL(1)) {
    done = remove(call, PG_GETARG_INT64(1));
  }
  end_write_call(call);
  PG_RETURN_BOOL(done);
}

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

// The link with an id that the call's snapshot sees; a null version: there is none.
LinkRow find_row(const WriteTarget& t, LinkId id) {
  SnapshotView view(GetActiveSnapshot());
  LinkRow row{};
  store_lock(t.store, LW_SHARED);
  const Store store(t.store->heap);
  const Ref<Version> version = store.find(id, view.visibility());
  if (version) row = store.row(version);
  store_unlock(t.store);
  view.report(t.store);
  return row;
}

// UPDATE ... WHERE id = wanted.id
bool update(const WriteCall& call, const LinkInput& wanted) {
  const LinkRow row = find_row(call.target, wanted.id);
  return row.version && change_row(call, row, [&wanted](const LinkRow& newest, LinkInput& link) {
           link = wanted;
           return newest.id == wanted.id;
         });
}

}  // namespace
}  // namespace doublets::pg

using namespace doublets::pg;
using doublets::LinkId;
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
    const LinkRow row = find_row(call.target, PG_GETARG_INT64(1));
    const auto same_id = [](const LinkRow& newest, const void* id) {
      return newest.id == *static_cast<const LinkId*>(id);
    };
    done = row.version && delete_rows(call.target, &row, 1, {same_id, &row.id}) == 1;
  }
  end_write_call(call);
  PG_RETURN_BOOL(done);
}

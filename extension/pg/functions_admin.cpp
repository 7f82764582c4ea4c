// Functions for those who look after a store: verify_store, settle.
#include "functions_common.hpp"

namespace doublets::pg {
namespace {

constexpr std::size_t kMostLines = 1000;
constexpr std::size_t kLineBytes = 128;

// Room for what verify reports while the store's lock is held.
struct Report {
  std::uint64_t lines;  // may exceed kMostLines
  char text[kMostLines][kLineBytes];
};

void add_line(void* context, const char* line) noexcept {
  auto* report = static_cast<Report*>(context);
  if (report->lines < kMostLines) strlcpy(report->text[report->lines], line, kLineBytes);
  ++report->lines;
}

void put_line(ReturnSetInfo* result, const char* line) {
  Datum value = CStringGetTextDatum(line);
  bool null = false;
  tuplestore_putvalues(result->setResult, result->setDesc, &value, &null);
}

// SELECT or any privilege to write: settling shows and changes nothing.
void check_may_settle(Relation rel) {
  const AclMode any = ACL_SELECT | ACL_INSERT | ACL_UPDATE | ACL_DELETE;
  if (pg_class_aclcheck(RelationGetRelid(rel), GetUserId(), any) != ACLCHECK_OK)
    aclcheck_error(ACLCHECK_NO_PRIV, get_relkind_objtype(rel->rd_rel->relkind), RelationGetRelationName(rel));
}

}  // namespace
}  // namespace doublets::pg

using namespace doublets::pg;
using doublets::Store;

// verify_store(store regclass) returns setof text
DOUBLETS_FUNCTION(doublets_verify_store) {
  StoreHandle* store = open_for_read(fcinfo);
  InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
  auto* result = reinterpret_cast<ReturnSetInfo*>(fcinfo->resultinfo);
  if (store == nullptr) return Datum{0};
  auto* report = static_cast<Report*>(palloc(sizeof(Report)));
  report->lines = 0;
  store_lock(store, LW_SHARED);
  Store(store->heap).verify(add_line, report);
  store_unlock(store);
  for (std::uint64_t i = 0; i < report->lines && i < kMostLines; ++i)
    put_line(result, report->text[i]);
  if (report->lines > kMostLines) put_line(result, psprintf("and " UINT64_FORMAT " more", report->lines - kMostLines));
  pfree(report);
  return Datum{0};
}

// settle(store regclass) returns bigint
DOUBLETS_FUNCTION(doublets_settle) {
  const Relation rel = open_argument(fcinfo, AccessShareLock, 0);
  check_may_settle(rel);
  PreventCommandDuringRecovery("settle()");
  StoreHandle* store = store_open(rel, false);
  const std::uint64_t dropped = store != nullptr ? settle_all(store) : 0;
  table_close(rel, NoLock);
  PG_RETURN_INT64(static_cast<std::int64_t>(dropped));
}

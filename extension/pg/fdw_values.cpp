#include "fdw.hpp"

namespace doublets::pg {

// All columns are of pass-by-value type.
void fill_slot(const StoreSpec *spec, const LinkRow &row, TupleTableSlot *slot) {
  ExecClearTuple(slot);
  std::memset(slot->tts_isnull, true, static_cast<std::size_t>(spec->natts));
  slot->tts_values[spec->id - 1] = Int64GetDatum(row.id);
  slot->tts_values[spec->source - 1] = Int64GetDatum(row.source);
  slot->tts_values[spec->target - 1] = Int64GetDatum(row.target);
  slot->tts_isnull[spec->id - 1] = false;
  slot->tts_isnull[spec->source - 1] = false;
  slot->tts_isnull[spec->target - 1] = false;
  ExecStoreVirtualTuple(slot);
  slot->tts_tableOid = InvalidOid;
  set_tid(&slot->tts_tid, row.version);
}

SlotChecks slot_checks(const ResultRelInfo *rinfo, CmdType command) {
  const Relation rel = rinfo->ri_RelationDesc;
  const TupleConstr *constr = RelationGetDescr(rel)->constr;
  const bool routed = rinfo->ri_RootResultRelInfo != nullptr && command == CMD_INSERT;
  const StoreSpec *spec = store_spec(rel);
  return {TupleDescAttr(RelationGetDescr(rel), spec->id - 1)->attidentity != '\0',
          constr != nullptr && constr->num_check > 0, constr != nullptr && constr->has_not_null,
          rel->rd_rel->relispartition && !routed};
}

LinkInput read_link(const WriteTarget &target, const SlotChecks &checks, const NewRow &row, bool assign) {
  const StoreSpec *spec = target.spec;
  TupleTableSlot *slot = row.slot;
  slot_getallattrs(slot);
  slot->tts_tableOid = RelationGetRelid(target.rel);
  const bool null_id = slot->tts_isnull[spec->id - 1];
  const bool null_source = slot->tts_isnull[spec->source - 1];
  const bool null_target = slot->tts_isnull[spec->target - 1];
  const bool no_id = null_id && (!assign || checks.identity);
  const bool missing = null_source || null_target || no_id;
  // A row without id is checked once it has one, unless it cannot be inserted at all.
  if ((checks.conditions && !null_id) || ((checks.conditions || checks.not_null) && missing))
    ExecConstraints(row.rinfo, slot, row.estate);
  if (checks.partition)
    ExecPartitionCheck(row.rinfo, slot, row.estate, true);
  if (missing)
    raise_null_part(target.rel,
                    no_id         ? spec->id
                    : null_source ? spec->source
                                  : spec->target,
                    slot);
  LinkInput link{};
  if (!null_id) {
    link.id = DatumGetInt64(slot->tts_values[spec->id - 1]);
    if (link.id <= 0)
      raise_bad_id(target.rel, link.id, assign);
  }
  link.source = DatumGetInt64(slot->tts_values[spec->source - 1]);
  link.target = DatumGetInt64(slot->tts_values[spec->target - 1]);
  return link;
}

} // namespace doublets::pg

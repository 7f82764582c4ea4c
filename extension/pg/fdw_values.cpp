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

} // namespace doublets::pg

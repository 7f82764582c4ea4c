#include "fdw.hpp"

#include <algorithm>

namespace doublets::pg {

std::int64_t integer_value(Datum datum, Oid type) {
  switch (type) {
  case INT2OID:
    return DatumGetInt16(datum);
  case INT4OID:
    return DatumGetInt32(datum);
  default:
    Assert(type == INT8OID);
    return DatumGetInt64(datum);
  }
}

std::int64_t *array_values(Datum datum, MemoryContext context, int *n) {
  ArrayType *array = DatumGetArrayTypeP(datum);
  const Oid element = ARR_ELEMTYPE(array);
  int16 length;
  bool by_value;
  char align;
  get_typlenbyvalalign(element, &length, &by_value, &align);
  Datum *elements;
  bool *nulls;
  int count;
  deconstruct_array(array, element, length, by_value, align, &elements, &nulls, &count);
  auto *values = static_cast<std::int64_t *>(
      MemoryContextAlloc(context, sizeof(std::int64_t) * static_cast<Size>(Max(count, 1))));
  int kept = 0;
  for (int i = 0; i < count; ++i)
    if (!nulls[i])
      values[kept++] = integer_value(elements[i], element);
  std::sort(values, values + kept);
  *n = static_cast<int>(std::unique(values, values + kept) - values);
  return values;
}

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

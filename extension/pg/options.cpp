// The options of a store and of its columns: one table drives the validator and the hints.
#include "options.hpp"

namespace doublets::pg {
namespace {

// What an option's value may be: one of the words, or, with no words, what parse() accepts.
struct Option {
  const char* name;
  Oid catalog;  // of the object the option belongs to
  const char* words[4];
  void (*parse)(const char* value, StoreSpec* spec);
};

[[noreturn]] void bad_value(const char* option, const char* value, const char* hint) {
  ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                  errmsg("invalid value for option \"%s\": \"%s\"", option, value), errhint("%s", hint)));
  pg_unreachable();
}

void parse_layout(const char* value, StoreSpec* spec) {
  spec->layout = strcmp(value, "united") == 0 ? Layout::kUnited : Layout::kSplit;
}

void parse_persistence(const char* value, StoreSpec* spec) {
  if (strcmp(value, "volatile") != 0)
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("persistence \"%s\" is not supported yet", value),
                    errhint("Use persistence \"volatile\": the links live as long as the server runs.")));
  spec->persistence = Persistence::kVolatile;
}

void parse_unique_pairs(const char* value, StoreSpec* spec) {
  if (!parse_bool(value, &spec->unique_pairs))
    bad_value("unique_pairs", value, "Legal values are the spellings of a boolean, such as \"true\" and \"false\".");
}

void parse_max_size(const char* value, StoreSpec* spec) {
  double bytes;
  // A double holds sizes up to 8 PB exactly.
  if (!parse_real(value, &bytes, GUC_UNIT_BYTE, nullptr) || bytes < 1 || bytes > 9e15)
    bad_value("max_size", value, "Legal values are sizes above zero, such as \"512MB\" and \"4GB\".");
  spec->max_size = static_cast<uint64>(bytes);
}

const Option kOptions[] = {
    {"layout", ForeignTableRelationId, {"split", "united"}, parse_layout},
    {"persistence", ForeignTableRelationId, {"volatile", "mapped", "durable"}, parse_persistence},
    {"unique_pairs", ForeignTableRelationId, {}, parse_unique_pairs},
    {"max_size", ForeignTableRelationId, {}, parse_max_size},
    {"link_part", AttributeRelationId, {"id", "source", "target"}, nullptr},
};

const Option* find_option(const char* name, Oid catalog) {
  for (const Option& option : kOptions)
    if (option.catalog == catalog && strcmp(option.name, name) == 0) return &option;
  return nullptr;
}

[[noreturn]] void unknown_option(const char* name, Oid catalog) {
  StringInfoData known;
  initStringInfo(&known);
  for (const Option& option : kOptions)
    if (option.catalog == catalog) appendStringInfo(&known, "%s%s", known.len > 0 ? ", " : "", option.name);
  ereport(ERROR, (errcode(ERRCODE_FDW_INVALID_OPTION_NAME), errmsg("invalid option \"%s\"", name),
                  known.len > 0 ? errhint("Valid options in this context are: %s.", known.data)
                                : errhint("There are no valid options in this context.")));
  pg_unreachable();
}

// Checks one value; with a spec, also stores it.
void apply_option(const Option& option, const char* value, StoreSpec* spec) {
  if (option.words[0] != nullptr) {
    bool legal = false;
    StringInfoData words;
    initStringInfo(&words);
    for (const char* word : option.words) {
      if (word == nullptr) break;
      appendStringInfo(&words, "%s\"%s\"", words.len > 0 ? ", " : "", word);
      legal = legal || strcmp(word, value) == 0;
    }
    if (!legal) bad_value(option.name, value, psprintf("Legal values are: %s.", words.data));
    pfree(words.data);
  }
  StoreSpec scratch{};
  if (option.parse != nullptr) option.parse(value, spec != nullptr ? spec : &scratch);
}

}  // namespace

void read_options(List* options, StoreSpec* spec) {
  spec->layout = Layout::kSplit;
  spec->persistence = Persistence::kVolatile;
  spec->unique_pairs = false;
  spec->max_size = 0;
  ListCell* cell;
  foreach (cell, options) {
    auto* element = static_cast<DefElem*>(lfirst(cell));
    const Option* option = find_option(element->defname, ForeignTableRelationId);
    if (option == nullptr) unknown_option(element->defname, ForeignTableRelationId);
    apply_option(*option, defGetString(element), spec);
  }
}

const char* layout_name(Layout layout) {
  return layout == Layout::kUnited ? "united" : "split";
}

const char* persistence_name(Persistence persistence) {
  switch (persistence) {
    case Persistence::kMapped:
      return "mapped";
    case Persistence::kDurable:
      return "durable";
    case Persistence::kVolatile:
      break;
  }
  return "volatile";
}

}  // namespace doublets::pg

// doublets.fdw_validator(text[], oid): the options of a wrapper, server, table or column.
DOUBLETS_FUNCTION(doublets_fdw_validator) {
  using namespace doublets::pg;
  List* options = untransformRelOptions(PG_GETARG_DATUM(0));
  const Oid catalog = PG_GETARG_OID(1);
  ListCell* cell;
  foreach (cell, options) {
    auto* element = static_cast<DefElem*>(lfirst(cell));
    const Option* option = find_option(element->defname, catalog);
    if (option == nullptr) unknown_option(element->defname, catalog);
    apply_option(*option, defGetString(element), nullptr);
  }
  PG_RETURN_VOID();
}

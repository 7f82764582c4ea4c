// The library's entry point.
#include "pg.hpp"
#include "registry.hpp"

extern "C" {
PG_MODULE_MAGIC;
extern PGDLLEXPORT void _PG_init(void);
}

namespace doublets::pg {
void ddl_init();
void join_plan_init();
void set_plan_init();
void transactions_init();
void statistics_init();
}  // namespace doublets::pg

extern "C" PGDLLEXPORT void _PG_init(void) {
  // In this order: a transaction's end first settles the fate of its links, then of its stores.
  doublets::pg::registry_init();
  doublets::pg::ddl_init();
  doublets::pg::transactions_init();
  doublets::pg::statistics_init();
  doublets::pg::set_plan_init();
  doublets::pg::join_plan_init();
}

# Tests against a running server: pg_regress and isolation. Included by the Makefile after PGXS, whose macros name the
# tools. They need nothing but the server's own packages.
#
# The surface tests are plain SQL: the same files run on a native table and on both layouts, and there is one expected
# output, that of the native table. The store tests run on both layouts. The first test of every run, `backend`,
# makes the tables' maker from the setting doublets_test.backend.

SURFACE_TESTS = rows modify transactions row_locks queries ranges branches aggregates joins batched_joins copy constraints direct triggers columns views partitions routing cursors parallel conformance model
STORE_TESTS = store_ids functions function_errors set_functions graph graph_levels conformance_store unique_pairs options lifecycle import refused explain plans join_plans orders
LAYOUT_TESTS_split =
LAYOUT_TESTS_united =

BACKENDS = native split united
TESTS_native = $(SURFACE_TESTS)
TESTS_split = $(SURFACE_TESTS) $(STORE_TESTS) $(LAYOUT_TESTS_split)
TESTS_united = $(SURFACE_TESTS) $(STORE_TESTS) $(LAYOUT_TESTS_united)

# All of them; `make -k installcheck` goes on after a failing one.
installcheck: $(BACKENDS:%=regress-%)

# One backend, or a few tests of it: make regress-split TESTS_split='rows modify'
.PHONY: $(BACKENDS:%=regress-%)
$(BACKENDS:%=regress-%): regress-%:
	@$(MKDIR_P) results/regress-$*
	PGOPTIONS='$(PGOPTIONS) -c doublets_test.backend=$*' && export PGOPTIONS && $(pg_regress_installcheck) \
	  --outputdir=results/regress-$* --dbname=doublets_regress_$* backend $(TESTS_$*)

# Races: extension/test/isolation, on every backend too.
ISOLATION_DIR = $(srcdir)/extension/test/isolation
ISOLATION_TESTS = $(sort $(basename $(notdir $(wildcard $(ISOLATION_DIR)/specs/*.spec))))
ISOLATION_STORE_TESTS = $(sort $(basename $(notdir $(wildcard $(ISOLATION_DIR)/specs/store-*.spec))))
RACES_native = $(filter-out $(ISOLATION_STORE_TESTS),$(ISOLATION_TESTS))
RACES_split = $(ISOLATION_TESTS)
RACES_united = $(ISOLATION_TESTS)

.PHONY: isolation $(BACKENDS:%=isolation-%)
isolation: $(BACKENDS:%=isolation-%)
$(BACKENDS:%=isolation-%): isolation-%:
	@$(MKDIR_P) results/isolation-$*
	PGOPTIONS='-c client_min_messages=warning' \
	  '$(bindir)/psql' -XAtq -v ON_ERROR_STOP=1 -d postgres \
	  -c 'DROP DATABASE IF EXISTS doublets_isolation_$*' -c 'CREATE DATABASE doublets_isolation_$*'
	PGOPTIONS='$(PGOPTIONS) -c doublets_test.backend=$*' \
	  '$(bindir)/psql' -XAtq -v ON_ERROR_STOP=1 -d doublets_isolation_$* -f $(srcdir)/sql/backend.sql >/dev/null
	PGISOLATIONTIMEOUT=60 PGOPTIONS='$(PGOPTIONS) -c doublets_test.backend=$*' \
	  $(top_builddir)/src/test/isolation/pg_isolation_regress --inputdir=$(ISOLATION_DIR) \
	  --outputdir=results/isolation-$* --bindir='$(bindir)' --use-existing --dbname=doublets_isolation_$* $(RACES_$*)

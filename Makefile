# doublets: links in shared memory for PostgreSQL.
#   make && make install && make installcheck      PG_CONFIG=... chooses the server
EXTENSION = doublets
MODULE_big = doublets
PGFILEDESC = "doublets - links in shared memory"
DATA = extension/doublets--1.0.sql

CORE_OBJS = $(patsubst %.cpp,%.o,$(filter-out extension/core/mapped_files.cpp,$(sort $(wildcard extension/core/*.cpp))))
PG_OBJS = $(patsubst %.cpp,%.o,$(sort $(wildcard extension/pg/*.cpp)))
OBJS = $(CORE_OBJS) $(PG_OBJS)

DEPS = $(patsubst %.o,.deps/%.d,$(OBJS))
EXTRA_CLEAN = .deps results output_iso

# The server's bitcode rules know neither the C++ flags nor a matching clang.
override with_llvm := no

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# Neither exceptions nor run-time type information, hence no C++ library to link.
# Hidden visibility makes the library's own calls direct (see extension/pg/pg.hpp).
CXX_STANDARD = -std=c++20 -Wall -Wextra -Werror -fPIC -fno-exceptions -fno-rtti -fno-threadsafe-statics \
  -fvisibility=hidden -fvisibility-inlines-hidden
# The core's assertions follow the server's.
CORE_FLAGS = $(CXXFLAGS) $(CXX_STANDARD) $(if $(findstring --enable-cassert,$(shell $(PG_CONFIG) --configure)),,-DNDEBUG)
# System headers: warnings in the server's own headers are not ours. `register` is an error in C++17.
PG_FLAGS = $(CXXFLAGS) $(CXX_STANDARD) -Wno-register -isystem $(includedir_server) -D_GNU_SOURCE

# The core is compiled without the server's include path: including one of its headers is an error.
$(CORE_OBJS): %.o: %.cpp Makefile
	@$(MKDIR_P) $(dir .deps/$*)
	$(CXX) $(CORE_FLAGS) -MMD -MP -MF .deps/$*.d -c -o $@ $<

$(PG_OBJS): %.o: %.cpp Makefile
	@$(MKDIR_P) $(dir .deps/$*)
	$(CXX) $(PG_FLAGS) -MMD -MP -MF .deps/$*.d -c -o $@ $<

-include $(DEPS)
-include extension/test/check.mk

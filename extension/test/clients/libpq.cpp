// libpq from C++: parameters in text and binary, prepared statements, pipeline, single-row mode, COPY, errors.
#include <libpq-fe.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <endian.h>
#include <memory>
#include <string>
#include <vector>

namespace {

using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

const std::string store = std::getenv("STORE");
const std::string layout = std::getenv("LAYOUT");
PGconn* connection;

void check(const char* name, bool good) {
  std::printf("%s - libpq, %s: %s\n", good ? "ok" : "not ok", layout.c_str(), name);
  if (!good) std::printf("# %s\n", PQerrorMessage(connection));
}

Result run(const std::string& sql) { return {PQexec(connection, sql.c_str()), PQclear}; }

std::string value(const Result& result, int row = 0, int column = 0) {
  return row < PQntuples(result.get()) ? PQgetvalue(result.get(), row, column) : "(none)";
}

std::string state(const Result& result) {
  const char* code = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
  return code != nullptr ? code : "";
}

void parameters() {
  const char* values[] = {"1", "-9223372036854775808"};
  Result inserted{PQexecParams(connection, ("INSERT INTO " + store + "(source, target) VALUES ($1, $2) RETURNING id").c_str(), 2,
                               nullptr, values, nullptr, nullptr, 0), PQclear};
  Result prepared{PQprepare(connection, "outgoing", ("SELECT id, target FROM " + store + " WHERE source = $1").c_str(), 1, nullptr),
                  PQclear};
  const std::uint64_t one = htobe64(1);
  const char* binary[] = {reinterpret_cast<const char*>(&one)};
  const int length = sizeof one, format = 1;
  Result found{PQexecPrepared(connection, "outgoing", 1, binary, &length, &format, 1), PQclear};
  bool good = value(inserted) == "1" && PQresultStatus(prepared.get()) == PGRES_COMMAND_OK && PQntuples(found.get()) == 1;
  if (good) {
    std::uint64_t target;
    __builtin_memcpy(&target, PQgetvalue(found.get(), 0, 1), sizeof target);
    good = be64toh(target) == std::uint64_t{1} << 63;
  }
  check("queries with parameters, text and binary", good);
}

void pipeline() {
  bool good = PQenterPipelineMode(connection) == 1;
  const std::string sql = "INSERT INTO " + store + " VALUES ($1, $1, 7)";
  for (int id = 10; id < 20; ++id) {
    const std::string text = std::to_string(id);
    const char* values[] = {text.c_str()};
    good = good && PQsendQueryParams(connection, sql.c_str(), 1, nullptr, values, nullptr, nullptr, 0) == 1;
  }
  good = good && PQpipelineSync(connection) == 1;
  int done = 0;
  for (bool more = good; more;) {
    Result result{PQgetResult(connection), PQclear};
    if (!result) continue;
    more = PQresultStatus(result.get()) != PGRES_PIPELINE_SYNC;
    done += PQresultStatus(result.get()) == PGRES_COMMAND_OK;
  }
  good = PQexitPipelineMode(connection) == 1 && good && done == 10;
  check("inserts in a pipeline", good && value(run("SELECT count(*) FROM " + store + " WHERE target = 7")) == "10");
}

void single_row() {
  PQsendQuery(connection, ("SELECT id FROM " + store + " WHERE target = 7 ORDER BY id").c_str());
  PQsetSingleRowMode(connection);
  int rows = 0;
  for (Result result{PQgetResult(connection), PQclear}; result; result.reset(PQgetResult(connection)))
    rows += PQresultStatus(result.get()) == PGRES_SINGLE_TUPLE;
  check("fetches row by row", rows == 10);
}

void copy() {
  const std::string line = "100\t5\t6\n101\t6\t5\n";
  bool good = PQresultStatus(run("COPY " + store + " FROM STDIN").get()) == PGRES_COPY_IN;
  good = good && PQputCopyData(connection, line.data(), static_cast<int>(line.size())) == 1 &&
         PQputCopyEnd(connection, nullptr) == 1;
  for (Result result{PQgetResult(connection), PQclear}; result; result.reset(PQgetResult(connection)))
    good = good && PQresultStatus(result.get()) == PGRES_COMMAND_OK;
  check("copies in", good && value(run("SELECT target FROM " + store + " WHERE id = 101")) == "5");
}

void modify() {
  const Result updated = run("UPDATE " + store + " SET source = 0 WHERE target = 7");
  const Result removed = run("DELETE FROM " + store + " WHERE source = 0");
  check("modifies, and is told how many", std::string{PQcmdTuples(updated.get())} == "10" &&
                                              std::string{PQcmdTuples(removed.get())} == "10");
}

void transaction() {
  run("BEGIN");
  run("INSERT INTO " + store + " VALUES (50, 50, 50)");
  run("ROLLBACK");
  run("BEGIN");
  run("INSERT INTO " + store + " VALUES (51, 51, 51)");
  run("COMMIT");
  const Result found = run("SELECT id FROM " + store + " WHERE id IN (50, 51)");
  check("keeps and undoes transactions", PQntuples(found.get()) == 1 && value(found) == "51");
}

void errors() {
  const bool duplicate = state(run("INSERT INTO " + store + " VALUES (51, 1, 1)")) == "23505";
  const bool null = state(run("INSERT INTO " + store + " VALUES (52, NULL, 1)")) == "23502";
  run("BEGIN");
  run("INSERT INTO " + store + " VALUES (51, 1, 1)");
  const bool aborted = state(run("SELECT 1")) == "25P02" && PQtransactionStatus(connection) == PQTRANS_INERROR;
  run("ROLLBACK");
  check("tells errors by SQLSTATE", duplicate && null && aborted);
}

}  // namespace

int main() {
  connection = PQconnectdb("");
  check("connects", PQstatus(connection) == CONNECTION_OK);
  check("creates a store", value(run("SELECT doublets.create_store('" + store + "', '" + layout + "')")) == store);
  parameters();
  pipeline();
  single_row();
  copy();
  modify();
  transaction();
  errors();
  check("drops", PQresultStatus(run("DROP FOREIGN TABLE " + store).get()) == PGRES_COMMAND_OK);
  PQfinish(connection);
}

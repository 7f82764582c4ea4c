// psqlODBC from C++: bound parameters and columns, row counts, transactions, errors with their SQLSTATE, catalog functions.
#include <sql.h>
#include <sqlext.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

const std::string store = std::getenv("STORE");
const std::string layout = std::getenv("LAYOUT");
SQLHDBC connection;

void check(const char* name, bool good) {
  std::printf("%s - odbc, %s: %s\n", good ? "ok" : "not ok", layout.c_str(), name);
}

SQLCHAR* text(const std::string& s) {
  return reinterpret_cast<SQLCHAR*>(const_cast<char*>(s.c_str()));
}

// A statement of its own per object; freed at the end of the scope.
class Statement {
 public:
  Statement() { SQLAllocHandle(SQL_HANDLE_STMT, connection, &handle_); }
  ~Statement() { SQLFreeHandle(SQL_HANDLE_STMT, handle_); }
  Statement(const Statement&) = delete;

  bool run(const std::string& sql) { return SQL_SUCCEEDED(SQLExecDirect(handle_, text(sql), SQL_NTS)); }
  bool prepare(const std::string& sql) { return SQL_SUCCEEDED(SQLPrepare(handle_, text(sql), SQL_NTS)); }
  bool bind(SQLUSMALLINT number, std::int64_t& value) {
    return SQL_SUCCEEDED(
        SQLBindParameter(handle_, number, SQL_PARAM_INPUT, SQL_C_SBIGINT, SQL_BIGINT, 0, 0, &value, 0, nullptr));
  }
  bool execute() { return SQL_SUCCEEDED(SQLExecute(handle_)); }
  bool fetch() { return SQL_SUCCEEDED(SQLFetch(handle_)); }
  void close() { SQLFreeStmt(handle_, SQL_CLOSE); }
  std::int64_t number(SQLUSMALLINT column) {
    std::int64_t value = -1;
    SQLLEN length;
    SQLGetData(handle_, column, SQL_C_SBIGINT, &value, sizeof value, &length);
    return value;
  }
  std::string word(SQLUSMALLINT column) {
    char value[200] = "";
    SQLLEN length;
    SQLGetData(handle_, column, SQL_C_CHAR, value, sizeof value, &length);
    return value;
  }
  SQLLEN rows() {
    SQLLEN n = -1;
    SQLRowCount(handle_, &n);
    return n;
  }
  std::string state() {
    SQLCHAR state[6] = "", message[300];
    SQLINTEGER native;
    SQLSMALLINT length;
    SQLGetDiagRec(SQL_HANDLE_STMT, handle_, 1, state, &native, message, sizeof message, &length);
    return reinterpret_cast<char*>(state);
  }
  bool tables() { return SQL_SUCCEEDED(SQLTables(handle_, nullptr, 0, nullptr, 0, text(store), SQL_NTS, nullptr, 0)); }

 private:
  SQLHSTMT handle_ = nullptr;
};

bool connect() {
  SQLHENV environment;
  SQLAllocHandle(SQL_HANDLE_ENV, nullptr, &environment);
  SQLSetEnvAttr(environment, SQL_ATTR_ODBC_VERSION, reinterpret_cast<SQLPOINTER>(SQL_OV_ODBC3), 0);
  SQLAllocHandle(SQL_HANDLE_DBC, environment, &connection);
  const std::string how = std::string("Driver=PostgreSQL Unicode;Servername=") + std::getenv("PGHOST") + ";Port=" +
                          std::getenv("PGPORT") + ";Database=" + std::getenv("PGDATABASE") + ";Uid=" + std::getenv("PGUSER");
  return SQL_SUCCEEDED(
      SQLDriverConnect(connection, nullptr, text(how), SQL_NTS, nullptr, 0, nullptr, SQL_DRIVER_NOPROMPT));
}

void queries() {
  std::int64_t source = 1, target = INT64_MIN;
  Statement insert, outgoing;
  bool good = insert.prepare("INSERT INTO " + store + "(source, target) VALUES (?, ?)") && insert.bind(1, source) &&
              insert.bind(2, target) && insert.execute() &&
              outgoing.prepare("SELECT id, target FROM " + store + " WHERE source = ?") && outgoing.bind(1, source);
  for (int i = 0; i < 8; ++i) {
    good = good && outgoing.execute() && outgoing.fetch() && outgoing.number(1) == 1 && outgoing.number(2) == target &&
           !outgoing.fetch();
    outgoing.close();
  }
  check("queries with a prepared statement, again and again", good);
  target = 7;
  for (source = 10; source < 20; ++source) good = good && insert.execute();
  Statement update, remove;
  good = good && update.run("UPDATE " + store + " SET target = 8 WHERE target = 7") && update.rows() == 10 &&
         remove.run("DELETE FROM " + store + " WHERE target = 8") && remove.rows() == 10;
  check("modifies, and is told how many", good);
}

void transactions() {
  SQLSetConnectAttr(connection, SQL_ATTR_AUTOCOMMIT, reinterpret_cast<SQLPOINTER>(SQL_AUTOCOMMIT_OFF), 0);
  bool good = Statement().run("INSERT INTO " + store + " VALUES (50, 50, 50)");
  SQLEndTran(SQL_HANDLE_DBC, connection, SQL_ROLLBACK);
  good = good && Statement().run("INSERT INTO " + store + " VALUES (51, 51, 51)");
  SQLEndTran(SQL_HANDLE_DBC, connection, SQL_COMMIT);
  SQLSetConnectAttr(connection, SQL_ATTR_AUTOCOMMIT, reinterpret_cast<SQLPOINTER>(SQL_AUTOCOMMIT_ON), 0);
  Statement found;
  check("keeps and undoes transactions", good && found.run("SELECT id FROM " + store + " WHERE id IN (50, 51)") &&
                                             found.fetch() && found.number(1) == 51 && !found.fetch());
  Statement duplicate;
  check("tells errors by SQLSTATE",
        !duplicate.run("INSERT INTO " + store + " VALUES (51, 1, 1)") && duplicate.state() == "23505");
}

}  // namespace

int main() {
  check("connects", connect());
  Statement create, tables;
  check("creates a store", create.run("SELECT doublets.create_store('" + store + "', '" + layout + "')::text") &&
                               create.fetch() && create.word(1) == store && tables.tables() && tables.fetch());
  queries();
  transactions();
  check("drops", Statement().run("DROP FOREIGN TABLE " + store));
  SQLDisconnect(connection);
}

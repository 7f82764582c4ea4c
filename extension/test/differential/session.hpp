// One database session: sends a statement without waiting and collects its outcome when it comes.
#pragma once

#include <libpq-fe.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace doublets::differential {

// The server cannot be talked to.
struct ConnectionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What a client sees of one statement.
struct Outcome {
  std::string state = "00000";  // SQLSTATE; kLost when the connection broke
  std::string message;
  std::string tag;                // of the command, with the number of rows
  std::vector<std::string> rows;  // the columns joined by '|', NULL as '~'

  static constexpr const char* kLost = "LOST!";

  // In one line, for people.
  std::string text() const;
};

// Whether a statement had the same outcome twice: SQLSTATE, tag, rows; these in any order, unless it asks for one.
bool same(const std::string& sql, const Outcome& a, const Outcome& b);

class Session {
 public:
  // Connects to what the PG* variables name; `options` are those of a server process. Errors: ConnectionError.
  explicit Session(const std::string& options);

  // REQUIRES: !pending(). The outcome of before is forgotten.
  void send(const std::string& sql);
  // Reads what has come; true when the statement is done.
  bool collect();
  // Asks the server to give up the pending statement; its outcome is still to be collected.
  void cancel();

  // Waits for the end of what is pending, cancelling it. Errors: ConnectionError.
  void quiet();
  // Sends statements and waits for the end of the last. Errors: ConnectionError.
  Outcome ask(const std::string& sql);
  // The same. Errors: std::runtime_error if one fails, too.
  Outcome run(const std::string& sql);

  bool pending() const { return pending_; }
  const Outcome& outcome() const { return outcome_; }
  int pid() const { return PQbackendPID(connection_.get()); }
  int socket() const { return PQsocket(connection_.get()); }
  // 'I' outside a transaction, 'T' in one, 'E' in a failed one.
  char transaction() const { return transaction_; }

 private:
  void wait();
  void take(const PGresult* result);

  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
  bool pending_ = false;
  char transaction_ = 'I';
  Outcome outcome_;
};

}  // namespace doublets::differential

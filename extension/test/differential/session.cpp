#include "session.hpp"

#include <poll.h>

#include <algorithm>

namespace doublets::differential {
namespace {

using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

char transaction_of(PGconn* connection) {
  switch (PQtransactionStatus(connection)) {
    case PQTRANS_INTRANS:
      return 'T';
    case PQTRANS_INERROR:
      return 'E';
    default:
      return 'I';
  }
}

}  // namespace

std::string Outcome::text() const {
  std::string text = state == "00000" ? tag : state + " " + message;
  for (const std::string& row : rows)
    text += " (" + row + ")";
  return text;
}

bool same(const std::string& sql, const Outcome& a, const Outcome& b) {
  if (a.state != b.state || a.tag != b.tag) return false;
  if (sql.find("ORDER BY") != std::string::npos || sql.find("FETCH") != std::string::npos) return a.rows == b.rows;
  return std::is_permutation(a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end());
}

Session::Session(const std::string& options) : connection_(nullptr, &PQfinish) {
  const char* const keywords[] = {"options", "application_name", nullptr};
  const char* const values[] = {options.c_str(), "doublets differential", nullptr};
  connection_.reset(PQconnectdbParams(keywords, values, 0));
  if (PQstatus(connection_.get()) != CONNECTION_OK) throw ConnectionError(PQerrorMessage(connection_.get()));
  PQsetNoticeProcessor(
      connection_.get(), [](void*, const char*) {}, nullptr);
}

void Session::send(const std::string& sql) {
  outcome_ = {};
  pending_ = true;
  if (PQsendQuery(connection_.get(), sql.c_str()) == 0) {
    outcome_.state = Outcome::kLost;
    outcome_.message = PQerrorMessage(connection_.get());
    pending_ = false;
  }
}

void Session::take(const PGresult* result) {
  const ExecStatusType status = PQresultStatus(result);
  if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) {
    outcome_.tag = PQcmdStatus(const_cast<PGresult*>(result));
    outcome_.rows.clear();
    for (int row = 0; row < PQntuples(result); ++row) {
      std::string text;
      for (int column = 0; column < PQnfields(result); ++column) {
        if (column > 0) text += '|';
        text += PQgetisnull(result, row, column) ? "~" : PQgetvalue(result, row, column);
      }
      outcome_.rows.push_back(text);
    }
    return;
  }
  const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  // What the library makes up itself has no SQLSTATE: the connection is gone.
  outcome_.state = state != nullptr ? state : Outcome::kLost;
  outcome_.message = message != nullptr ? message : PQresultErrorMessage(result);
}

bool Session::collect() {
  while (pending_) {
    if (PQconsumeInput(connection_.get()) == 0) {
      outcome_.state = Outcome::kLost;
      outcome_.message = PQerrorMessage(connection_.get());
      pending_ = false;
      break;
    }
    if (PQisBusy(connection_.get()) != 0) return false;
    const Result result(PQgetResult(connection_.get()), &PQclear);
    if (result == nullptr)
      pending_ = false;
    else
      take(result.get());
  }
  transaction_ = transaction_of(connection_.get());
  return true;
}

void Session::cancel() {
  const std::unique_ptr<PGcancel, decltype(&PQfreeCancel)> cancel(PQgetCancel(connection_.get()), &PQfreeCancel);
  char error[256];
  if (cancel == nullptr || PQcancel(cancel.get(), error, sizeof error) == 0) throw ConnectionError("cannot cancel");
}

void Session::wait() {
  while (!collect()) {
    pollfd fd{socket(), POLLIN, 0};
    (void)poll(&fd, 1, -1);
  }
}

void Session::quiet() {
  if (!pending_) return;
  cancel();
  wait();
}

Outcome Session::ask(const std::string& sql) {
  send(sql);
  wait();
  if (outcome_.state == Outcome::kLost) throw ConnectionError(outcome_.message);
  return outcome_;
}

Outcome Session::run(const std::string& sql) {
  (void)ask(sql);
  if (outcome_.state != "00000") throw std::runtime_error(outcome_.state + " " + outcome_.message + ": " + sql);
  return outcome_;
}

}  // namespace doublets::differential

#include "generator.hpp"

namespace doublets::differential {

std::string Generator::maybe_returning() {
  if (random_.percent(50)) return "";
  return random_.of({" RETURNING *", " RETURNING id", " RETURNING source + target"});
}

std::string Generator::insert() {
  const std::string ends = ", " + end_value() + ", " + end_value() + ")";
  switch (random_.below(8)) {
    case 0:
    case 1:
      return "INSERT INTO links VALUES (:id" + ends + " RETURNING id";
    case 2:
      return "INSERT INTO links VALUES (" + new_id() + ends + " ON CONFLICT DO NOTHING" + maybe_returning();
    case 3:
      return "INSERT INTO links SELECT " + fresh_id() + ", target, source FROM links WHERE " + one() +
             maybe_returning();
    case 4:
      if (random_.percent(15)) return "INSERT INTO links VALUES (" + new_id() + ", NULL, 1)";
      [[fallthrough]];
    default:
      return "INSERT INTO links VALUES (" + new_id() + ends + maybe_returning();
  }
}

std::string Generator::insert_many() {
  if (random_.percent(35)) {
    const std::string base = std::to_string(last_fresh_ += 20);
    return "INSERT INTO links SELECT " + base + " + id % 20, " +
           random_.of({"source, target", "target, source", "id, source"}) + " FROM links WHERE " + several() +
           " ORDER BY id" + (random_.percent(30) ? " ON CONFLICT DO NOTHING" : "");
  }
  std::string values;
  for (long i = random_.between(2, 4); i > 0; --i)
    values += (values.empty() ? "(" : ", (") + new_id() + ", " + end_value() + ", " + end_value() + ")";
  return "INSERT INTO links VALUES " + values + (random_.percent(30) ? " ON CONFLICT DO NOTHING" : "") +
         maybe_returning();
}

std::string Generator::update() {
  if (random_.percent(10))
    return "UPDATE links SET target = (SELECT count(*) FROM links WHERE source = " + end_value() + ") WHERE " + one();
  return "UPDATE links SET " + change() + " WHERE " + one() + maybe_returning();
}

std::string Generator::update_many() {
  return "UPDATE links SET " + change_of_many() + " WHERE " + several() + maybe_returning();
}

std::string Generator::remove() {
  return "DELETE FROM links WHERE " + one() + maybe_returning();
}

std::string Generator::remove_many() {
  return "DELETE FROM links WHERE " + several() + maybe_returning();
}

// One row of the helper, hence of links, at most.
std::string Generator::joined() {
  const std::string key = std::to_string(random_.between(1, 8));
  const std::string extra = random_.percent(40) ? " AND l.source <> h.value" : "";
  switch (random_.below(5)) {
    case 0:
      return "UPDATE links AS l SET target = h.value FROM helper AS h WHERE h.link = l.id AND h.id = " + key + extra +
             " RETURNING l.*, h.value";
    case 1:
      return "UPDATE links AS l SET target = l.target + h.value FROM helper AS h WHERE h.link = l.id AND h.id = " +
             key + extra;
    case 2:
      return "DELETE FROM links AS l USING helper AS h WHERE h.link = l.id AND h.id = " + key + extra +
             " RETURNING l.id, h.value";
    case 3:
      return "UPDATE helper AS h SET value = l.target FROM links AS l WHERE l.id = h.link AND h.id = " + key +
             " RETURNING h.*, l.source";
    default:
      return "UPDATE links AS l SET source = m.target FROM links AS m WHERE l.id = " + id() + " AND m.id = " + id() +
             " RETURNING l.*, m.*";
  }
}

std::string Generator::with() {
  switch (random_.below(5)) {
    case 0:
      return "WITH d AS (DELETE FROM links WHERE " + one() + " RETURNING *) INSERT INTO links SELECT " + fresh_id() +
             ", source, target + 50 FROM d RETURNING *";
    case 1:
      return "WITH u AS (UPDATE links SET " + change() + " WHERE " + one() +
             " RETURNING *) SELECT u.*, l.* FROM u LEFT JOIN links"
             " AS l USING (id)";
    case 2:
      return "WITH i AS (INSERT INTO links VALUES (" + new_id() + ", " + end_value() + ", " + end_value() +
             ") RETURNING *) SELECT (SELECT count(*) FROM links), i.* FROM i";
    case 3: {
      const std::string same = id();
      return "WITH u AS (UPDATE links SET target = 7 WHERE id = " + same +
             " RETURNING *) UPDATE links SET source = 8 WHERE id = " + same + " RETURNING *";
    }
    default:
      return "WITH d AS (DELETE FROM links WHERE " + one() +
             " RETURNING id) UPDATE helper SET value = value + 1 WHERE link IN (SELECT id FROM d) RETURNING *";
  }
}

// PL/pgSQL, with a subtransaction that may fail.
std::string Generator::block() {
  const std::string inner = random_.percent(50) ? insert() : update();
  const std::string sql = inner.find(":id") == std::string::npos ? inner.substr(0, inner.find(" RETURNING")) : "NULL";
  switch (random_.below(3)) {
    case 0:
      return "DO $$ BEGIN " + sql +
             "; EXCEPTION WHEN unique_violation THEN UPDATE links SET target = target + 1 WHERE " + one() + "; END $$";
    case 1:
      return "DO $$ BEGIN BEGIN " + sql + "; RAISE division_by_zero; EXCEPTION WHEN division_by_zero THEN NULL; END; " +
             "DELETE FROM links WHERE " + one() + "; END $$";
    default:
      return "DO $$ DECLARE n bigint; BEGIN " + sql +
             "; SELECT count(*) INTO n FROM links; UPDATE helper SET value = n WHERE id = 8;"
             " END $$";
  }
}

std::string Generator::helper() {
  return "UPDATE helper SET value = " + end_value() + " WHERE id = " + std::to_string(random_.between(1, 8)) +
         " RETURNING *";
}

std::string Generator::function() {
  const std::string ends = end_value() + ", " + end_value();
  switch (random_.below(5)) {
    case 0:
      return "SELECT update_link('links', " + id() + ", " + ends + ")";
    case 1:
      return "SELECT delete_link('links', " + id() + ")";
    case 2:
      return "SELECT create_link('links', " + ends + ", :id)";
    default:
      // Whether a point's pair is taken depends on the id it gets, and there is no telling a table which that would be.
      return unique_ ? "SELECT get_or_create('links', " + ends + ", :id)" : "SELECT create_point('links', :id)";
  }
}

std::string Generator::function_many() {
  switch (random_.below(unique_ ? 3 : 4)) {
    case 0:
      return "SELECT delete_links('links', '{" + list(&Generator::id) + "}')";
    case 1:
      return "SELECT delete_usages('links', " + end_value() + ")";
    case 2: {
      const std::string s = end_value(), t = end_value();
      return "SELECT create_links('links', '{" + s + "," + end_value() + "}', '{" + t + "," + end_value() + "}', :ids)";
    }
    default:
      return "SELECT rebase('links', " + end_value() + ", " + end_value() + ")";
  }
}

std::string Generator::truncate() {
  return "TRUNCATE links";
}

std::string Generator::maintain() {
  return random_.of({"ANALYZE links", "SELECT settle('links') IS NOT NULL", "SELECT settle('links') IS NOT NULL"});
}

}  // namespace doublets::differential

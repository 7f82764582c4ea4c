#include "generator.hpp"

namespace doublets::differential {

std::string Generator::select() {
  return random_.of(
             {"SELECT * FROM links WHERE ", "SELECT id, target FROM links WHERE ", "SELECT source FROM links WHERE "}) +
         condition();
}

std::string Generator::aggregate() {
  switch (random_.below(10)) {
    case 5:
    case 6:
      return "SELECT count(*) FROM links WHERE " + condition();
    case 7:
      return random_.of({"SELECT source, count(*) FROM links GROUP BY source ORDER BY source",
                         "SELECT target, count(*) FROM links GROUP BY target HAVING count(*) > 1",
                         "SELECT DISTINCT source FROM links", "SELECT count(*) FROM links GROUP BY target"});
    case 8:
      return "SELECT target, count(*) FROM links WHERE target IN (" + list(&Generator::end_value) +
             ") GROUP BY target";
    case 9:
      return "SELECT h.id, (SELECT count(*) FROM links WHERE source = h.id), (SELECT max(id) FROM links WHERE source = "
             "h.id) FROM helper AS h";
    case 0:
      return "SELECT count(*) FROM links";
    case 1:
      return "SELECT count(*), min(id), max(id) FROM links WHERE " + condition();
    case 2:
      return "SELECT source, count(*), sum(id) FROM links GROUP BY source";
    case 3:
      return "SELECT DISTINCT target FROM links WHERE " + condition();
    default:
      return "SELECT min(id), max(id) FROM links";
  }
}

std::string Generator::ordered() {
  std::string sql = "SELECT * FROM links WHERE " + condition() + " ORDER BY ";
  sql += random_.of({"id", "id DESC", "source, target, id", "target, source, id", "source DESC, target DESC, id DESC"});
  if (random_.percent(60)) sql += " LIMIT " + std::to_string(random_.between(0, 4));
  if (random_.percent(30)) sql += " OFFSET " + std::to_string(random_.between(0, 3));
  return sql;
}

std::string Generator::join() {
  switch (random_.below(8)) {
    case 0:
      return "SELECT a.id, b.id FROM links AS a JOIN links AS b ON b.source = a.target WHERE a.source = " + end_value();
    case 1:
      return "SELECT l.id, h.value FROM helper AS h JOIN links AS l ON l.id = h.link WHERE h.value = " + end_value();
    case 2:
      return "SELECT h.id, l.source FROM helper AS h LEFT JOIN links AS l ON l.id = h.link";
    case 3:
      return "SELECT * FROM links AS l WHERE EXISTS (SELECT FROM links AS m WHERE m.source = l.target AND m.id <> "
             "l.id)";
    case 4:
      return "SELECT * FROM links WHERE id NOT IN (SELECT source FROM links)";
    case 5:
      return "WITH RECURSIVE r(node, depth) AS (SELECT " + end_value() +
             "::bigint, 0 UNION SELECT l.target, r.depth + 1 FROM r JOIN links AS l ON l.source = r.node WHERE r.depth "
             "< 3)"
             " SELECT * FROM r";
    case 6:
      return "SELECT h.id, l.n FROM helper AS h, LATERAL (SELECT count(*) AS n FROM links WHERE target = h.id) AS l";
    default:
      return "SELECT * FROM links WHERE source = (SELECT value FROM helper WHERE id = " +
             std::to_string(random_.between(1, 8)) + ")";
  }
}

std::string Generator::read_function() {
  const std::string value = end_value();
  const auto maybe = [this](const std::string& v) { return random_.percent(50) ? v : std::string("NULL"); };
  switch (random_.below(8)) {
    case 0:
      return "SELECT * FROM each('links', " + maybe(id()) + ", " + maybe(value) + ", " + maybe(end_value()) + ")";
    case 1:
      return "SELECT count_links('links', " + maybe(id()) + ", " + maybe(value) + ", " + maybe(end_value()) + ")";
    case 2:
      return "SELECT search_link('links', " + maybe(value) + ", " + maybe(end_value()) + ")";
    case 3:
      return "SELECT get_link('links', " + id() + ")";
    case 4:
      return "SELECT * FROM outgoing('links', " + value + ")";
    case 5:
      return "SELECT * FROM incoming('links', " + value + ")";
    case 6:
      return "SELECT * FROM usages('links', " + value + ")";
    default:
      return "SELECT count_usages('links', " + value + ")";
  }
}

std::string Generator::cursor() {
  std::vector<std::string>& cursors = names().cursors;
  if (cursors.empty() || random_.percent(10)) {
    const bool scroll = random_.percent(40);
    cursors.push_back(scroll ? random_.of({"s", "t"}) : "c");
    return "DECLARE " + cursors.back() + (scroll ? " SCROLL CURSOR" : random_.of({" CURSOR", " NO SCROLL CURSOR"})) +
           (random_.percent(15) ? " WITH HOLD" : "") + " FOR SELECT * FROM links WHERE " + condition() + " ORDER BY id";
  }
  const std::string& name = random_.of(cursors);
  switch (random_.below(10)) {
    case 0:
      return "CLOSE " + name;
    case 1:
      return "MOVE " + std::to_string(random_.between(0, 2)) + " IN " + name;
    case 2:
    case 3:
      // Without SCROLL it depends on the plan whether a cursor goes back.
      if (name == "c") return "FETCH NEXT FROM c";
      return "FETCH " + std::string(random_.of({"BACKWARD 1", "PRIOR", "FIRST", "LAST", "ABSOLUTE 2"})) + " FROM " +
             name;
    case 4:
      return "FETCH ALL FROM " + name;
    default:
      return "FETCH " + std::to_string(random_.between(1, 3)) + " FROM " + name;
  }
}

std::string Generator::prepared() {
  std::vector<std::string>& plans = names().prepared;
  if (!plans.empty() && random_.percent(75))
    return "EXECUTE " + known(plans) + "(" + end_value() + ", " + end_value() + ")";
  plans.push_back(known({}));
  return "PREPARE " + plans.back() + "(bigint, bigint) AS SELECT * FROM links WHERE " +
         random_.of({"source = $1 AND target <> $2", "target = $1 AND id > $2", "id IN ($1, $2)",
                     "source = $1 AND target = $2", "source = $1 AND id < $2 ORDER BY id DESC LIMIT 2",
                     "source >= $1 AND target <= $2"});
}

std::string Generator::lock_one() {
  std::string sql = random_.percent(15)
                        ? "SELECT l.*, h.value FROM links AS l JOIN helper AS h ON h.link = l.id WHERE h.link = " +
                              std::to_string(random_.between(1, 8))
                        : "SELECT * FROM links AS l WHERE " + one();
  sql += random_.of({" FOR UPDATE", " FOR UPDATE", " FOR NO KEY UPDATE", " FOR SHARE", " FOR KEY SHARE"});
  if (random_.percent(40)) sql += " OF l";
  if (random_.percent(30)) sql += random_.of({" NOWAIT", " SKIP LOCKED"});
  return sql;
}

std::string Generator::lock_many() {
  return "SELECT * FROM links WHERE " + several() + " ORDER BY id" +
         random_.of({" FOR UPDATE", " FOR NO KEY UPDATE", " FOR SHARE", " FOR KEY SHARE"}) +
         (random_.percent(30) ? random_.of({" NOWAIT", " SKIP LOCKED"}) : "");
}

// The head of a queue.
std::string Generator::lock_next() {
  return "SELECT * FROM links WHERE " + condition() + " ORDER BY id LIMIT 1" +
         random_.of({" FOR UPDATE SKIP LOCKED", " FOR NO KEY UPDATE SKIP LOCKED", " FOR SHARE SKIP LOCKED",
                     " FOR UPDATE NOWAIT"});
}

}  // namespace doublets::differential

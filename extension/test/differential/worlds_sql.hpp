// SQL that makes the worlds alike: what the functions of the extension do, said in SQL for the native table; and in the
// store's schema the same names with the same parameters. `id` and `ids` are what the store came up with
// (schedule.hpp).
#pragma once

namespace doublets::differential {

inline constexpr const char* kNativeFunctions = R"sql(
CREATE SEQUENCE native.spare START 1000000000;

CREATE FUNCTION native.create_link(store regclass, s bigint, t bigint, id bigint) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO links VALUES (coalesce(id, nextval('native.spare')), s, t);
  RETURN id;
END $$;
CREATE FUNCTION native.create_point(store regclass, id bigint) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO links VALUES (id, id, id);
  RETURN id;
END $$;
CREATE FUNCTION native.get_or_create(store regclass, s bigint, t bigint, id bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  got bigint;
BEGIN
  IF s IS NULL OR t IS NULL THEN
    RAISE not_null_violation;
  END IF;
  LOOP
    INSERT INTO links AS l VALUES (coalesce(id, nextval('native.spare')), s, t) ON CONFLICT (source, target) DO NOTHING
      RETURNING l.id INTO got;
    EXIT WHEN got IS NOT NULL;
    SELECT l.id INTO got FROM links AS l WHERE l.source = s AND l.target = t;
    EXIT WHEN got IS NOT NULL;
  END LOOP;
  RETURN got;
END $$;
CREATE FUNCTION native.update_link(store regclass, i bigint, s bigint, t bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE links SET source = s, target = t WHERE id = i;
  RETURN found;
END $$;
CREATE FUNCTION native.delete_link(store regclass, i bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM links WHERE id = i;
  RETURN found;
END $$;
CREATE FUNCTION native.create_links(store regclass, s bigint[], t bigint[], ids bigint[]) RETURNS bigint[]
LANGUAGE plpgsql AS $$
BEGIN
  IF cardinality(s) <> cardinality(t) THEN
    RAISE array_subscript_error;
  END IF;
  INSERT INTO links SELECT coalesce(ids[n], nextval('native.spare')), s[n], t[n] FROM generate_subscripts(s, 1) AS n ORDER BY n;
  RETURN ids;
END $$;
CREATE FUNCTION native.delete_links(store regclass, ids bigint[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  n bigint;
BEGIN
  DELETE FROM links WHERE id = ANY(ids);
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END $$;
CREATE FUNCTION native.delete_usages(store regclass, i bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  n bigint;
BEGIN
  DELETE FROM links WHERE (source = i OR target = i) AND id <> i;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END $$;
CREATE FUNCTION native.rebase(store regclass, old bigint, new bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  n bigint;
BEGIN
  UPDATE links SET source = CASE source WHEN old THEN new ELSE source END, target = CASE target WHEN old THEN new ELSE target END
    WHERE (source = old OR target = old) AND id <> old AND old <> new;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END $$;

-- In PL/pgSQL, for SQL functions would be inlined and lock the table before the snapshot is taken; no function in C can.
CREATE TYPE native.link AS (id bigint, source bigint, target bigint);
CREATE FUNCTION native.each(store regclass, i bigint, s bigint, t bigint) RETURNS SETOF native.link
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT * FROM links AS l
  WHERE (i IS NULL OR l.id = i) AND (s IS NULL OR l.source = s) AND (t IS NULL OR l.target = t);
END $$;
CREATE FUNCTION native.count_links(store regclass, i bigint, s bigint, t bigint) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT count(*) FROM links AS l
          WHERE (i IS NULL OR l.id = i) AND (s IS NULL OR l.source = s) AND (t IS NULL OR l.target = t));
END $$;
CREATE FUNCTION native.search_link(store regclass, s bigint, t bigint) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT min(l.id) FROM links AS l WHERE (s IS NULL OR l.source = s) AND (t IS NULL OR l.target = t));
END $$;
CREATE FUNCTION native.get_link(store regclass, i bigint) RETURNS native.link LANGUAGE plpgsql STABLE AS $$
DECLARE
  found native.link;
BEGIN
  SELECT * INTO found FROM links AS l WHERE l.id = i;
  RETURN CASE WHEN found.id IS NULL THEN NULL ELSE found END;
END $$;
CREATE FUNCTION native.outgoing(store regclass, s bigint) RETURNS SETOF native.link LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT * FROM links AS l WHERE l.source = s;
END $$;
CREATE FUNCTION native.incoming(store regclass, t bigint) RETURNS SETOF native.link LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT * FROM links AS l WHERE l.target = t;
END $$;
CREATE FUNCTION native.usages(store regclass, i bigint) RETURNS SETOF native.link LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT * FROM links AS l WHERE (l.source = i OR l.target = i) AND l.id <> i;
END $$;
CREATE FUNCTION native.count_usages(store regclass, i bigint) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT count(*) FROM links AS l WHERE (l.source = i OR l.target = i) AND l.id <> i);
END $$;
CREATE FUNCTION native.settle(store regclass) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE links IN ACCESS SHARE MODE;
  RETURN 0;
END $$;
)sql";

inline constexpr const char* kStoreFunctions = R"sql(
CREATE FUNCTION store.create_link(store regclass, s bigint, t bigint, id bigint) RETURNS bigint LANGUAGE sql AS
  'SELECT doublets.create_link(store, s, t)';
CREATE FUNCTION store.create_point(store regclass, id bigint) RETURNS bigint LANGUAGE sql AS
  'SELECT doublets.create_point(store)';
CREATE FUNCTION store.get_or_create(store regclass, s bigint, t bigint, id bigint) RETURNS bigint LANGUAGE sql AS
  'SELECT doublets.get_or_create(store, s, t)';
CREATE FUNCTION store.create_links(store regclass, s bigint[], t bigint[], ids bigint[]) RETURNS bigint[] LANGUAGE sql AS
  'SELECT doublets.create_links(store, s, t)';
)sql";

// An ordinary table in both worlds, for joins.
inline constexpr const char* kHelper =
    "CREATE TABLE helper (id bigint PRIMARY KEY, link bigint NOT NULL UNIQUE, value bigint NOT NULL);"
    "INSERT INTO helper SELECT i, i, i % 3 FROM generate_series(1, 8) AS i;";

}  // namespace doublets::differential

-- Ranges, lists and orders together: every condition of a list with every order and limit of another, as they stand and
-- with parameters. What a query gives in which order is summed up; the sums are those of a table.
\pset null '(null)'

CALL make_links('links');
-- five hubs of different degree, pairs that occur often, sparse ids far away, ids freed between
INSERT INTO links SELECT i, CASE WHEN i % 3 = 0 THEN 7 ELSE i % 40 - 5 END, CASE WHEN i % 4 = 0 THEN -2 ELSE i % 23 END
  FROM generate_series(1, 1500) AS i ORDER BY i % 11, i;
INSERT INTO links SELECT 1000000007::bigint * i, i % 9 - 3, i % 5 FROM generate_series(1, 60) AS i;
INSERT INTO links VALUES (9223372036854775807, 7, -2), (9223372036854775806, -9223372036854775808, 9223372036854775807);
DELETE FROM links WHERE id BETWEEN 700 AND 760 OR id % 17 = 3;
UPDATE links SET target = target + 1 WHERE id % 13 = 0;
ANALYZE links;

-- Number and fingerprint of the rows a query gives, in its order.
CREATE FUNCTION fingerprint(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  n bigint;
  digest text;
BEGIN
  EXECUTE format('SELECT count(*), md5(string_agg(r::text, '';'')) FROM (%s) AS r', query) INTO n, digest;
  RETURN n || ' ' || coalesce(left(digest, 8), '-');
END
$$;

CREATE TABLE wanted(n int GENERATED ALWAYS AS IDENTITY, condition text);
INSERT INTO wanted(condition) VALUES ('true'),
  ('id < 40'), ('id <= 40 AND 3 < id'), ('id BETWEEN 690 AND 770'), ('id > 1400'), ('id >= 1000000007'), ('id > 3 AND id < 9 AND id = 5'),
  ('id > 3 AND id < 9 AND id = 9'), ('id > 9223372036854775806'), ('id >= 9223372036854775807'), ('id < 1'), ('id > 5::int2 AND 12::int4 >= id'),
  ('id IN (5, 900, 20, 20, 77777, 1000000007) AND id > 5'), ('id IN (1, 2, 4, 5) AND id = ANY (ARRAY[4, 5, 6]::int4[])'),
  ('source = 7'), ('source = 7 AND id > 700'), ('source = 7 AND id BETWEEN 300 AND 320'), ('source = 7 AND target = -2'),
  ('source = 7 AND target = -2 AND id < 800 AND id > 100'), ('source = 7 AND target > 10'), ('source = 7 AND target IN (-2, 3, 5)'),
  ('source = 11'), ('source = 11 AND id <= 91'), ('source = 11 AND source = 12'), ('source > 30'), ('source >= -5 AND source < -3'),
  ('source BETWEEN 5 AND 8 AND target BETWEEN 3 AND 4'), ('source < -9223372036854775807'), ('source > 7 AND source = 7'),
  ('source IN (7, 11, 2, NULL)'), ('source IN (7, 11, 2) AND source > 6'), ('source IN (7, 11) AND target IN (3, -2) AND id > 500'),
  ('source IN (3, 4, 5) AND id % 2 = 0'), ('target = -2'), ('target = -2 AND id > 1000'), ('target = 4 AND source = 7 AND id >= 27'),
  ('target <= -1'), ('target >= 23'), ('target BETWEEN 20 AND 21 AND source <> 7'), ('target IN (1, 2) AND source < 0'),
  ('target = 3 AND source IS NOT NULL'), ('target IS NULL'), ('source = NULL::bigint'), ('id < NULL'), ('source = ANY (NULL::bigint[])'),
  ('target > 9223372036854775806'), ('id > source AND source = 7 AND target < id'), ('(source, target) > (7, 20)'),
  ('source = 7 OR target = 4'), ('NOT source <= 30'),
  ('id = 5 OR id = 9 OR id = 5'), ('(source = 7 AND id > 700) OR (target = 4 AND id < 300)'), ('source = 7 OR target = 7 OR id IN (1, 2, 3)'),
  ('(source = 7 OR target = 4) AND id > 900'), ('source = 7 OR (target = 4 AND id % 2 = 0)'), ('(source = 11 OR source = 12) AND (target = 3 OR target = 5)'),
  ('source = 7 OR source = 7'), ('source = NULL OR target = 4'), ('id < 5 OR source = 11 OR target IN (1, 2)'), ('source = 7 OR id % 2 = 0'),
  ('source = 11 AND target = 3 OR source = 7 AND target = -2 AND id < 100'), ('source IN (11, 12) OR target IN (3, 4) OR id BETWEEN 10 AND 20'),
  ('source = 11 OR target = 3 AND (id < 100 OR id > 1400)'), ('source IS NULL OR id = 12'), ('target = 3 OR source BETWEEN 30 AND 31'),
  ('(source, id) > (7, 700)'), ('(source, id) <= (7, 700) AND target > 3'), ('(target, source, id) >= (4, 7, 27)'), ('(source, target, id) < (7, 3, 900::int2)'),
  ('(7, 3) >= (source, target)'), ('(id, target) > (1400, 3)'), ('source = 7 AND (target, id) > (3, 500)'), ('(source, target) > (7, NULL)'), ('(source, target) > (NULL, 7)'),
  ('(source, id % 5) > (7, 2)'), ('(source, source) > (7, 8)'), ('(source, target) > (7, 20) AND (target, source) < (20, 9)'), ('(source, id) > (7, 700) OR target = 4'), ('(id, source) < (target, 9)');
CREATE TABLE orders(n int, ordering text);
INSERT INTO orders VALUES (1, 'id'), (2, 'id DESC'), (3, 'id DESC NULLS LAST'), (4, 'source, target, id'), (5, 'source DESC, target DESC, id DESC'),
  (6, 'target, source, id'), (7, 'target DESC, source DESC, id DESC'), (8, 'source, target DESC, id'), (9, 'target, id'), (10, 'source, id DESC');

SELECT w.n, condition, fingerprint(format('SELECT * FROM links WHERE %s ORDER BY id', condition)) FROM wanted AS w ORDER BY n;
-- all orders, a row of fingerprints for each condition, put together
SELECT w.n, md5(string_agg(fingerprint(format('SELECT * FROM links WHERE %s ORDER BY %s', condition, ordering)), ',' ORDER BY o.n)) AS everything,
  md5(string_agg(fingerprint(format('SELECT * FROM links WHERE %s ORDER BY %s LIMIT 3', condition, ordering)), ',' ORDER BY o.n)) AS some,
  md5(string_agg(fingerprint(format('SELECT * FROM links WHERE %s ORDER BY %s LIMIT 20 OFFSET 15', condition, ordering)), ',' ORDER BY o.n)) AS a_page
FROM wanted AS w, orders AS o GROUP BY w.n ORDER BY w.n;
-- without an order the rows are the same
SELECT w.n, condition FROM wanted AS w
WHERE fingerprint(format('SELECT * FROM (SELECT * FROM links WHERE %s OFFSET 0) AS l ORDER BY id', condition))
  <> fingerprint(format('SELECT * FROM links WHERE %s ORDER BY id', condition));

-- values that are known only when the query runs: parameters of generic plans, subqueries, outer columns
PREPARE id_range(bigint, int) AS SELECT id FROM links WHERE id > $1 AND id <= $2 ORDER BY id;
PREPARE of_source(bigint, bigint, bigint) AS SELECT id FROM links WHERE source = $1 AND id > $2 ORDER BY id LIMIT $3;
PREPARE before(bigint, bigint) AS SELECT id FROM links WHERE source = $1 AND id < $2 ORDER BY id DESC LIMIT 4;
PREPARE of_target(int2, bigint) AS SELECT id FROM links WHERE target = $1 AND id > $2 ORDER BY id LIMIT 4;
PREPARE of_pair(bigint, bigint) AS SELECT id FROM links WHERE source = $1 AND target = $2 ORDER BY id DESC LIMIT 4;
PREPARE ends(bigint, bigint, bigint) AS SELECT id FROM links WHERE source = ANY (ARRAY[$1, $2]) AND target >= $3 ORDER BY source, target, id LIMIT 5;
PREPARE touching(bigint, bigint) AS SELECT id FROM links WHERE (source = $1 OR target = $1) AND id > $2 ORDER BY id;
PREPARE next_of(bigint, bigint, bigint) AS SELECT * FROM links WHERE (source, target, id) > ($1, $2, $3) ORDER BY source, target, id LIMIT 4;
PREPARE listed(bigint[]) AS SELECT id FROM links WHERE id = ANY ($1) ORDER BY id DESC;
SET plan_cache_mode = force_generic_plan;
EXECUTE id_range(690, 765);
EXECUTE id_range(5, 5);
EXECUTE id_range(NULL, 5);
EXECUTE id_range(-9223372036854775808, 4);
EXECUTE of_source(7, 1480, 100);
EXECUTE of_source(7, 0, 5);
EXECUTE of_source(11, 0, 5);
EXECUTE of_source(12345, 0, 5);
EXECUTE of_source(NULL, 0, 5);
EXECUTE before(7, 600);
EXECUTE before(7, 9223372036854775807);
EXECUTE of_target(-2, 1400);
EXECUTE of_target(3, 1400);
EXECUTE of_pair(7, -2);
EXECUTE of_pair(7, 3);
EXECUTE ends(7, 11, 20);
EXECUTE ends(7, NULL, 20);
EXECUTE listed('{3,5,NULL,900,5,20}');
EXECUTE next_of(7, 3, 1000);
EXECUTE next_of(7, NULL, 1000);
EXECUTE next_of(NULL, 3, 1000);
EXECUTE touching(14, 1300);
EXECUTE touching(14, NULL);
EXECUTE touching(NULL, 0);
EXECUTE listed('{}');
EXECUTE listed(NULL);
RESET plan_cache_mode;
DEALLOCATE ALL;
SELECT id FROM links WHERE id >= (SELECT max(id) - 1 FROM links) ORDER BY id;
SELECT id FROM links WHERE source = (SELECT max(source) FROM links WHERE source < 30) ORDER BY id DESC LIMIT 3;
SELECT v, (SELECT min(id) FROM links WHERE source = v), (SELECT max(id) FROM links WHERE source = v AND id < 1000),
  (SELECT min(source) FROM links WHERE target = v), (SELECT max(target) FROM links WHERE source > v AND id < 500)
FROM generate_series(-6, 12) AS v ORDER BY v;
SELECT v, x.id FROM generate_series(5, 8) AS v, LATERAL (SELECT id FROM links WHERE source = v AND id > v * 100 ORDER BY id LIMIT 2) AS x ORDER BY v, id;
SELECT count(*), min(a.id), max(b.id) FROM links AS a JOIN links AS b ON b.id > a.id AND b.id <= a.id + 2 WHERE a.source = 7 AND a.id < 5000;

SELECT v, count(*), md5(string_agg(l.id::text, ' ' ORDER BY l.id)) FROM generate_series(-4, 6) AS v JOIN links AS l ON l.source = v OR l.target = v GROUP BY v ORDER BY v;
SELECT v, count(*) FROM generate_series(5, 7) AS v JOIN links AS l ON (l.source = v AND l.id > v * 50) OR (l.target = v AND l.id < v * 100) OR l.id = v GROUP BY v ORDER BY v;

-- all links, page by page, in the order of their ends
CREATE FUNCTION pages(columns text, descending boolean, size int) RETURNS TABLE (pages int, links bigint, digest text) LANGUAGE plpgsql AS $$
DECLARE
  last bigint[] := CASE WHEN descending THEN ARRAY[100000000, 1, 1] ELSE ARRAY[-100000000, 1, 1] END;
  ordered text := (SELECT string_agg(c || CASE WHEN descending THEN ' DESC' ELSE '' END, ', ' ORDER BY n) FROM unnest(string_to_array(columns, ', ')) WITH ORDINALITY AS x(c, n));
  page bigint[];
BEGIN
  pages := 0;
  links := 0;
  LOOP
    EXECUTE format('SELECT array_agg(ARRAY[%1$s] ORDER BY %2$s) FROM (SELECT * FROM links WHERE (%1$s) %3$s ($1, $2, $3) ORDER BY %2$s LIMIT $4) AS page', columns, ordered, CASE WHEN descending THEN '<' ELSE '>' END)
      INTO page USING last[1], last[2], last[3], size;
    EXIT WHEN page IS NULL;
    pages := pages + 1;
    links := links + array_length(page, 1);
    digest := md5(concat(digest, page));
    last := ARRAY(SELECT unnest(page[array_upper(page, 1):array_upper(page, 1)][:]));
  END LOOP;
  RETURN NEXT;
END
$$;
SELECT c, d, p.* FROM unnest('{"source, target, id","target, source, id"}'::text[]) AS c, unnest('{f,t}'::boolean[]) AS d, pages(c, d, 97) AS p ORDER BY c, d;
DROP FUNCTION pages(text, boolean, int);

-- keyset pages: all of a hub, page by page
CREATE FUNCTION pages(hub bigint, size int) RETURNS TABLE (pages int, links bigint, digest text) LANGUAGE plpgsql AS $$
DECLARE
  last bigint := 0;
  page bigint[];
  all_of_them bigint[] := '{}';
BEGIN
  pages := 0;
  LOOP
    page := ARRAY(SELECT id FROM links WHERE source = hub AND id > last ORDER BY id LIMIT size);
    EXIT WHEN page = '{}';
    pages := pages + 1;
    last := page[cardinality(page)];
    all_of_them := all_of_them || page;
  END LOOP;
  links := cardinality(all_of_them);
  digest := md5(all_of_them::text);
  RETURN NEXT;
END
$$;
SELECT * FROM pages(7, 10);
SELECT * FROM pages(7, 1);
SELECT * FROM pages(11, 4);
SELECT count(*), md5(array_agg(id ORDER BY id)::text) FROM links WHERE source = 7;

-- a scrollable cursor over an ordered scan
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT id FROM links WHERE source = 7 ORDER BY id;
FETCH FORWARD 3 FROM c;
FETCH BACKWARD 2 FROM c;
FETCH LAST FROM c;
FETCH PRIOR FROM c;
COMMIT;

DROP FUNCTION pages, fingerprint;
DROP TABLE wanted, orders;
CALL drop_links('links');

-- Row locks in one session: all strengths alone, ordered, limited, in joins and with savepoints; what they
-- do to the rows, which is nothing. Who waits for whom is in the isolation tests.
CALL make_links('links');
CALL make_links('others');
INSERT INTO links SELECT i, i % 3, i % 5 FROM generate_series(1, 20) AS i;
INSERT INTO others SELECT i, i, 0 FROM generate_series(1, 20) AS i;
CREATE TABLE heap(n bigint PRIMARY KEY, word text);
INSERT INTO heap VALUES (1, 'one'), (2, 'two'), (3, 'three');

BEGIN;
SELECT * FROM links WHERE id = 1 FOR UPDATE;
SELECT * FROM links WHERE id = 1 FOR NO KEY UPDATE;
SELECT * FROM links WHERE id = 1 FOR SHARE;
SELECT * FROM links WHERE id = 1 FOR KEY SHARE;
SELECT * FROM links WHERE id = 1 FOR UPDATE NOWAIT;
SELECT * FROM links WHERE id = 1 FOR UPDATE SKIP LOCKED;
SELECT * FROM links WHERE source = 1 ORDER BY id FOR SHARE;
SELECT * FROM links WHERE id IN (3, 5, 4, 99) ORDER BY id DESC FOR UPDATE;
SELECT * FROM links ORDER BY id LIMIT 3 FOR UPDATE;
SELECT * FROM links ORDER BY id OFFSET 18 FOR KEY SHARE;
SELECT * FROM links WHERE id = 77 FOR UPDATE;
SELECT * FROM links WHERE id < 0 FOR SHARE;
SELECT count(*) FROM (SELECT * FROM links FOR UPDATE) AS locked;
COMMIT;

-- locks of every strength, then changes
BEGIN;
SELECT id FROM links WHERE id = 2 FOR KEY SHARE;
UPDATE links SET target = 100 WHERE id = 2 RETURNING *;
SELECT * FROM links WHERE id = 2 FOR UPDATE;
DELETE FROM links WHERE id = 2 RETURNING *;
SELECT * FROM links WHERE id = 2 FOR UPDATE;
INSERT INTO links VALUES (2, 7, 7);
SELECT * FROM links WHERE id = 2 FOR UPDATE;
UPDATE links SET id = 102 WHERE id = 2;
SELECT * FROM links WHERE id = 102 FOR SHARE;
ROLLBACK;
SELECT * FROM links WHERE id IN (2, 102);

-- joins: all tables, some of them, the native one
BEGIN;
SELECT * FROM links AS l JOIN others AS o ON o.id = l.id WHERE l.source = 2 ORDER BY l.id FOR UPDATE;
SELECT l.id FROM links AS l JOIN heap AS h ON h.n = l.id ORDER BY l.id FOR UPDATE OF l;
SELECT l.id, word FROM links AS l JOIN heap AS h ON h.n = l.id ORDER BY l.id FOR UPDATE OF h;
SELECT l.id, word FROM links AS l JOIN heap AS h ON h.n = l.id ORDER BY l.id FOR SHARE OF l FOR UPDATE OF h;
SELECT l.id, word FROM heap AS h LEFT JOIN links AS l ON h.n = l.id AND l.source = 1 ORDER BY n FOR UPDATE OF h;
SELECT l.id, o.id FROM links AS l, LATERAL (SELECT * FROM others WHERE source = l.id FOR SHARE) AS o
  WHERE l.id < 4 ORDER BY l.id;
COMMIT;

-- in functions, views, subqueries, CTEs
CREATE VIEW small AS SELECT * FROM links WHERE id < 3;
CREATE FUNCTION take(wanted bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  found_id bigint;
BEGIN
  SELECT id INTO found_id FROM links WHERE id = wanted FOR UPDATE NOWAIT;
  RETURN found_id;
END $$;
BEGIN;
SELECT * FROM small ORDER BY id FOR UPDATE;
SELECT take(5), take(77);
WITH jobs AS MATERIALIZED (SELECT id FROM links ORDER BY id LIMIT 2 FOR UPDATE SKIP LOCKED)
DELETE FROM links USING jobs WHERE links.id = jobs.id RETURNING links.id;
SELECT id FROM links WHERE id = (SELECT min(source) + 3 FROM others) FOR UPDATE;
ROLLBACK;
DROP FUNCTION take;
DROP VIEW small;

-- savepoints
BEGIN;
SELECT id FROM links WHERE id = 1 FOR KEY SHARE;
SAVEPOINT a;
SELECT id FROM links WHERE id = 1 FOR UPDATE;
SAVEPOINT b;
UPDATE links SET source = 50 WHERE id = 1;
SELECT * FROM links WHERE id = 1 FOR SHARE;
ROLLBACK TO b;
SELECT * FROM links WHERE id = 1 FOR SHARE;
ROLLBACK TO a;
SELECT * FROM links WHERE id = 1 FOR NO KEY UPDATE;
RELEASE a;
COMMIT;

-- cursors
BEGIN;
DECLARE c CURSOR FOR SELECT * FROM links WHERE source = 1 ORDER BY id FOR UPDATE;
FETCH 2 FROM c;
UPDATE links SET source = source + 10 WHERE id IN (4, 7);
DELETE FROM links WHERE id = 10;
FETCH ALL FROM c;
CLOSE c;
ROLLBACK;

-- what is refused
SELECT problem('SELECT DISTINCT source FROM links FOR UPDATE');
SELECT problem('SELECT count(*) FROM links FOR UPDATE');
BEGIN READ ONLY;
SELECT problem('SELECT * FROM links FOR SHARE');
ROLLBACK;

-- row triggers
CREATE FUNCTION raise_target() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN NEW.target := NEW.target + 1000; RETURN NEW; END $$;
CREATE TRIGGER t BEFORE UPDATE ON links FOR EACH ROW EXECUTE FUNCTION raise_target();
UPDATE links SET target = source WHERE source = 2 AND id % 2 = 0;
UPDATE links SET target = h.n FROM heap AS h WHERE links.id = h.n;
SELECT * FROM links WHERE target > 1000 ORDER BY id;
DROP TRIGGER t ON links;
DROP FUNCTION raise_target;

-- SERIALIZABLE, one at a time
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) FROM links;
SELECT * FROM links WHERE source = 0 ORDER BY id FOR UPDATE;
INSERT INTO links VALUES (200, 1, 1);
UPDATE links SET target = 9 WHERE id = 200;
DELETE FROM links WHERE id = 3;
SELECT count(*) FROM links;
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE;
SELECT count(*), sum(target) FROM links;
COMMIT;

SELECT * FROM broken_links('links');
CALL drop_links('links');
CALL drop_links('others');
DROP TABLE heap;

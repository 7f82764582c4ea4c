-- Commit, rollback, savepoints, visibility of one's own commands, TRUNCATE, PL/pgSQL exception blocks.
\set VERBOSITY sqlstate
\pset null '(null)'

CALL make_links('links');
INSERT INTO links VALUES (1, 1, 1), (2, 2, 2), (3, 1, 2);

-- rollback of each kind of change
BEGIN;
INSERT INTO links VALUES (10, 5, 5);
UPDATE links SET source = 9, target = 9 WHERE id = 1;
UPDATE links SET id = 20 WHERE id = 2;
DELETE FROM links WHERE id = 3;
SELECT * FROM links ORDER BY id;
SELECT id FROM links WHERE source = 9 ORDER BY id;
SELECT count(*) FROM links;
ROLLBACK;
SELECT * FROM links ORDER BY id;
SELECT id FROM links WHERE source = 9 ORDER BY id;
SELECT id FROM links WHERE source = 1 ORDER BY id;
SELECT count(*) FROM links;
-- the id of a rolled back link is free, that of a rolled back delete is not
INSERT INTO links VALUES (10, 6, 6) RETURNING *;
INSERT INTO links VALUES (3, 6, 6);
DELETE FROM links WHERE id = 10;

-- a heap table and links change together
CREATE TABLE heap_side(n int);
BEGIN;
INSERT INTO heap_side VALUES (1);
INSERT INTO links VALUES (11, 1, 1);
ROLLBACK;
SELECT (SELECT count(*) FROM heap_side) AS heap, (SELECT count(*) FROM links WHERE id = 11) AS links;
BEGIN;
INSERT INTO heap_side VALUES (1);
INSERT INTO links VALUES (11, 1, 1);
COMMIT;
SELECT (SELECT count(*) FROM heap_side) AS heap, (SELECT count(*) FROM links WHERE id = 11) AS links;
DROP TABLE heap_side;

-- savepoints
BEGIN;
INSERT INTO links VALUES (30, 30, 30);
SAVEPOINT a;
INSERT INTO links VALUES (31, 31, 31);
UPDATE links SET source = 300 WHERE id = 30;
SAVEPOINT b;
DELETE FROM links WHERE id = 30;
INSERT INTO links VALUES (30, 999, 999);
SELECT * FROM links WHERE id IN (30, 31) ORDER BY id;
ROLLBACK TO b;
SELECT * FROM links WHERE id IN (30, 31) ORDER BY id;
RELEASE b;
ROLLBACK TO a;
SELECT * FROM links WHERE id IN (30, 31) ORDER BY id;
SELECT id FROM links WHERE source = 300 ORDER BY id;
SAVEPOINT c;
UPDATE links SET target = 301 WHERE id = 30;
RELEASE c;
COMMIT;
SELECT * FROM links WHERE id IN (30, 31) ORDER BY id;

-- an error rolls back to the savepoint and no further
BEGIN;
INSERT INTO links VALUES (40, 1, 1);
SAVEPOINT a;
INSERT INTO links VALUES (41, 1, 1), (1, 1, 1);
SELECT 1;
ROLLBACK TO a;
INSERT INTO links VALUES (42, 1, 1);
COMMIT;
SELECT id FROM links WHERE id >= 40 ORDER BY id;

-- the same savepoint many times over
DO $$
BEGIN
  FOR i IN 1..50 LOOP
    BEGIN
      UPDATE links SET source = source + 1, target = i WHERE id = 40;
      INSERT INTO links VALUES (500 + i, i, i);
      IF i % 2 = 0 THEN
        RAISE EXCEPTION USING errcode = 'P0099';
      END IF;
    EXCEPTION WHEN SQLSTATE 'P0099' THEN NULL;
    END;
  END LOOP;
END
$$;
SELECT * FROM links WHERE id = 40;
SELECT count(*), min(id), max(id), sum(source) FROM links WHERE id > 500;
SELECT * FROM broken_links('links');

-- own changes: a command does not see its own rows, the next one does
CALL make_links('links');
INSERT INTO links(source, target) VALUES (1, 1), (2, 2);
INSERT INTO links(source, target) SELECT source + 10, target + 10 FROM links;
SELECT count(*) FROM links;
INSERT INTO links(source, target) SELECT source, target FROM links WHERE source = 1;
SELECT source, target, count(*) FROM links GROUP BY source, target ORDER BY source, target;
BEGIN;
INSERT INTO links(source, target) SELECT target, source FROM links;
INSERT INTO links(source, target) SELECT target, source FROM links;
SELECT count(*) FROM links;
UPDATE links SET source = source + 1 WHERE source IN (SELECT target FROM links);
SELECT source, count(*) FROM links GROUP BY source ORDER BY source;
DELETE FROM links WHERE source = 2;
SELECT source, count(*) FROM links GROUP BY source ORDER BY source;
COMMIT;
SELECT source, count(*) FROM links GROUP BY source ORDER BY source;

-- what a stable function sees is what the statement that calls it sees
CREATE FUNCTION links_now() RETURNS bigint LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN (SELECT count(*) FROM links); END';
CREATE FUNCTION links_then() RETURNS bigint LANGUAGE plpgsql STABLE AS 'BEGIN RETURN (SELECT count(*) FROM links); END';
CALL make_links('links');
INSERT INTO links VALUES (1, links_then(), links_then()), (2, links_then(), links_then());
SELECT * FROM links ORDER BY id;
UPDATE links SET target = links_then();
SELECT * FROM links ORDER BY id;
-- a volatile one has a newer view with every call
INSERT INTO links VALUES (11, links_now(), links_now()), (12, links_now(), links_now());
SELECT * FROM links WHERE id > 10 ORDER BY id;
INSERT INTO links SELECT 20 + i, links_now(), 0 FROM generate_series(1, 5) AS i;
SELECT * FROM links WHERE id > 20 ORDER BY id;
DROP FUNCTION links_now, links_then;

-- a cursor keeps the view it was opened with
CALL make_links('links');
INSERT INTO links VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3);
BEGIN;
DECLARE c CURSOR FOR SELECT * FROM links ORDER BY id;
FETCH 1 FROM c;
UPDATE links SET source = 100 WHERE id = 2;
DELETE FROM links WHERE id = 3;
INSERT INTO links VALUES (4, 4, 4);
FETCH ALL FROM c;
SELECT * FROM links ORDER BY id;
COMMIT;

-- the same link changed many times in one transaction
BEGIN;
UPDATE links SET source = source + 1 WHERE id = 2;
UPDATE links SET source = source + 1 WHERE id = 2;
UPDATE links SET id = 22 WHERE id = 2;
UPDATE links SET target = 5 WHERE id = 22;
DELETE FROM links WHERE id = 22;
INSERT INTO links VALUES (2, 0, 0);
SELECT * FROM links ORDER BY id;
ROLLBACK;
SELECT * FROM links ORDER BY id;

-- TRUNCATE
TRUNCATE links;
SELECT count(*) FROM links;
INSERT INTO links VALUES (1, 1, 1), (2, 2, 2);
BEGIN;
INSERT INTO links VALUES (3, 3, 3);
TRUNCATE links;
SELECT count(*) FROM links;
INSERT INTO links VALUES (1, 10, 10);
SELECT * FROM links ORDER BY id;
ROLLBACK;
SELECT * FROM links ORDER BY id;
BEGIN;
SAVEPOINT a;
TRUNCATE links;
INSERT INTO links VALUES (2, 20, 20);
ROLLBACK TO a;
SELECT * FROM links ORDER BY id;
DELETE FROM links WHERE id = 1;
TRUNCATE links;
INSERT INTO links VALUES (5, 50, 50);
COMMIT;
SELECT * FROM links ORDER BY id;
SELECT id FROM links WHERE source = 1 ORDER BY id;

-- PL/pgSQL: exception blocks are savepoints
DO $$
BEGIN
  INSERT INTO links VALUES (6, 60, 60);
  BEGIN
    INSERT INTO links VALUES (7, 70, 70);
    INSERT INTO links VALUES (5, 1, 1);
  EXCEPTION WHEN unique_violation THEN
    INSERT INTO links VALUES (8, 80, 80);
  END;
  BEGIN
    UPDATE links SET source = NULL WHERE id = 6;
  EXCEPTION WHEN not_null_violation THEN
    UPDATE links SET source = 61 WHERE id = 6;
  END;
END
$$;
SELECT * FROM links ORDER BY id;
DO $$
BEGIN
  DELETE FROM links WHERE id = 5;
  UPDATE links SET source = 1 / (id - 8) WHERE id = 8;
END
$$;
SELECT * FROM links ORDER BY id;

-- procedures with transactions of their own
CREATE PROCEDURE alternate() LANGUAGE plpgsql AS $$
BEGIN
  FOR i IN 100..105 LOOP
    INSERT INTO links VALUES (i, i, i);
    IF i % 2 = 0 THEN COMMIT; ELSE ROLLBACK; END IF;
  END LOOP;
END
$$;
CALL alternate();
SELECT id FROM links WHERE id >= 100 ORDER BY id;
DROP PROCEDURE alternate;

-- reading only
BEGIN READ ONLY;
SELECT count(*) FROM links;
INSERT INTO links VALUES (200, 1, 1);
ROLLBACK;
BEGIN READ ONLY;
UPDATE links SET source = 1 WHERE id = 5;
ROLLBACK;
BEGIN READ ONLY;
DELETE FROM links;
ROLLBACK;
BEGIN READ ONLY;
TRUNCATE links;
ROLLBACK;

-- REPEATABLE READ with one session is the same
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM links;
INSERT INTO links VALUES (300, 1, 1);
UPDATE links SET source = 2 WHERE id = 300;
SELECT * FROM links WHERE id = 300;
SAVEPOINT a;
DELETE FROM links WHERE id = 300;
ROLLBACK TO a;
COMMIT;
SELECT * FROM links WHERE id = 300;
SELECT * FROM broken_links('links');
CALL drop_links('links');

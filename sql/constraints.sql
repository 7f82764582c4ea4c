-- What PostgreSQL promises for a table and a store must keep: CHECK, NOT NULL, defaults, generated columns, row
-- triggers, views with a check option.
\set VERBOSITY sqlstate
\pset null '(null)'

CALL make_links('links');
ALTER TABLE links ADD CONSTRAINT forward CHECK (source <= target);
INSERT INTO links VALUES (1, 1, 2), (2, 2, 2);
INSERT INTO links VALUES (3, 3, 2);
INSERT INTO links VALUES (3, 1, 2), (4, 3, 2);
UPDATE links SET source = 9 WHERE id = 1;
UPDATE links SET source = target + 1;
COPY links FROM stdin;
5	5	1
\.
SELECT * FROM links ORDER BY id;
ALTER TABLE links DROP CONSTRAINT forward;
INSERT INTO links VALUES (3, 3, 2) RETURNING *;

-- a constraint whose function looks at the rows before
CREATE FUNCTION fewer_than(bigint) RETURNS boolean VOLATILE LANGUAGE sql AS 'SELECT count(*) < $1 FROM links WHERE id >= 100';
ALTER TABLE links ADD CONSTRAINT few CHECK (id < 100 OR fewer_than(3));
INSERT INTO links SELECT 100 + i, 1, 1 FROM generate_series(1, 4) AS i;
INSERT INTO links VALUES (101, 1, 1), (102, 1, 1), (103, 1, 1);
COPY links FROM stdin;
104	1	1
\.
SELECT id FROM links WHERE id >= 100 ORDER BY id;
DELETE FROM links WHERE id >= 100;
ALTER TABLE links DROP CONSTRAINT few;
DROP FUNCTION fewer_than;

-- defaults
ALTER TABLE links ALTER source SET DEFAULT 40 + 2, ALTER target SET DEFAULT -1;
INSERT INTO links(id) VALUES (10) RETURNING *;
INSERT INTO links(id, target) VALUES (11, DEFAULT), (12, 5) RETURNING *;
INSERT INTO links VALUES (13, NULL, 5);
UPDATE links SET source = DEFAULT WHERE id = 1 RETURNING *;
COPY links(id) FROM stdin;
14
\.
SELECT * FROM links WHERE id >= 10 ORDER BY id;

-- generated
CALL make_links('links', target => 'bigint NOT NULL GENERATED ALWAYS AS (source * 10) STORED');
INSERT INTO links(id, source) VALUES (1, 1), (2, 2) RETURNING *;
UPDATE links SET source = 7 WHERE id = 2 RETURNING *;
INSERT INTO links(id, source, target) VALUES (3, 3, 3);
UPDATE links SET target = 1 WHERE id = 1;
INSERT INTO links(id, source) SELECT 10 + i, i FROM generate_series(1, 200) AS i;
SELECT id FROM links WHERE target = 70 ORDER BY id;
SELECT count(*) FROM links WHERE target = source * 10;
SELECT id FROM links WHERE target = 20 ORDER BY id;

-- row triggers: BEFORE may change or skip the row, AFTER sees what was stored
CALL make_links('links');
CREATE FUNCTION on_links() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE NOTICE '% % % old % new %', TG_WHEN, TG_OP, TG_LEVEL,
    CASE WHEN TG_LEVEL = 'ROW' AND TG_OP <> 'INSERT' THEN OLD::text END,
    CASE WHEN TG_LEVEL = 'ROW' AND TG_OP <> 'DELETE' THEN NEW::text END;
  IF TG_LEVEL = 'STATEMENT' OR TG_WHEN = 'AFTER' THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'DELETE' THEN
    RETURN CASE WHEN OLD.source = 13 THEN NULL ELSE OLD END;
  END IF;
  IF NEW.source = 13 AND TG_OP = 'INSERT' THEN
    RETURN NULL;
  END IF;
  NEW.target := NEW.target + 1000;
  RETURN NEW;
END
$$;
\set VERBOSITY terse
CREATE TRIGGER a BEFORE INSERT OR UPDATE OR DELETE ON links FOR EACH ROW EXECUTE FUNCTION on_links();
CREATE TRIGGER b AFTER INSERT OR UPDATE OR DELETE ON links FOR EACH ROW EXECUTE FUNCTION on_links();
CREATE TRIGGER c BEFORE INSERT OR UPDATE OR DELETE ON links FOR EACH STATEMENT EXECUTE FUNCTION on_links();
CREATE TRIGGER d AFTER INSERT OR UPDATE OR DELETE ON links FOR EACH STATEMENT EXECUTE FUNCTION on_links();
INSERT INTO links VALUES (1, 1, 1), (2, 13, 2), (3, 3, 3) RETURNING *;
SELECT * FROM links ORDER BY id;
UPDATE links SET source = 13 WHERE id = 3 RETURNING *;
UPDATE links SET id = 30 WHERE id = 3 RETURNING *;
DELETE FROM links WHERE id = 1 RETURNING *;
DELETE FROM links WHERE id = 30 RETURNING *;
SELECT * FROM links ORDER BY id;
COPY links FROM stdin;
50	5	5
51	13	5
\.
SELECT * FROM links ORDER BY id;
DROP TRIGGER a ON links;
DROP TRIGGER c ON links;
DROP TRIGGER d ON links;
UPDATE links SET source = 14 WHERE source = 13;
DELETE FROM links WHERE id = 50;
DROP TRIGGER b ON links;
-- a trigger that writes to the same links
CREATE FUNCTION mirror() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO links VALUES (NEW.id + 1000, NEW.target, NEW.source);
  RETURN NULL;
END
$$;
CREATE TRIGGER m AFTER INSERT ON links FOR EACH ROW WHEN (NEW.id < 1000) EXECUTE FUNCTION mirror();
INSERT INTO links VALUES (60, 6, 7), (61, 7, 8) RETURNING id;
SELECT * FROM links WHERE id >= 60 ORDER BY id;
DROP TRIGGER m ON links;
DROP FUNCTION mirror, on_links;
\set VERBOSITY sqlstate

-- views
CALL make_links('links');
INSERT INTO links VALUES (1, 1, 1), (2, 2, 2), (3, 1, 2);
CREATE VIEW from_one AS SELECT * FROM links WHERE source = 1 WITH CHECK OPTION;
SELECT * FROM from_one ORDER BY id;
INSERT INTO from_one VALUES (4, 1, 9) RETURNING *;
INSERT INTO from_one VALUES (5, 2, 9);
WITH u AS (UPDATE from_one SET target = target + 10 RETURNING *) SELECT * FROM u ORDER BY id;
UPDATE from_one SET source = 2 WHERE id = 1;
DELETE FROM from_one WHERE id = 2;
DELETE FROM from_one WHERE id = 3 RETURNING *;
SELECT * FROM links ORDER BY id;
DROP VIEW from_one;
CREATE VIEW pairs AS SELECT id, source AS a, target AS b, source + target AS total FROM links;
UPDATE pairs SET a = 50 WHERE b = 2 RETURNING id, a, total;
INSERT INTO pairs(id, a, b) VALUES (70, 7, 8) RETURNING total;
SELECT * FROM pairs ORDER BY id;
DROP VIEW pairs;
CREATE MATERIALIZED VIEW sources AS SELECT source, count(*) FROM links GROUP BY source;
REFRESH MATERIALIZED VIEW sources;
SELECT * FROM sources ORDER BY source;
DROP MATERIALIZED VIEW sources;
-- of two rows of a set that cannot be inserted it is the first that fails, whatever is wrong with it
CALL make_links('links');
INSERT INTO links VALUES (5, 1, 1);
INSERT INTO links SELECT i, 1, nullif(i, 200) FROM generate_series(1, 300) AS i;
INSERT INTO links SELECT i, 1, nullif(i, 3) FROM generate_series(1, 300) AS i;
INSERT INTO links SELECT CASE WHEN i <> 200 THEN i + 10 END, 1, nullif(i, 250) FROM generate_series(1, 300) AS i RETURNING 1 / 0;
ALTER TABLE links ADD CHECK (target <> 200);
INSERT INTO links SELECT i, 1, i FROM generate_series(1, 300) AS i;
INSERT INTO links SELECT i + 5, 1, i FROM generate_series(1, 300) AS i;
CREATE FUNCTION below(x bigint) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN 100 / (150 - x) < 1000; END';
ALTER TABLE links ADD CHECK (below(target));
INSERT INTO links SELECT i, 1, i FROM generate_series(1, 300) AS i;
INSERT INTO links SELECT i + 5, 1, i FROM generate_series(1, 300) AS i;
SELECT * FROM links;
SELECT * FROM broken_links('links');
CALL drop_links('links');
DROP FUNCTION below;

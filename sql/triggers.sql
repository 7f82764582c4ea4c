-- Triggers beyond what constraints.sql has: columns and conditions, order, recursion, rows that triggers change under the
-- command, disabled ones, statements without rows.
\set VERBOSITY terse
\pset null '(null)'

CALL make_links('links');
INSERT INTO links SELECT i, i, 10 * i FROM generate_series(1, 6) AS i;
CREATE TABLE log(n bigint GENERATED ALWAYS AS IDENTITY, what text);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO log(what) VALUES (concat_ws(' ', TG_NAME, TG_WHEN, TG_OP, TG_LEVEL, TG_ARGV[0],
    CASE WHEN TG_LEVEL = 'ROW' AND TG_OP <> 'INSERT' THEN OLD::text END,
    CASE WHEN TG_LEVEL = 'ROW' AND TG_OP <> 'DELETE' THEN NEW::text END));
  RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END
$$;
CREATE FUNCTION notes() RETURNS SETOF text LANGUAGE sql AS $$
  WITH d AS (DELETE FROM log RETURNING *) SELECT what FROM d ORDER BY n
$$;

-- columns, conditions, order of names
CREATE TRIGGER b AFTER UPDATE OF source ON links FOR EACH ROW EXECUTE FUNCTION note('of source');
CREATE TRIGGER a AFTER UPDATE ON links FOR EACH ROW WHEN (OLD.target IS DISTINCT FROM NEW.target) EXECUTE FUNCTION note('when');
CREATE TRIGGER c BEFORE UPDATE OF id ON links FOR EACH ROW EXECUTE FUNCTION note('of id');
CREATE TRIGGER d BEFORE UPDATE OF target ON links FOR EACH STATEMENT EXECUTE FUNCTION note('of target');
UPDATE links SET source = source WHERE id = 1;
UPDATE links SET target = 0 WHERE id <= 2;
UPDATE links SET target = 0 WHERE id <= 2;
UPDATE links SET id = 20 WHERE id = 2;
UPDATE links SET source = 1, target = 1 WHERE id = 999;
TABLE log ORDER BY n;
SELECT notes();
ALTER TABLE links DISABLE TRIGGER a;
UPDATE links SET source = 5, target = 5 WHERE id = 5;
SELECT notes();
ALTER TABLE links DISABLE TRIGGER USER;
UPDATE links SET source = 6, target = 6 WHERE id = 5;
SELECT notes();
ALTER TABLE links ENABLE TRIGGER USER;
SET session_replication_role = replica;
UPDATE links SET source = 7 WHERE id = 5;
RESET session_replication_role;
SELECT notes();
DROP TRIGGER a ON links;
DROP TRIGGER b ON links;
DROP TRIGGER c ON links;
DROP TRIGGER d ON links;

-- many rows at once: all AFTER triggers, in order
CREATE TRIGGER a AFTER INSERT OR DELETE ON links FOR EACH ROW EXECUTE FUNCTION note();
INSERT INTO links SELECT 1000 + i, i, i FROM generate_series(1, 600) AS i;
SELECT count(*), min(what), max(what) FROM notes() AS what;
DELETE FROM links WHERE id > 1000;
SELECT count(*), min(what), max(what) FROM notes() AS what;
DROP TRIGGER a ON links;

-- statements without rows
CREATE TRIGGER a BEFORE INSERT OR UPDATE OR DELETE ON links FOR EACH STATEMENT EXECUTE FUNCTION note();
CREATE TRIGGER b AFTER INSERT OR UPDATE OR DELETE ON links FOR EACH STATEMENT EXECUTE FUNCTION note();
INSERT INTO links SELECT 1, 1, 1 WHERE false;
UPDATE links SET source = 1 WHERE source = 12345;
DELETE FROM links WHERE false;
INSERT INTO links VALUES (1, 1, 1) ON CONFLICT DO NOTHING;
WITH u AS (UPDATE links SET target = 3 WHERE id = 3 RETURNING id), d AS (DELETE FROM links WHERE id = 4 RETURNING id)
SELECT (SELECT id FROM u), (SELECT id FROM d);
SELECT notes();
DROP TRIGGER a ON links;
DROP TRIGGER b ON links;

-- BEFORE triggers that skip rows, change keys, and look at the table
CALL make_links('links');
INSERT INTO links SELECT i, i, 10 * i FROM generate_series(1, 6) AS i;
CREATE FUNCTION odd() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.id % 2 = 1 THEN RETURN NULL; END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  NEW.id := OLD.id + 100;
  NEW.source := (SELECT count(*) FROM links WHERE id > 100);
  RETURN NEW;
END
$$;
CREATE TRIGGER t BEFORE UPDATE OR DELETE ON links FOR EACH ROW EXECUTE FUNCTION odd();
UPDATE links SET target = target + 1 WHERE id = 1 RETURNING *;
UPDATE links SET target = target + 1 WHERE id = 2 RETURNING *;
UPDATE links SET target = target + 1 WHERE id = 4 RETURNING *;
DELETE FROM links WHERE id IN (5, 6) RETURNING *;
SELECT * FROM links ORDER BY id;
DROP TRIGGER t ON links;
DROP FUNCTION odd;

-- a BEFORE trigger that changes the row its command is about to change, an AFTER trigger that does, one that recurses
CREATE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_WHEN = 'BEFORE' THEN
    UPDATE links SET target = -1 WHERE id = OLD.id;
  ELSIF NEW.target < 5 THEN
    UPDATE links SET target = NEW.target + 1 WHERE id = NEW.id;
  END IF;
  RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END
$$;
CREATE TRIGGER t BEFORE DELETE ON links FOR EACH ROW EXECUTE FUNCTION meddle();
\set VERBOSITY sqlstate
DELETE FROM links WHERE id = 1;
DROP TRIGGER t ON links;
CREATE TRIGGER t AFTER UPDATE ON links FOR EACH ROW EXECUTE FUNCTION meddle();
UPDATE links SET target = 0 WHERE id = 1 RETURNING *;
SELECT * FROM links WHERE id = 1;
DROP TRIGGER t ON links;
CREATE TRIGGER t BEFORE UPDATE ON links FOR EACH ROW WHEN (NEW.target = 77) EXECUTE FUNCTION meddle();
UPDATE links SET target = 77 WHERE id = 1;
SELECT * FROM links WHERE id = 1;
DROP TRIGGER t ON links;
DROP FUNCTION meddle;

-- links kept beside an ordinary table by its triggers
CREATE TABLE nodes(id bigint PRIMARY KEY, parent bigint);
CREATE FUNCTION mirror() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM links WHERE source = OLD.id AND target = OLD.parent;
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.parent IS NOT NULL THEN
    INSERT INTO links VALUES (1000 + NEW.id, NEW.id, NEW.parent);
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER t AFTER INSERT OR UPDATE OR DELETE ON nodes FOR EACH ROW EXECUTE FUNCTION mirror();
INSERT INTO nodes SELECT i, nullif(i / 2, 0) FROM generate_series(1, 10) AS i;
UPDATE nodes SET parent = 1 WHERE id IN (9, 10);
DELETE FROM nodes WHERE id = 10;
UPDATE nodes SET id = id WHERE parent IS NULL;
SELECT source, target FROM links WHERE id > 1000 ORDER BY source;
DROP TABLE nodes;
DROP FUNCTION mirror;
-- and deferred to the end of the transaction, where it may still fail
CREATE TABLE checks(n bigint);
CREATE FUNCTION enough() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) FROM links WHERE source = 500) < 2 THEN
    RAISE EXCEPTION 'not enough';
  END IF;
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER t AFTER INSERT ON checks DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION enough();
BEGIN;
INSERT INTO checks VALUES (1);
INSERT INTO links VALUES (501, 500, 1);
COMMIT;
SELECT count(*) FROM links WHERE source = 500;
BEGIN;
INSERT INTO checks VALUES (1);
INSERT INTO links VALUES (501, 500, 1), (502, 500, 2);
COMMIT;
SELECT count(*) FROM links WHERE source = 500;
DROP TABLE checks, log;
DROP FUNCTION enough, note, notes;
SELECT * FROM broken_links('links');
CALL drop_links('links');

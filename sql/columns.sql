-- Columns in another order, with gaps where others were dropped, under their other names; defaults and generated columns
-- of such a table.
\set VERBOSITY sqlstate
\pset null '(null)'

-- (id, -, target, -, source)
CALL make_links('links');
ALTER TABLE links DROP COLUMN source;
ALTER TABLE links DROP COLUMN target;
ALTER TABLE links ADD COLUMN target bigint NOT NULL;
ALTER TABLE links ADD COLUMN gap bigint;
ALTER TABLE links DROP COLUMN gap;
ALTER TABLE links ADD COLUMN source bigint NOT NULL;
INSERT INTO links VALUES (1, 20, 10), (2, 21, 11) RETURNING *;
INSERT INTO links(source, target, id) SELECT 11 + i, 21 + i, 2 + i FROM generate_series(1, 300) AS i;
INSERT INTO links VALUES (400, 1, NULL);
INSERT INTO links VALUES (400, NULL, 1);
COPY links FROM stdin;
401	1	2
\.
COPY links(source, id, target) FROM stdin;
3	402	4
\.
SELECT * FROM links WHERE id < 4 OR id > 300 ORDER BY id;
SELECT id FROM links WHERE source = 12 AND target = 22;
SELECT l, l.source, row(l.*) FROM links AS l WHERE id IN (2, 402) ORDER BY id;
UPDATE links SET target = source, source = target WHERE id = 1 RETURNING *;
UPDATE links SET (source, target) = (SELECT 5, 6) WHERE id = 2 RETURNING *;
UPDATE links AS a SET source = b.target FROM links AS b WHERE a.id = 1 AND b.id = 402 RETURNING a.*, b.*;
DELETE FROM links WHERE source = 2 RETURNING *;
DELETE FROM links AS a USING links AS b WHERE a.id = 402 AND b.id = 1 RETURNING a, b;
SELECT id FROM links WHERE id = 2 FOR UPDATE;
INSERT INTO links VALUES (2, 0, 0), (500, 8, 9) ON CONFLICT DO NOTHING RETURNING *;
-- what is violated shows the row in the order of the columns
ALTER TABLE links ADD CONSTRAINT small CHECK (source < 100000 AND target < 100000);
DO $$
DECLARE detail text;
BEGIN
  INSERT INTO links VALUES (501, 1, 100000);
EXCEPTION WHEN check_violation THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  PERFORM set_config('test.seen', detail, false);
END $$;
SELECT current_setting('test.seen');
DO $$
DECLARE detail text;
BEGIN
  UPDATE links SET source = 100000 WHERE id = 500;
EXCEPTION WHEN check_violation THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  PERFORM set_config('test.seen', detail, false);
END $$;
SELECT current_setting('test.seen');
-- triggers see whole rows
CREATE FUNCTION show() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE NOTICE '% % -> %', TG_OP, OLD, NEW;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  NEW.target := NEW.target + 1000;
  RETURN NEW;
END
$$;
CREATE TRIGGER t BEFORE INSERT OR UPDATE OR DELETE ON links FOR EACH ROW EXECUTE FUNCTION show();
\set VERBOSITY terse
INSERT INTO links VALUES (600, 1, 2) RETURNING *;
UPDATE links SET source = 3 WHERE id = 600 RETURNING *;
DELETE FROM links WHERE id = 600 RETURNING *;
\set VERBOSITY sqlstate
DROP TRIGGER t ON links;
DROP FUNCTION show;
-- generated from a column that stands behind it, beside defaults
DELETE FROM links;
ALTER TABLE links DROP COLUMN target, ALTER source SET DEFAULT 7;
ALTER TABLE links ADD COLUMN target bigint NOT NULL GENERATED ALWAYS AS (source * 2) STORED;
INSERT INTO links(id) VALUES (1), (2) RETURNING *;
INSERT INTO links(id, source) VALUES (3, 30), (4, DEFAULT) RETURNING *;
INSERT INTO links SELECT 10 + i, i FROM generate_series(1, 300) AS i;
COPY links(id, source) FROM stdin;
400	400
\.
UPDATE links SET source = DEFAULT WHERE id = 3 RETURNING *;
UPDATE links AS l SET source = v.s FROM (VALUES (1, 100), (2, 200)) AS v(i, s) WHERE l.id = v.i;
UPDATE links SET target = DEFAULT WHERE id = 4 RETURNING *;
UPDATE links SET target = 1 WHERE id = 4;
SELECT count(*) FROM links WHERE target = source * 2;
SELECT id FROM links WHERE target = 400 ORDER BY id;
SELECT * FROM broken_links('links');

-- the other names
CALL make_links('links');
ALTER TABLE links RENAME source TO from_id;
ALTER TABLE links RENAME target TO to_id;
INSERT INTO links VALUES (1, 10, 20), (2, 11, 21) RETURNING *;
INSERT INTO links(to_id, from_id, id) SELECT i, -i, 100 + i FROM generate_series(1, 300) AS i;
COPY links(to_id, id, from_id) FROM stdin;
1	50	2
\.
UPDATE links SET from_id = to_id, to_id = from_id WHERE id = 1 RETURNING *;
SELECT * FROM links WHERE from_id = 20;
SELECT * FROM links WHERE to_id = 1 ORDER BY id;
SELECT a.id, b.id FROM links AS a JOIN links AS b ON a.from_id = b.to_id ORDER BY a.id, b.id;
DELETE FROM links WHERE to_id = 21 AND id = 2 RETURNING from_id;
INSERT INTO links VALUES (3, NULL, 1);
SELECT count(*), sum(from_id), sum(to_id) FROM links;
SELECT * FROM broken_links('links');
CALL drop_links('links');

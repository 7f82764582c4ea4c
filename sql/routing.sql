-- Rows that reach tables of links by way of a partitioned table or a parent, beside ordinary tables.
\set VERBOSITY sqlstate
\pset null '(null)'

-- list: links, ordinary, links under a partitioned partition, the default one; columns of each in an order of its own
CREATE TABLE parent(id bigint, source bigint NOT NULL, target bigint NOT NULL) PARTITION BY LIST (target);
CALL make_links('one');
ALTER TABLE one DROP COLUMN source;
ALTER TABLE one ADD COLUMN source bigint NOT NULL;
ALTER TABLE parent ATTACH PARTITION one FOR VALUES IN (1, 11);
CREATE TABLE two PARTITION OF parent FOR VALUES IN (2, 12);
CREATE TABLE three PARTITION OF parent FOR VALUES IN (3, 13) PARTITION BY RANGE (source);
CALL make_links('three_low');
ALTER TABLE three ATTACH PARTITION three_low FOR VALUES FROM (MINVALUE) TO (100);
CREATE TABLE three_high PARTITION OF three FOR VALUES FROM (100) TO (MAXVALUE);
CALL make_links('others');
ALTER TABLE parent ATTACH PARTITION others DEFAULT;
CREATE VIEW places AS SELECT tableoid::regclass AS place, id, source, target FROM parent;

INSERT INTO parent VALUES (1, 10, 1), (2, 10, 2), (3, 10, 3), (4, 200, 3), (5, 10, 5) RETURNING tableoid::regclass, *;
INSERT INTO parent SELECT i, i, i % 5 FROM generate_series(10, 1500) AS i;
SELECT place, count(*), sum(id), sum(source) FROM places GROUP BY place ORDER BY place::text;
COPY parent FROM stdin;
2001	1	1
2002	1	2
2003	1	3
2004	200	3
2005	1	4
\.
SELECT * FROM places WHERE id > 2000 ORDER BY id;
-- a row that is refused takes all of its statement with it
INSERT INTO parent SELECT i, nullif(i, 3400), i % 4 FROM generate_series(3000, 3500) AS i;
INSERT INTO parent VALUES (3001, 1, 1), (10, 10, 0);
COPY parent FROM stdin;
3001	1	1
10	10	0
\.
SELECT count(*) FROM parent WHERE id >= 3000;
INSERT INTO parent VALUES (3001, 1, 1), (10, 10, 0), (3002, 1, 4) ON CONFLICT DO NOTHING RETURNING tableoid::regclass, id;
-- returning, and further on from there
WITH i AS (INSERT INTO parent VALUES (3011, 1, 1), (3012, 1, 2), (3013, 1, 3) RETURNING *),
     j AS (INSERT INTO parent SELECT id + 100, source, target + 10 FROM i RETURNING tableoid::regclass AS place, *)
SELECT * FROM j ORDER BY id;
-- what a function of the query sees of the rows before
CREATE FUNCTION rows_now() RETURNS bigint VOLATILE LANGUAGE sql AS 'SELECT count(*) FROM parent WHERE id >= 4000';
INSERT INTO parent SELECT 4000 + i, rows_now(), i % 5 FROM generate_series(0, 9) AS i;
SELECT id, source, target FROM parent WHERE id >= 4000 ORDER BY id;
-- and one of a constraint
CREATE FUNCTION few() RETURNS boolean VOLATILE LANGUAGE sql AS 'SELECT count(*) < 5 FROM parent WHERE id >= 5000';
ALTER TABLE parent ADD CONSTRAINT few CHECK (id < 5000 OR few());
INSERT INTO parent SELECT 5000 + i, 1, i % 5 FROM generate_series(0, 5) AS i;
INSERT INTO parent SELECT 5000 + i, 1, i % 5 FROM generate_series(0, 4) AS i;
INSERT INTO parent VALUES (5005, 1, 1);
SELECT id FROM parent WHERE id >= 5000 ORDER BY id;
ALTER TABLE parent DROP CONSTRAINT few;
DROP FUNCTION few, rows_now;

-- changing several partitions at once
DELETE FROM parent WHERE id > 5;
WITH u AS (UPDATE parent SET source = source + 1 WHERE source = 10 RETURNING tableoid::regclass AS place, *)
SELECT * FROM u ORDER BY id;
WITH u AS (
  UPDATE parent SET source = v.s FROM (VALUES (1, 50), (2, 60), (3, 70)) AS v(i, s) WHERE parent.id = v.i
  RETURNING parent.*, v.*)
SELECT * FROM u ORDER BY id;
WITH u AS (UPDATE parent AS p SET source = p.source + q.target FROM parent AS q WHERE q.id = p.id RETURNING p.id, p.source)
SELECT * FROM u ORDER BY id;
-- from an ordinary partition to links, and in the same statement links that stay are changed
INSERT INTO parent VALUES (20, 1, 2), (21, 1, 2), (22, 1, 1), (23, 2, 1);
WITH u AS (UPDATE parent SET target = 1, source = source + 5 WHERE id BETWEEN 20 AND 29 RETURNING *) SELECT * FROM u ORDER BY id;
SELECT * FROM places WHERE id BETWEEN 20 AND 29 ORDER BY id;
INSERT INTO parent VALUES (24, 1, 2), (25, 3, 1);
UPDATE parent SET target = 11 WHERE id >= 24;
SELECT * FROM places WHERE id BETWEEN 20 AND 29 ORDER BY id;
-- the same when the links that stay come after the rows that move
INSERT INTO parent VALUES (26, 1, 2), (27, 2, 2), (28, 3, 99), (29, 4, 100);
WITH u AS (UPDATE parent SET target = 99 WHERE id > 25 RETURNING *) SELECT * FROM u ORDER BY id;
SELECT * FROM places WHERE id BETWEEN 26 AND 29 ORDER BY id;
UPDATE parent SET source = source + 10 WHERE id > 25;
DELETE FROM parent WHERE id > 25;
-- to an id that is taken there
INSERT INTO parent VALUES (22, 1, 2);
UPDATE parent SET target = 1 WHERE target = 2 AND id = 22;
SELECT * FROM places WHERE id = 22 ORDER BY place::text;
-- deleting with a join, one link matched twice
WITH d AS (DELETE FROM parent USING (VALUES (20), (20), (22), (4)) AS v(i) WHERE id = v.i RETURNING tableoid::regclass AS place, id)
SELECT * FROM d ORDER BY id, place::text;
SELECT * FROM places WHERE id < 30 ORDER BY id;
SELECT id FROM parent WHERE source > 1 ORDER BY id FOR UPDATE;

-- triggers of the parent are those of every partition
CREATE FUNCTION on_parent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE NOTICE '% % % %', TG_TABLE_NAME, TG_WHEN, TG_OP, TG_LEVEL;
  IF TG_LEVEL = 'STATEMENT' OR TG_WHEN = 'AFTER' THEN RETURN NULL; END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  IF NEW.source = 13 THEN RETURN NULL; END IF;
  NEW.source := NEW.source + (SELECT count(*) FROM parent WHERE id >= 6000) * 1000;
  RETURN NEW;
END
$$;
CREATE TRIGGER a BEFORE INSERT OR UPDATE OR DELETE ON parent FOR EACH ROW EXECUTE FUNCTION on_parent();
CREATE TRIGGER b AFTER INSERT OR UPDATE OR DELETE ON parent FOR EACH ROW EXECUTE FUNCTION on_parent();
CREATE TRIGGER c BEFORE INSERT OR UPDATE OR DELETE ON parent FOR EACH STATEMENT EXECUTE FUNCTION on_parent();
CREATE TRIGGER d AFTER INSERT OR UPDATE OR DELETE ON parent FOR EACH STATEMENT EXECUTE FUNCTION on_parent();
\set VERBOSITY terse
INSERT INTO parent VALUES (6001, 1, 1), (6002, 1, 2), (6003, 13, 1), (6004, 1, 4);
COPY parent FROM stdin;
6005	1	1
6006	13	1
\.
UPDATE parent SET source = 0 WHERE id = 6001;
DELETE FROM parent WHERE id = 6001;
\set VERBOSITY sqlstate
SELECT * FROM places WHERE id >= 6000 ORDER BY id;
DROP TRIGGER a ON parent;
DROP TRIGGER b ON parent;
DROP TRIGGER c ON parent;
DROP TRIGGER d ON parent;
-- a trigger of one partition sees the rows that went to another before
CREATE FUNCTION count_all() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.source := (SELECT count(*) FROM parent WHERE id >= 7000);
  RETURN NEW;
END
$$;
CREATE TRIGGER a BEFORE INSERT ON two FOR EACH ROW EXECUTE FUNCTION count_all();
INSERT INTO parent SELECT 7000 + i, -1, i % 3 FROM generate_series(0, 8) AS i;
SELECT id, source FROM two WHERE id >= 7000 ORDER BY id;
DROP TRIGGER a ON two;
DROP FUNCTION count_all, on_parent;

-- defaults and generated columns are the partition's where it is named, the parent's where rows are routed
ALTER TABLE one ALTER source SET DEFAULT 77;
INSERT INTO one(id, target) VALUES (8001, 1) RETURNING source;
INSERT INTO parent(id, target) VALUES (8002, 1) RETURNING source;
ALTER TABLE parent ALTER source SET DEFAULT 78;
ALTER TABLE ONLY parent ALTER source SET DEFAULT 79;
INSERT INTO parent(id, target) VALUES (8003, 1), (8004, 3) RETURNING source;
INSERT INTO one(id, target) VALUES (8005, 1) RETURNING source;
-- a constraint of one partition
DELETE FROM others;
ALTER TABLE others ADD CONSTRAINT even CHECK (source % 2 = 0);
INSERT INTO parent VALUES (8010, 1, 1), (8011, 1, 99);
INSERT INTO parent VALUES (8010, 1, 1), (8011, 2, 99) RETURNING tableoid::regclass, id;
UPDATE parent SET source = 3 WHERE id >= 8010;
-- a view with a check option on top
CREATE VIEW small AS SELECT * FROM parent WHERE source < 100 WITH CHECK OPTION;
INSERT INTO small SELECT 9000 + i, i * 2, i FROM generate_series(0, 60) AS i;
INSERT INTO small SELECT 9000 + i, i * 2, i FROM generate_series(0, 20) AS i;
UPDATE small SET source = 102 WHERE id = 9001;
SELECT count(*) FROM small WHERE id >= 9000;
DROP VIEW small;

-- detached, attached elsewhere, truncated
SELECT count(*) FROM parent;
ALTER TABLE parent DETACH PARTITION others;
INSERT INTO parent VALUES (1, 1, 99);
DELETE FROM others WHERE target <> 99;
ALTER TABLE parent ATTACH PARTITION others FOR VALUES IN (99, 100);
INSERT INTO parent VALUES (9999, 2, 99) RETURNING tableoid::regclass;
TRUNCATE three, two;
SELECT place, count(*) > 0 AS some FROM places GROUP BY place ORDER BY place::text;
TRUNCATE parent;
SELECT count(*) FROM parent;
SELECT * FROM broken_links('one');
SELECT * FROM broken_links('three_low');
SELECT * FROM broken_links('others');
DROP VIEW places;
DROP TABLE parent CASCADE;
CALL drop_links('one');
CALL drop_links('three_low');
CALL drop_links('others');

-- hash
CREATE TABLE parent(id bigint, source bigint NOT NULL, target bigint NOT NULL) PARTITION BY HASH (source);
CALL make_links('zero');
CALL make_links('one');
ALTER TABLE parent ATTACH PARTITION zero FOR VALUES WITH (MODULUS 2, REMAINDER 0);
ALTER TABLE parent ATTACH PARTITION one FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO parent SELECT i, i % 100, i FROM generate_series(1, 2000) AS i;
SELECT count(*), count(DISTINCT tableoid), sum(target) FROM parent WHERE source < 50;
SELECT count(*) FROM parent WHERE source = 7;
PREPARE of_source(bigint) AS SELECT count(*) FROM parent WHERE source = $1;
EXECUTE of_source(7);
EXECUTE of_source(8);
EXECUTE of_source(NULL);
DEALLOCATE of_source;
UPDATE parent SET target = 0 WHERE source = 7;
DELETE FROM parent WHERE target = 0;
SELECT count(*) FROM parent;
DROP TABLE parent CASCADE;
CALL drop_links('zero');
CALL drop_links('one');

-- inheritance: an ordinary parent, children of both kinds and of both together, columns in another order
CREATE TABLE family(id bigint, source bigint NOT NULL, target bigint NOT NULL);
CREATE TABLE heap_child() INHERITS (family);
CALL make_links('link_child');
ALTER TABLE link_child DROP COLUMN source;
ALTER TABLE link_child ADD COLUMN source bigint NOT NULL;
ALTER TABLE link_child INHERIT family;
CALL make_links('second_child');
ALTER TABLE second_child INHERIT family;
INSERT INTO family VALUES (1, 1, 1);
INSERT INTO heap_child VALUES (2, 1, 2);
INSERT INTO link_child(id, source, target) VALUES (3, 1, 3), (4, 2, 4);
INSERT INTO second_child VALUES (5, 1, 5), (6, 2, 6);
CREATE VIEW places AS SELECT tableoid::regclass AS place, id, source, target FROM family;
SELECT * FROM places ORDER BY id;
SELECT * FROM places WHERE source = 1 AND target > 1 ORDER BY id;
WITH u AS (UPDATE family SET target = target + 100 WHERE source = 1 RETURNING tableoid::regclass AS place, *)
SELECT * FROM u ORDER BY id;
WITH u AS (UPDATE family AS a SET source = b.target FROM family AS b WHERE a.id = b.id + 1 RETURNING a.*, b.id AS before)
SELECT * FROM u ORDER BY id;
UPDATE family SET id = id + 10, source = target, target = source;
SELECT * FROM places ORDER BY id;
WITH d AS (DELETE FROM family USING heap_child AS h WHERE family.target = h.target RETURNING family.*) SELECT * FROM d ORDER BY id;
UPDATE ONLY family SET source = 0;
WITH d AS (DELETE FROM family WHERE id > 14 RETURNING tableoid::regclass AS place, id) SELECT * FROM d ORDER BY id;
SELECT * FROM places ORDER BY id;
SELECT id FROM family ORDER BY id FOR SHARE;
ALTER TABLE family ADD CONSTRAINT positive CHECK (source >= 0);
INSERT INTO link_child(id, source, target) VALUES (30, -1, 1);
UPDATE family SET source = -1 WHERE id = 13;
-- a link as the parent
CALL make_links('elder');
CREATE TABLE younger() INHERITS (elder);
INSERT INTO elder VALUES (1, 1, 1);
INSERT INTO younger VALUES (2, 1, 2);
WITH u AS (UPDATE elder SET target = 9 WHERE source = 1 RETURNING tableoid::regclass AS place, id) SELECT * FROM u ORDER BY id;
SELECT * FROM ONLY elder;
WITH d AS (DELETE FROM elder RETURNING id) SELECT id FROM d ORDER BY id;
DROP TABLE younger;
TRUNCATE family;
SELECT count(*) FROM family;
DROP VIEW places;
SELECT * FROM broken_links('link_child');
SELECT * FROM broken_links('second_child');
DROP TABLE family CASCADE;
CALL drop_links('link_child');
CALL drop_links('second_child');
CALL drop_links('elder');

-- Links changed through views: check options, INSTEAD rules and triggers, security barriers.
\set VERBOSITY sqlstate
\pset null '(null)'

-- the id that is assigned is there when the option is checked
CALL make_links('links');
CREATE VIEW first_ones AS SELECT * FROM links WHERE id < 3 AND source = 1 WITH CHECK OPTION;
INSERT INTO first_ones(source, target) VALUES (1, 5), (1, 6) RETURNING *;
INSERT INTO first_ones(source, target) VALUES (1, 7);
INSERT INTO first_ones(source, target) SELECT 2, 8;
DROP VIEW first_ones;

CALL make_links('links');
INSERT INTO links VALUES (1, 1, 1), (2, 2, 2), (3, 1, 2), (4, 2, 1);

-- check options: many rows at once, from a query, by COPY's way of triggers, with joins; all or nothing
CREATE VIEW from_one AS SELECT * FROM links WHERE source = 1 WITH CHECK OPTION;
INSERT INTO from_one VALUES (10, 1, 1), (11, 1, 2), (12, 2, 3);
INSERT INTO from_one SELECT 10 + i, 1, i FROM generate_series(1, 5) AS i;
INSERT INTO from_one SELECT 20 + i, 1 + i / 5, i FROM generate_series(1, 5) AS i;
SELECT * FROM links WHERE id >= 10 ORDER BY id;
UPDATE from_one SET source = v.s FROM (VALUES (11, 1), (12, 2)) AS v(i, s) WHERE from_one.id = v.i;
WITH u AS (UPDATE from_one SET target = v.t FROM (VALUES (11, 50), (2, 50)) AS v(i, t) WHERE from_one.id = v.i RETURNING from_one.*)
SELECT * FROM u ORDER BY id;
INSERT INTO from_one VALUES (11, 1, 1), (30, 1, 1) ON CONFLICT DO NOTHING RETURNING id;
INSERT INTO from_one VALUES (31, 2, 1) ON CONFLICT DO NOTHING;
-- local and cascaded
CREATE VIEW outer_local AS SELECT * FROM from_one WHERE target > 0 WITH LOCAL CHECK OPTION;
CREATE VIEW plain AS SELECT * FROM links WHERE source < 10;
CREATE VIEW over_plain_local AS SELECT * FROM plain WHERE target > 0 WITH LOCAL CHECK OPTION;
CREATE VIEW over_plain_cascaded AS SELECT * FROM plain WHERE target > 0 WITH CASCADED CHECK OPTION;
INSERT INTO outer_local VALUES (40, 2, 1);
INSERT INTO outer_local VALUES (40, 1, -1);
INSERT INTO outer_local VALUES (40, 1, 1) RETURNING *;
INSERT INTO over_plain_local VALUES (41, 20, 1) RETURNING *;
INSERT INTO over_plain_cascaded VALUES (42, 20, 1);
UPDATE over_plain_cascaded SET source = 10 WHERE id = 1;
UPDATE over_plain_local SET source = 10 WHERE id = 40 RETURNING *;
DROP VIEW over_plain_local, over_plain_cascaded, plain, outer_local;
-- the check looks at what a BEFORE trigger made of the row
CREATE FUNCTION to_two() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.source := 2; RETURN NEW; END $$;
CREATE TRIGGER t BEFORE INSERT OR UPDATE ON links FOR EACH ROW EXECUTE FUNCTION to_two();
INSERT INTO from_one VALUES (50, 1, 1);
UPDATE from_one SET target = 0 WHERE id = 1;
DROP TRIGGER t ON links;
DROP FUNCTION to_two;
-- and at what a subquery says
CREATE VIEW known AS SELECT * FROM links AS l WHERE EXISTS (SELECT FROM links AS o WHERE o.id = l.target) WITH CHECK OPTION;
INSERT INTO known VALUES (60, 5, 1) RETURNING *;
INSERT INTO known VALUES (61, 5, 999);
UPDATE known SET target = 999 WHERE id = 60;
UPDATE known SET target = 2 WHERE id = 60 RETURNING *;
DROP VIEW known, from_one;
SELECT * FROM links ORDER BY id;

-- a barrier: a function that leaks sees no row the view hides
CREATE VIEW visible WITH (security_barrier) AS SELECT * FROM links WHERE source = 1 AND target < 100;
CREATE FUNCTION leak(bigint) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS $$
BEGIN
  IF $1 IN (2, 4, 41, 60) THEN
    RAISE EXCEPTION 'leaked %', $1;
  END IF;
  RETURN true;
END
$$;
SELECT id FROM visible WHERE leak(id) ORDER BY id;
WITH u AS (UPDATE visible SET target = target + 1 WHERE leak(id) RETURNING id) SELECT count(*) FROM u;
WITH d AS (DELETE FROM visible WHERE leak(id) AND id > 13 RETURNING id) SELECT id FROM d ORDER BY id;
DROP FUNCTION leak;
DROP VIEW visible;

-- INSTEAD triggers
CALL make_links('links');
INSERT INTO links VALUES (1, 1, 10), (2, 2, 20), (3, 3, 30);
CREATE VIEW named AS SELECT id, 'n' || source AS a, 'n' || target AS b FROM links;
INSERT INTO named VALUES (4, 'n4', 'n40');
CREATE FUNCTION on_named() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  CASE TG_OP
    WHEN 'INSERT' THEN
      INSERT INTO links VALUES (NEW.id, substr(NEW.a, 2)::bigint, substr(NEW.b, 2)::bigint);
    WHEN 'UPDATE' THEN
      UPDATE links SET id = NEW.id, source = substr(NEW.a, 2)::bigint, target = substr(NEW.b, 2)::bigint WHERE id = OLD.id;
    WHEN 'DELETE' THEN
      IF OLD.a = 'n3' THEN RETURN NULL; END IF;
      DELETE FROM links WHERE id = OLD.id;
      RETURN OLD;
  END CASE;
  RETURN NEW;
END
$$;
CREATE TRIGGER t INSTEAD OF INSERT OR UPDATE OR DELETE ON named FOR EACH ROW EXECUTE FUNCTION on_named();
INSERT INTO named VALUES (4, 'n4', 'n40'), (5, 'n5', 'n50') RETURNING *;
COPY named FROM stdin;
6	n6	n60
7	n7	n70
\.
UPDATE named SET b = 'n0' WHERE a IN ('n1', 'n2');
UPDATE named SET id = named.id + 100 FROM links AS l WHERE l.target = 0 AND named.id = l.id;
DELETE FROM named WHERE b > 'n2' RETURNING id;
SELECT * FROM named ORDER BY id;
DROP VIEW named;
DROP FUNCTION on_named;

-- INSTEAD and ALSO rules of a view
CALL make_links('links');
INSERT INTO links VALUES (1, 1, 10), (2, 2, 20), (3, 3, 30);
CREATE TEMP TABLE notes(what text, link bigint);
CREATE VIEW ends AS SELECT id, source AS a, target AS b FROM links;
CREATE RULE i AS ON INSERT TO ends DO INSTEAD
  INSERT INTO links VALUES (NEW.id, NEW.a, NEW.b) RETURNING id, source, target;
CREATE RULE u AS ON UPDATE TO ends DO INSTEAD
  UPDATE links SET source = NEW.a, target = NEW.b WHERE id = OLD.id RETURNING id, source, target;
CREATE RULE d AS ON DELETE TO ends DO INSTEAD UPDATE links SET target = -1 WHERE id = OLD.id;
CREATE RULE note AS ON INSERT TO ends DO ALSO INSERT INTO notes VALUES ('insert', NEW.id);
INSERT INTO ends VALUES (4, 4, 40) RETURNING *;
INSERT INTO ends SELECT 10 + i, i, i FROM generate_series(1, 3) AS i;
UPDATE ends SET a = a + 100 WHERE b = 20 RETURNING *;
UPDATE ends SET a = v.a FROM (VALUES (3, 300), (4, 400)) AS v(i, a) WHERE ends.id = v.i;
DELETE FROM ends WHERE a = 1;
SELECT * FROM ends ORDER BY id;
SELECT * FROM notes ORDER BY link;
-- a rule that turns a heap table's changes into links
CREATE TABLE edges(a bigint, b bigint);
CREATE RULE redirect AS ON INSERT TO edges DO INSTEAD INSERT INTO links VALUES (NEW.a * 1000 + NEW.b, NEW.a, NEW.b);
INSERT INTO edges VALUES (7, 8), (8, 9);
SELECT * FROM links WHERE id > 1000 ORDER BY id;
SELECT count(*) FROM edges;
DROP TABLE edges;
DROP VIEW ends;
SELECT * FROM broken_links('links');
CALL drop_links('links');

-- COPY in and out.
\set VERBOSITY sqlstate
\pset null '(null)'

CALL make_links('links');
COPY links FROM stdin;
1	10	20
7	-1	0
5000000000	9223372036854775807	-9223372036854775808
\.
SELECT * FROM links ORDER BY id;
-- a column list in another order
COPY links(target, id, source) FROM stdin WITH (FORMAT csv, HEADER);
target,id,source
3,30,4
\.
SELECT * FROM links WHERE id = 30;
COPY links FROM stdin WITH (FORMAT csv) WHERE source > 5;
40,5,1
41,6,1
42,7,1
\.
SELECT * FROM links WHERE id BETWEEN 40 AND 49 ORDER BY id;

-- all or nothing
COPY links FROM stdin;
50	1	1
51	1	1
7	1	1
\.
COPY links FROM stdin;
50	1	1
51	\N	1
\.
COPY links FROM stdin;
50	1	1
51	one	1
\.
COPY links FROM stdin;
50	1	1
51	1
\.
SELECT count(*) FROM links WHERE id BETWEEN 50 AND 59;
BEGIN;
COPY links FROM stdin;
50	1	1
51	1	1
\.
SELECT count(*) FROM links WHERE source = 1 AND target = 1;
ROLLBACK;
SELECT count(*) FROM links WHERE source = 1 AND target = 1;

-- ids that are assigned
CALL make_links('links');
COPY links(source, target) FROM stdin;
5	6
6	5
\.
SELECT * FROM links ORDER BY id;

-- out, and in again
COPY (SELECT * FROM links ORDER BY id) TO stdout;
COPY (SELECT * FROM links ORDER BY id) TO stdout WITH (FORMAT csv, HEADER);
COPY (DELETE FROM links WHERE id = 1 RETURNING *) TO stdout;
SELECT * FROM links ORDER BY id;
SELECT * FROM broken_links('links');
CALL drop_links('links');

-- an error names the line it is about, however many rows are inserted together
\set VERBOSITY default
\set SHOW_CONTEXT always
CALL make_links('links');
COPY links FROM PROGRAM 'seq -f "%.0f,1,2" 1 700; echo 3,0,0; seq -f "%.0f,1,2" 701 800' WITH (FORMAT csv);
COPY links FROM PROGRAM 'seq -f "%.0f,1,2" 1 100; echo 100,0,0; seq -f "%.0f,1,2" 101 110' WITH (FORMAT csv);
COPY links FROM PROGRAM 'seq -f "%.0f,1,2" 1 100; echo 3,0,0; echo x; seq -f "%.0f,1,2" 101 110' WITH (FORMAT csv);
SELECT count(*) FROM links;
COPY links FROM PROGRAM 'seq -f "%.0f,1,2" 1 1500' WITH (FORMAT csv);
SELECT count(*), sum(id) FROM links;
-- an error of a row comes before those of rows that wait
ALTER TABLE links ADD CHECK (target <> 5);
COPY links FROM PROGRAM 'seq -f "%.0f,1,2" 2001 2010; echo 2003,0,0; echo 2011,0,5' WITH (FORMAT csv);
COPY links FROM PROGRAM 'seq -f "%.0f,1,2" 2001 2010; echo 2003,0,0; echo 2011,0,4' WITH (FORMAT csv);
\set VERBOSITY terse

-- what runs between two rows, or after the last, sees those before
CALL make_links('links');
CREATE FUNCTION links_so_far() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT count(*) FROM links';
CREATE FUNCTION say_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE NOTICE '% links', (SELECT count(*) FROM links);
  RETURN NEW;
END
$$;
COPY links FROM PROGRAM 'seq -f "%.0f,1,2" 1 5' WITH (FORMAT csv) WHERE links_so_far() < 3;
SELECT count(*) FROM links;
ALTER TABLE links ALTER target SET DEFAULT links_so_far();
COPY links(id, source) FROM PROGRAM 'seq -f "%.0f,1" 6 8' WITH (FORMAT csv);
SELECT * FROM links WHERE id > 5 ORDER BY id;
ALTER TABLE links ALTER target DROP DEFAULT;
CREATE TRIGGER after_all AFTER INSERT ON links FOR EACH STATEMENT EXECUTE FUNCTION say_count();
COPY links FROM PROGRAM 'seq -f "%.0f,1,2" 11 13' WITH (FORMAT csv);
DROP TRIGGER after_all ON links;
CREATE TRIGGER before_each BEFORE INSERT ON links FOR EACH ROW EXECUTE FUNCTION say_count();
COPY links FROM PROGRAM 'seq -f "%.0f,1,2" 21 23' WITH (FORMAT csv);
DROP TRIGGER before_each ON links;
DROP FUNCTION say_count, links_so_far;

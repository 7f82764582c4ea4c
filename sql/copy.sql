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

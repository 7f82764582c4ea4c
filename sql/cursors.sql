-- Cursors and prepared statements.
\set VERBOSITY sqlstate
\pset null '(null)'

CALL make_links('links');
INSERT INTO links(source, target) SELECT i % 4, i FROM generate_series(1, 300) AS i;

BEGIN;
DECLARE s SCROLL CURSOR FOR SELECT id FROM links WHERE source = 3 ORDER BY id;
FETCH 2 FROM s;
FETCH LAST FROM s;
FETCH PRIOR FROM s;
FETCH FIRST FROM s;
FETCH ABSOLUTE 10 FROM s;
FETCH RELATIVE -5 FROM s;
FETCH BACKWARD 2 FROM s;
MOVE FORWARD 1000 IN s;
FETCH NEXT FROM s;
CLOSE s;
DECLARE n NO SCROLL CURSOR FOR SELECT id FROM links ORDER BY id;
FETCH 2 FROM n;
FETCH BACKWARD 1 FROM n;
ROLLBACK;

-- outlives its transaction, and shows what that one saw
BEGIN;
DECLARE h CURSOR WITH HOLD FOR SELECT id, target FROM links WHERE source = 1 ORDER BY id;
FETCH 1 FROM h;
COMMIT;
DELETE FROM links WHERE source = 1 AND id < 100;
UPDATE links SET target = -target WHERE source = 1;
FETCH 2 FROM h;
MOVE 70 IN h;
FETCH ALL FROM h;
CLOSE h;
SELECT count(*), max(target) FROM links WHERE source = 1;

-- several open at once, interleaved
BEGIN;
DECLARE a CURSOR FOR SELECT id FROM links WHERE source = 2 ORDER BY id;
DECLARE b CURSOR FOR SELECT id FROM links WHERE source = 3 ORDER BY id;
FETCH 1 FROM a;
FETCH 1 FROM b;
FETCH 1 FROM a;
FETCH 1 FROM b;
SAVEPOINT x;
DECLARE c CURSOR FOR SELECT id FROM links WHERE source = 0 ORDER BY id;
FETCH 1 FROM c;
DELETE FROM links WHERE source = 2;
FETCH 1 FROM a;
ROLLBACK TO x;
FETCH 1 FROM a;
FETCH 1 FROM c;
ROLLBACK;

-- PL/pgSQL loops over a table they change
\set VERBOSITY terse
DO $$
DECLARE
  l record;
  seen int := 0;
BEGIN
  FOR l IN SELECT * FROM links WHERE source = 0 ORDER BY id LOOP
    seen := seen + 1;
    DELETE FROM links WHERE id = l.id AND l.id % 8 = 0;
    INSERT INTO links VALUES (l.id + 10000, 0, l.id);
  END LOOP;
  RAISE NOTICE 'seen %', seen;
END
$$;
DO $$ BEGIN RAISE NOTICE '% with source 0', (SELECT count(*) FROM links WHERE source = 0); END $$;
\set VERBOSITY sqlstate

-- prepared, with custom and with generic plans
CALL make_links('links');
INSERT INTO links VALUES (1, 1, 1), (2, 2, 2), (3, 1, 2), (4, 1, 2);
PREPARE by_id(bigint) AS SELECT * FROM links WHERE id = $1;
PREPARE by_source(int) AS SELECT id FROM links WHERE source = $1 ORDER BY id;
PREPARE by_pair(smallint, bigint) AS SELECT id FROM links WHERE $1 = source AND target = $2 ORDER BY id;
PREPARE by_list(bigint[]) AS SELECT id FROM links WHERE source = ANY ($1) ORDER BY id;
PREPARE how_many(bigint) AS SELECT count(*) FROM links WHERE target = $1;
PREPARE add(bigint, bigint, bigint) AS INSERT INTO links VALUES ($1, $2, $3) RETURNING *;
PREPARE change(bigint, bigint) AS UPDATE links SET source = $2 WHERE id = $1 RETURNING *;
PREPARE remove(bigint) AS DELETE FROM links WHERE id = $1 RETURNING id;
SET plan_cache_mode = force_generic_plan;
EXECUTE by_id(3);
EXECUTE by_id(NULL);
EXECUTE by_id(30);
EXECUTE by_source(1);
EXECUTE by_source(NULL);
EXECUTE by_pair(1, 2);
EXECUTE by_pair(1, NULL);
EXECUTE by_list('{2,1}');
EXECUTE by_list('{}');
EXECUTE by_list(NULL);
EXECUTE by_list('{NULL,2}');
EXECUTE how_many(2);
EXECUTE how_many(NULL);
EXECUTE add(5, 50, 51);
EXECUTE add(5, 50, 51);
EXECUTE change(5, 55);
EXECUTE change(NULL, 55);
EXECUTE change(5, NULL);
EXECUTE remove(5);
EXECUTE remove(5);
SET plan_cache_mode = force_custom_plan;
EXECUTE by_pair(1, 2);
EXECUTE by_list('{2,1,NULL}');
EXECUTE by_source(NULL);
EXECUTE how_many(2);
RESET plan_cache_mode;
-- used often enough that the planner chooses by itself, while the table grows
DO $$
DECLARE
  wrong int := 0;
  found bigint;
BEGIN
  FOR i IN 1..2000 LOOP
    INSERT INTO links VALUES (1000 + i, 77, i);
    SELECT count(*) INTO found FROM links WHERE source = 77;
    wrong := wrong + (found <> i)::int;
    SELECT id INTO found FROM links WHERE source = 77 AND target = i;
    wrong := wrong + (found IS DISTINCT FROM 1000 + i)::int;
  END LOOP;
  IF wrong > 0 THEN
    RAISE EXCEPTION '% wrong answers', wrong;
  END IF;
END
$$;
EXECUTE how_many(2000);
-- plans follow the table
ALTER TABLE links RENAME TO renamed;
EXECUTE by_id(3);
ALTER TABLE renamed RENAME TO links;
EXECUTE by_id(3);
DEALLOCATE ALL;
SELECT * FROM broken_links('links');
CALL drop_links('links');

-- Random transactions on links and on an ordinary table with the same rows: after every one the two must agree on
-- every shape of query. Seeded, so every run is the same.
CALL make_links('links');
CREATE TABLE model(id bigint PRIMARY KEY, source bigint NOT NULL, target bigint NOT NULL);

-- Whether both tables give the same rows for these values, for each shape of query.
CREATE FUNCTION disagreements(i bigint, s bigint, t bigint) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  condition text;
  a text;
  b text;
BEGIN
  FOREACH condition IN ARRAY ARRAY['true', 'id = $1', 'source = $2', 'target = $3', 'source = $2 AND target = $3',
    'id = $1 AND source = $2', 'id > $1', 'id BETWEEN $1 AND $1 + 20', 'source > $2', 'target <= $3',
    'source = ANY (ARRAY[$2, $2 + 1])', 'target IN ($3, $3 + 1, $2)', 'id = ANY (ARRAY[$1, $1 + 1, $1 + 7])',
    'source = $2 AND target IN ($3, $3 + 1)', 'source = target', 'source = $2 OR target = $3', 'NOT source = $2'] LOOP
    EXECUTE format('SELECT string_agg(l::text, '' '' ORDER BY l.id) FROM links AS l WHERE %s', condition)
      INTO a USING i, s, t;
    EXECUTE format('SELECT string_agg(l::text, '' '' ORDER BY l.id) FROM model AS l WHERE %s', condition)
      INTO b USING i, s, t;
    IF a IS DISTINCT FROM b THEN
      RETURN NEXT format('%s for %s, %s, %s', condition, i, s, t);
    END IF;
    EXECUTE format('SELECT row(count(*), min(id), max(id))::text FROM links WHERE %s', condition) INTO a USING i, s, t;
    EXECUTE format('SELECT row(count(*), min(id), max(id))::text FROM model WHERE %s', condition) INTO b USING i, s, t;
    IF a IS DISTINCT FROM b THEN
      RETURN NEXT format('aggregates over %s for %s, %s, %s: %s instead of %s', condition, i, s, t, a, b);
    END IF;
  END LOOP;
END
$$;

-- One random change of both tables; the same outcome, or the same error, is required of both.
CREATE PROCEDURE change_both() LANGUAGE plpgsql AS $$
DECLARE
  what int := floor(random() * 9);
  i bigint := 1 + floor(random() * 120);
  j bigint := 1 + floor(random() * 120);
  s bigint := floor(random() * 12) - 2;
  t bigint := floor(random() * 12) - 2;
  change text := CASE what
    WHEN 0 THEN 'INSERT INTO %I VALUES ($1, $3, $4)'
    WHEN 1 THEN 'INSERT INTO %I VALUES ($1, $3, $4)'
    WHEN 2 THEN 'INSERT INTO %I SELECT $1 + g * 150, $3, g FROM generate_series(1, 5) AS g'
    WHEN 3 THEN 'UPDATE %I SET source = $3, target = $4 WHERE id BETWEEN $1 AND $1 + 3'
    WHEN 4 THEN 'UPDATE %I SET source = $4 WHERE source = $3 AND id > $1'
    WHEN 5 THEN 'UPDATE %I SET id = $2 WHERE id = $1'
    WHEN 6 THEN 'DELETE FROM %I WHERE id BETWEEN $1 AND $1 + 5'
    WHEN 7 THEN 'DELETE FROM %I WHERE source = $3 AND target = $4'
    WHEN 8 THEN 'INSERT INTO %I VALUES ($1, $3, $4), ($2, $4, $3) ON CONFLICT DO NOTHING'
  END;
  outcome text[] := '{}';
  rows bigint;
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['links', 'model'] LOOP
    BEGIN
      EXECUTE format(change, name) USING i, j, s, t;
      GET DIAGNOSTICS rows = ROW_COUNT;
      outcome := outcome || rows::text;
    EXCEPTION WHEN OTHERS THEN
      outcome := outcome || SQLSTATE;
    END;
  END LOOP;
  IF outcome[1] <> outcome[2] THEN
    RAISE EXCEPTION '% with %, %, %, %: % instead of %', change, i, j, s, t, outcome[1], outcome[2];
  END IF;
END
$$;

SELECT setseed(0.5);
CREATE TEMP TABLE found(problem text);
DO $$
BEGIN
  FOR round IN 1..120 LOOP
    -- a transaction of several changes, some of them under savepoints, some of those rolled back
    FOR step IN 1..6 LOOP
      IF random() < 0.3 THEN
        BEGIN
          CALL change_both();
          CALL change_both();
          IF random() < 0.5 THEN
            RAISE EXCEPTION USING errcode = 'P0099';
          END IF;
        EXCEPTION WHEN SQLSTATE 'P0099' THEN NULL;
        END;
      ELSE
        CALL change_both();
      END IF;
    END LOOP;
    INSERT INTO found SELECT round || ': ' || d FROM
      disagreements(1 + floor(random() * 120)::bigint, floor(random() * 12)::bigint - 2, floor(random() * 12)::bigint - 2) AS d;
    IF random() < 0.25 THEN ROLLBACK; ELSE COMMIT; END IF;
    INSERT INTO found SELECT round || ' after: ' || d FROM
      disagreements(1 + floor(random() * 120)::bigint, floor(random() * 12)::bigint - 2, floor(random() * 12)::bigint - 2) AS d;
    IF random() < 0.2 THEN CALL settle_links('links'); END IF;
  END LOOP;
END
$$;
SELECT problem FROM found ORDER BY problem LIMIT 10;
-- the rounds did something
SELECT count(*) > 50 AS many, count(DISTINCT source) > 5 AS mixed FROM model;
SELECT count(*) FROM ((TABLE links EXCEPT TABLE model) UNION ALL (TABLE model EXCEPT TABLE links)) AS differences;
SELECT * FROM broken_links('links');

DROP PROCEDURE change_both;
DROP FUNCTION disagreements;
DROP TABLE model;
CALL drop_links('links');

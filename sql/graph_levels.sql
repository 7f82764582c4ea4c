-- Walks of dense graphs, whose last levels are found from the nodes not met yet: the same as level by level over an ordinary
-- table with the same rows, with links of this transaction, of one that was rolled back, and deleted ones among them.
CALL make_links('links');
CREATE TABLE model(id bigint PRIMARY KEY, source bigint NOT NULL, target bigint NOT NULL);

CREATE FUNCTION model_walk(start bigint, direction text) RETURNS TABLE (id bigint, depth integer, via bigint) LANGUAGE plpgsql AS $$
DECLARE
  level integer := 0;
BEGIN
  CREATE TEMP TABLE met AS SELECT start AS node, 0 AS at, NULL::bigint AS link;
  LOOP
    INSERT INTO met
    SELECT e.b, level + 1, min(e.id)
    FROM (SELECT l.id, l.source AS a, l.target AS b FROM model AS l WHERE direction IN ('outgoing', 'both')
          UNION ALL SELECT l.id, l.target, l.source FROM model AS l WHERE direction IN ('incoming', 'both')) AS e
    JOIN met ON met.node = e.a AND met.at = level
    WHERE NOT EXISTS (SELECT FROM met AS m WHERE m.node = e.b)
    GROUP BY e.b;
    EXIT WHEN NOT FOUND;
    level := level + 1;
    ANALYZE met;
  END LOOP;
  RETURN QUERY SELECT * FROM met;
  DROP TABLE met;
END
$$;
-- What differs, and how large the levels are.
CREATE FUNCTION compare(start bigint) RETURNS TABLE (direction text, problems bigint, levels bigint[]) LANGUAGE plpgsql AS $$
BEGIN
  FOREACH direction IN ARRAY ARRAY['outgoing', 'incoming', 'both'] LOOP
    CREATE TEMP TABLE wanted AS SELECT * FROM model_walk(start, direction);
    CREATE TEMP TABLE found AS SELECT * FROM doublets.walk('links', start, direction);
    SELECT count(*) INTO problems FROM (
      (TABLE wanted EXCEPT ALL TABLE found) UNION ALL (TABLE found EXCEPT ALL TABLE wanted)) AS d;
    SELECT array_agg(n ORDER BY depth) INTO levels FROM (SELECT depth, count(*) AS n FROM found GROUP BY depth) AS l;
    RETURN NEXT;
    DROP TABLE wanted, found;
  END LOOP;
END
$$;

-- the same commands on both
CREATE PROCEDURE change(what text) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format(what, 'links');
  EXECUTE format(what, 'model');
END
$$;
CALL change($$INSERT INTO %s SELECT n, mod(hashint8extended(n, 3) & 9223372036854775807, 10000), mod(hashint8extended(n, 5) & 9223372036854775807, 10000)
  FROM generate_series(1, 100000) AS n$$);
ANALYZE model;
SELECT * FROM compare(1);
SELECT * FROM compare(-7);
SELECT count(*) FROM doublets.walk('links', 1, 'outgoing', 5);

BEGIN;
-- every third link is gone, many nodes are new, some links come from what was rolled back
CALL change('DELETE FROM %s WHERE id %% 3 = 0');
CALL change('UPDATE %s SET target = -target WHERE id %% 7 = 1');
SAVEPOINT a;
CALL change('UPDATE %s SET source = source + 500 WHERE id %% 2 = 0');
SELECT * FROM compare(2);
ROLLBACK TO a;
SELECT * FROM compare(2);
CALL change('INSERT INTO %s SELECT 300000 + n, n %% 2500, 1000000 + n FROM generate_series(1, 3000) AS n');
SELECT * FROM compare(3);
COMMIT;
SELECT * FROM compare(3);

-- nodes that are too wide for a table of places
CALL change('UPDATE %s SET source = source * 1000003 - 7, target = target * 1000003 - 7');
SELECT * FROM compare(5 * 1000003 - 7);
SELECT bool_and(doublets.reachable('links', -7, n * 1000003::bigint - 7) = EXISTS (SELECT FROM doublets.walk('links', -7) AS w WHERE w.id = n * 1000003::bigint - 7))
FROM generate_series(1, 10000, 1250) AS n;

-- two dense parts with one link between them: a second wave, for which it is known who is left
CALL make_links('links');
TRUNCATE model;
CALL change($$INSERT INTO %s SELECT n, mod(hashint8extended(n, 3) & 9223372036854775807, 5500), mod(hashint8extended(n, 5) & 9223372036854775807, 5500)
  FROM generate_series(1, 66000) AS n$$);
CALL change($$INSERT INTO %s SELECT 100000 + n, -1 - mod(hashint8extended(n, 3) & 9223372036854775807, 3000), -1 - mod(hashint8extended(n, 5) & 9223372036854775807, 3000)
  FROM generate_series(1, 24000) AS n$$);
CALL change('INSERT INTO %s VALUES (500000, 77, -77)');
ANALYZE model;
SELECT * FROM compare(5);
-- whatever memory there is: the same, or an error
CREATE FUNCTION limited(limits text[]) RETURNS TABLE (answer text, times bigint) LANGUAGE plpgsql AS $$
DECLARE
  size text;
  answers text[];
BEGIN
  FOREACH size IN ARRAY limits LOOP
    PERFORM set_config('work_mem', size, true), set_config('hash_mem_multiplier', '1', true);
    BEGIN
      answers := answers || (SELECT concat_ws(' ', count(*), sum(id), sum(depth), sum(via)) FROM doublets.walk('links', 5));
    EXCEPTION WHEN out_of_memory THEN
      answers := answers || SQLSTATE::text;
    END;
  END LOOP;
  RETURN QUERY SELECT a, count(*) FROM unnest(answers) AS a GROUP BY a ORDER BY a;
END
$$;
SELECT * FROM limited(ARRAY(SELECT k || 'kB' FROM generate_series(440, 580, 2) AS k));
SELECT concat_ws(' ', count(*), sum(id), sum(depth), sum(via)) FROM model_walk(5, 'outgoing');

DROP FUNCTION limited, compare, model_walk;
DROP PROCEDURE change;
DROP TABLE model;
CALL drop_links('links');

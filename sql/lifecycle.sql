-- Making and dropping stores, in transactions too; max_size; what the registry says.
\pset null '(null)'

CREATE VIEW known AS SELECT name::text, persistence, links FROM doublets.stores;

SELECT doublets.create_store('a', backend()), pg_typeof(doublets.create_store('b', layout => backend()));
TABLE known ORDER BY name;
SELECT problem($$SELECT doublets.create_store('a')$$);
SELECT problem($$SELECT doublets.create_store('known')$$);
INSERT INTO a VALUES (1, 1, 1);
SELECT name, links FROM known ORDER BY name;
DROP FOREIGN TABLE a, b;
SELECT count(*) FROM known;

-- a new store of the same name is empty
SELECT doublets.create_store('a', backend());
SELECT count(*) FROM a;
INSERT INTO a VALUES (1, 1, 1);

-- rollbacks
BEGIN;
DROP FOREIGN TABLE a;
ROLLBACK;
SELECT * FROM a;
BEGIN;
SELECT doublets.create_store('c', backend());
INSERT INTO c VALUES (1, 2, 3);
SELECT * FROM c;
ROLLBACK;
SELECT to_regclass('c');
SELECT name FROM known ORDER BY name;
BEGIN;
SAVEPOINT s;
SELECT doublets.create_store('c', backend());
INSERT INTO c VALUES (1, 2, 3);
ROLLBACK TO s;
SELECT doublets.create_store('c', backend());
INSERT INTO c VALUES (4, 5, 6);
COMMIT;
SELECT * FROM c;
BEGIN;
DROP FOREIGN TABLE c;
SELECT doublets.create_store('c', backend());
INSERT INTO c VALUES (7, 8, 9);
ROLLBACK;
SELECT * FROM c;
BEGIN;
SELECT doublets.create_store('d', backend());
INSERT INTO d VALUES (1, 1, 1);
DROP FOREIGN TABLE d;
COMMIT;
SELECT name FROM known ORDER BY name;
DROP FOREIGN TABLE a, c;

-- what another object needs
CALL make_links('links');
CREATE VIEW needs AS SELECT * FROM links;
SELECT problem('DROP FOREIGN TABLE links');
DROP VIEW needs;
SELECT problem('DROP EXTENSION doublets');
SELECT problem('DROP SERVER doublets');

-- the limit: an error, nothing is lost, and it can be raised
SELECT doublets.create_store('small', backend(), max_size => '4MB');
INSERT INTO small SELECT i, i, i FROM generate_series(1, 1000) AS i;
SELECT problem('INSERT INTO small SELECT i, i, i FROM generate_series(1001, 1000000) AS i');
SELECT count(*), sum(source) FROM small;
SELECT problem($$SELECT doublets.create_links('small', array_agg(i), array_agg(i)) FROM generate_series(1, 1000000) AS i$$);
SELECT allocated_bytes <= 4 * 1024 * 1024 AS within, links FROM doublets.store_stats('small');
INSERT INTO small VALUES (1001, 1001, 1001);
UPDATE small SET source = 0 WHERE id <= 500;
SELECT count(*) FROM small WHERE source = 0;
SELECT * FROM doublets.verify_store('small');
ALTER FOREIGN TABLE small OPTIONS (SET max_size '400MB');
INSERT INTO small SELECT i, i, i FROM generate_series(1002, 100000) AS i;
SELECT count(*) FROM small;
-- what a rolled back statement took is used again
DROP FOREIGN TABLE small;
SELECT doublets.create_store('small', backend(), max_size => '4MB');
DO $$
DECLARE
  failures int := 0;
BEGIN
  FOR i IN 1..20 LOOP
    BEGIN
      INSERT INTO small SELECT g, g, g FROM generate_series(1, 500000) AS g;
    EXCEPTION WHEN configuration_limit_exceeded THEN
      failures := failures + 1;
    END;
  END LOOP;
  IF failures <> 20 THEN
    RAISE EXCEPTION '% of 20 statements failed', failures;
  END IF;
END
$$;
INSERT INTO small SELECT i, i, i FROM generate_series(1, 1000) AS i;
SELECT count(*), sum(source) FROM small;
SELECT * FROM doublets.verify_store('small');
DROP FOREIGN TABLE small;

-- nobody settles by hand: what transactions leave behind makes room for the next
SELECT doublets.create_store('small', backend(), max_size => '16MB');
CREATE PROCEDURE refill() LANGUAGE plpgsql AS $$
BEGIN
  FOR i IN 1..6 LOOP
    INSERT INTO small(source, target) SELECT g, g FROM generate_series(1, 60000) AS g;
    DELETE FROM small;
    COMMIT;
  END LOOP;
END
$$;
CALL refill();
DROP PROCEDURE refill;
SELECT count(*) FROM small;
CALL settle_links('small');
SELECT links, versions_in_flight FROM doublets.store_stats('small');
SELECT * FROM doublets.verify_store('small');
DROP FOREIGN TABLE small;

-- nobody settles by hand: functions that count links settle what is in the way of that
SELECT doublets.create_store('small', backend());
INSERT INTO small(source, target) SELECT 1, g FROM generate_series(1, 40000) AS g;
CREATE PROCEDURE count_after_change() LANGUAGE plpgsql AS $$
DECLARE
  n bigint;
  left_over bigint;
BEGIN
  -- autovacuum may hold a snapshot for a moment
  FOR attempt IN 1..20 LOOP
    CALL settle_links('small');
    UPDATE small SET target = target + 1;
    COMMIT;
    FOR i IN 1..20 LOOP
      n := doublets.count_links('small', NULL, 1);
      IF n <> 40000 THEN RAISE EXCEPTION '% links', n; END IF;
      COMMIT;
    END LOOP;
    SELECT versions_in_flight INTO left_over FROM doublets.store_stats('small');
    EXIT WHEN left_over = 0;
  END LOOP;
  IF left_over > 0 THEN RAISE EXCEPTION '% versions in flight', left_over; END IF;
END
$$;
CALL count_after_change();
DROP PROCEDURE count_after_change;
DROP FOREIGN TABLE small;

-- a filled and emptied store keeps working within bounds: space of deleted links is used again
CALL make_links('links');
CREATE PROCEDURE churn() LANGUAGE plpgsql AS $$
DECLARE
  first bigint;
  last bigint;
BEGIN
  FOR i IN 1..60 LOOP
    INSERT INTO links(source, target) SELECT g % 100, g FROM generate_series(1, 5000) AS g;
    COMMIT;
    DELETE FROM links;
    COMMIT;
    CALL settle_links('links');
    SELECT allocated_bytes INTO last FROM doublets.store_stats('links');
    IF i = 5 THEN first := last; END IF;
  END LOOP;
  IF last > first THEN
    RAISE EXCEPTION 'grew from % to % bytes', first, last;
  END IF;
END
$$;
CALL churn();
DROP PROCEDURE churn;
SELECT links FROM doublets.store_stats('links');
SELECT * FROM broken_links('links');
CALL drop_links('links');
DROP VIEW known;

-- links7: one procedure per operation, with the statements of bench/links7_*.sql (statements.bash proves it). Each statement
-- is committed. `returned` counts the rows the statements met.

CREATE PROCEDURE bench.links7_create(active integer, INOUT returned bigint) LANGUAGE plpgsql AS $$
DECLARE
  new_id bigint;
  n bigint;
BEGIN
  FOR i IN 1..active LOOP
    INSERT INTO links (source, target) VALUES (0, 0) RETURNING id INTO new_id;
    COMMIT;
    UPDATE links SET source = new_id, target = new_id WHERE id = new_id;
    GET DIAGNOSTICS n = ROW_COUNT;
    returned := returned + n;
    COMMIT;
  END LOOP;
END $$;

CREATE PROCEDURE bench.links7_update(points bigint[], INOUT returned bigint) LANGUAGE plpgsql AS $$
DECLARE
  link bigint;
  n bigint;
BEGIN
  FOREACH link IN ARRAY points LOOP
    UPDATE links SET source = 0, target = 0 WHERE id = link;
    GET DIAGNOSTICS n = ROW_COUNT;
    returned := returned + n;
    COMMIT;
  END LOOP;
  FOREACH link IN ARRAY points LOOP
    UPDATE links SET source = link, target = link WHERE id = link;
    GET DIAGNOSTICS n = ROW_COUNT;
    returned := returned + n;
    COMMIT;
  END LOOP;
END $$;

CREATE PROCEDURE bench.links7_delete(points bigint[], INOUT returned bigint) LANGUAGE plpgsql AS $$
DECLARE
  new_id bigint;
  n bigint;
BEGIN
  FOREACH new_id IN ARRAY points LOOP
    DELETE FROM links WHERE id = new_id;
    GET DIAGNOSTICS n = ROW_COUNT;
    returned := returned + n;
    COMMIT;
  END LOOP;
END $$;

CREATE PROCEDURE bench.links7_query_all(INOUT returned bigint) LANGUAGE plpgsql AS $$
DECLARE
  n bigint;
BEGIN
  PERFORM * FROM links;
  GET DIAGNOSTICS n = ROW_COUNT;
  returned := returned + n;
  COMMIT;
END $$;

CREATE PROCEDURE bench.links7_query_id(points bigint[], INOUT returned bigint) LANGUAGE plpgsql AS $$
DECLARE
  link bigint;
  n bigint;
BEGIN
  FOREACH link IN ARRAY points LOOP
    PERFORM * FROM links WHERE id = link;
    GET DIAGNOSTICS n = ROW_COUNT;
    returned := returned + n;
    COMMIT;
  END LOOP;
END $$;

CREATE PROCEDURE bench.links7_query_source(points bigint[], INOUT returned bigint) LANGUAGE plpgsql AS $$
DECLARE
  link bigint;
  n bigint;
BEGIN
  FOREACH link IN ARRAY points LOOP
    PERFORM * FROM links WHERE source = link;
    GET DIAGNOSTICS n = ROW_COUNT;
    returned := returned + n;
    COMMIT;
  END LOOP;
END $$;

CREATE PROCEDURE bench.links7_query_target(points bigint[], INOUT returned bigint) LANGUAGE plpgsql AS $$
DECLARE
  link bigint;
  n bigint;
BEGIN
  FOREACH link IN ARRAY points LOOP
    PERFORM * FROM links WHERE target = link;
    GET DIAGNOSTICS n = ROW_COUNT;
    returned := returned + n;
    COMMIT;
  END LOOP;
END $$;

-- links8: one procedure per operation, with the statements of bench/links8_*.sql (check_statements.bash proves it).
-- In autocommit each timed statement is committed. `returned` counts the rows the statements gave back.

CREATE PROCEDURE bench.links8_create(active integer, autocommit boolean, INOUT returned bigint)
LANGUAGE plpgsql AS $$
DECLARE
  new_id bigint;
  n bigint;
BEGIN
  FOR i IN 1..active LOOP
    INSERT INTO links (source, target) VALUES (0, 0) RETURNING id INTO new_id;
    IF autocommit THEN COMMIT; END IF;
    PERFORM * FROM links WHERE id = new_id;
    GET DIAGNOSTICS n = ROW_COUNT;
    returned := returned + n;
    IF autocommit THEN COMMIT; END IF;
    UPDATE links SET source = new_id, target = new_id WHERE id = new_id;
    IF autocommit THEN COMMIT; END IF;
  END LOOP;
END $$;

CREATE PROCEDURE bench.links8_update(background integer, active integer, autocommit boolean, INOUT returned bigint)
LANGUAGE plpgsql AS $$
DECLARE
  link bigint;
  n bigint;
BEGIN
  FOR i IN background - active + 1 .. background LOOP
    link := i;
    PERFORM * FROM links WHERE id = link;
    GET DIAGNOSTICS n = ROW_COUNT;
    returned := returned + n;
    IF autocommit THEN COMMIT; END IF;
    UPDATE links SET source = 0, target = 0 WHERE id = link;
    IF autocommit THEN COMMIT; END IF;
  END LOOP;
  FOR i IN background - active + 1 .. background LOOP
    link := i;
    PERFORM * FROM links WHERE id = link;
    GET DIAGNOSTICS n = ROW_COUNT;
    returned := returned + n;
    IF autocommit THEN COMMIT; END IF;
    UPDATE links SET source = link, target = link WHERE id = link;
    IF autocommit THEN COMMIT; END IF;
  END LOOP;
END $$;

-- points: ids in order of creation; they are deleted in reverse.
CREATE PROCEDURE bench.links8_delete(points bigint[], autocommit boolean, INOUT returned bigint)
LANGUAGE plpgsql AS $$
DECLARE
  new_id bigint;
  end_source bigint;
  end_target bigint;
BEGIN
  FOR i IN REVERSE cardinality(points) .. 1 LOOP
    new_id := points[i];
    DELETE FROM links WHERE id = new_id RETURNING source, target INTO end_source, end_target;
    returned := returned + CASE WHEN end_source = new_id AND end_target = new_id THEN 1 ELSE 0 END;
    IF autocommit THEN COMMIT; END IF;
  END LOOP;
END $$;

CREATE PROCEDURE bench.links8_each_all(autocommit boolean, INOUT returned bigint)
LANGUAGE plpgsql AS $$
DECLARE
  n bigint;
BEGIN
  PERFORM * FROM links;
  GET DIAGNOSTICS n = ROW_COUNT;
  returned := returned + n;
  IF autocommit THEN COMMIT; END IF;
END $$;

CREATE PROCEDURE bench.links8_each_identity(background integer, autocommit boolean, INOUT returned bigint)
LANGUAGE plpgsql AS $$
DECLARE
  link bigint;
  n bigint;
BEGIN
  FOR i IN 1..background LOOP
    link := i;
    PERFORM * FROM links WHERE id = link;
    GET DIAGNOSTICS n = ROW_COUNT;
    returned := returned + n;
    IF autocommit THEN COMMIT; END IF;
  END LOOP;
END $$;

CREATE PROCEDURE bench.links8_each_concrete(background integer, autocommit boolean, INOUT returned bigint)
LANGUAGE plpgsql AS $$
DECLARE
  link bigint;
  n bigint;
BEGIN
  FOR i IN 1..background LOOP
    link := i;
    PERFORM * FROM links WHERE source = link AND target = link;
    GET DIAGNOSTICS n = ROW_COUNT;
    returned := returned + n;
    IF autocommit THEN COMMIT; END IF;
  END LOOP;
END $$;

CREATE PROCEDURE bench.links8_each_outgoing(background integer, autocommit boolean, INOUT returned bigint)
LANGUAGE plpgsql AS $$
DECLARE
  link bigint;
  n bigint;
BEGIN
  FOR i IN 1..background LOOP
    link := i;
    PERFORM * FROM links WHERE source = link;
    GET DIAGNOSTICS n = ROW_COUNT;
    returned := returned + n;
    IF autocommit THEN COMMIT; END IF;
  END LOOP;
END $$;

CREATE PROCEDURE bench.links8_each_incoming(background integer, autocommit boolean, INOUT returned bigint)
LANGUAGE plpgsql AS $$
DECLARE
  link bigint;
  n bigint;
BEGIN
  FOR i IN 1..background LOOP
    link := i;
    PERFORM * FROM links WHERE target = link;
    GET DIAGNOSTICS n = ROW_COUNT;
    returned := returned + n;
    IF autocommit THEN COMMIT; END IF;
  END LOOP;
END $$;

-- links7: what surrounds the timed statements: preparing, timing, checking, clearing up.

-- The background: points 1 to `background`, in an empty table.
CREATE PROCEDURE bench.links7_seed(background integer) LANGUAGE plpgsql AS $$
BEGIN
  TRUNCATE links RESTART IDENTITY;
  INSERT INTO links (source, target) SELECT n, n FROM generate_series(1, background) AS n;
END $$;

-- `count` points more; their ids in order of creation.
CREATE FUNCTION bench.links7_points(count integer) RETURNS bigint[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  points bigint[] := '{}';
  new_id bigint;
BEGIN
  FOR i IN 1..count LOOP
    INSERT INTO links (source, target) VALUES (0, 0) RETURNING id INTO new_id;
    UPDATE links SET source = new_id, target = new_id WHERE id = new_id;
    points := points || new_id;
  END LOOP;
  RETURN points;
END $$;

-- Times one iteration, from the background and back to it.
CREATE PROCEDURE bench.links7_iteration(operation text, background integer, active integer,
  INOUT wall_us double precision, INOUT cpu_us double precision)
LANGUAGE plpgsql AS $$
DECLARE
  points bigint[] := '{}';
  returned bigint := 0;
  expected bigint;
  meter bench.meter;
BEGIN
  IF operation IN ('update', 'delete', 'query_all', 'query_id') THEN
    points := bench.links7_points(active);
  ELSIF operation = 'query_source' THEN
    INSERT INTO links (source, target) SELECT 1 + i % 10, 11 + i / 10 FROM generate_series(0, active - 1) AS i;
  ELSIF operation = 'query_target' THEN
    INSERT INTO links (source, target) SELECT 11 + i / 10, 1 + i % 10 FROM generate_series(0, active - 1) AS i;
  END IF;
  IF operation IN ('query_source', 'query_target') THEN
    SELECT array_agg(n) INTO points FROM generate_series(1::bigint, least(active, 10)) AS n;
  END IF;
  COMMIT;
  meter := bench.meter_start();
  CASE operation
    WHEN 'create' THEN CALL bench.links7_create(active, returned);
    WHEN 'update' THEN CALL bench.links7_update(points, returned);
    WHEN 'delete' THEN CALL bench.links7_delete(points, returned);
    WHEN 'query_all' THEN CALL bench.links7_query_all(returned);
    WHEN 'query_id' THEN CALL bench.links7_query_id(points, returned);
    WHEN 'query_source' THEN CALL bench.links7_query_source(points, returned);
    WHEN 'query_target' THEN CALL bench.links7_query_target(points, returned);
  END CASE;
  meter := bench.meter_stop(meter);
  wall_us := meter.wall_us;
  cpu_us := meter.cpu_us;
  -- A search by an end finds the pairs, and the background point itself.
  expected := CASE operation WHEN 'update' THEN 2 * active WHEN 'query_all' THEN background + active
    WHEN 'query_source' THEN active + least(active, 10) WHEN 'query_target' THEN active + least(active, 10) ELSE active END;
  IF returned <> expected THEN
    RAISE EXCEPTION 'links7 %: % rows instead of %', operation, returned, expected;
  END IF;
  IF (SELECT count(*) FROM links WHERE id > background AND source = id AND target = id)
    <> (CASE WHEN operation IN ('create', 'update', 'query_all', 'query_id') THEN active ELSE 0 END) THEN
    RAISE EXCEPTION 'links7 %: the points are not what they must be', operation;
  END IF;
  DELETE FROM links WHERE id > background;
  COMMIT;
END $$;

CREATE PROCEDURE bench.links7_warm_up(run_number integer, background integer, active integer, seconds double precision,
  sample_seconds double precision, INOUT iterations bigint)
LANGUAGE plpgsql AS $$
DECLARE
  r bench.runs;
  done bigint := 0;
  started timestamptz := clock_timestamp();
  ignored_us double precision;
BEGIN
  SELECT * INTO r FROM bench.runs WHERE run = run_number;
  WHILE done < 1 OR bench.us(clock_timestamp(), started) < seconds * 1e6 LOOP
    CALL bench.links7_iteration(r.operation, background, active, ignored_us, ignored_us);
    done := done + 1;
  END LOOP;
  iterations := greatest(1, floor(done * sample_seconds * 1e6 / bench.us(clock_timestamp(), started)));
END $$;

-- Takes one sample: the mean of `iterations` iterations.
CREATE PROCEDURE bench.links7_sample(run_number integer, sample_number integer, background integer, active integer,
  iterations bigint)
LANGUAGE plpgsql AS $$
DECLARE
  r bench.runs;
  wall_us double precision;
  cpu_us double precision;
  wall_total double precision := 0;
  cpu_total double precision := 0;
BEGIN
  SELECT * INTO r FROM bench.runs WHERE run = run_number;
  FOR i IN 1..iterations LOOP
    CALL bench.links7_iteration(r.operation, background, active, wall_us, cpu_us);
    wall_total := wall_total + wall_us;
    cpu_total := cpu_total + cpu_us;
  END LOOP;
  IF (SELECT (count(*), count(*) FILTER (WHERE source = id AND target = id), max(id)) FROM links)
    IS DISTINCT FROM (background::bigint, background::bigint, background::bigint) THEN
    RAISE EXCEPTION 'links7: the background is not what was seeded';
  END IF;
  CALL bench.keep(r, r.mode, sample_number, iterations, wall_total / iterations, cpu_total / iterations);
END $$;

-- links8: what surrounds the timed statements: preparing, timing, checking, clearing up.

-- `count` points; their ids in order of creation.
CREATE FUNCTION bench.links8_points(count integer) RETURNS bigint[] LANGUAGE plpgsql VOLATILE AS $$
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

-- The background: points 1 to `background`, in an empty table.
CREATE PROCEDURE bench.links8_seed(background integer) LANGUAGE plpgsql AS $$
BEGIN
  TRUNCATE links RESTART IDENTITY;
  INSERT INTO links (source, target) SELECT n, n FROM generate_series(1, background) AS n;
END $$;

-- Raises unless exactly the background is there.
CREATE PROCEDURE bench.links8_check(background bigint) LANGUAGE plpgsql AS $$
DECLARE
  links_found bigint;
  points_found bigint;
  id_sum numeric;
BEGIN
  SELECT count(*), count(*) FILTER (WHERE source = id AND target = id), coalesce(sum(id), 0)
  INTO links_found, points_found, id_sum FROM links;
  IF links_found <> background OR points_found <> background OR id_sum <> background * (background + 1) / 2 THEN
    RAISE EXCEPTION 'links8: % links, % points, sum of ids %, instead of the % background points',
      links_found, points_found, id_sum, background;
  END IF;
END $$;

-- Times one iteration. wall_us: the statements (in autocommit with their commits); committed_us: with the final COMMIT.
-- cpu_us covers the latter.
CREATE PROCEDURE bench.links8_iteration(operation text, autocommit boolean, background integer, active integer,
  INOUT wall_us double precision, INOUT committed_us double precision, INOUT cpu_us double precision)
LANGUAGE plpgsql AS $$
DECLARE
  points bigint[];
  returned bigint := 0;
  expected bigint := background;
  created bigint;
  cpu_started bigint;
  started timestamptz;
  done timestamptz;
  committed timestamptz;
BEGIN
  IF operation = 'delete' THEN
    points := bench.links8_points(active);
  END IF;
  COMMIT;
  cpu_started := CASE WHEN operation IN ('create', 'update', 'delete') THEN bench.cpu_ns() END;
  started := clock_timestamp();
  CASE operation
    WHEN 'create' THEN CALL bench.links8_create(active, autocommit, returned);
    WHEN 'update' THEN CALL bench.links8_update(background, active, autocommit, returned);
    WHEN 'delete' THEN CALL bench.links8_delete(points, autocommit, returned);
    WHEN 'each_all' THEN CALL bench.links8_each_all(autocommit, returned);
    WHEN 'each_identity' THEN CALL bench.links8_each_identity(background, autocommit, returned);
    WHEN 'each_concrete' THEN CALL bench.links8_each_concrete(background, autocommit, returned);
    WHEN 'each_outgoing' THEN CALL bench.links8_each_outgoing(background, autocommit, returned);
    WHEN 'each_incoming' THEN CALL bench.links8_each_incoming(background, autocommit, returned);
  END CASE;
  done := clock_timestamp();
  COMMIT;
  committed := clock_timestamp();
  cpu_us := CASE WHEN cpu_started IS NOT NULL THEN (bench.cpu_ns() - cpu_started) / 1000.0 END;
  wall_us := bench.us(done, started);
  committed_us := bench.us(committed, started);
  expected := CASE operation WHEN 'create' THEN active WHEN 'update' THEN 2 * active WHEN 'delete' THEN active
    ELSE background END;
  IF returned <> expected THEN
    RAISE EXCEPTION 'links8 %: % rows instead of %', operation, returned, expected;
  END IF;
  IF operation = 'create' THEN
    SELECT count(*) INTO created FROM links WHERE id > background AND source = id AND target = id;
    IF created <> active THEN
      RAISE EXCEPTION 'links8 create: % new points instead of %', created, active;
    END IF;
    DELETE FROM links WHERE id > background;
    COMMIT;
  END IF;
END $$;

-- Warms up for `seconds` and says how many iterations, with all that surrounds them, fill `sample_seconds`.
CREATE PROCEDURE bench.links8_warm_up(run_number integer, background integer, active integer, seconds double precision,
  sample_seconds double precision, INOUT iterations bigint)
LANGUAGE plpgsql AS $$
DECLARE
  r bench.runs;
  done bigint := 0;
  started timestamptz := clock_timestamp();
  ignored_us double precision;
BEGIN
  SELECT * INTO r FROM bench.runs WHERE run = run_number;
  WHILE done < 2 OR bench.us(clock_timestamp(), started) < seconds * 1e6 LOOP
    CALL bench.links8_iteration(r.operation, r.mode = 'autocommit', background, active, ignored_us, ignored_us, ignored_us);
    done := done + 1;
  END LOOP;
  iterations := greatest(1, floor(done * sample_seconds * 1e6 / bench.us(clock_timestamp(), started)));
END $$;

-- Takes one sample: the mean of `iterations` iterations. An operation that only reads leaves nothing to clear up, so its
-- CPU is read once around all of them.
CREATE PROCEDURE bench.links8_sample(run_number integer, sample_number integer, background integer, active integer,
  iterations bigint)
LANGUAGE plpgsql AS $$
DECLARE
  r bench.runs;
  wall_us double precision;
  committed_us double precision;
  cpu_us double precision;
  wall_total double precision := 0;
  committed_total double precision := 0;
  cpu_total double precision := 0;
  cpu_started bigint := bench.cpu_ns();
BEGIN
  SELECT * INTO r FROM bench.runs WHERE run = run_number;
  FOR i IN 1..iterations LOOP
    CALL bench.links8_iteration(r.operation, r.mode = 'autocommit', background, active, wall_us, committed_us, cpu_us);
    wall_total := wall_total + wall_us;
    committed_total := committed_total + committed_us;
    cpu_total := cpu_total + cpu_us;
  END LOOP;
  cpu_total := coalesce(cpu_total, (bench.cpu_ns() - cpu_started) / 1000.0);
  CALL bench.links8_check(background);
  CALL bench.keep(r, r.mode, sample_number, iterations, wall_total / iterations,
    CASE WHEN r.mode = 'autocommit' THEN cpu_total / iterations END);
  IF r.mode = 'transaction' THEN
    CALL bench.keep(r, 'committed', sample_number, iterations, committed_total / iterations, cpu_total / iterations);
  END IF;
END $$;

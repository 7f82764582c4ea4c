-- targets: input, timing and checks around the statements.

-- The dataset, also as a file for COPY.
CREATE PROCEDURE bench.targets_input(scale integer) LANGUAGE plpgsql AS $$
BEGIN
  CALL bench.graph_input(scale);
  COPY bench.edges TO PROGRAM 'cat > doublets_bench_edges.copy';
END $$;

CREATE PROCEDURE bench.targets_do(operation text, scale integer,
  INOUT wall_us double precision, INOUT cpu_us double precision, INOUT answer numeric)
LANGUAGE plpgsql AS $$
DECLARE
  starts bigint[] := bench.nodes(20, 100 * scale, 0);
  cpu_started bigint;
  started timestamptz;
  done timestamptz;
BEGIN
  IF operation IN ('insert_select', 'copy') THEN
    TRUNCATE links RESTART IDENTITY;
  END IF;
  COMMIT;
  IF operation = 'join_source' THEN
    -- A nested loop is what is measured.
    SET LOCAL enable_hashjoin = off;
    SET LOCAL enable_mergejoin = off;
    SET LOCAL enable_memoize = off;
  END IF;
  answer := 0;
  cpu_started := bench.cpu_ns();
  started := clock_timestamp();
  CASE operation
    WHEN 'insert_select' THEN CALL bench.targets_insert_select(answer);
    WHEN 'copy' THEN CALL bench.targets_copy(answer);
    WHEN 'join_source' THEN CALL bench.targets_join_source(scale, answer);
    WHEN 'full_scan' THEN CALL bench.targets_full_scan(answer);
    WHEN 'cte3' THEN CALL bench.targets_cte3(starts, answer);
  END CASE;
  done := clock_timestamp();
  cpu_us := (bench.cpu_ns() - cpu_started) / 1000.0;
  wall_us := bench.us(done, started);
  COMMIT;
END $$;

-- Warms up twice, and finds how many times fill `sample_seconds`. Loads are timed from the first, one time a sample.
CREATE PROCEDURE bench.targets_warm_up(run_number integer, scale integer, sample_seconds double precision, INOUT times bigint)
LANGUAGE plpgsql AS $$
DECLARE
  r bench.runs;
  wall_us double precision;
  cpu_us double precision;
  answer numeric;
BEGIN
  SELECT * INTO r FROM bench.runs WHERE run = run_number;
  times := 1;
  IF r.operation NOT IN ('insert_select', 'copy') THEN
    CALL bench.targets_do(r.operation, scale, wall_us, cpu_us, answer);
    CALL bench.targets_do(r.operation, scale, wall_us, cpu_us, answer);
    times := greatest(1, sample_seconds * 1e6 / wall_us);
  END IF;
END $$;

-- Takes a sample. Every repetition does the same work, and its answer is checked.
CREATE PROCEDURE bench.targets_sample(run_number integer, sample integer, scale integer, times bigint) LANGUAGE plpgsql AS $$
DECLARE
  r bench.runs;
  statements integer;
  wall_us double precision;
  cpu_us double precision;
  wall_total double precision := 0;
  cpu_total double precision := 0;
  answer numeric;
BEGIN
  SELECT * INTO r FROM bench.runs WHERE run = run_number;
  statements := CASE r.operation WHEN 'cte3' THEN 20 ELSE 1 END;
  FOR i IN 1..times LOOP
    CALL bench.targets_do(r.operation, scale, wall_us, cpu_us, answer);
    wall_total := wall_total + wall_us;
    cpu_total := cpu_total + cpu_us;
    CALL bench.check_answer(r.workload, r.operation, answer);
  END LOOP;
  CALL bench.keep(r, r.mode, sample, times * statements, wall_total / (times * statements), cpu_total / (times * statements));
  IF r.operation IN ('insert_select', 'copy') THEN
    CALL bench.check_load();
  END IF;
END $$;

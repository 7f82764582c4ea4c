-- floors: what a statement costs that does nothing, and what the timing loop itself costs.

-- Sample 0 warms up and finds the number of iterations.
CREATE PROCEDURE bench.floors_sample(run_number integer, sample integer, sample_seconds double precision, INOUT times bigint)
LANGUAGE plpgsql AS $$
DECLARE
  r bench.runs;
  cpu_started bigint;
  started timestamptz;
  wall_us double precision;
BEGIN
  SELECT * INTO r FROM bench.runs WHERE run = run_number;
  cpu_started := bench.cpu_ns();
  started := clock_timestamp();
  CASE r.operation
    WHEN 'loop' THEN
      FOR i IN 1..times LOOP
        COMMIT;
      END LOOP;
    WHEN 'select_1' THEN
      FOR i IN 1..times LOOP
        PERFORM 1 WHERE i > 0;
        COMMIT;
      END LOOP;
  END CASE;
  wall_us := bench.us(clock_timestamp(), started);
  IF sample = 0 THEN
    times := greatest(1, floor(times * sample_seconds * 1e6 / wall_us));
  ELSE
    CALL bench.keep(r, r.mode, sample, times, wall_us / times, (bench.cpu_ns() - cpu_started) / 1000.0 / times);
  END IF;
END $$;

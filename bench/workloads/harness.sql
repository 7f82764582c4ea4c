-- The harness inside the server: schema `bench` holds the operations and backends of a run, its plan, its samples, and
-- the clocks. Measuring sessions run with search_path = <backend>, bench, so that `links` is the backend's table.
CREATE SCHEMA bench;

-- What can be measured, from operations.csv; a row of mode `transaction` also yields samples of mode `committed`.
CREATE TABLE bench.operations (
  position integer PRIMARY KEY,
  workload text NOT NULL,
  mode text NOT NULL,
  operation text NOT NULL,
  title text NOT NULL,
  UNIQUE (workload, mode, operation)
);

-- The backends of this run, from backends/backends.csv.
CREATE TABLE bench.backends (
  position integer PRIMARY KEY,
  backend text UNIQUE NOT NULL,
  title text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('native', 'doublets', 'server')),
  class text NOT NULL CHECK (class IN ('durable', 'volatile', 'none')),
  durability text NOT NULL,
  colour text NOT NULL,
  point integer NOT NULL,
  -- What EXPLAIN must say of a search by id, and by source or target.
  plan_id text,
  plan_end text
);

-- One row per run: an operation on a backend, sampled `samples` times. The probes time a fixed piece of CPU work, so that
-- a run on a disturbed machine can be flagged.
CREATE TABLE bench.runs (
  run integer PRIMARY KEY,
  repetition integer NOT NULL,
  workload text NOT NULL,
  mode text NOT NULL,
  operation text NOT NULL,
  backend text NOT NULL,
  samples integer NOT NULL CHECK (samples > 0),
  probe_before_us double precision,
  probe_after_us double precision,
  UNIQUE (workload, mode, operation, backend, repetition)
);

-- One observation a row: microseconds of one iteration, the mean over `iterations` of them. cpu_us is the backend's own
-- CPU time, NULL where the kernel does not tell or where it was not separated.
CREATE TABLE bench.samples (
  workload text NOT NULL,
  mode text NOT NULL,
  operation text NOT NULL,
  backend text NOT NULL,
  repetition integer NOT NULL,
  sample integer NOT NULL,
  iterations bigint NOT NULL,
  wall_us double precision NOT NULL,
  cpu_us double precision,
  PRIMARY KEY (workload, mode, operation, backend, repetition, sample)
);

CREATE TABLE bench.sizes (
  workload text NOT NULL,
  backend text NOT NULL,
  links bigint NOT NULL,
  used_bytes bigint NOT NULL,
  allocated_bytes bigint NOT NULL,
  PRIMARY KEY (workload, backend)
);

-- What a query answered, summed over fixed arguments: every backend must say the same.
CREATE TABLE bench.answers (
  workload text NOT NULL,
  operation text NOT NULL,
  answer numeric NOT NULL,
  PRIMARY KEY (workload, operation)
);

-- Marks left by client-side runs between two samples.
CREATE UNLOGGED TABLE bench.marks (turn bigint PRIMARY KEY, wall timestamptz NOT NULL, cpu_ns bigint);

-- Nanoseconds of CPU this backend has used. Reading `stat` makes the kernel account for the time slice that is still
-- running (thread_group_cputime), which `schedstat` alone does not; together about 25 µs.
CREATE FUNCTION bench.cpu_ns() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_read_file('/proc/self/stat');
  RETURN split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::bigint;
END $$;

-- Where that cannot be read, CPU times are NULL and the report says so.
DO $$
BEGIN
  PERFORM bench.cpu_ns();
EXCEPTION WHEN OTHERS THEN
  CREATE OR REPLACE FUNCTION bench.cpu_ns() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT NULL::bigint';
END $$;

-- Microseconds between two readings of clock_timestamp().
CREATE FUNCTION bench.us(later timestamptz, earlier timestamptz) RETURNS double precision
LANGUAGE sql IMMUTABLE STRICT AS 'SELECT extract(epoch FROM later - earlier)::double precision * 1e6';

-- Best of five timings, in microseconds, of a fixed piece of CPU work.
CREATE FUNCTION bench.probe() RETURNS double precision LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  best double precision := 'infinity';
  started timestamptz;
  work bigint := 0;
BEGIN
  FOR attempt IN 1..5 LOOP
    started := clock_timestamp();
    FOR i IN 1..5000 LOOP
      work := (work * 31 + i) % 1000003;
    END LOOP;
    best := least(best, bench.us(clock_timestamp(), started));
  END LOOP;
  RETURN best;
END $$;

-- `count` node numbers in [1, nodes], the same for the same seed on every machine.
CREATE FUNCTION bench.nodes(count bigint, nodes bigint, seed bigint) RETURNS bigint[]
LANGUAGE sql IMMUTABLE AS $$
  SELECT array_agg(1 + mod(hashint8extended(i, seed) & 9223372036854775807, nodes) ORDER BY i)
  FROM generate_series(1, count) AS i
$$;

-- Called by pgbench between two samples.
CREATE PROCEDURE bench.mark(turn bigint) LANGUAGE sql AS
'INSERT INTO bench.marks VALUES (turn, clock_timestamp(), bench.cpu_ns())';

-- Turns the marks into samples: the first interval is warm-up.
CREATE PROCEDURE bench.keep_marks(run_number integer) LANGUAGE sql AS $$
  INSERT INTO bench.samples
  SELECT r.workload, r.mode, r.operation, r.backend, r.repetition, m.sample, m.iterations, m.wall_us, m.cpu_us
  FROM bench.runs AS r, (
    SELECT row_number() OVER w - 1 AS sample, lead(turn) OVER w - turn AS iterations,
      bench.us(lead(wall) OVER w, wall) / (lead(turn) OVER w - turn) AS wall_us,
      (lead(cpu_ns) OVER w - cpu_ns) / 1000.0 / (lead(turn) OVER w - turn) AS cpu_us
    FROM bench.marks WINDOW w AS (ORDER BY turn)
  ) AS m
  WHERE r.run = run_number AND m.iterations IS NOT NULL AND m.sample > 0;
$$;

-- Raises unless the operation answers what it answered on the backend asked first.
CREATE PROCEDURE bench.check_answer(of_workload text, of_operation text, given numeric) LANGUAGE plpgsql AS $$
DECLARE
  expected numeric;
BEGIN
  INSERT INTO bench.answers VALUES (of_workload, of_operation, given) ON CONFLICT DO NOTHING;
  SELECT answer INTO expected FROM bench.answers WHERE workload = of_workload AND operation = of_operation;
  IF given IS DISTINCT FROM expected THEN
    RAISE EXCEPTION 'wrong answer from % %: % instead of %', of_workload, of_operation, given, expected;
  END IF;
END $$;

-- Raises unless the backend holds exactly the links of bench.edges: a partial load cannot look fast.
CREATE PROCEDURE bench.check_load() LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT (count(*), sum(source), sum(target), sum(source * target)) FROM links)
    IS DISTINCT FROM (SELECT (count(*), sum(source), sum(target), sum(source * target)) FROM bench.edges) THEN
    RAISE EXCEPTION 'the backend does not hold the links of the input';
  END IF;
END $$;

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

-- The plan in order. A run has a step for each sample, so that backends take turns; before them, -1 resets (and finds the number of a
-- client's transactions), 0 warms up. Many samples are taken in several visits: after the first visit of all samples comes the second.
CREATE TABLE bench.steps (
  step integer PRIMARY KEY,
  run integer NOT NULL REFERENCES bench.runs,
  sample integer NOT NULL,
  visit integer NOT NULL
);

-- Keeps a sample, or what one more visit adds to it: a sample is the mean of all its iterations.
CREATE PROCEDURE bench.keep(r bench.runs, of_mode text, of_sample integer, times bigint, wall double precision, cpu double precision)
LANGUAGE sql AS $$
  INSERT INTO bench.samples AS s VALUES (r.workload, of_mode, r.operation, r.backend, r.repetition, of_sample, times, wall, cpu)
  ON CONFLICT (workload, mode, operation, backend, repetition, sample) DO UPDATE SET iterations = s.iterations + times,
    wall_us = s.wall_us + (wall - s.wall_us) * times / (s.iterations + times),
    cpu_us = s.cpu_us + (cpu - s.cpu_us) * times / (s.iterations + times)
$$;

-- Whether a sample of the run has lasted `seconds`: then no other visit is needed.
CREATE FUNCTION bench.lasted(of_run integer, of_sample integer, seconds double precision) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM bench.runs JOIN bench.samples USING (workload, mode, operation, backend, repetition)
    WHERE run = of_run AND sample = of_sample AND wall_us * iterations >= seconds * 1e6)
$$;

-- What a query answered, summed over fixed arguments: every backend must say the same.
CREATE TABLE bench.answers (
  workload text NOT NULL,
  operation text NOT NULL,
  answer numeric NOT NULL,
  PRIMARY KEY (workload, operation)
);

-- The marks pgbench leaves where a sample begins and where it ends.
CREATE UNLOGGED TABLE bench.marks (mark text PRIMARY KEY, wall timestamptz NOT NULL, cpu_ns bigint);

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

-- Moves this backend to a core for the rest of its session, by a child that does it to its parent. It reads what is written to it
-- (an empty line), or the pipe might break.
CREATE PROCEDURE bench.pin(core integer) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('COPY (SELECT) TO PROGRAM ''cat >/dev/null; taskset -cp %s $PPID >/dev/null''', core);
END $$;

-- Called by pgbench.
CREATE PROCEDURE bench.mark(mark text) LANGUAGE sql AS
'INSERT INTO bench.marks VALUES (mark, clock_timestamp(), bench.cpu_ns())';

-- Turns the marks around `transactions` into a sample of the run, unless it is before sample 1. Returns how many transactions
-- took `seconds` at this rate, and takes the marks away. The probe after a run is the slowest one after any of its samples.
CREATE FUNCTION bench.keep_sample(run_number integer, sample integer, transactions bigint, seconds double precision)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  r bench.runs;
  wall_us double precision;
  cpu_us double precision;
BEGIN
  UPDATE bench.runs SET probe_after_us = greatest(probe_after_us, bench.probe()) WHERE run = run_number RETURNING * INTO r;
  SELECT bench.us(ended.wall, begun.wall) / transactions, (ended.cpu_ns - begun.cpu_ns) / 1000.0 / transactions
  INTO STRICT wall_us, cpu_us
  FROM bench.marks AS begun, bench.marks AS ended WHERE begun.mark = 'begin' AND ended.mark = 'end';
  IF sample > 0 THEN
    INSERT INTO bench.samples VALUES (r.workload, r.mode, r.operation, r.backend, r.repetition, sample, transactions,
      wall_us, cpu_us);
  END IF;
  DELETE FROM bench.marks;
  RETURN greatest(100, seconds * 1e6 / wall_us);
END $$;

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

-- Raises unless the backend holds `expected` links.
CREATE PROCEDURE bench.check_count(expected bigint) LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) FROM links) <> expected THEN
    RAISE EXCEPTION 'the backend holds % links instead of %', (SELECT count(*) FROM links), expected;
  END IF;
END $$;

-- How many links a backend must hold, since it was last seeded.
CREATE TABLE bench.held (backend text PRIMARY KEY, links bigint NOT NULL);

-- Notes what the backend of this session holds now.
CREATE PROCEDURE bench.hold() LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO bench.held SELECT current_schema(), count(*) FROM links
  ON CONFLICT (backend) DO UPDATE SET links = excluded.links;
END $$;

-- Raises unless the backend holds `more` links than were noted; notes the new number.
CREATE PROCEDURE bench.count_effect(more bigint) LANGUAGE plpgsql AS $$
DECLARE
  expected bigint;
BEGIN
  UPDATE bench.held SET links = held.links + more WHERE backend = current_schema() RETURNING held.links INTO STRICT expected;
  CALL bench.check_count(expected);
END $$;

-- Clocks around something timed: wall, CPU of this backend, bytes of WAL of the whole server.
CREATE TYPE bench.meter AS (wall timestamptz, cpu_ns bigint, wal pg_lsn, wall_us double precision, cpu_us double precision,
  wal_bytes numeric);

CREATE FUNCTION bench.meter_start() RETURNS bench.meter LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  m bench.meter;
BEGIN
  m.wal := pg_current_wal_insert_lsn();
  m.cpu_ns := bench.cpu_ns();
  m.wall := clock_timestamp();
  RETURN m;
END $$;

CREATE FUNCTION bench.meter_stop(m bench.meter) RETURNS bench.meter LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  m.wall_us := bench.us(clock_timestamp(), m.wall);
  m.cpu_us := (bench.cpu_ns() - m.cpu_ns) / 1000.0;
  m.wal_bytes := pg_current_wal_insert_lsn() - m.wal;
  RETURN m;
END $$;

-- Bytes of WAL that an operation wrote, per iteration.
CREATE TABLE bench.wal (
  workload text NOT NULL,
  mode text NOT NULL,
  operation text NOT NULL,
  backend text NOT NULL,
  repetition integer NOT NULL,
  sample integer NOT NULL,
  wal_bytes double precision NOT NULL,
  PRIMARY KEY (workload, mode, operation, backend, repetition, sample)
);

CREATE PROCEDURE bench.meter_keep(r bench.runs, of_sample integer, times bigint, m bench.meter) LANGUAGE plpgsql AS $$
BEGIN
  CALL bench.keep(r, r.mode, of_sample, times, m.wall_us / times, m.cpu_us / times);
    INSERT INTO bench.wal AS w VALUES (r.workload, r.mode, r.operation, r.backend, r.repetition, of_sample, m.wal_bytes / times)
  ON CONFLICT (workload, mode, operation, backend, repetition, sample) DO UPDATE SET wal_bytes = w.wal_bytes
    + (excluded.wal_bytes - w.wal_bytes) * times / (SELECT s.iterations FROM bench.samples AS s
        WHERE (s.workload, s.mode, s.operation, s.backend, s.repetition, s.sample)
          = (w.workload, w.mode, w.operation, w.backend, w.repetition, w.sample));
END $$;

-- The same for a sample of one iteration of a run.
CREATE PROCEDURE bench.meter_keep_run(run_number integer, sample integer, m bench.meter) LANGUAGE plpgsql AS $$
DECLARE
  r bench.runs;
BEGIN
  SELECT * INTO r FROM bench.runs WHERE run = run_number;
  CALL bench.meter_keep(r, sample, 1, m);
END $$;

-- `times`, at least 1 and, unless that is 0, at most `most`.
CREATE FUNCTION bench.bounded(times bigint, most bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS
'SELECT least(greatest(times, 1), CASE WHEN most > 0 THEN most ELSE 9223372036854775807 END)';

CREATE EXTENSION pageinspect SCHEMA bench;

-- Memory that a statement has given back the C library keeps for the next one, up to twice the largest piece it was ever
-- asked for, and at first only 128 kB: beyond, the kernel takes it away and brings it again page by page, 15 times and 150 µs
-- in a statement of less than a millisecond, or not at all, as the pieces happen to lie. Here each session begins as one that has had
-- a large statement before.
CREATE PROCEDURE bench.grow_heap(bytes integer = 16777216) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM octet_length(repeat('x', bytes));
END $$;

-- Reads every page of the tables `links` and `deep_links` and of their indexes, or all of a store, so that none of what follows is
-- brought into the memory of this process while it is timed. PostgreSQL's buffers are small pages, which each new process
-- pays for when it first reads them: 50 µs and more for 16 of them on a virtual machine. A store is mapped by 2 MB where the system gives it huge
-- pages, and hardly pays.
CREATE PROCEDURE bench.touch() LANGUAGE plpgsql AS $$
DECLARE
  relation regclass;
BEGIN
  CALL bench.grow_heap();
  PERFORM octet_length(bench.get_raw_page(r::text, n))
  FROM (
    SELECT oid::regclass FROM pg_class WHERE oid IN (to_regclass('links'), to_regclass('deep_links')) AND relkind = 'r'
    UNION ALL
    SELECT indexrelid::regclass FROM pg_index WHERE indrelid IN (to_regclass('links'), to_regclass('deep_links'))
  ) AS relations (r)
  CROSS JOIN LATERAL generate_series(0, pg_relation_size(r) / current_setting('block_size')::bigint - 1) AS n;
  FOR relation IN
    SELECT ftrelid::regclass FROM pg_foreign_table WHERE ftrelid IN (to_regclass('links'), to_regclass('deep_links'))
  LOOP
    EXECUTE format('SELECT (SELECT sum(id) FROM %1$s), (SELECT count(*) FROM doublets.hubs(%1$L, ''outgoing'', 1)),
      (SELECT count(*) FROM doublets.hubs(%1$L, ''incoming'', 1))', relation);
  END LOOP;
END $$;

-- Several clients at once: when each had touched its memory, and when it was done.
CREATE UNLOGGED TABLE bench.meeting (client bigint PRIMARY KEY, entered timestamptz NOT NULL, done timestamptz);

-- When all of them begin: the last one has come by then, and has told the others.
CREATE FUNCTION bench.meeting_begins() RETURNS timestamptz LANGUAGE sql VOLATILE AS
$$SELECT max(entered) + interval '40 ms' FROM bench.meeting$$;

-- Touches the memory, waits for the other clients, and returns when all of them begin.
CREATE PROCEDURE bench.enter(client bigint, clients bigint) LANGUAGE plpgsql AS $$
BEGIN
  CALL bench.touch();
  INSERT INTO bench.meeting VALUES (client, clock_timestamp());
  COMMIT;
  WHILE (SELECT count(*) FROM bench.meeting) < clients LOOP
    IF clock_timestamp() > (SELECT max(entered) FROM bench.meeting) + interval '60 s' THEN
      RAISE EXCEPTION 'the other clients do not come';
    END IF;
    PERFORM pg_sleep(0.01);
  END LOOP;
  PERFORM pg_sleep(greatest(0, extract(epoch FROM bench.meeting_begins() - clock_timestamp())));
END $$;

-- Notes that the client is done.
CREATE PROCEDURE bench.leave(client_done bigint) LANGUAGE sql AS
'UPDATE bench.meeting SET done = clock_timestamp() WHERE client = client_done';

-- Microseconds from when all began until the last one was done; the meeting is over.
CREATE FUNCTION bench.meeting_us() RETURNS double precision LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  us double precision := (SELECT bench.us(max(done), bench.meeting_begins()) FROM bench.meeting);
BEGIN
  DELETE FROM bench.meeting;
  RETURN us;
END $$;

-- What each of several backends that ran at once needed, per sample.
CREATE TABLE bench.parts (run integer, sample integer, client bigint, times bigint, wall_us double precision,
  cpu_us double precision, PRIMARY KEY (run, sample, client));

-- Makes a sample of its parts: the slowest one's time of one iteration, the mean of their CPU times.
CREATE PROCEDURE bench.parts_keep(run_number integer, of_sample integer, clients integer) LANGUAGE plpgsql AS $$
DECLARE
  r bench.runs;
BEGIN
  SELECT * INTO r FROM bench.runs WHERE run = run_number;
  IF (SELECT count(*) FROM bench.parts WHERE run = run_number AND sample = of_sample) <> clients THEN
    RAISE EXCEPTION 'run %: a client is missing', run_number;
  END IF;
  INSERT INTO bench.samples SELECT r.workload, r.mode, r.operation, r.backend, r.repetition, of_sample, min(times),
    max(wall_us / times), avg(cpu_us / times) FROM bench.parts WHERE run = run_number AND sample = of_sample;
END $$;

-- The dataset of several workloads: 1100 × scale links, sources and targets uniform over 100 × scale nodes, one in eleven
-- from one hub more, whose number is 100 × scale + 1.
CREATE PROCEDURE bench.graph_input(scale bigint) LANGUAGE plpgsql AS $$
BEGIN
  SET LOCAL client_min_messages = warning;
  DROP TABLE IF EXISTS bench.edges;
  CREATE UNLOGGED TABLE bench.edges AS
  SELECT CASE WHEN n % 11 = 0 THEN 100 * scale + 1
           ELSE 1 + mod(hashint8extended(n, 1) & 9223372036854775807, 100 * scale) END AS source,
         1 + mod(hashint8extended(n, 2) & 9223372036854775807, 100 * scale) AS target
  FROM generate_series(1, 1100 * scale) AS n;
END $$;

-- Puts the input into the backend of this session, in its order: the same link has the same id everywhere.
CREATE PROCEDURE bench.graph_load() LANGUAGE plpgsql AS $$
BEGIN
  SET LOCAL synchronize_seqscans = off;
  TRUNCATE links RESTART IDENTITY;
  INSERT INTO links (source, target) SELECT source, target FROM bench.edges;
  COMMIT;
  CALL bench.check_load();
  CALL bench.hold();
END $$;

-- Transactions of the workloads with several clients, one a row: when it ended (seconds since 1970), how long it took since it
-- began or was due, and how late it began.
CREATE TABLE bench.transactions (
  run integer NOT NULL,
  sample integer NOT NULL,
  client integer NOT NULL,
  number bigint NOT NULL,
  script integer NOT NULL,
  ended_s numeric NOT NULL,
  latency_us bigint NOT NULL,
  lag_us bigint NOT NULL
);

-- How often clients of a run were seen waiting for what.
CREATE TABLE bench.waits (run integer NOT NULL, event text NOT NULL, seen bigint NOT NULL, PRIMARY KEY (run, event));

-- How many nodes of a real graph have how many incoming or outgoing links.
CREATE TABLE bench.degrees (graph text NOT NULL, direction text NOT NULL, degree bigint NOT NULL, nodes bigint NOT NULL,
  PRIMARY KEY (graph, direction, degree));

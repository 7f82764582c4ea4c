-- real: arguments, timing and checks around the questions. The graph is bench.edges; `nodes` is its number of nodes.

-- Asks the question in `passes` passes over the same arguments, which are the same on every backend, and checks the
-- answer. `questions` is how many were asked.
CREATE PROCEDURE bench.real_ask(graph text, operation text, passes bigint, nodes bigint,
  INOUT wall_us double precision, INOUT cpu_us double precision, INOUT questions bigint)
LANGUAGE plpgsql AS $$
DECLARE
  arguments integer := CASE WHEN operation IN ('incoming', 'outgoing', 'pair', 'common') THEN 200
    -- In WordNet's graph almost everything is reached from almost everywhere.
    WHEN operation IN ('needs', 'why') THEN CASE graph WHEN 'wordnet' THEN 3 ELSE 50 END ELSE 1 END;
  first bigint[] := bench.nodes(arguments, nodes, 1);
  second bigint[] := bench.nodes(arguments, nodes, 2);
  answer numeric := 0;
  cpu_started bigint;
  started timestamptz;
  done timestamptz;
BEGIN
  IF operation = 'pair' THEN
    -- Two nodes picked blindly would hardly ever be linked: half of the pairs are.
    SELECT array_agg(edges.source ORDER BY pick.i),
      array_agg(CASE WHEN pick.i % 2 = 0 THEN edges.target ELSE edges.source END ORDER BY pick.i)
    INTO first, second
    FROM unnest(bench.nodes(arguments, (SELECT max(n) FROM bench.edges), 3)) WITH ORDINALITY AS pick (n, i)
    JOIN bench.edges USING (n);
  END IF;
  COMMIT;
  cpu_started := bench.cpu_ns();
  started := clock_timestamp();
  FOR pass IN 1..passes LOOP
    CASE operation
      WHEN 'incoming' THEN CALL bench.real_incoming(first, answer);
      WHEN 'outgoing' THEN CALL bench.real_outgoing(first, answer);
      WHEN 'pair' THEN CALL bench.real_pair(first, second, answer);
      WHEN 'common' THEN CALL bench.real_common(first, second, answer);
      WHEN 'needs' THEN CALL bench.real_needs(first, answer);
      WHEN 'why' THEN CALL bench.real_why(first, answer);
      WHEN 'hub_count' THEN CALL bench.real_hub_count(1, answer);
      WHEN 'hub_list' THEN CALL bench.real_hub_list(1, answer);
      WHEN 'top_hubs' THEN CALL bench.real_top_hubs(1, answer);
      WHEN 'histogram' THEN CALL bench.real_histogram(1, answer);
    END CASE;
  END LOOP;
  done := clock_timestamp();
  cpu_us := (bench.cpu_ns() - cpu_started) / 1000.0;
  wall_us := bench.us(done, started);
  questions := passes * arguments;
  CALL bench.check_answer('real ' || graph, operation, trim_scale(answer / passes));
END $$;

-- Warms up and finds how many passes fill `sample_seconds`.
CREATE PROCEDURE bench.real_warm_up(run_number integer, nodes bigint, warm_up_seconds double precision,
  sample_seconds double precision, INOUT passes bigint)
LANGUAGE plpgsql AS $$
DECLARE
  r bench.runs;
  questions bigint;
  spent double precision := 0;
  wall_us double precision;
  cpu_us double precision;
BEGIN
  SELECT * INTO r FROM bench.runs WHERE run = run_number;
  LOOP
    CALL bench.real_ask(r.mode, r.operation, 1, nodes, wall_us, cpu_us, questions);
    spent := spent + wall_us;
    EXIT WHEN spent >= warm_up_seconds * 1e6;
  END LOOP;
  passes := greatest(1, floor(sample_seconds * 1e6 / wall_us));
END $$;

CREATE PROCEDURE bench.real_sample(run_number integer, sample integer, nodes bigint, passes bigint) LANGUAGE plpgsql AS $$
DECLARE
  r bench.runs;
  questions bigint;
  wall_us double precision;
  cpu_us double precision;
BEGIN
  SELECT * INTO r FROM bench.runs WHERE run = run_number;
  CALL bench.real_ask(r.mode, r.operation, passes, nodes, wall_us, cpu_us, questions);
  CALL bench.keep(r, r.mode, sample, questions, wall_us / questions, cpu_us / questions);
END $$;

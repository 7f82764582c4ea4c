-- real: one procedure per question, with the statements of bench/real_*.sql (check_statements.bash proves it), each asked
-- once per argument and in a transaction of its own. `answer` adds up rows and results.

CREATE PROCEDURE bench.real_incoming(nodes bigint[], INOUT answer numeric) LANGUAGE plpgsql AS $$
DECLARE
  node bigint;
  n bigint;
BEGIN
  FOREACH node IN ARRAY nodes LOOP
    PERFORM id, source FROM links WHERE target = node;
    GET DIAGNOSTICS n = ROW_COUNT;
    answer := answer + n;
    COMMIT;
  END LOOP;
END $$;

CREATE PROCEDURE bench.real_outgoing(nodes bigint[], INOUT answer numeric) LANGUAGE plpgsql AS $$
DECLARE
  node bigint;
  n bigint;
BEGIN
  FOREACH node IN ARRAY nodes LOOP
    PERFORM id, target FROM links WHERE source = node;
    GET DIAGNOSTICS n = ROW_COUNT;
    answer := answer + n;
    COMMIT;
  END LOOP;
END $$;

CREATE PROCEDURE bench.real_pair(nodes bigint[], others bigint[], INOUT answer numeric) LANGUAGE plpgsql AS $$
DECLARE
  node bigint;
  other bigint;
  n bigint;
BEGIN
  FOR i IN 1..cardinality(nodes) LOOP
    node := nodes[i];
    other := others[i];
    PERFORM id FROM links WHERE source = node AND target = other;
    GET DIAGNOSTICS n = ROW_COUNT;
    answer := answer + n;
    COMMIT;
  END LOOP;
END $$;

CREATE PROCEDURE bench.real_hub_count(times bigint, INOUT answer numeric) LANGUAGE plpgsql AS $$
DECLARE
  n bigint;
BEGIN
  FOR i IN 1..times LOOP
    SELECT count(*) INTO n FROM links WHERE target = 1;
    answer := answer + n;
    COMMIT;
  END LOOP;
END $$;

CREATE PROCEDURE bench.real_hub_list(times bigint, INOUT answer numeric) LANGUAGE plpgsql AS $$
DECLARE
  n bigint;
BEGIN
  FOR i IN 1..times LOOP
    PERFORM id, source FROM links WHERE target = 1;
    GET DIAGNOSTICS n = ROW_COUNT;
    answer := answer + n;
    COMMIT;
  END LOOP;
END $$;

CREATE PROCEDURE bench.real_needs(nodes bigint[], INOUT answer numeric) LANGUAGE plpgsql AS $$
DECLARE
  node bigint;
  n bigint;
  node_sum numeric;
BEGIN
  FOREACH node IN ARRAY nodes LOOP
    WITH RECURSIVE needed (node) AS (
      SELECT node::bigint
      UNION
      SELECT links.target FROM needed JOIN links ON links.source = needed.node
    )
    SELECT count(*), sum(needed.node) INTO n, node_sum FROM needed;
    answer := answer + n + node_sum;
    COMMIT;
  END LOOP;
END $$;

CREATE PROCEDURE bench.real_why(nodes bigint[], INOUT answer numeric) LANGUAGE plpgsql AS $$
DECLARE
  node bigint;
  n integer;
BEGIN
  FOREACH node IN ARRAY nodes LOOP
    WITH RECURSIVE step (node, depth) AS (
      SELECT node::bigint, 0
      UNION
      SELECT links.target, step.depth + 1 FROM step JOIN links ON links.source = step.node WHERE step.depth < 6
    )
    SELECT min(step.depth) INTO n FROM step WHERE step.node = 1;
    answer := answer + coalesce(n, 7);
    COMMIT;
  END LOOP;
END $$;

CREATE PROCEDURE bench.real_common(nodes bigint[], others bigint[], INOUT answer numeric) LANGUAGE plpgsql AS $$
DECLARE
  node bigint;
  other bigint;
  n bigint;
BEGIN
  FOR i IN 1..cardinality(nodes) LOOP
    node := nodes[i];
    other := others[i];
    PERFORM a.target FROM links AS a JOIN links AS b ON b.target = a.target WHERE a.source = node AND b.source = other;
    GET DIAGNOSTICS n = ROW_COUNT;
    answer := answer + n;
    COMMIT;
  END LOOP;
END $$;

CREATE PROCEDURE bench.real_top_hubs(times bigint, INOUT answer numeric) LANGUAGE plpgsql AS $$
DECLARE
  n bigint;
BEGIN
  FOR i IN 1..times LOOP
    PERFORM target, count(*) FROM links GROUP BY target ORDER BY count(*) DESC, target LIMIT 20;
    GET DIAGNOSTICS n = ROW_COUNT;
    answer := answer + n;
    COMMIT;
  END LOOP;
END $$;

CREATE PROCEDURE bench.real_histogram(times bigint, INOUT answer numeric) LANGUAGE plpgsql AS $$
DECLARE
  n bigint;
BEGIN
  FOR i IN 1..times LOOP
    PERFORM degree, count(*) FROM (SELECT count(*) AS degree FROM links GROUP BY source) AS degrees GROUP BY degree;
    GET DIAGNOSTICS n = ROW_COUNT;
    answer := answer + n;
    COMMIT;
  END LOOP;
END $$;

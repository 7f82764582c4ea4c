-- targets: the in-server rows of the table, with the statements of bench/targets_*.sql (check_statements.bash proves it).
-- The others run through pgbench. `edges` is bench.edges, the input; `answer` adds up rows and results.

CREATE PROCEDURE bench.targets_insert_select(INOUT answer numeric) LANGUAGE plpgsql AS $$
DECLARE
  n bigint;
BEGIN
  INSERT INTO links (source, target) SELECT source, target FROM edges;
  GET DIAGNOSTICS n = ROW_COUNT;
  answer := answer + n;
  COMMIT;
END $$;

CREATE PROCEDURE bench.targets_copy(INOUT answer numeric) LANGUAGE plpgsql AS $$
DECLARE
  n bigint;
BEGIN
  COPY links (source, target) FROM 'doublets_bench_edges.copy';
  GET DIAGNOSTICS n = ROW_COUNT;
  answer := answer + n;
  COMMIT;
END $$;

CREATE PROCEDURE bench.targets_join_source(scale integer, INOUT answer numeric) LANGUAGE plpgsql AS $$
DECLARE
  n bigint;
  target_sum numeric;
BEGIN
  SELECT count(*), sum(links.target) INTO n, target_sum FROM generate_series(1, 200 * scale) AS probe
  JOIN links ON links.source = 1 + probe * 7919::bigint % (100 * scale);
  answer := answer + n + target_sum;
END $$;

CREATE PROCEDURE bench.targets_full_scan(INOUT answer numeric) LANGUAGE plpgsql AS $$
DECLARE
  target_sum numeric;
BEGIN
  SELECT sum(target) INTO target_sum FROM links;
  answer := answer + target_sum;
  COMMIT;
END $$;

CREATE PROCEDURE bench.targets_cte3(starts bigint[], INOUT answer numeric) LANGUAGE plpgsql AS $$
DECLARE
  start bigint;
  n bigint;
  node_sum numeric;
BEGIN
  FOREACH start IN ARRAY starts LOOP
    WITH RECURSIVE hop (node, depth) AS (
      SELECT start::bigint, 0
      UNION ALL
      SELECT links.target, hop.depth + 1 FROM hop JOIN links ON links.source = hop.node WHERE hop.depth < 3
    )
    SELECT count(*), sum(hop.node) INTO n, node_sum FROM hop;
    answer := answer + n + node_sum;
    COMMIT;
  END LOOP;
END $$;

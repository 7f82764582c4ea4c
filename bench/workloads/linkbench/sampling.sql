-- linkbench: the graph: 250 × scale nodes, which are points with the ids 1 to 250 × scale, then 750 × scale links. Out-degrees
-- follow LinkBench's shares: none 45 %, one 32.5 %, two to four 17 %, up to 49 5.2 %, up to 999 0.25 %, and a hub (node 1).

-- The out-degree of the node whose place among all, from 0 to 1, is `place`.
CREATE FUNCTION bench.linkbench_degree(place double precision) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN place < 0.45 THEN 0 WHEN place < 0.775 THEN 1 WHEN place < 0.945 THEN 2 + floor((place - 0.775) / 0.17 * 3)
    WHEN place < 0.9970 THEN 5 + floor(45 * ((place - 0.945) / 0.052) ^ 2)
    ELSE 50 + floor(950 * least((place - 0.997) / 0.0025, 0.999) ^ 3) END::integer
$$;

CREATE PROCEDURE bench.linkbench_input(scale bigint) LANGUAGE plpgsql AS $$
DECLARE
  nodes bigint := 250 * scale;
BEGIN
  SET LOCAL client_min_messages = warning;
  DROP TABLE IF EXISTS bench.linkbench;
  CREATE UNLOGGED TABLE bench.linkbench (n bigint PRIMARY KEY, source bigint NOT NULL, target bigint NOT NULL);
  INSERT INTO bench.linkbench SELECT n, n, n FROM generate_series(1, nodes) AS n;
  -- What the degrees leave of 750 × scale links, or exceed them by, is the hub's.
  INSERT INTO bench.linkbench
  SELECT nodes + row_number() OVER (ORDER BY mod(hashint8extended(source * 1009 + k, 3) & 9223372036854775807, 1000003), source, k),
    source, 1 + mod(hashint8extended(source * 1009 + k, 4) & 9223372036854775807, nodes)
  FROM (
    SELECT source, k FROM generate_series(2, nodes) AS source,
      LATERAL generate_series(1, bench.linkbench_degree((hashint8extended(source, 5) & 9223372036854775807) / 9223372036854775807.0::double precision)) AS k
    ORDER BY source, k LIMIT 740 * scale
  ) AS links;
  INSERT INTO bench.linkbench
  SELECT (SELECT max(n) FROM bench.linkbench) + k, 1, 1 + mod(hashint8extended(k, 6) & 9223372036854775807, nodes)
  FROM generate_series(1, 1000 * scale - (SELECT count(*) FROM bench.linkbench)) AS k;
  ANALYZE bench.linkbench;
END $$;

CREATE PROCEDURE bench.linkbench_load() LANGUAGE plpgsql AS $$
BEGIN
  TRUNCATE links RESTART IDENTITY;
  INSERT INTO links (source, target) SELECT source, target FROM bench.linkbench ORDER BY n;
  IF (SELECT (count(*), sum(source), sum(target), max(id)) FROM links)
    IS DISTINCT FROM (SELECT (count(*), sum(source), sum(target), max(n)) FROM bench.linkbench) THEN
    RAISE EXCEPTION 'linkbench: the backend does not hold the links of the input';
  END IF;
END $$;

-- Raises unless an index and a full scan agree about the links after the run.
CREATE PROCEDURE bench.linkbench_check() LANGUAGE plpgsql AS $$
DECLARE
  by_scan bigint := (SELECT count(*) FROM links WHERE source + 0 = 1);
  by_index bigint := (SELECT count(*) FROM links WHERE source = 1);
BEGIN
  IF by_scan <> by_index OR by_scan < 1 THEN
    RAISE EXCEPTION 'linkbench: the hub has % links by a scan and % by its index', by_scan, by_index;
  END IF;
END $$;

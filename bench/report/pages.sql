-- The report as a list of blocks, in order: the one description from which report.md and report.html are made.
-- kind: title, heading, text, link (to the page about what the numbers mean, which lies beside the report), table (lines of cells in `lines`), chart (its name in `content`).
CREATE TABLE report.blocks (n integer GENERATED ALWAYS AS IDENTITY, kind text NOT NULL, content text, lines text[][]);

-- Adds a chart, unless there is nothing to draw.
CREATE PROCEDURE report.add_chart(of_name text) LANGUAGE sql AS
'INSERT INTO report.blocks (kind, content) SELECT ''chart'', name FROM report.charts WHERE name = of_name';

CREATE PROCEDURE report.add(of_kind text, of_content text) LANGUAGE sql AS
'INSERT INTO report.blocks (kind, content) VALUES (of_kind, of_content)';

CREATE TABLE report.block_lines (n integer, line bigint, cells text[]);

-- Adds a table under `caption`, unless it is empty.
CREATE PROCEDURE report.add_table(caption text, name text, section text DEFAULT NULL, metric text DEFAULT NULL)
LANGUAGE plpgsql AS $$
DECLARE
  block integer;
BEGIN
  INSERT INTO report.blocks (kind, content) VALUES ('table', caption) RETURNING n INTO block;
  INSERT INTO report.block_lines SELECT block, line, cells FROM (
    SELECT * FROM report.section_table(section, metric) WHERE name = 'section'
    UNION ALL SELECT * FROM report.floor_table() WHERE name = 'floors'
    UNION ALL SELECT * FROM report.size_table() WHERE name = 'sizes'
    UNION ALL SELECT * FROM report.exponent_table() WHERE name = 'exponents' AND section = 'scale'
    UNION ALL SELECT * FROM report.latency_table(section) WHERE name = 'latencies'
    UNION ALL SELECT * FROM report.wait_table(section) WHERE name = 'waits'
    UNION ALL SELECT * FROM report.significance_table(section) WHERE name = 'significance'
    UNION ALL SELECT * FROM report.rank_table(section) WHERE name = 'ranks'
    UNION ALL SELECT * FROM report.wal_table() WHERE name = 'wal'
    UNION ALL SELECT * FROM report.scaling_table() WHERE name = 'scaling' AND section = 'backends'
    UNION ALL SELECT * FROM report.target_table() WHERE name = 'targets'
    UNION ALL SELECT * FROM report.durability_table() WHERE name = 'durability'
    UNION ALL SELECT * FROM report.provenance_table() WHERE name = 'provenance'
  ) AS chosen;
  IF NOT FOUND THEN
    DELETE FROM report.blocks WHERE n = block;
  END IF;
END $$;

CREATE FUNCTION report.graph_note() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT format(' %s links, sources and targets uniform over %s nodes, and one hub of %s links more.',
    report.provenance('targets_links'), report.provenance('targets_links')::integer / 10,
    report.provenance('targets_links')::integer / 10)
$$;

CREATE FUNCTION report.section_note(of_section text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT s.note || CASE s.workload
    WHEN 'links8' THEN format(' B = %s background links, N = %s links worked on: Create, Update and Delete handle N links, '
      'Each All returns B, the others ask B times.', report.provenance('links8_background_links'),
      report.provenance('links8_links'))
    WHEN 'links7' THEN format(' B = %s background links, N = %s links worked on: Create, Update, Delete and Query by Id handle N '
      'links, Query All returns B + N, Query by Source and by Target ask min(N, 10) times for N pairs among ten.',
      report.provenance('links7_background_links'), report.provenance('links7_links'))
    WHEN 'deep' THEN format(' B = %s background links; Create, Update and Delete handle 100.',
      report.provenance('deep_background_links'))
    WHEN 'aged' THEN format(' %s links, %s updates.', report.provenance('aged_links'), report.provenance('aged_updates'))
    WHEN 'linkbench' THEN format(' %s links to begin with, nodes included.', report.provenance('linkbench_links'))
    WHEN 'bulk' THEN report.graph_note()
    WHEN 'functions' THEN report.graph_note()
    WHEN 'scale' THEN CASE WHEN s.section = 'restart' THEN report.graph_note() ELSE '' END
    WHEN 'backends' THEN report.graph_note()
    WHEN 'real' THEN CASE WHEN s.section = 'real-wordnet' THEN format(' %s links.',
      (SELECT max(links) FROM report.sizes WHERE workload = 'real wordnet')) ELSE format(' Source: %s; %s packages, %s dependencies; SHA-256 of the input %s.',
      report.provenance('real_source'), report.provenance('real_nodes'),
      (SELECT max(links) FROM report.sizes WHERE workload = 'real'), report.provenance('real_input_sha256')) END
    WHEN 'targets' THEN report.graph_note()
    ELSE '' END
  FROM report.sections AS s WHERE s.section = of_section
$$;

CREATE FUNCTION report.small_targets() RETURNS boolean LANGUAGE sql STABLE AS
'SELECT report.provenance(''targets_links'')::integer < 1000000';

CREATE FUNCTION report.no_core() RETURNS boolean LANGUAGE sql STABLE AS 'SELECT NOT EXISTS (SELECT FROM report.core)';

CREATE PROCEDURE report.compose() LANGUAGE plpgsql AS $$
DECLARE
  s report.sections;
  flagged bigint := (SELECT count(*) FROM report.flagged);
  runs bigint := (SELECT count(*) FROM report.runs);
BEGIN
  CALL report.add('title', 'doublets: the same SQL on native tables and on doublets stores');
  CALL report.add('text', format('%s run of %s on %s: %s. CPU: %s, %s cores. Median ± sample standard deviation of %s samples '
    'per operation and backend; order of the runs shuffled by seed %s.',
    report.provenance('size'), report.provenance('date'), split_part(report.provenance('server'), ' on ', 1),
    coalesce(report.provenance('extension'), 'no doublets backend'), report.provenance('cpu'), report.provenance('cores'),
    report.provenance('samples'), report.provenance('seed')));
  CALL report.add('text', 'In brackets: the comparison with the baseline, which is the fastest native table of the same '
    'durability class and printed in bold. ≈ same: the medians differ by less than 5 % of the larger, or the ranges of ± one '
    'standard deviation overlap.');
  CALL report.add_table('Durability of each series', 'durability');
  CALL report.add('link', 'HONESTY.md');
  IF EXISTS (SELECT FROM report.charts WHERE name = 'heatmap') THEN
    CALL report.add('heading', 'At a glance');
    CALL report.add_chart('heatmap');
  END IF;
  CALL report.add('heading', 'Floors');
  CALL report.add('text', 'What PostgreSQL itself costs where no link is touched: no backend can be faster than this. One '
    'fdatasync of 8 kB on the file system of the data directory took ' || report.provenance('fdatasync_us') || ' µs.');
  CALL report.add_table('Floors', 'floors');
  IF EXISTS (SELECT FROM report.backends WHERE kind = 'doublets')
    AND (EXISTS (SELECT FROM report.cells WHERE workload IN ('targets', 'bulk', 'functions', 'backends')) OR NOT report.no_core()) THEN
    CALL report.add('heading', 'Targets');
    CALL report.add('text', 'What the stores are to reach, in ratios within this run.' || CASE WHEN report.small_targets()
      THEN ' The targets are set for 1,000,000 links; this dataset is smaller, so the verdicts are provisional.' ELSE '' END
      || ' A store that costs nothing: the comparison with the floor of such a transaction, which no store can beat.'
      || CASE WHEN report.no_core() THEN ' The micro-benchmark of the core was not part of this run: it is of size full, '
        'or of --workloads core.' ELSE '' END);
    CALL report.add_table('Targets', 'targets');
  END IF;
  FOR s IN SELECT * FROM report.sections ORDER BY position LOOP
    CONTINUE WHEN NOT EXISTS (SELECT FROM report.section_rows WHERE section = s.section);
    CALL report.add('heading', s.title);
    CALL report.add('text', report.section_note(s.section));
    CALL report.add_table('Wall-clock time', 'section', s.section, 'wall');
    CALL report.add_chart(s.section || '-linear');
    CALL report.add_chart(s.section || '-log');
    CALL report.add_chart(s.section || '-scale');
    CALL report.add_table('Growth: the fitted exponent of the number of links (0: constant time)', 'exponents', s.section);
    CALL report.add_chart(s.section || '-throughput');
    CALL report.add_chart(s.section || '-latency');
    CALL report.add_table('Latencies of single transactions: p50 / p95 / p99 / highest', 'latencies', s.section);
    CALL report.add_table('What clients were seen waiting for, in percent of the looks at them', 'waits', s.section);
    CALL report.add_table('Significance', 'significance', s.section);
    CALL report.add_table('Ranks over the operations: mean rank, 1 is the fastest', 'ranks', s.section);
    IF s.section = 'real' THEN
      CALL report.add_chart('degrees');
    END IF;
    CALL report.add_table('How much more two backends do than one', 'scaling', s.section);
    CALL report.add_table('CPU time of the backend', 'section', s.section, 'cpu');
    CALL report.add_table('Across durability classes: wall-clock time of the volatile stores, and how it compares with the '
      'fastest durable native table (they promise different things)', 'section', s.section, 'across');
  END LOOP;
  IF EXISTS (SELECT FROM report.charts WHERE name = 'wal') THEN
    CALL report.add('heading', 'WAL');
    CALL report.add_chart('wal');
    CALL report.add_table('Bytes of WAL per statement, median', 'wal');
  END IF;
  IF EXISTS (SELECT FROM report.sizes) THEN
    CALL report.add('heading', 'Memory');
    CALL report.add_chart('memory');
  END IF;
  CALL report.add_table('Bytes held for the links and all their indexes', 'sizes');
  CALL report.add('heading', 'Provenance');
  CALL report.add('text', format('%s of %s runs are flagged: a fixed piece of CPU work before or after them took more than '
    '10 %% more or less than the median of all, so something else was using the machine. They are kept.', flagged, runs));
  CALL report.add('text', 'Searches of links8 run with enable_seqscan = off on every backend: its tables are so small that '
    'the planner would read them whole, which is slower. Statements are asserted to use the expected indexes; the plans are '
    'in plans.txt, the raw samples in samples.csv.');
  CALL report.add_table('Provenance', 'provenance');
END $$;

-- Loads the raw results, which lie in the current directory, into schema `report`. Nothing is assumed about them:
-- reject.sql comes next.
\ir statistics.sql
\ir significance.sql
CREATE TABLE report.provenance (key text, value text);
CREATE TABLE report.operations (position integer, workload text, mode text, operation text, title text);
CREATE TABLE report.backends (position integer, backend text, title text, kind text, class text, durability text,
  colour text, point integer, plan_id text, plan_end text);
CREATE TABLE report.runs (run integer, repetition integer, workload text, mode text, operation text, backend text,
  samples integer, probe_before_us numeric, probe_after_us numeric);
CREATE TABLE report.samples (workload text, mode text, operation text, backend text, repetition integer, sample integer,
  iterations bigint, wall_us numeric, cpu_us numeric);
CREATE TABLE report.sizes (workload text, backend text, links bigint, used_bytes bigint, allocated_bytes bigint);
CREATE TABLE report.core (operation text, layout text, baseline_ns numeric, store_ns numeric);
CREATE TABLE report.wal (workload text, mode text, operation text, backend text, repetition integer, sample integer,
  wal_bytes numeric);
CREATE TABLE report.transactions (run integer, sample integer, client integer, number bigint, script integer, ended_s numeric,
  latency_us numeric, lag_us numeric);
CREATE TABLE report.waits (run integer, event text, seen bigint);
CREATE TABLE report.degrees (graph text, direction text, degree bigint, nodes bigint);
CREATE TABLE report.medians (workload text, mode text, operation text, backend text, median_us numeric);
\copy report.medians FROM 'medians.csv' CSV HEADER
\copy report.provenance FROM 'provenance.csv' CSV HEADER
\copy report.operations FROM 'operations.csv' CSV HEADER
\copy report.backends FROM 'backends.csv' CSV HEADER
\copy report.runs FROM 'runs.csv' CSV HEADER
\copy report.samples FROM 'samples.csv' CSV HEADER
\copy report.sizes FROM 'sizes.csv' CSV HEADER
\copy report.wal FROM 'wal.csv' CSV HEADER
\copy report.transactions FROM 'transactions.csv' CSV HEADER
\copy report.waits FROM 'waits.csv' CSV HEADER
\copy report.degrees FROM 'degrees.csv' CSV HEADER
\copy report.core FROM 'core.csv' CSV HEADER
\ir reject.sql
\ir cells.sql
\ir charts.sql
\ir targets.sql

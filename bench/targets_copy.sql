-- targets: COPY FROM a file on the server of the links of targets_insert_select.sql; one client at a time, with the
-- rights of pg_execute_server_program and pg_read_server_files. The file lies in the data directory and is removed
-- again. Adds links at each run.
-- untimed: no notice when the input is already there
SET client_min_messages = warning;
-- untimed: the input, made once per session
CREATE TEMPORARY TABLE IF NOT EXISTS edges AS
SELECT CASE WHEN n % 11 = 0 THEN 100 * :scale + 1
         ELSE 1 + mod(hashint8extended(n, 1) & 9223372036854775807, 100 * :scale) END AS source,
       1 + mod(hashint8extended(n, 2) & 9223372036854775807, 100 * :scale) AS target
FROM generate_series(1, 1100 * :scale) AS n;
-- untimed: the file
COPY edges TO PROGRAM 'cat > doublets_bench_edges.copy';
COPY links (source, target) FROM 'doublets_bench_edges.copy';
-- untimed: clean-up
COPY (SELECT) TO PROGRAM 'cat >/dev/null; rm doublets_bench_edges.copy';

-- targets: INSERT … SELECT of 1100 × scale links: sources and targets uniform over 100 × scale nodes, and every eleventh
-- link leaves one hub. Adds links at each run.
-- untimed: no notice when the input is already there
SET client_min_messages = warning;
-- untimed: the input, made once per session
CREATE TEMPORARY TABLE IF NOT EXISTS edges AS
SELECT CASE WHEN n % 11 = 0 THEN 100 * :scale + 1
         ELSE 1 + mod(hashint8extended(n, 1) & 9223372036854775807, 100 * :scale) END AS source,
       1 + mod(hashint8extended(n, 2) & 9223372036854775807, 100 * :scale) AS target
FROM generate_series(1, 1100 * :scale) AS n;
INSERT INTO links (source, target) SELECT source, target FROM edges;

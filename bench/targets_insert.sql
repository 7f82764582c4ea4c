-- targets: insert one link, autocommit; pgbench -M prepared. Adds a link at each run.
\set node random(1, 100 * :scale)
\set other random(1, 100 * :scale)
INSERT INTO links (source, target) VALUES (:node, :other);

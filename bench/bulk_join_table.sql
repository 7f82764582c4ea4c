-- bulk: a join with an ordinary table: the links that leave any node with one of 1000 names. By hand it is made first.
-- heavy
-- untimed: the ordinary table
CREATE TABLE IF NOT EXISTS bulk_names AS
SELECT n AS node, 'name ' || n % 100 AS name FROM generate_series(1, 100000) AS n;
SELECT count(*), sum(links.target) FROM bulk_names JOIN links ON links.source = bulk_names.node
WHERE bulk_names.name = 'name 7';

-- bulk: how many links leave the hub of a dataset of 1100 × scale links?
\set hub 100 * :scale + 1
SELECT count(*) FROM links WHERE source = :hub;

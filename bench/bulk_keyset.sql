-- bulk: page 10,000 of the hub's links, of the pages of ten by id that keyset paging makes (of a dataset with scale 1000).
\set hub 100 * :scale + 1
\set last 1099 * :scale + 890 * :scale / 1000
SELECT id, target FROM links WHERE source = :hub AND id > :last ORDER BY id LIMIT 10;

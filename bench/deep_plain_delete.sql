-- deep, plain rows, Delete: 100 temporary links.
-- once
-- before: INSERT INTO deep_links (id, from_id, to_id) SELECT 2000000 + i, i, i FROM generate_series(1, 100) AS i;
-- untimed: the temporary links
INSERT INTO deep_links (id, from_id, to_id) SELECT 2000000 + i, i, i FROM generate_series(1, 100) AS i;
\set links 100
DELETE FROM deep_links WHERE id = ANY (ARRAY(SELECT generate_series(2000001::bigint, 2000000 + :links))) RETURNING id, from_id, to_id;

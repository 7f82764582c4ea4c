-- deep, plain rows, Create: 100 links in one statement. Leaves them behind when run by hand.
-- once
-- after: DELETE FROM deep_links WHERE from_id = to_id;
\set links 100
INSERT INTO deep_links (from_id, to_id) SELECT i, i FROM generate_series(1, :links) AS i RETURNING id, from_id, to_id;

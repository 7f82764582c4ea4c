-- deep, plain rows, Update: another end for the first 100 links.
-- once
-- after: UPDATE deep_links SET to_id = from_id + 1 WHERE id <= 100;
\set links 100
UPDATE deep_links SET to_id = 1 WHERE id = ANY (ARRAY(SELECT generate_series(1::bigint, :links))) RETURNING id, from_id, to_id;

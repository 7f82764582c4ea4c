-- deep, plain rows, Each Incoming: the links to 2.
-- plan: end
SELECT id, from_id, to_id FROM deep_links WHERE to_id = 2;

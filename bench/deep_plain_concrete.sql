-- deep, plain rows, Each Concrete: one pair.
-- plan: end
SELECT id, from_id, to_id FROM deep_links WHERE from_id = 1 AND to_id = 2;

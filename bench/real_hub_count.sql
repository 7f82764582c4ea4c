-- real: how many packages depend directly on the biggest hub?
-- plan: end
SELECT count(*) FROM links WHERE target = 1;

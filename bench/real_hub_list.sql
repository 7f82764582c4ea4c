-- real: which packages depend directly on the biggest hub?
SELECT id, source FROM links WHERE target = 1;

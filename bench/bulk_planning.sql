-- bulk: only the planning of a search by source, and its words.
\set node random(1, 100 * :scale)
EXPLAIN (COSTS OFF) SELECT id, target FROM links WHERE source = :node;

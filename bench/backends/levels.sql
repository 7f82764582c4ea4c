-- The search that an application of tables writes itself when a recursive CTE is too slow: a statement for each level, with all
-- of the level at once. Made in the schema of a native backend, for its `links`.
--
-- Returns the nodes met from `start`, each once; stops after the level that holds `goal`, and after `max_depth` levels; NULL is
-- no goal, or no limit. Arrays rather than a temporary table: nothing is written, and the planner hashes both.
CREATE FUNCTION levels(start bigint, goal bigint, max_depth integer) RETURNS bigint[]
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 AS $$
DECLARE
  met bigint[] := ARRAY[start];
  level bigint[] := met;
  depth integer := 0;
BEGIN
  WHILE cardinality(level) > 0 AND (goal <> ALL (level)) IS NOT FALSE AND (depth < max_depth) IS NOT FALSE LOOP
    level := ARRAY(
      SELECT links.target FROM unnest(level) AS node JOIN links ON links.source = node
      EXCEPT
      SELECT * FROM unnest(met));
    met := met || level;
    depth := depth + 1;
  END LOOP;
  RETURN met;
END $$;

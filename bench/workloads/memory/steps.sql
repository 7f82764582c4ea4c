-- memory: what a store holds after a load, after half of it is deleted, and after as much is inserted again. Sizes are
-- taken by the driver in between.

-- Links number [first, last] of an endless input like that of `targets`: uniform over 100 × scale nodes, one in eleven
-- from a hub.
CREATE PROCEDURE bench.memory_insert(first bigint, last bigint, scale bigint) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO links (source, target)
  SELECT CASE WHEN n % 11 = 0 THEN 100 * scale + 1
           ELSE 1 + mod(hashint8extended(n, 1) & 9223372036854775807, 100 * scale) END,
         1 + mod(hashint8extended(n, 2) & 9223372036854775807, 100 * scale)
  FROM generate_series(first, last) AS n;
END $$;

CREATE PROCEDURE bench.memory_step(step text, scale bigint) LANGUAGE plpgsql AS $$
DECLARE
  many bigint := 1100 * scale;
BEGIN
  CASE step
    WHEN 'loaded' THEN
      TRUNCATE links RESTART IDENTITY;
      CALL bench.memory_insert(1, many, scale);
    WHEN 'half deleted in ten transactions' THEN
      FOR part IN 0..9 LOOP
        DELETE FROM links WHERE id % 20 = 2 * part;
        COMMIT;
      END LOOP;
    WHEN 'half deleted in one' THEN
      DELETE FROM links WHERE id % 2 = 0;
    WHEN 'filled again' THEN
      CALL bench.memory_insert(many + 1, many + many / 2, scale);
  END CASE;
END $$;

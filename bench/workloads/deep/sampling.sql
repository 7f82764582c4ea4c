-- deep: the background, and whether it is still whole.

CREATE PROCEDURE bench.deep_seed(background bigint) LANGUAGE plpgsql AS $$
BEGIN
  TRUNCATE deep_links RESTART IDENTITY;
  INSERT INTO deep_links (from_id, to_id) SELECT i, i + 1 FROM generate_series(1, background) AS i;
END $$;

CREATE PROCEDURE bench.deep_check(background bigint) LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT (count(*), count(*) FILTER (WHERE from_id = id AND to_id = id + 1)) FROM deep_links)
    IS DISTINCT FROM (background, background) THEN
    RAISE EXCEPTION 'deep: the background is not what was seeded';
  END IF;
END $$;

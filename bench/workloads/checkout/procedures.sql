-- checkout: the seed and the invariants.

-- 12,090 links with the ids 1 to 12090: points for tiers (1 to 4) and tax classes (5 to 8); coupons (9 to 58); tier → rule;
-- class → rate; class → price, which are the products (91 to 1090); product → stock (1091 to 2090); customer → tier (2091 to
-- 12090). Then `orders` whole orders of three lines each, for those who ask for summaries.
CREATE PROCEDURE bench.checkout_seed(orders bigint) LANGUAGE plpgsql AS $$
BEGIN
  TRUNCATE links RESTART IDENTITY;
  INSERT INTO links (source, target) SELECT i, i FROM generate_series(1, 8) AS i;
  INSERT INTO links (source, target) SELECT i, 500000 FROM generate_series(9, 58) AS i;
  INSERT INTO links (source, target) SELECT 1 + r % 4, 200000 + r FROM generate_series(0, 11) AS r;
  INSERT INTO links (source, target) SELECT 5 + r % 4, 300000 + r / 4 FROM generate_series(0, 19) AS r;
  INSERT INTO links (source, target) SELECT 5 + p % 4, 100000 + p FROM generate_series(0, 999) AS p;
  INSERT INTO links (source, target) SELECT 91 + p, 50000 FROM generate_series(0, 999) AS p;
  INSERT INTO links (source, target) SELECT 2091 + c, 1 + c % 4 FROM generate_series(0, 9999) AS c;
  IF (SELECT (count(*), max(id)) FROM links) IS DISTINCT FROM (12090::bigint, 12090::bigint) THEN
    RAISE EXCEPTION 'checkout: the seed is not that of 12,090 links';
  END IF;
  INSERT INTO links (source, target) SELECT 2091 + n % 10000, 1000000000 + n FROM generate_series(1, orders) AS n;
  INSERT INTO links (source, target)
  SELECT made.id, line.target FROM links AS made,
    LATERAL (VALUES (91 + made.target % 333), (424 + made.target % 333), (757 + made.target % 333), (3000000001), (-1)) AS line (target)
  WHERE made.source BETWEEN 2091 AND 12090 AND made.target >= 1000000000;
  INSERT INTO links (source, target)
  SELECT source, id FROM links WHERE source BETWEEN 2091 AND 12090 AND target >= 1000000000;
  IF orders > 0 THEN
    UPDATE links SET target = links.target - sold.n
    FROM (SELECT target, count(*) AS n FROM links WHERE target BETWEEN 91 AND 1090 AND source > 12090 GROUP BY target) AS sold
    WHERE links.id = sold.target + 1000;
    UPDATE links SET target = target + orders WHERE id = 9;
  END IF;
END $$;

-- Raises unless stock is conserved, coupons are counted, and all orders are whole.
CREATE PROCEDURE bench.checkout_check() LANGUAGE plpgsql AS $$
DECLARE
  orders bigint := (SELECT count(*) FROM links WHERE source BETWEEN 2091 AND 12090 AND target >= 1000000000);
  sold bigint := (SELECT sum(50000 - target) FROM links WHERE id BETWEEN 1091 AND 2090);
  coupons bigint := (SELECT sum(target - 500000) FROM links WHERE id BETWEEN 9 AND 58);
  whole bigint;
BEGIN
  SELECT count(*) INTO whole
  FROM links AS made
  WHERE made.source BETWEEN 2091 AND 12090 AND made.target >= 1000000000
    AND (SELECT count(*) FILTER (WHERE target BETWEEN 91 AND 1090) = 3 AND count(*) FILTER (WHERE target >= 3000000000) = 1
        AND count(*) FILTER (WHERE target < 0) = 1 AND count(*) = 5 FROM links WHERE source = made.id)
    AND (SELECT count(*) FROM links WHERE source = made.source AND target = made.id) = 1;
  IF sold <> 3 * orders OR coupons <> orders OR whole <> orders OR (SELECT count(*) FROM links) <> 12090 + 7 * orders THEN
    RAISE EXCEPTION 'checkout: % orders, % whole, % sold, % coupons, % links', orders, whole, sold, coupons,
      (SELECT count(*) FROM links);
  END IF;
END $$;

-- checkout, quote: what an order would cost: the six reads of checkout, without a lock.
\set customer random(2091, 12090)
\set product1 random(91, 423)
\set product2 random(424, 756)
\set product3 random(757, 1090)
\set stock1 :product1 + 1000
\set stock2 :product2 + 1000
\set stock3 :product3 + 1000
\set class random(5, 8)
\set rate 300000 + random(0, 4)
\set coupon random(9, 58)
SELECT coalesce(max(target), 1) AS tier FROM links WHERE id = :customer \gset
SELECT source, target FROM links WHERE id IN (:product1, :product2, :product3);
SELECT id, target FROM links WHERE source = :tier;
SELECT id FROM links WHERE source = :class AND target = :rate;
SELECT source, target FROM links WHERE id = :coupon;
SELECT id, target FROM links WHERE id IN (:stock1, :stock2, :stock3) ORDER BY id;

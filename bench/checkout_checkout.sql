-- checkout: a whole order, 15 statements. The seed is that of bench/workloads/checkout/procedures.sql: 12,090 links; link
-- 90 + p is product p, 1090 + p its stock, 2091 + c customer c. Short stock rolls back.
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
\set nonce 1000000000 + random(0, 999999999)
\set amount random(1, 100000)
\set debit 3000000000 + :amount
\set credit 0 - :amount
BEGIN;
SELECT coalesce(max(target), 1) AS tier FROM links WHERE id = :customer \gset
SELECT source, target FROM links WHERE id IN (:product1, :product2, :product3);
SELECT id, target FROM links WHERE source = :tier;
SELECT id FROM links WHERE source = :class AND target = :rate;
SELECT source, target FROM links WHERE id = :coupon;
SELECT coalesce(min(target), 0) AS stock FROM
  (SELECT target FROM links WHERE id IN (:stock1, :stock2, :stock3) ORDER BY id FOR UPDATE) AS locked \gset
\if :stock < 1
ROLLBACK;
\else
INSERT INTO links (source, target) VALUES (:customer, :nonce) RETURNING id \gset order_
INSERT INTO links (source, target) VALUES (:order_id, :product1), (:order_id, :product2), (:order_id, :product3);
UPDATE links SET target = target - 1 WHERE id IN (:stock1, :stock2, :stock3);
INSERT INTO links (source, target) VALUES (:order_id, :debit);
INSERT INTO links (source, target) VALUES (:order_id, :credit);
UPDATE links SET target = target + 1 WHERE id = :coupon;
INSERT INTO links (source, target) VALUES (:customer, :order_id);
COMMIT;
\endif

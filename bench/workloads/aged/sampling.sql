-- aged: many updates, spread over all links, a thousand a transaction. At least as many as there are links, so that every
-- backend ends with the same ones.
CREATE PROCEDURE bench.aged_churn(scale bigint, updates bigint) LANGUAGE plpgsql AS $$
BEGIN
  FOR i IN 0..updates - 1 LOOP
    UPDATE links SET target = 1 + i * 7919::bigint % (100 * scale) WHERE id = 1 + i % (1100 * scale);
    IF i % 1000 = 999 THEN COMMIT; END IF;
  END LOOP;
END $$;

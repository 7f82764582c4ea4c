-- bulk: one DELETE of 100 × scale links, a tenth of those that are there. They are gone after one run by hand.
-- once
-- before: CREATE TEMPORARY TABLE kept AS SELECT * FROM links WHERE id > 1000 * :scale;
-- after: INSERT INTO links SELECT * FROM kept ORDER BY id; DROP TABLE kept;
DELETE FROM links WHERE id > 1000 * :scale;

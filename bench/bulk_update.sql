-- bulk: one UPDATE of 100 × scale links.
-- once
-- after: UPDATE links SET target = target - 1 WHERE id <= 100 * :scale;
UPDATE links SET target = target + 1 WHERE id <= 100 * :scale;

-- linkbench, 30 of 1000: a link is deleted; uniform, so it may be gone already.
-- plan: id
\set link random(250 * :scale + 1, 1000 * :scale)
DELETE FROM links WHERE id = :link;

-- backends: a statement that touches no link: how the machine itself scales.
-- together
\set link random(1, 1000 * :scale)
SELECT :link + 1;

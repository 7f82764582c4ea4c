-- targets: full scan with a sum.
SELECT sum(target) FROM links;

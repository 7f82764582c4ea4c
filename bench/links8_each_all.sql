-- links8, Each All: every link.
SELECT * FROM links;

-- links7, Query All: every link.
SELECT * FROM links;

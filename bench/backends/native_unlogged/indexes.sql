-- All indexes of links. Apart from the table, because a bulk load is faster into a bare one.
ALTER TABLE links ADD PRIMARY KEY (id);
CREATE INDEX links_source ON links (source);
CREATE INDEX links_target ON links (target);

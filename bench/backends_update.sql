-- backends: another target for a link out of the client's own share, so that clients never wait for each other's rows.
-- together
-- plan: id
\set link 100 * :scale * :client_id + random(1, 100 * :scale)
\set node random(1, 100 * :scale)
UPDATE links SET target = :node WHERE id = :link;

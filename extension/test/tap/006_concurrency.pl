# Several sessions at once: every transaction changes a store and an ordinary table alike, some are rolled back. Whoever
# compares the two in one snapshot finds them equal, at every moment and at the end.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Doublets;
use PostgreSQL::Test::Utils;
use Test::More;

my $seconds = $ENV{DOUBLETS_TEST_LONG} ? 60 : 5;

for my $backend (backends())
{
	my $node = new_node("concurrency_$backend", 'fsync = off', 'deadlock_timeout = 50ms', 'max_connections = 30');
	make_links($node, $backend);
	$node->safe_psql('postgres', <<'SQL');
CREATE TABLE model(id bigint PRIMARY KEY, source bigint, target bigint);
INSERT INTO links(source, target) SELECT i % 20, i % 7 FROM generate_series(1, 300) AS i;
INSERT INTO model SELECT * FROM links;
-- One change of both; the statement's own rows say what to do to the model.
CREATE PROCEDURE change(what int, i bigint, s bigint, t bigint) LANGUAGE plpgsql AS $$
BEGIN
  CASE what
    WHEN 1, 2 THEN
      WITH n AS (INSERT INTO links(source, target) VALUES (s, t) RETURNING *) INSERT INTO model SELECT * FROM n;
    WHEN 3 THEN
      WITH n AS (INSERT INTO links(source, target) SELECT s, g FROM generate_series(1, 5) AS g RETURNING *)
      INSERT INTO model SELECT * FROM n;
    WHEN 4, 5 THEN
      WITH u AS (UPDATE links SET source = s, target = target + 1 WHERE id = i RETURNING *)
      UPDATE model SET source = u.source, target = u.target FROM u WHERE model.id = u.id;
    WHEN 6 THEN
      WITH u AS (UPDATE links SET target = t WHERE source = s AND id BETWEEN i AND i + 20 RETURNING *)
      UPDATE model SET source = u.source, target = u.target FROM u WHERE model.id = u.id;
    WHEN 7, 8 THEN
      WITH d AS (DELETE FROM links WHERE id = i RETURNING id) DELETE FROM model USING d WHERE model.id = d.id;
    WHEN 9 THEN
      WITH d AS (DELETE FROM links WHERE source = s AND target = t RETURNING id) DELETE FROM model USING d WHERE model.id = d.id;
    WHEN 10 THEN
      BEGIN
        WITH u AS (UPDATE links SET source = -s WHERE id = i RETURNING *)
        UPDATE model SET source = u.source FROM u WHERE model.id = u.id;
        IF t % 2 = 0 THEN RAISE EXCEPTION USING errcode = 'P0099'; END IF;
      EXCEPTION WHEN SQLSTATE 'P0099' THEN NULL;
      END;
  END CASE;
END
$$;
CREATE FUNCTION differences() RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT count(*) FROM ((TABLE links EXCEPT TABLE model) UNION ALL (TABLE model EXCEPT TABLE links)) AS d
$$;
CREATE PROCEDURE compare() LANGUAGE plpgsql AS $$
BEGIN
  IF differences() <> 0 THEN
    RAISE EXCEPTION 'the store and the table differ';
  END IF;
END
$$;
SQL
	my $directory = PostgreSQL::Test::Utils::tempdir();
	my $random = "\\set a random(1, 10)\n\\set b random(1, 10)\n\\set i random(1, 400)\n\\set j random(1, 400)\n"
	  . "\\set s random(0, 19)\n\\set t random(0, 7)\n\\set p random(1, 100)\n";
	my $changes = "CALL change(:a, :i, :s, :t);\nCALL change(:b, :j, :t, :s);\n";
	append_to_file("$directory/commit.sql", $random . "BEGIN;\n${changes}COMMIT;\n");
	append_to_file("$directory/rollback.sql", $random . "BEGIN;\n${changes}ROLLBACK;\n");
	append_to_file("$directory/read.sql", "CALL compare();\n");
	append_to_file("$directory/repeatable.sql", "BEGIN ISOLATION LEVEL REPEATABLE READ;\nCALL compare();\nCALL compare();\nCOMMIT;\n");
	my @scripts = map { ('-f', $_) } "$directory/commit.sql\@6", "$directory/rollback.sql\@2", "$directory/read.sql\@2",
	  "$directory/repeatable.sql\@1";
	# Deadlocks are part of the game and tried again; anything else ends a client.
	my ($out, $err);
	my $result = IPC::Run::run([ 'pgbench', '-n', '-c', '6', '-j', '2', '-T', $seconds, '--max-tries=100', '--random-seed=7',
		'-h', $node->host, '-p', $node->port, @scripts, 'postgres' ], '>', \$out, '2>', \$err);
	ok($result, "$backend: no client ended early") or diag(substr($err, 0, 2000));
	my ($done) = $out =~ /number of transactions actually processed: (\d+)/;
	cmp_ok($done // 0, '>', 100, "$backend: transactions were done");
	is($node->safe_psql('postgres', 'SELECT differences()'), '0', "$backend: the store and the table agree");
	is($node->safe_psql('postgres', 'SELECT count(*) > 0 FROM links'), 't', "$backend: and are not empty");
	is(broken($node, $backend), '', "$backend: the store is sound");
	is($node->safe_psql('postgres', <<'SQL'), '0', "$backend: indexes find what is there");
SELECT count(*) FROM model AS m WHERE NOT EXISTS (SELECT FROM links AS l WHERE l.id = m.id AND l.source = m.source AND l.target = m.target)
  OR (SELECT count(*) FROM links AS l WHERE l.source = m.source) <> (SELECT count(*) FROM model AS o WHERE o.source = m.source)
  OR (SELECT count(*) FROM links AS l WHERE l.target = m.target) <> (SELECT count(*) FROM model AS o WHERE o.target = m.target)
SQL
	$node->stop;
}

done_testing();

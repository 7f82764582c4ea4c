# A snapshot is one for stores and tables: cursors, exported snapshots, dumps and parallel workers see one state to
# their end, whatever others change, settle or put into the place of what was deleted.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Doublets;
use Doublets::Session;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

my $seconds = $ENV{DOUBLETS_TEST_LONG} ? 60 : 1;
my $fill = 'TRUNCATE links; INSERT INTO links SELECT i, i % 3, i % 2 FROM generate_series(1, 2400) AS i';
# Each changes or deletes links a cursor has yet to come to, and gives their ids and places to others. The outcome has
# 2400 links, none of which is as before.
my @changes = (
	'UPDATE links SET source = source + 3, target = target + 2 WHERE id % 2 = 0',
	'DELETE FROM links WHERE id % 4 = 1',
	'UPDATE links SET id = id + 10000 WHERE id % 4 = 3',
	'INSERT INTO links SELECT i, 0, 1 FROM generate_series(1, 2400) AS i WHERE i % 2 = 1');

sub sorted { return join "\n", sort split /\n/, $_[0]; }

sub cursors
{
	my ($node, $backend) = @_;
	my ($reader, $writer) = (Doublets::Session->new($node), Doublets::Session->new($node));
	my $settle = $backend eq 'native' ? 'VACUUM links' : q{SELECT doublets.settle('links') >= 0};
	my @queries = ('TABLE links', 'SELECT * FROM links WHERE source = 1',
		'SELECT * FROM links WHERE target = 1 AND id > 500',
		'SELECT * FROM links WHERE source = 1 AND target = 1', 'SELECT * FROM links WHERE source IN (0, 2)');
	push @queries, q{SELECT (l).* FROM (SELECT doublets.each('links') AS l OFFSET 0) AS s},
	  q{SELECT (l).* FROM (SELECT doublets.outgoing('links', 1) AS l OFFSET 0) AS s} if $backend ne 'native';
	for my $query (@queries)
	{
		for my $kind ('NO SCROLL', $query =~ /source = 1$/ ? ('own changes', 'SCROLL', 'WITH HOLD', 'SERIALIZABLE') : ())
		{
			my $name = "$backend: $query, $kind";
			$writer->run($fill);
			my $before = sorted($reader->run($query));
			$reader->run($kind eq 'SERIALIZABLE' ? 'BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY' : 'BEGIN');
			my $scroll = $kind eq 'SCROLL' ? 'SCROLL' : 'NO SCROLL';
			my $hold = $kind eq 'WITH HOLD' ? 'WITH HOLD' : '';
			$reader->run("DECLARE c $scroll CURSOR $hold FOR $query");
			my $seen = $reader->run('FETCH 10 FROM c');
			my $changer = $kind eq 'own changes' ? $reader : $writer;
			is($changer->run($_), '', "$name: changed") for @changes;
			$writer->run($settle);
			$reader->run('COMMIT') if $kind eq 'WITH HOLD';
			$writer->run("DELETE FROM links; $settle; INSERT INTO links SELECT i, 1, 1 FROM generate_series(1, 2400) AS i;
				$settle")
			  if $changer == $writer;
			$seen .= "\n" . $reader->run('FETCH ALL FROM c');
			is(sorted($seen), $before, "$name: the cursor saw the old state");
			if ($kind eq 'SCROLL')
			{
				is(sorted($reader->run('FETCH BACKWARD ALL FROM c')), $before, "$name: and backwards");
				my @rows = split /\n/, $seen;
				is($reader->run('FETCH ABSOLUTE 700 FROM c; FETCH FIRST FROM c; FETCH LAST FROM c'),
					join("\n", @rows[ 699, 0, -1 ]),
					"$name: and to and fro");
			}
			$reader->run($hold ? 'CLOSE c' : 'ROLLBACK');
		}
	}
	is(broken($node, $backend), '', "$backend: sound after the cursors");
	$_->quit for $reader, $writer;
	return;
}

# A transaction's sum of both tables.
my $sums = q{SELECT 'links', count(*), sum(id), sum(source), sum(target) FROM links
	UNION ALL SELECT 'model', count(*), sum(id), sum(source), sum(target) FROM model ORDER BY 1};
my $differences = 'SELECT count(*)
	FROM ((TABLE links EXCEPT TABLE model) UNION ALL (TABLE model EXCEPT TABLE links)) AS d';

sub exported
{
	my ($node, $backend) = @_;
	my ($exporter, $importer, $writer) = map { Doublets::Session->new($node) } 1 .. 3;
	$writer->run("$fill; TRUNCATE model; INSERT INTO model TABLE links");
	my $before = $writer->run($sums);
	# What the exporter has not committed is not for the importer.
	$exporter->run('BEGIN; INSERT INTO links VALUES (-(-9000), 1, 1); DELETE FROM links WHERE id = 1;
		DELETE FROM model WHERE id = 1');
	$exporter->run('SAVEPOINT a; UPDATE links SET source = 100 WHERE id < 10;
		UPDATE model SET source = 100 WHERE id < 10; RELEASE a');
	my $snapshot = $exporter->run('SELECT pg_export_snapshot()');
	$writer->run("BEGIN; UPDATE links SET source = -1 WHERE id > 1200; UPDATE model SET source = -1 WHERE id > 1200;
		COMMIT");
	is($importer->run("BEGIN ISOLATION LEVEL REPEATABLE READ; SET TRANSACTION SNAPSHOT '$snapshot'; $sums"), $before,
		"$backend: an exported snapshot is that of the export");
	$exporter->run('COMMIT');
	$writer->run($backend eq 'native' ? 'VACUUM links' : q{SELECT doublets.settle('links')});
	is($importer->run($sums), $before, "$backend: also after the exporter's end");
	isnt($writer->run($sums), $before, "$backend: while others see the present");
	$importer->run('COMMIT');
	is($importer->run("SELECT count(*) FROM links WHERE source = -1; SELECT count(*) FROM links WHERE id = 1"), "1200\n0",
		"$backend: and so does the importer later");
	# More subtransactions than a snapshot lists.
	my $subtransactions = <<'SQL';
BEGIN; DO $$
BEGIN
  FOR i IN 1..200 LOOP
    BEGIN
      UPDATE links SET target = 77 WHERE id = i + 200;
      UPDATE model SET target = 77 WHERE id = i + 200;
      IF i % 4 = 0 THEN RAISE SQLSTATE 'P0099'; END IF;
    EXCEPTION WHEN SQLSTATE 'P0099' THEN NULL;
    END;
  END LOOP;
END
$$
SQL
	$writer->run($subtransactions);
	$importer->run('BEGIN ISOLATION LEVEL REPEATABLE READ');
	my $many = 'SELECT count(*) FROM links WHERE target = 77; SELECT count(*) FROM model WHERE target = 77';
	is($importer->run($many), "0\n0", "$backend: none of many subtransactions is seen");
	is($writer->run("$many; COMMIT"), "150\n150", "$backend: but by their own");
	is($importer->run($many), "0\n0", "$backend: nor later by the same snapshot");
	is($importer->run("COMMIT; $many"), "150\n150", "$backend: then all are");
	$_->quit for $exporter, $importer, $writer;
	return;
}

# Starts pgbench, which changes both tables alike for a while.
sub start_writers
{
	my ($node, $backend, $time) = @_;
	$node->safe_psql('postgres', "$fill; TRUNCATE model; INSERT INTO model TABLE links");
	$node->safe_psql('postgres', q{SELECT setval('links_id_seq', 10000)}) if $backend eq 'native';
	my $script = PostgreSQL::Test::Utils::tempdir() . '/write.sql';
	append_to_file($script, <<'SQL');
\set i random(1, 2400)
BEGIN;
WITH u AS (UPDATE links SET source = source + 1 WHERE id = :i RETURNING *) UPDATE model SET source = u.source FROM u
	WHERE u.id = model.id;
WITH d AS (DELETE FROM links WHERE id = 2401 - :i RETURNING *) DELETE FROM model USING d WHERE d.id = model.id;
WITH n AS (INSERT INTO links(source, target) VALUES (:i, 7) RETURNING *) INSERT INTO model TABLE n;
COMMIT;
SQL
	my ($out, $err) = ('', '');
	my $run = IPC::Run::start([ 'pgbench', '-n', '-c', 2, '-T', $time, '--max-tries=100', '-h', $node->host, '-p',
		$node->port,
		'-f', $script, 'postgres' ], '>', \$out, '2>', \$err);
	wait_for(20, sub { $node->safe_psql('postgres', 'SELECT EXISTS (SELECT FROM links WHERE target = 7)') eq 't' });
	return sub {
		ok($run->finish, 'the writers went on') or diag($err);
		my ($done) = $out =~ /number of transactions actually processed: (\d+)/;
		cmp_ok($done // 0, '>', 20, 'and wrote');
	};
}

sub dumps
{
	my ($node, $backend) = @_;
	my $finish = start_writers($node, $backend, $seconds + 1);
	my $file = PostgreSQL::Test::Utils::tempdir() . '/dump';
	$node->command_ok([ 'pg_dump', '--include-foreign-data=doublets', '-Fc', '-f', $file, 'postgres' ],
		"$backend: a dump beside writers") if $backend ne 'native';
	$node->command_ok([ 'pg_dump', '-Fc', '-f', $file, 'postgres' ],
		"$backend: a dump beside writers") if $backend eq 'native';
	$finish->();
	$node->safe_psql('postgres', 'CREATE DATABASE restored');
	$node->command_ok([ 'pg_restore', '-d', 'restored', '--exit-on-error', $file ], "$backend: is restored");
	is($node->safe_psql('restored', "$differences; SELECT count(*) > 0, count(*) = count(DISTINCT id) FROM links"),
		"0\nt|t",
		"$backend: the restored store and table agree");
	if ($backend ne 'native')
	{
		is($node->safe_psql('restored', "SELECT * FROM doublets.verify_store('links')"), '', "$backend: it is sound");
		isnt($node->safe_psql('restored', 'SELECT max(id) FROM links'),
			$node->safe_psql('restored', 'INSERT INTO links(source, target) VALUES (1, 1) RETURNING id'),
				"$backend: and can be written");
	}
	return;
}

sub workers
{
	my ($node, $backend) = @_;
	$node->safe_psql('postgres', <<'SQL');
-- Workers call it: as plpgsql it is not inlined.
CREATE FUNCTION is_link(i bigint, s bigint, t bigint) RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE AS
  'BEGIN RETURN EXISTS (SELECT FROM links WHERE id = i AND source = s AND target = t); END';
CREATE FUNCTION all_links() RETURNS bigint LANGUAGE plpgsql STABLE PARALLEL SAFE AS
  'BEGIN RETURN (SELECT sum(id) FROM links WHERE source > -1000); END';
SQL
	my $finish = start_writers($node, $backend, $seconds + 1);
	my $session = Doublets::Session->new($node);
	$session->run(<<'SQL');
SET max_parallel_workers_per_gather = 2;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET force_parallel_mode = on;
SQL
	my $wrong = 'SELECT count(*) FROM model WHERE NOT is_link(id, source, target)';
	my $join = 'SELECT count(*), (SELECT count(*) FROM model), (SELECT count(*) FROM links)
		FROM model JOIN links USING (id, source, target)';
	my $whole = 'SELECT count(DISTINCT all_links()), max(all_links()) = (SELECT sum(id) FROM model) FROM model
		WHERE id % 50 = 1';
	like($session->run("EXPLAIN (ANALYZE) $wrong"), qr/Workers Launched: [1-9]/, "$backend: there are workers");
	my $calls = q{SELECT count(*) FROM model WHERE doublets.count_links('links', id, source, target) <> 1};
	my ($bad, $rounds, $end) = (0, 0, time + $seconds);
	do
	{
		$bad += $backend ne 'native' && $session->run($calls) ne '0';
		$bad += $session->run($wrong) ne '0';
		my $counts = $session->run($join);
		$bad += $counts !~ /^(\d+)\|\1\|\1$/;
		$bad += $session->run($whole) ne '1|t';
		++$rounds;
	} while (time < $end);
	is($bad, 0, "$backend: leader and workers see one state beside writers, $rounds times");
	$finish->();
	# One's own changes, under savepoints too.
	$session->run(<<'SQL');
BEGIN;
UPDATE links SET target = 50 WHERE id % 3 = 0;
UPDATE model SET target = 50 WHERE id % 3 = 0;
SAVEPOINT a;
DELETE FROM links WHERE id % 7 = 0;
DELETE FROM model WHERE id % 7 = 0;
SAVEPOINT b;
UPDATE links SET source = 9;
ROLLBACK TO b;
RELEASE a;
SQL
	is($session->run($wrong), '0', "$backend: workers see the leader's changes");
	like($session->run($join), qr/^(\d+)\|\1\|\1$/, "$backend: joins too");
	is($session->run($whole), '1|t', "$backend: and nothing else");
	$session->run('SAVEPOINT c; TRUNCATE links, model; INSERT INTO links VALUES (1, 2, 3), (51, 2, 3);
		INSERT INTO model TABLE links');
	is($session->run("$wrong; $whole"), "0\n1|t", "$backend: workers see the leader's TRUNCATE");
	$session->run('ROLLBACK TO c');
	is($session->run("$wrong; $whole"), "0\n1|t", "$backend: and its rollback");
	is($session->run("COMMIT; $wrong; $differences"), "0\n0", "$backend: and the commit");
	is(broken($node, $backend), '', "$backend: sound after parallel queries");
	$session->quit;
	return;
}

for my $backend (backends())
{
	my $node = new_node("snapshots_$backend", 'fsync = off', 'log_statement = none');
	make_links($node, $backend);
	$node->safe_psql('postgres', 'CREATE TABLE model(id bigint PRIMARY KEY, source bigint, target bigint)');
	cursors($node, $backend);
	exported($node, $backend);
	dumps($node, $backend);
	workers($node, $backend);
	$node->stop;
}

done_testing();

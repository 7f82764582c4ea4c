# Transaction ids beyond 2^31 and 2^32: links written before are as they were, whether settled or still in flight,
# what is rolled back stays so, and writing goes on. Between the jumps every database is frozen and the commit log
# truncated: a store must not need it.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Doublets;
use Doublets::Session;
use PostgreSQL::Test::Utils;
use Test::More;

my $directory = PostgreSQL::Test::Utils::tempdir();
my $source = "$FindBin::Bin/next_xid";
my $said = `make -s -C $directory -f $source/Makefile VPATH=$source 2>&1`;
BAIL_OUT("the module of this test cannot be built:\n$said") if $? != 0;

my $next = 'SELECT pg_snapshot_xmax(pg_current_snapshot())';
my $all = "SELECT string_agg(concat_ws(',', id, source, target), ' ' ORDER BY id) FROM";

# The next transaction gets this id; it has its pages in the commit log and in the map of subtransactions.
sub skip_to
{
	my ($session, $xid) = @_;
	for my $page (32768, 2048)
	{
		my $first = $xid - $xid % $page;
		$first += 3 if $first % 2**32 == 0;    # the ids 0 to 2 are special
		next if $first <= $session->run($next);
		is($session->run("SELECT set_next_xid('$first'); SELECT pg_current_xact_id()"), "\n$first", "at transaction $first");
	}
	is($session->run("SELECT set_next_xid('$xid')"), '', "at transaction $xid");
	return;
}

sub freeze
{
	my ($node, $session) = @_;
	$node->command_ok([ 'vacuumdb', '--all', '--freeze', '--quiet' ], 'every database is frozen');
	$session->run('CHECKPOINT');
	cmp_ok($session->run('SELECT max(age(datfrozenxid)) FROM pg_database'), '<', 100_000, 'and the commit log cut short');
	return;
}

for my $backend (backends())
{
	my $node = new_node("wraparound_$backend", 'fsync = off', 'autovacuum_freeze_max_age = 2000000000');
	$node->safe_psql('template1', 'ALTER DATABASE template0 ALLOW_CONNECTIONS true');
	$node->safe_psql('postgres', "CREATE FUNCTION set_next_xid(xid8) RETURNS void STRICT LANGUAGE c
		AS '$directory/next_xid'");
	make_links($node, $backend, name => $_) for qw(settled unsettled running);
	$node->safe_psql('postgres', <<'SQL');
CREATE TABLE model(id bigint PRIMARY KEY, source bigint, target bigint);
INSERT INTO settled SELECT i, i % 7, i FROM generate_series(1, 500) AS i;
UPDATE settled SET target = -target WHERE id % 3 = 0;
DELETE FROM settled WHERE id % 5 = 0;
INSERT INTO running SELECT i, 1, 1 FROM generate_series(1, 50) AS i;
INSERT INTO model TABLE running;
SQL
	my $session = Doublets::Session->new($node);
	is($session->run(q{SELECT doublets.settle('settled') > 0; SELECT versions_in_flight
		FROM doublets.store_stats('settled')}),
		"t\n0", "$backend: one store is settled") if $backend ne 'native';
	# The other is left in flight. Whoever comes by settles a store, though for a few versions not every time: hence a new
	# session for each check.
	$session->run('INSERT INTO unsettled VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3)');
	$session->run('BEGIN; SELECT 1; UPDATE unsettled SET source = 20 WHERE id = 2; DELETE FROM unsettled WHERE id = 3');
	my $one = $session->run('INSERT INTO unsettled VALUES (4, 4, 4); SELECT pg_current_xact_id()');
	$session->run('SAVEPOINT a; INSERT INTO unsettled VALUES (5, 5, 5); UPDATE unsettled SET source = 10 WHERE id = 1;
		ROLLBACK TO a');
	$session->run('SAVEPOINT b; INSERT INTO unsettled VALUES (6, 6, 6); SELECT * FROM unsettled WHERE id = 4 FOR UPDATE;
		COMMIT');
	my $two = $session->run('BEGIN; DELETE FROM unsettled WHERE id = 1; INSERT INTO unsettled VALUES (7, 7, 7);
		SELECT pg_current_xact_id()');
	$session->run('ROLLBACK');
	my $settled = $node->safe_psql('postgres', "$all settled");
	my $unsettled = '1,1,1 2,20,2 4,4,4 6,6,6';
	my $n = 0;
	my $check = sub {
		my ($when) = @_;
		$session->quit;
		$session = Doublets::Session->new($node);
		is($session->run("$all settled"), $settled, "$backend, $when: the settled links are there");
		is($session->run("$all unsettled"), $unsettled, "$backend, $when: so are those in flight");
		is($session->run('SELECT id FROM unsettled WHERE source = 20'), '2', "$backend, $when: and are found");
		++$n;
		$session->run(<<"SQL");
BEGIN;
INSERT INTO running SELECT 1000 + $n * 10 + i, $n, i FROM generate_series(1, 5) AS i;
INSERT INTO model SELECT 1000 + $n * 10 + i, $n, i FROM generate_series(1, 5) AS i;
SAVEPOINT a;
UPDATE running SET target = $n WHERE id <= 20;
UPDATE model SET target = $n WHERE id <= 20;
SAVEPOINT b;
DELETE FROM running WHERE source = 1;
ROLLBACK TO b;
DELETE FROM running WHERE id = 20 + $n;
DELETE FROM model WHERE id = 20 + $n;
COMMIT;
SQL
		is($session->run('SELECT count(*)
			FROM ((TABLE running EXCEPT TABLE model) UNION ALL (TABLE model EXCEPT TABLE running)) AS d'),
			'0', "$backend, $when: writing goes on");
		is($session->run("SELECT * FROM doublets.verify_store('$_')"), '', "$backend, $when: $_ is sound")
		  for $backend eq 'native' ? () : qw(settled unsettled running);
	};
	$check->('at first');
	skip_to($session, 1_500_000_000);
	freeze($node, $session);
	skip_to($session, 2**31 - 20);
	for my $where ('before 2^31', 'at 2^31')
	{
		$check->($where);
	}
	skip_to($session, 3_000_000_000);
	freeze($node, $session);
	skip_to($session, 2**32 - 20);
	for my $where ('before 2^32', 'at 2^32')
	{
		$check->($where);
	}

	$session->quit;
	$session = Doublets::Session->new($node);
	like($session->run('EXPLAIN (ANALYZE, VERBOSE) TABLE unsettled'), qr/Versions Skipped: [1-9]/,
		"$backend: still in flight")
	  if $backend ne 'native';
	# The very ids, in 32 bits, that wrote what is still in flight: it is not the new transaction's work.
	for my $xid ($one, $two)
	{
		skip_to($session, $xid + 2**32);
		is($session->run("BEGIN; SELECT pg_current_xact_id(); $all unsettled; COMMIT"),
			($xid + 2**32) . "\n$unsettled", "$backend: nor is it taken for the work of a transaction 2^32 ids later");
		is($session->run("BEGIN; SELECT pg_current_xact_id(); ROLLBACK; $all unsettled"),
			($xid + 2**32 + 1) . "\n$unsettled", "$backend: nor does that one's end matter");
	}
	freeze($node, $session);
	$check->('after 2^32');
	$session->run('UPDATE unsettled SET target = 0; DELETE FROM unsettled WHERE id = 1;
		INSERT INTO unsettled VALUES (1, 0, 0)');
	$unsettled = '1,0,0 2,20,0 4,4,0 6,6,0';
	$check->('at last');
	if ($backend ne 'native')
	{
		$session->run("SELECT doublets.settle('$_')") for qw(unsettled running);
		is($session->run('SELECT sum(versions_in_flight) FROM doublets.stores'), '0', "$backend: all can be settled");
		is($session->run("SELECT * FROM doublets.verify_store('$_')"), '', "$backend: $_ is sound") for qw(unsettled running);
	}
	$session->quit;
	$node->stop;
}

done_testing();

# Space: what no snapshot needs any more is used again, so that a store of constant size takes constant memory,
# whatever is created, changed, deleted, locked or rolled back in it. An old snapshot only delays that; other
# databases and replication slots do not even do so. Ids are used again, but not while somebody may see the old link.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Doublets;
use Doublets::Session;
use Test::More;

my $long = $ENV{DOUBLETS_TEST_LONG};
my $stats = q{FROM doublets.store_stats('links')};

# Runs the procedure call so many times in all, and checks that memory stays as it is after the first tenth.
sub constant
{
	my ($session, $what, $call, $times) = @_;
	my $first = $session->run(sprintf("CALL $call; SELECT allocated_bytes $stats", $times / 10));
	my $last = $session->run(sprintf("CALL $call; SELECT allocated_bytes $stats", $times - $times / 10));
	like($first, qr/^\d+$/, "$what: started");
	is($last, $first, "$what, $times times: memory is constant");
	note("$what, $times times: $first bytes");
	return;
}

for my $backend (grep { $_ ne 'native' } backends())
{
	my $node = new_node("space_$backend", 'fsync = off', 'synchronous_commit = off', 'log_statement = none',
		'wal_level = logical',
		'max_wal_size = 4GB', 'max_prepared_transactions = 2');
	make_links($node, $backend);
	# What must not matter: another database's old snapshot, and a slot that nobody reads.
	$node->safe_psql('postgres', 'CREATE DATABASE other');
	my $other = Doublets::Session->new($node, 'other');
	$other->run('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class');
	my $session = Doublets::Session->new($node);
	$session->run(q{SELECT pg_create_logical_replication_slot('stale', 'pgoutput')});
	$session->run(<<'SQL');
-- Each of the `times` cycles creates a link and deletes one, so many to a transaction.
CREATE PROCEDURE create_and_delete(times bigint, batch int) LANGUAGE plpgsql AS $$
BEGIN
  FOR i IN 1..times / batch LOOP
    INSERT INTO links(source, target) SELECT i, g % 20 FROM generate_series(1, batch) AS g;
    COMMIT;
    DELETE FROM links WHERE source = i;
    COMMIT;
  END LOOP;
END
$$;
CREATE PROCEDURE update_links(times bigint, batch int) LANGUAGE plpgsql AS $$
BEGIN
  FOR i IN 1..times / batch LOOP
    UPDATE links SET source = -source, target = target + 1 WHERE id <= batch;
    COMMIT;
  END LOOP;
END
$$;
CREATE PROCEDURE lock_links(times bigint, batch int) LANGUAGE plpgsql AS $$
DECLARE
  strength text[] := '{UPDATE,NO KEY UPDATE,SHARE,KEY SHARE}';
BEGIN
  FOR i IN 1..times / batch LOOP
    EXECUTE format('SELECT count(*) FROM (SELECT FROM links WHERE id <= %s FOR %s) AS l', batch, strength[i % 4 + 1]);
    COMMIT;
  END LOOP;
END
$$;
CREATE PROCEDURE roll_back(times bigint) LANGUAGE plpgsql AS $$
BEGIN
  FOR i IN 1..times LOOP
    INSERT INTO links(source, target) VALUES (1, 1);
    UPDATE links SET source = 2 WHERE id = 1;
    DELETE FROM links WHERE id = 2;
    ROLLBACK;
  END LOOP;
END
$$;
INSERT INTO links SELECT i, -i, 0 FROM generate_series(1, 2000) AS i;
SQL
	# Reads alone settle what was loaded.
	$session->run('INSERT INTO links(source, target) SELECT -3000, i FROM generate_series(1, 200000) AS i');
	$session->run('DO $$ BEGIN FOR i IN 1..3300 LOOP PERFORM FROM links WHERE id = 1; END LOOP; END $$');
	is($session->run("SELECT versions_in_flight $stats"), '0', "$backend: SELECTs settle a load");
	$session->run('DELETE FROM links WHERE source = -3000');
	$session->run(q{DO $$ BEGIN FOR i IN 1..14000 LOOP PERFORM doublets.get_link('links', 1); END LOOP; END $$});
	is($session->run("SELECT versions_in_flight $stats"), '0', "$backend: functions that read do so too");
	cmp_ok($session->run('INSERT INTO links(source, target) VALUES (1, 1) RETURNING id'), '<=', 202000,
		"$backend: deleted ids are free");
	is(broken($node, $backend), '', "$backend: sound");

	# A small store, in which every leak is large.
	$session->run('TRUNCATE links; INSERT INTO links SELECT i, -i, 0 FROM generate_series(1, 2000) AS i');

	constant($session, "$backend: create and delete", 'create_and_delete(%d, 1)', $long ? 10_000_000 : 20_000);
	constant($session, "$backend: create and delete 500", 'create_and_delete(%d, 500)', $long ? 10_000_000 : 1_000_000);
	cmp_ok($session->run('INSERT INTO links(source, target) VALUES (1, 1) RETURNING id'), '<', 10_000,
		"$backend: ids are used again");
	constant($session, "$backend: update", 'update_links(%d, 1)', $long ? 1_000_000 : 10_000);
	constant($session, "$backend: update 500", 'update_links(%d, 500)', $long ? 10_000_000 : 300_000);
	constant($session, "$backend: lock", 'lock_links(%d, 1)', $long ? 1_000_000 : 10_000);
	constant($session, "$backend: lock 1000", 'lock_links(%d, 1000)', $long ? 10_000_000 : 1_000_000);
	constant($session, "$backend: roll back", 'roll_back(%d)', $long ? 1_000_000 : 10_000);
	is($session->run("SELECT doublets.settle('links') >= 0; SELECT versions_in_flight $stats"), "t\n0",
		"$backend: all is settled");
	cmp_ok($session->run("SELECT used_bytes $stats"), '<', 2000 * 150 + 100_000,
		"$backend: and takes the room of 2000 links");
	is(broken($node, $backend), '', "$backend: sound");

	# A large insertion that is rolled back gives its memory to the next. Lists and nodes of some size are missing at first.
	$session->run('TRUNCATE links; INSERT INTO links SELECT i, -i, 0 FROM generate_series(1, 2000) AS i');
	my $rows = $long ? 1_000_000 : 100_000;
	my @allocated;
	for my $end ('ROLLBACK', 'ROLLBACK TO a', 'ROLLBACK', 'ROLLBACK TO a', 'SELECT 1/0', 'ROLLBACK', 'ROLLBACK TO a',
		'ROLLBACK')
	{
		$session->run("BEGIN; SAVEPOINT a; INSERT INTO links(source, target) SELECT i % 1000, i
			FROM generate_series(1, $rows) AS i; $end; COMMIT");
		push @allocated, $session->run("SELECT allocated_bytes $stats");
	}
	note("$backend: $rows rows rolled back, again and again: @allocated bytes");
	cmp_ok($allocated[0], '>', $rows * 40, "$backend: insertions are rolled back");
	cmp_ok($allocated[-1], '<=', $allocated[2] * 1.1, "$backend: and give their memory to the next");
	$session->run("SELECT doublets.settle('links')");
	is($session->run("SELECT used_bytes * 2 < allocated_bytes, versions_in_flight $stats"), 't|0',
		"$backend: most of it is free");
	is(broken($node, $backend), '', "$backend: sound");

	# An old snapshot of this database: its links stay visible and their ids taken; after its end all is as before.
	my $old = Doublets::Session->new($node);
	my $sum = 'SELECT count(*), sum(id), sum(source) FROM links';
	$session->run('DELETE FROM links WHERE id > 2000');
	$old->run('BEGIN ISOLATION LEVEL REPEATABLE READ');
	my $seen = $old->run($sum);
	$session->run('DELETE FROM links');
	$session->run(q{CALL create_and_delete(2000, 10); SELECT doublets.settle('links')});
	is($session->run('SELECT count(*), count(*) FILTER (WHERE id <= 2000) FROM doublets.create_links(\'links\',
		array_fill(1, ARRAY[1000])::bigint[], array_fill(1, ARRAY[1000])::bigint[]) AS ids, unnest(ids) AS id'),
		'1000|0', "$backend: no id is used again that an old snapshot sees");
	is($old->run($sum), $seen, "$backend: which sees what it saw");
	is($old->run('SELECT count(*) FROM links WHERE id <= 2000'), '2000', "$backend: by id too");
	$old->run('COMMIT');
	$session->run('DO $$ BEGIN FOR i IN 1..100 LOOP PERFORM FROM links WHERE id = 1; END LOOP; END $$');
	is($session->run("SELECT versions_in_flight $stats"), '0', "$backend: it only delayed settling");
	$session->run('INSERT INTO links(source, target) SELECT 0, i FROM generate_series(1, 20000) AS i');
	is($session->run('SELECT count(*) FROM links WHERE id <= 2000'), '2000', "$backend: and the use of the ids");
	is(broken($node, $backend), '', "$backend: sound");
	$old->quit;

	is($session->run(q{SELECT active FROM pg_replication_slots}), 'f', "$backend: all this beside a stale slot");
	is($other->run('SELECT count(*) > 0 FROM pg_class; COMMIT'), 't', "$backend: and an old snapshot in another database");
	$_->quit for $other, $session;
	$node->stop;
}

done_testing();

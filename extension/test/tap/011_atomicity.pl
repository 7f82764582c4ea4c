# A transaction that changes a store and ordinary tables ends as a whole, by whatever way it ends: an error in the
# middle of a batch or of a script, a timeout, a client that goes away, a constraint that is checked at COMMIT,
# PREPARE TRANSACTION.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Doublets;
use Doublets::Session;
use IPC::Run;
use Test::More;

for my $backend (backends())
{
	my $node = new_node("atomicity_$backend", 'fsync = off', 'max_prepared_transactions = 5', 'log_statement = none',
		'client_connection_check_interval = 100ms');
	make_links($node, $backend);
	my $session = Doublets::Session->new($node);
	$session->run(<<'SQL');
CREATE TABLE side(n bigint PRIMARY KEY);
CREATE TABLE checked(n bigint UNIQUE DEFERRABLE INITIALLY DEFERRED);
CREATE FUNCTION complain() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- What the transaction has done is there to be judged.
  IF (SELECT count(*) FROM links WHERE source = NEW.n) <> 1 THEN
    RAISE EXCEPTION USING errcode = 'P0042';
  END IF;
  RETURN NULL;
END
$$;
CREATE TABLE judged(n bigint);
CREATE CONSTRAINT TRIGGER late AFTER INSERT ON judged DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION complain();
INSERT INTO links SELECT i, i, i FROM generate_series(1, 1000) AS i;
INSERT INTO side SELECT i FROM generate_series(1, 1000) AS i;
SQL
	my $sums = q{SELECT (SELECT count(*) || ',' || sum(id) || ',' || sum(source)
		FROM links), (SELECT count(*) || ',' || sum(n) FROM side),
		(SELECT count(*) FROM checked), (SELECT count(*) FROM judged)};
	my $before = $session->run($sums);
	my $unchanged = sub {
		my ($what) = @_;
		is($session->run($sums), $before, "$backend: nothing stays after $what");
		is($session->run(q{SELECT * FROM doublets.verify_store('links')}), '',
			"$backend: sound after $what") if $backend ne 'native';
	};
	my $change = 'INSERT INTO side SELECT i FROM generate_series(1001, 1500) AS i;
		UPDATE links SET source = -source WHERE id <= 500; '
	  . 'DELETE FROM links WHERE id > 900; DELETE FROM side WHERE n > 900 AND n <= 1000;
		INSERT INTO links SELECT i, 0, 0 FROM generate_series(2001, 2500) AS i';

	# The 200th of 600 rows, then the 300th: in the first batch and in the second.
	for my $at (200, 300)
	{
		is($session->run("BEGIN; $change; INSERT INTO links SELECT CASE i WHEN $at THEN 1 ELSE 5000 + i END, i, i
			FROM generate_series(1, 600) AS i; COMMIT"),
			'ERROR:  23505', "$backend: a duplicate as row $at");
		$unchanged->("a duplicate as row $at");
		is($session->run("BEGIN; $change; INSERT INTO links SELECT 5000 + i, i, CASE WHEN i < $at THEN 1 END
			FROM generate_series(1, 600) AS i; COMMIT"),
			'ERROR:  23502', "$backend: a null as row $at");
		$unchanged->("a null as row $at");
		my $rows = join '\n', map { $_ == $at ? '1,1,1' : 5000 + $_ . ',1,1' } 1 .. 600;
		is($session->run("BEGIN; $change; COPY links FROM PROGRAM 'printf ''$rows\\n''' (FORMAT csv);
			COMMIT"), 'ERROR:  23505',
			"$backend: COPY with a duplicate as row $at");
		$unchanged->("COPY with a duplicate as row $at");
	}
	if ($backend ne 'native')
	{
		is($session->run("BEGIN; $change; SELECT doublets.create_links('links', array_fill(1, ARRAY[600])::bigint[],
			array_fill(1, ARRAY[599])::bigint[] || NULL::bigint); COMMIT"),
			'ERROR:  23502', "$backend: create_links with a null at its end");
		$unchanged->('create_links with a null at its end');
	}

	# Statements within statements.
	is($session->run("BEGIN; $change; WITH d AS (DELETE FROM links WHERE id < 100 RETURNING id), s AS (DELETE
		FROM side USING d WHERE n = id RETURNING n)
		INSERT INTO links SELECT CASE n WHEN 50 THEN 600 ELSE 7000 + n END, n, n FROM s;
			COMMIT"), 'ERROR:  23505', "$backend: a failing WITH");
	$unchanged->('a failing WITH');
	is($session->run(<<"SQL"), "ERROR:  22012", "$backend: exception blocks");
DO \$\$
BEGIN
  INSERT INTO links VALUES (3000, 1, 1);
  INSERT INTO side VALUES (3000);
  FOR i IN 1..5 LOOP
    BEGIN
      INSERT INTO side VALUES (3000 + i);
      UPDATE links SET source = source + 1 WHERE id = 3000;
      INSERT INTO links VALUES (3000 + i, 1, 1);
      IF i % 2 = 0 THEN INSERT INTO side VALUES (1); END IF;
    EXCEPTION WHEN unique_violation THEN
      DELETE FROM side WHERE n = 3000 + i - 1;
      DELETE FROM links WHERE id = 3000 + i - 1;
    END;
  END LOOP;
  IF (SELECT count(*) || ',' || sum(source) FROM links WHERE id >= 3000) <> '2,5' OR
     (SELECT array_agg(n ORDER BY n) FROM side WHERE n >= 3000) <> (SELECT array_agg(id ORDER BY id) FROM links
	WHERE id >= 3000) THEN
    RAISE EXCEPTION 'the table and the store differ: %', (SELECT array_agg(l ORDER BY id) FROM links AS l
	WHERE id >= 3000);
  END IF;
  PERFORM 1 / 0;
END
\$\$
SQL
	$unchanged->('exception blocks');

	# Savepoints in savepoints, of which each writes one table or both.
	make_links($node, $backend, name => 'more');
	$session->run(<<'SQL');
BEGIN;
INSERT INTO links VALUES (4001, 0, 0);
SAVEPOINT a;
INSERT INTO links VALUES (4002, 0, 0);
INSERT INTO more VALUES (4002, 0, 0);
SAVEPOINT b;
INSERT INTO more VALUES (4003, 0, 0);
RELEASE b;
INSERT INTO links VALUES (4004, 0, 0);
INSERT INTO more VALUES (4004, 0, 0);
ROLLBACK TO a;
INSERT INTO links VALUES (4005, 0, 0);
SAVEPOINT c;
INSERT INTO links VALUES (4006, 0, 0);
SAVEPOINT d;
INSERT INTO links VALUES (4007, 0, 0);
RELEASE d;
INSERT INTO more VALUES (4007, 0, 0);
ROLLBACK TO c;
RELEASE c;
INSERT INTO more VALUES (4008, 0, 0);
RELEASE a;
SAVEPOINT e;
INSERT INTO links VALUES (4009, 0, 0);
RELEASE e;
INSERT INTO links VALUES (4010, 0, 0);
COMMIT;
SQL
	is($session->run(q{SELECT string_agg(id::text, ' ' ORDER BY id) FROM links WHERE id > 4000;
		SELECT id FROM more}), "4001 4005 4009 4010\n4008",
		"$backend: savepoints in savepoints");
	$session->run('DELETE FROM links WHERE id > 4000');
	$unchanged->('savepoints in savepoints');

	# What is checked at COMMIT.
	is($session->run("BEGIN; $change; INSERT INTO checked VALUES (1), (1); SELECT count(*) FROM links;
		COMMIT"), "1400\nERROR:  23505",
		"$backend: a unique constraint fails at COMMIT");
	$unchanged->('a unique constraint fails at COMMIT');
	is($session->run("BEGIN; INSERT INTO judged VALUES (6000); $change; COMMIT"), 'ERROR:  P0042',
		"$backend: a trigger fails at COMMIT");
	$unchanged->('a trigger fails at COMMIT');
	is($session->run('BEGIN; INSERT INTO judged VALUES (6000); INSERT INTO links VALUES (6000, 6000, 1); COMMIT;
		DELETE FROM links WHERE id = 6000; DELETE FROM judged'),
		'', "$backend: and sees what it needs");

	# Time is up, the client is gone, the script ends with an error.
	is($session->run("BEGIN; $change; SET LOCAL statement_timeout = 100;
		UPDATE links SET target = 1 WHERE pg_sleep(0.001) IS NOT NULL; COMMIT"),
		'ERROR:  57014', "$backend: time is up");
	$unchanged->('a timeout');
	my $lost = Doublets::Session->new($node);
	my $pid = $lost->pid;
	$lost->run("BEGIN; $change");
	$lost->send('UPDATE links SET source = 1 WHERE pg_sleep(0.1) IS NOT NULL');
	ok(wait_for(20, sub { $session->run("SELECT wait_event FROM pg_stat_activity WHERE pid = $pid") eq 'PgSleep' }),
		"$backend: a client works");
	$lost->{run}->kill_kill;
	ok(wait_for(60, sub { $session->run("SELECT count(*) FROM pg_stat_activity WHERE pid = $pid") eq '0' }),
		"$backend: and is killed");
	$unchanged->('a client was killed');
	for my $options ([], ['-1'])
	{
		my ($out, $err);
		my $begin = @$options ? '' : 'BEGIN;';
		IPC::Run::run([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', @$options, '-d', $node->connstr('postgres') ], '<',
			\"$begin $change; INSERT INTO side VALUES (1); INSERT INTO links VALUES (8000, 1, 1);
				COMMIT;", '>', \$out, '2>', \$err);
		like($err, qr/duplicate key/, "$backend: a script with an error");
		$unchanged->('a script with an error');
	}

	# PREPARE TRANSACTION: COMMIT PREPARED would call nothing of ours, so it is refused, and the transaction rolled back.
	if ($backend ne 'native')
	{
		my %work = (
			'writing' => $change,
			'writing under a savepoint' => "SAVEPOINT a; INSERT INTO links VALUES (9000, 1, 1); RELEASE a",
			'row locks' => 'SELECT id FROM links WHERE id = 1 FOR KEY SHARE',
			'create_link' => q{SELECT doublets.create_link('links', 1, 1) > 0},
			'TRUNCATE' => 'TRUNCATE links',
			'DROP' => 'DROP FOREIGN TABLE links',
			'CREATE' => q{SELECT doublets.create_store('another'); INSERT INTO another VALUES (1, 1, 1)});
		for my $what (sort keys %work)
		{
			my ($state, $said) = outcome($node, "BEGIN; INSERT INTO side VALUES (9000); $work{$what}; PREPARE TRANSACTION 'p'");
			is($state, '0A000', "$backend: PREPARE TRANSACTION after $what") or diag($said);
			like($said, qr/HINT:  Commit or roll back/, "$backend: with a hint");
			is($session->run('SELECT count(*) FROM pg_prepared_xacts'), '0', "$backend: nothing is prepared");
			$session->run("BEGIN; INSERT INTO side VALUES (9000); $work{$what}; PREPARE TRANSACTION 'p'; ROLLBACK");
			$unchanged->("PREPARE TRANSACTION after $what");
			is($session->run("SET lock_timeout = '5s'; UPDATE links SET source = source; TRUNCATE links;
				INSERT INTO links SELECT i, i, i FROM generate_series(1, 1000) AS i"),
				'', "$backend: no lock is left");
			$session->run('RESET lock_timeout');
		}
		# What only read, or rolled its writing back, may be prepared.
		is($session->run("BEGIN; SAVEPOINT a; $change; ROLLBACK TO a; SELECT count(*) FROM links;
			INSERT INTO side VALUES (9000); PREPARE TRANSACTION 'p'; COMMIT PREPARED 'p'"),
			'1000', "$backend: a transaction that did not write the store is prepared");
		$session->run('DELETE FROM side WHERE n = 9000');
		$unchanged->('COMMIT PREPARED');
	}
	$session->quit;
	$node->stop;
}

done_testing();

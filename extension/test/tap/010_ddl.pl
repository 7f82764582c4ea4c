# DDL on a table of links while other sessions read it, stand in the middle of a cursor, write it or wait for it: who
# waits for whom is the same on every backend, prepared statements follow, memory comes back.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Doublets;
use Doublets::Session;
use Doublets::Storm;
use PostgreSQL::Test::Utils;
use Test::More;

my $fill = 'INSERT INTO links SELECT i, i % 5, i FROM generate_series(1, 3000) AS i';

# What the other session is in the middle of: how it got there, and how it goes on and ends.
my %activity = (
	'a reader' => [ 'BEGIN; SELECT count(*) FROM links', 'SELECT count(*) FROM links; COMMIT', "3000" ],
	'a cursor' => [ 'BEGIN; DECLARE c CURSOR FOR SELECT * FROM links; MOVE 10 IN c', 'FETCH ALL FROM c; COMMIT', undef ],
	'a writer' => [ 'BEGIN; UPDATE links SET source = source WHERE id = 5', 'SELECT count(*) FROM links; COMMIT', "3000" ],
	'a locker' => [ 'BEGIN; SELECT id FROM links WHERE id = 7 FOR KEY SHARE', 'SELECT count(*) FROM links; COMMIT',
		"3000" ]);

sub columns
{
	my ($backend) = @_;
	return '(id bigint, source bigint NOT NULL, target bigint NOT NULL)'
	  . ($backend eq 'native' ? '' : " SERVER doublets OPTIONS (layout '$backend')");
}

# Each command beside each activity, committed and rolled back.
sub waits
{
	my ($node, $backend, $table) = @_;
	my ($ddl, $other, $third) = map { Doublets::Session->new($node) } 1 .. 3;
	$ddl->run($fill);
	# Each command, and what restores the table.
	my @commands = (
		[ 'TRUNCATE links', $fill ],
		[ "DROP $table links", "CREATE $table links " . columns($backend) . "; $fill" ],
		[ "ALTER $table links RENAME TO l2", "ALTER $table l2 RENAME TO links" ],
		[ "ALTER $table links SET SCHEMA elsewhere", "ALTER $table elsewhere.links SET SCHEMA public" ],
		[ "ALTER $table links OWNER TO someone", "ALTER $table links OWNER TO postgres" ],
		[ "ALTER $table links RENAME COLUMN target TO to_id", "ALTER $table links RENAME COLUMN to_id TO target" ],
		[ "ALTER $table links ADD CONSTRAINT positive CHECK (target >= 0)", "ALTER $table links DROP CONSTRAINT positive" ],
		[ 'CREATE TRIGGER t BEFORE DELETE ON links FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()',
			'DROP TRIGGER t ON links' ],
		[ 'ANALYZE links', 'SELECT 1' ]);
	for (@commands)
	{
		my ($command, $restore) = @$_;
		for my $who (sort keys %activity)
		{
			my ($begin, $end, $expected) = @{ $activity{$who} };
			for my $finally ('COMMIT', 'ROLLBACK')
			{
				next if $finally eq 'ROLLBACK' && $command !~ /^(TRUNCATE|DROP)/;
				my $name = "$backend: $command beside $who, $finally";
				$other->run($begin);
				$ddl->send($command =~ /^ANALYZE/ ? $command : "BEGIN; $command");
				# ANALYZE takes ShareUpdateExclusiveLock, CREATE TRIGGER ShareRowExclusiveLock, everything else AccessExclusiveLock.
				my $waits = $command !~ /^ANALYZE/ && ($command !~ /TRIGGER/ || $who eq 'a writer');
				is(wait_for($waits ? 10 : 0.1, sub { $ddl->waits($third) }) ? 1 : 0, $waits ? 1 : 0,
					"$name: " . ($waits ? 'it waits' : 'it need not wait'));
				my $said = $other->run($end);
				is($expected ? $said : scalar(() = $said =~ /^\d+\|\d+\|\d+$/mg), $expected // 2990, "$name: the other goes on");
				unlike($ddl->finish, qr/ERROR|lost/, "$name: then it is done");
				$ddl->run($finally);
				$ddl->run($restore) if $finally eq 'COMMIT';
				is($ddl->run('SELECT count(*), sum(id) FROM links'), '3000|4501500', "$name: all is there");
			}
		}
		is(broken($node, $backend), '', "$backend: sound after $command");
	}
	$_->quit for $ddl, $other, $third;
	return;
}

# Whoever comes while a command is not finished waits for it, then finds what it left.
sub waiters
{
	my ($node, $backend, $table) = @_;
	my ($ddl, $third, $user) = map { Doublets::Session->new($node) } 1 .. 3;
	# What each gives when the table is as before, empty, and gone.
	my %use = (
		'SELECT count(*) FROM links' => [ 3000, 0, 'ERROR:  42P01' ],
		'INSERT INTO links VALUES (4000, 1, 1) RETURNING id' => [ 4000, 4000, 'ERROR:  42P01' ],
		'DELETE FROM links WHERE id = 3000 RETURNING id' => [ 3000, '', 'ERROR:  42P01' ]);
	if ($backend ne 'native')
	{
		$use{q{SELECT doublets.count_links('links')}} = [ 3000, 0, 'ERROR:  42P01' ];
		$use{q{SELECT sum(id) FROM doublets.outgoing('links', 1) WHERE id < 10}} = [ 7, '', 'ERROR:  42P01' ];
		$use{q{SELECT doublets.get_or_create('links', 1, 1)}} = [ 1, 1, 'ERROR:  42P01' ];
	}
	my ($as_before, $empty, $gone) = (0, 1, 2);
	for ([ 'TRUNCATE links', $empty ], [ "DROP $table links", $gone ], [ "ALTER $table links RENAME TO l2", $gone ],
		[ "DROP $table links; CREATE $table links " . columns($backend), $empty ],
		[ "ALTER $table links ADD CHECK (id > 0)", $as_before ])
	{
		my ($command, $leaves) = @$_;
		for my $use (sort keys %use)
		{
			for my $finally ('COMMIT', 'ROLLBACK')
			{
				next if $finally eq 'ROLLBACK' && $command =~ /CREATE|ALTER/;
				my $name = "$backend: $use beside $command, $finally";
				$ddl->run("DROP $table IF EXISTS l2, links; CREATE $table links " . columns($backend) . "; $fill");
				$user->run($use) if $use =~ /^SELECT/;    # plans and handles are there
				$ddl->run("BEGIN; $command");
				$user->send($use);
				ok(wait_for(10, sub { $user->waits($third) }), "$name: it waits");
				$ddl->run($finally);
				my $left = $finally eq 'COMMIT' ? $leaves : $as_before;
				# A function's argument is a regclass, the table itself: it follows RENAME, and nobody takes its place.
				$left = $command =~ /RENAME/ ? $as_before : $gone
				  if $use =~ /doublets/ && $finally eq 'COMMIT' && $command =~ /RENAME|CREATE/;
				my $expected = $use{$use}[$left];
				is($user->finish, $expected, "$name: and finds what is left");
			}
		}
	}
	$ddl->run("DROP $table IF EXISTS l2, links; CREATE $table links " . columns($backend) . "; $fill");
	is(broken($node, $backend), '', "$backend: sound after waiters");
	$_->quit for $ddl, $third, $user;
	return;
}

# Prepared statements with generic plans, while another session changes what they are about; and the own cursor.
sub prepared
{
	my ($node, $backend, $table) = @_;
	my ($ddl, $user) = map { Doublets::Session->new($node) } 1 .. 2;
	$user->run(<<'SQL');
SET plan_cache_mode = force_generic_plan;
PREPARE by_id(bigint) AS SELECT * FROM links WHERE id = $1;
PREPARE outgoing(bigint) AS SELECT count(*) FROM links WHERE source = $1;
PREPARE add(bigint) AS INSERT INTO links VALUES ($1, 8, 8) RETURNING id;
PREPARE change(bigint) AS UPDATE links SET target = -1 WHERE id = $1 RETURNING target;
SQL
	$user->run(q{PREPARE f(bigint) AS SELECT doublets.count_links('links', source => $1)}) if $backend ne 'native';
	my $all = 'EXECUTE by_id(1); EXECUTE outgoing(1); EXECUTE add(9999); EXECUTE change(9999);
		DELETE FROM links WHERE id = 9999';
	$all .= '; EXECUTE f(1)' if $backend ne 'native';
	my $last = sub { $backend eq 'native' ? '' : "\n$_[0]" };
	my $fresh = "DROP $table IF EXISTS l2, links; CREATE $table links " . columns($backend);
	$ddl->run("$fresh; $fill");
	is($user->run($all), "1|1|1\n600\n9999\n-1" . $last->(600), "$backend: prepared statements");
	$ddl->run($fresh);
	is($user->run($all), "0\n9999\n-1" . $last->(0), "$backend: after the table was dropped and made again");
	$ddl->run("TRUNCATE links; INSERT INTO links VALUES (1, 1, 5)");
	is($user->run($all), "1|1|5\n1\n9999\n-1" . $last->(1), "$backend: after TRUNCATE");
	$ddl->run("ALTER $table links RENAME TO l2; CREATE $table links " . columns($backend));
	# A statement goes on with the table it was about as long as its plan is good: renaming invalidates it.
	my ($rows) = $user->run('EXECUTE outgoing(1); EXECUTE by_id(1)');
	is($rows, $ddl->run('SELECT count(*) FROM links WHERE source = 1; SELECT * FROM links WHERE id = 1'),
		"$backend: after another took the name");
	$ddl->run("DROP $table links; ALTER $table l2 RENAME COLUMN target TO t;
		ALTER $table l2 RENAME COLUMN source TO target;"
		. " ALTER $table l2 RENAME COLUMN t TO source; ALTER $table l2 RENAME TO links;
			UPDATE links SET source = 3, target = 4");
	is($user->run('EXECUTE by_id(1); EXECUTE outgoing(3); EXECUTE outgoing(4)'), "ERROR:  0A000\n1\n0",
		"$backend: after columns changed their names");
	if ($backend ne 'native')
	{
		my $layout = $backend eq 'split' ? 'united' : 'split';
		is($ddl->run("ALTER FOREIGN TABLE links OPTIONS (SET layout '$layout')"), 'ERROR:  55000',
			"$backend: the layout of links stays");
		$ddl->run("TRUNCATE links; ALTER FOREIGN TABLE links OPTIONS (SET layout '$layout');
			INSERT INTO links VALUES (1, 2, 1)");
		is($user->run('SELECT * FROM links; EXECUTE outgoing(1); EXECUTE add(10)'), "1|2|1\n1\n10",
			"$backend: after the layout changed");
		is(broken($node, $backend), '', "$backend: sound");
	}
	$ddl->run("$fresh; $fill");
	for my $command ("DROP $table links", 'TRUNCATE links', "ALTER $table links ADD CHECK (id > 0)")
	{
		is($user->run("BEGIN; DECLARE c CURSOR FOR SELECT * FROM links; MOVE 10 IN c; $command"), 'ERROR:  55006',
			"$backend: $command under the own cursor");
		$user->run('ROLLBACK');
	}
	if ($backend ne 'native')
	{
		# A function in a SELECT list holds nothing that could object: it finds no more.
		my $open = q{BEGIN; DECLARE c CURSOR FOR SELECT (SELECT count(*)
			FROM generate_series(1, 1)), doublets.each('links'); MOVE 10 IN c};
		$user->run("$open; TRUNCATE links; INSERT INTO links VALUES (5000, 1, 1)");
		unlike($user->run('FETCH ALL FROM c'), qr/lost|ERROR/, "$backend: each() and TRUNCATE");
		$user->run('ROLLBACK');
		$user->run("$open; DROP FOREIGN TABLE links");
		unlike($user->run('FETCH ALL FROM c'), qr/lost/, "$backend: each() and DROP");
		$user->run('ROLLBACK');
		is($user->run('SELECT count(*) FROM links'), '3000', "$backend: all is there");
	}
	$_->quit for $ddl, $user;
	return;
}

# Everybody at once. Errors that name what is gone are all that may happen.
sub storm
{
	my ($node, $backend) = @_;
	my ($run, $out, $err) = start_storm($node, $backend, $ENV{DOUBLETS_TEST_LONG} ? 120 : 2);
	ok($run->finish, "$backend: no unexpected error in the storm") or diag(substr $$err, 0, 2000);
	my ($done) = $$out =~ /number of transactions actually processed: (\d+)/;
	cmp_ok($done // 0, '>', 50, "$backend: and much was done");
	unlike(slurp_file($node->logfile), qr/terminated by signal/, "$backend: nobody died");
	is(broken($node, $backend), '', "$backend: sound after the storm");
	return;
}

# What takes stores away in bulk.
sub containers
{
	my ($node, $backend) = @_;
	my ($ddl, $third, $user) = map { Doublets::Session->new($node) } 1 .. 3;
	my $make = "CREATE EXTENSION doublets; CREATE FOREIGN TABLE links " . columns($backend) . "; $fill";
	my $command = 'DROP EXTENSION doublets CASCADE';
	for my $round (1 .. 2)
	{
		$ddl->run("SET client_min_messages = warning; DROP EXTENSION IF EXISTS doublets CASCADE; $make");
		$ddl->run('INSERT INTO links SELECT i, i, i FROM generate_series(3001, 50000) AS i');
		my $full = segment_bytes($node);
		$user->run('BEGIN; DECLARE c CURSOR FOR SELECT * FROM links; MOVE 10 IN c');
		$ddl->send("BEGIN; $command");
		ok(wait_for(10, sub { $ddl->waits($third) }), "$backend: $command waits for a cursor");
		is(scalar(() = $user->run('FETCH ALL FROM c') =~ /^\d+\|/mg), 49990, "$backend: which goes on");
		# Not even its settling waits for the one who waits for it.
		is($user->run('UPDATE links SET source = 2 WHERE id = 1; SELECT count(*) FROM links WHERE source = 2
			AND target = 1; COMMIT'), '1',
			"$backend: and writes");
		is($ddl->finish, '', "$backend: $command");
		$ddl->run('ROLLBACK');
		is($user->run('SELECT count(*), sum(source) FROM links WHERE id < 4'), '3|7', "$backend: $command rolled back");
		is($ddl->run($command), '', "$backend: $command");
		is($user->run('SELECT * FROM links'), 'ERROR:  42P01', "$backend: the store is gone");
		cmp_ok(segment_bytes($node), '<', $full - 3_000_000, "$backend: $command gives the memory back");
		$ddl->run($make);
		is($user->run('SELECT count(*) FROM links; UPDATE links SET source = 1 WHERE id = 2 RETURNING id'), "3000\n2",
			"$backend: the extension again");
		is(broken($node, $backend), '', "$backend: sound");
	}
	$ddl->run('DROP FOREIGN TABLE links');
	for my $command ('DROP SCHEMA elsewhere CASCADE', 'DROP OWNED BY someone CASCADE')
	{
		my $before = segment_bytes($node);
		$ddl->run('CREATE SCHEMA IF NOT EXISTS elsewhere AUTHORIZATION someone;
			CREATE FOREIGN TABLE elsewhere.links ' . columns($backend));
		$ddl->run('ALTER FOREIGN TABLE elsewhere.links OWNER TO someone;
			INSERT INTO elsewhere.links SELECT i, i, i FROM generate_series(1, 50000) AS i');
		cmp_ok(segment_bytes($node), '>', $before + 3_000_000, "$backend: a store in a schema");
		is($ddl->run($command), '', "$backend: $command");
		cmp_ok(segment_bytes($node), '<', $before + 1_000_000, "$backend: $command gives the memory back");
	}
	my $little = segment_bytes($node);
	$node->safe_psql('postgres', 'CREATE DATABASE other');
	for my $round (1 .. 3)
	{
		my $inside = Doublets::Session->new($node, 'other');
		$inside->run("$make; BEGIN; UPDATE links SET source = 3; INSERT INTO links SELECT i, i, i
			FROM generate_series(10000, 100000) AS i");
		cmp_ok(segment_bytes($node), '>', $little + 5_000_000, "$backend: a store in another database");
		is($ddl->run('DROP DATABASE other WITH (FORCE)'), '', "$backend: dropped with its session");
		$ddl->run('CREATE DATABASE other');
		$inside->quit;
		my $next = Doublets::Session->new($node);
		$next->run("CREATE FOREIGN TABLE next$round " . columns($backend) . "; INSERT INTO next$round VALUES (1, 1, 1)");
		cmp_ok(segment_bytes($node), '<', $little + 1_000_000,
			"$backend: the next store that is made brings the memory back");
		$next->quit;
	}
	$_->quit for $ddl, $third, $user;
	return;
}

my $first = 1;
for my $backend (backends())
{
	my $node = new_node("ddl_$backend", 'fsync = off', 'dynamic_shared_memory_type = mmap', 'log_statement = none',
		'deadlock_timeout = 100ms');
	my $table = $backend eq 'native' ? 'TABLE' : 'FOREIGN TABLE';
	make_links($node, $backend);
	$node->safe_psql('postgres', 'CREATE ROLE someone; CREATE SCHEMA elsewhere AUTHORIZATION someone;
		GRANT CREATE ON SCHEMA public TO someone');
	# What is locked does not depend on the layout.
	if ($first || $ENV{DOUBLETS_TEST_LONG})
	{
		waits($node, $backend, $table);
		waiters($node, $backend, $table);
	}
	$first = 0;
	prepared($node, $backend, $table);
	storm($node, $backend);
	containers($node, $backend) if $backend ne 'native';
	$node->stop;
}

done_testing();

# Eight sessions in autocommit: a queue whose jobs are taken with FOR UPDATE SKIP LOCKED gives each job to one of them;
# get_or_create makes exactly one link of each pair and never fails.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Doublets;
use PostgreSQL::Test::Utils;
use Test::More;

my $jobs = 400;
my $directory = PostgreSQL::Test::Utils::tempdir();
append_to_file("$directory/job.sql", <<'SQL');
WITH job AS (SELECT id FROM links WHERE source = 7 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED),
  taken AS (DELETE FROM links USING job WHERE links.id = job.id RETURNING links.id)
INSERT INTO done SELECT id FROM taken;
SQL
append_to_file("$directory/pair.sql", <<'SQL');
\set pair random(1, 60)
INSERT INTO seen SELECT :pair, doublets.get_or_create('links', 100, :pair);
SQL

# Runs a script in eight sessions, so many times in each.
sub eight
{
	my ($node, $name, $times) = @_;
	my ($out, $err);
	my $result = IPC::Run::run([ 'pgbench', '-n', '-c', '8', '-j', '2', '-t', $times, '--random-seed=3', '-h', $node->host,
		'-p', $node->port, '-f', "$directory/$name.sql", 'postgres' ], '>', \$out, '2>', \$err);
	ok($result && $err !~ /ERROR/, 'no session failed') or diag(substr($err, 0, 2000));
	return;
}

for my $backend (backends())
{
	my $node = new_node("eight_$backend", 'fsync = off');
	for my $unique ($backend eq 'native' ? ('false') : ('false', 'true'))
	{
		make_links($node, $backend, options => "unique_pairs '$unique'");
		$node->safe_psql('postgres', <<"SQL");
CREATE TABLE done(job bigint PRIMARY KEY);
CREATE TABLE seen(pair bigint, link bigint);
INSERT INTO links SELECT i, 7, i FROM generate_series(1, $jobs) AS i;
SQL
		# Whoever finds all that is left locked takes none, so a few calls more than jobs.
		eight($node, 'job', $jobs / 8 + 30);
		is($node->safe_psql('postgres', 'SELECT count(*), min(job), max(job) FROM done'), "$jobs|1|$jobs",
			"$backend, unique_pairs $unique: every job is taken exactly once");
		is($node->safe_psql('postgres', 'SELECT count(*) FROM links'), '0', "$backend: and none is left");

		if ($backend ne 'native')
		{
			eight($node, 'pair', 250);
			is($node->safe_psql('postgres', 'SELECT count(*), count(DISTINCT (source, target)) FROM links'), '60|60',
				"$backend, unique_pairs $unique: each pair has one link");
			is($node->safe_psql('postgres', 'SELECT count(*) FROM (SELECT DISTINCT pair, link FROM seen) AS s'), '60',
				"$backend: which everybody was told");
			is($node->safe_psql('postgres', 'SELECT count(*) FROM seen JOIN links ON id = link AND source = 100 AND target = pair'),
				'2000', "$backend: and which is the right one");
		}
		is(broken($node, $backend), '', "$backend: the store is sound");
		$node->safe_psql('postgres', ($backend eq 'native' ? 'DROP TABLE links' : 'DROP FOREIGN TABLE links') . '; DROP TABLE done, seen');
	}
	$node->stop;
}

done_testing();

# A mixed load on table `links`: reads, writes, row locks, functions, monitoring and DDL, all at once. Errors that name
# what is gone are part of it; any other ends a client.
package Doublets::Storm;

use strict;
use warnings;
use Exporter 'import';
use IPC::Run;
use PostgreSQL::Test::Utils;

our @EXPORT = qw(start_storm);

# Starts it; returns pgbench's harness and references to what it says on stdout and stderr.
sub start_storm
{
	my ($node, $backend, $seconds) = @_;
	my $table = $backend eq 'native' ? 'TABLE' : 'FOREIGN TABLE';
	my $make = "CREATE $table links (id bigint, source bigint NOT NULL, target bigint NOT NULL)"
	  . ($backend eq 'native' ? '' : " SERVER doublets OPTIONS (layout ''$backend'')");
	my %script = (
		read => 'PERFORM count(*), sum(id) FROM links WHERE source = 1; PERFORM FROM (TABLE links ORDER BY id LIMIT 2000) AS l',
		write => "INSERT INTO links(id, source, target) SELECT nextval('ids'), 1, i FROM generate_series(1, 200) AS i;
			UPDATE links SET source = source + 1 WHERE target < 20; DELETE FROM links WHERE source > 2",
		lock => 'PERFORM FROM links WHERE source = 1 LIMIT 10 FOR SHARE; PERFORM FROM links WHERE source = 2 LIMIT 10 FOR UPDATE',
		truncate => 'TRUNCATE links',
		drop => "DROP $table links; EXECUTE '$make'; INSERT INTO links VALUES (0 + 1, 1, 1)",
		roll_back => "DROP $table links; EXECUTE '$make'; INSERT INTO links VALUES (5, 1, 1); RAISE SQLSTATE 'P0099'",
		rename => "ALTER $table links RENAME TO l2; ALTER $table l2 RENAME TO links");
	if ($backend ne 'native')
	{
		$script{functions} = q{PERFORM count(*) FROM doublets.each('links'); PERFORM doublets.create_link('links', 1, 2); PERFORM doublets.settle('links')};
		$script{monitor} = q{PERFORM FROM doublets.stores};
	}
	my $directory = PostgreSQL::Test::Utils::tempdir();
	my @files;
	for my $name (sort keys %script)
	{
		append_to_file("$directory/$name.sql", "DO \$\$ BEGIN $script{$name};
			EXCEPTION WHEN undefined_table OR deadlock_detected OR unique_violation OR SQLSTATE 'P0099' THEN NULL;
			-- The server's own words for a table that went away at a bad moment.
			WHEN internal_error THEN IF SQLERRM !~ '^(cache lookup failed for relation|tuple concurrently)' THEN RAISE; END IF; END \$\$;\n");
		push @files, '-f', "$directory/$name.sql\@" . ($name =~ /read|write|lock|functions/ ? 5 : 1);
	}
	$node->safe_psql('postgres', 'CREATE SEQUENCE IF NOT EXISTS ids START 10');
	my ($out, $err) = ('', '');
	my $run = IPC::Run::start([ 'pgbench', '-n', '-c', 6, '-T', $seconds, '-h', $node->host, '-p', $node->port, @files, 'postgres' ],
		'>', \$out, '2>', \$err);
	return ($run, \$out, \$err);
}

1;

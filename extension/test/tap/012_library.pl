# The library is replaced by one with other ideas of shared memory while the server runs, as an upgrade does: new
# sessions say so instead of misreading what is there, old ones go on, and ordinary tables are none of its business.
use strict;
use warnings;
use File::Spec;
use FindBin;
use lib "$FindBin::Bin/lib";
use Doublets;
use Doublets::Session;
use PostgreSQL::Test::Utils;
use Test::More;

# Another build: that of the checkout (whose products are used where they exist) with a registry of another layout.
my $root = File::Spec->rel2abs("$FindBin::Bin/../../..");
my $copy = PostgreSQL::Test::Utils::tempdir();
system("cd '$root' && tar -cf - --exclude=tmp_check Makefile extension doublets.control | tar -C '$copy' -xf -") == 0 or die;
my $registry = "$copy/extension/pg/registry.cpp";
my $text = slurp_file($registry);
ok($text =~ s/(constexpr uint32 kSharedLayout =\n?\s*)/${1}1u ^ /, 'the layout is another one');
open my $file, '>', $registry or die;
print $file $text;
close $file;
my $said = `make -s -C '$copy' doublets.so 2>&1`;
is($?, 0, 'the other library is built') or BAIL_OUT($said);
# Under this name the server takes it for another library than the installed one.
my $other = "CREATE FUNCTION pg_temp.other_link(regclass, bigint) RETURNS doublets.link LANGUAGE c
	AS '$copy/doublets', 'doublets_get_link'";
my $replaced = qr/ERROR:  55000: the doublets library was replaced while the server was running.*HINT:  Restart the server/s;

for my $backend (grep { $_ ne 'native' } backends())
{
	my $node = new_node("library_$backend", 'fsync = off');
	make_links($node, $backend);
	my $old = Doublets::Session->new($node);
	$old->run('INSERT INTO links VALUES (1, 2, 3)');
	for my $time ('first', 'second')
	{
		like((outcome($node, "$other; SELECT pg_temp.other_link('links', 1)"))[1], $replaced,
			"$backend: another library finds out, for the $time time");
	}
	is($old->run('UPDATE links SET target = 4 RETURNING id; SELECT * FROM links'), "1\n1|2|4",
		"$backend: an old session goes on");
	is($node->safe_psql('postgres', 'SELECT * FROM links'), '1|2|4', "$backend: and a new one with its library");
	is(broken($node, $backend), '', "$backend: the store is sound");
	$old->quit;

	# The other way round: after a restart the other one is the first to make a store.
	$node->restart;
	is($node->safe_psql('postgres', "$other; SELECT pg_temp.other_link('links', 1) IS NULL"), 't',
		"$backend: it works by itself");
	like((outcome($node, 'SELECT * FROM links'))[1], $replaced, "$backend: then ours finds out");
	like((outcome($node, q{SELECT doublets.create_link('links', 1, 1)}))[1], $replaced, "$backend: functions too");
	is((outcome($node, 'CREATE TABLE a(n int); CREATE TEMP TABLE b(n int); DROP TABLE a; SELECT 1'))[1], '1',
		"$backend: ordinary tables are made and dropped");
	is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_class WHERE relname IN ('a', 'b')}), '0',
		"$backend: all of them");
	$node->restart;
	is($node->safe_psql('postgres', 'INSERT INTO links VALUES (1, 1, 1) RETURNING id'), '1', "$backend: a restart helps");
	$node->stop;
}

done_testing();

# Words counted and sorted: texts, hashes, arrays.
use strict;
my (%words, $seed);
$seed = 1;
for my $turn (1 .. 250_000) {
    $seed = ($seed * 1103515245 + 12345) % 2147483648;
    push @{ $words{ "word" . ($seed % 20_000) } }, "turn $turn";
}
my @lines = map { "$_: " . join(", ", @{ $words{$_} }) } sort keys %words;
my $letters = 0;
$letters += length for @lines;
print scalar(@lines), " $letters\n";

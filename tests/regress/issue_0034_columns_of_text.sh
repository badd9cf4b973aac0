#!/usr/bin/env bash
# Columns of text stop a fit of Gaussians once: the error lists all of them, with the shortest option
# that makes the same command run. A stray word in a column of numbers is named with its line.
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

two_clusters 2 60
awk -F, 'BEGIN { OFS = "," } NR == 1 { print "kind", "a", "when", "b", "name" }
    NR > 1 { print (NR % 3 ? $4 : "NA"), $1, "2020-01-" NR % 28 + 1, $2, "no " NR }' rows.csv >text.csv
fit() { "$program" fit --n-components 2 "$@"; }
# option OPTION..: what the error names, word by word.
option() { fit "$@" 2>&1 | sed -n 's/.*; \(--.*\) leaves them out$/\1/p'; }
runs() { # runs OPTION..: the command runs with what its error names
    local more
    more=$(option "$@")
    [ -n "$more" ] && eval "fit \"\$@\" $more"
}
claim "all columns of text are listed at once" says 'text.csv:2: 3 columns of text cannot be features \(kind, when, name\); --columns a,b leaves them out' fit --data text.csv
claim "and the option makes it run" runs --data text.csv
cut -d, -f1-4 text.csv | awk -F, 'BEGIN { OFS = "," } { print $0, (NR == 1 ? "length_of_it" : NR * NR), (NR == 1 ? "width_of_it" : NR % 7) }' >wide.csv
claim "--drop where it is shorter" says 'wide.csv:2: 2 columns of text cannot be features; --drop kind,when leaves them out' fit --data wide.csv
claim "which runs too" runs --data wide.csv
claim "columns that are left out stay out" says '; --drop length_of_it,kind,when leaves them out|; --columns a,b,width_of_it leaves them out' fit --data wide.csv --drop length_of_it
claim "after --columns it is their list" says '; --columns a,b leaves them out' fit --data text.csv --columns a,kind,when,b
sed '1s/kind/the kind/; 1s/when/the day/; 1s/a/first a/' text.csv >blanks.csv
claim "names with blanks are quoted" runs --data blanks.csv
claim "one column of text keeps its own words" says 'column "name": .*--drop name leaves it out, --label-column name' fit --data text.csv --drop kind,when
sed '9s/,[^,]*,2020/,x,2020/' text.csv >stray.csv
claim "a stray word is named with its line" says 'stray.csv:9: column "a": "x" is not a finite number' fit --data stray.csv --columns a,b
cut -d, -f1,3,5 text.csv >words.csv
claim "text alone names the model for it" says 'every column is text \(kind, when, name\); expected numbers, or --model lca' fit --data words.csv
cut -d, -f1,2 rows.csv | sed '1s/$/\nm,kg/' >units.csv
claim "a line of units is recognised" says 'units.csv:2: no cell is a number, those below are: a line of units\? sed 2d' fit --data units.csv
# shellcheck disable=SC2016 # another shell expands it
claim "and the line that is named reads it" bash -c 'sed 2d units.csv | "$1" fit --data - --n-components 2' - "$program"
finish

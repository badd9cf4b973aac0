#!/bin/bash
# Rows in the forms in which people have them give the posterior of the same rows in plain CSV, and
# what is wrong with them is said in one line that names the option for it.
# usage: issue_0014_data.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

two_clusters 4 20
fit() { "$program" fit --n-components 2 "$@"; }
# The bound of a fit, which only the rows decide.
bound() { fit "$@" 2>said.txt | grep -o 'lower bound [-0-9.]*'; }
same() { test "$(bound "$@")" = "$plain"; }

cut -d , -f 1,2 rows.csv >plain.csv
plain=$(bound --data plain.csv)
names=$(head -1 plain.csv)
first=${names%,*}
second=${names#*,}

sed 's/,/;/' plain.csv >semicolon.csv
sed 's/,/\t/' plain.csv >tab.csv
sed 's/,/;/; s/\./,/g' plain.csv >comma.csv
tail -n +2 plain.csv >headless.csv
claim "semicolons are recognised" same --data semicolon.csv
claim "and named in a note" grep -q 'note: semicolon.csv: its cells are separated by semicolons' said.txt
claim "tabs are recognised" same --data tab.csv
claim "decimal commas are read when they are asked for" same --data comma.csv --separator ';'
claim "otherwise the option is named" says "decimal commas are read with --separator ';'" fit --data comma.csv
claim "a file without a header is explained" says 'the first line is numbers .*--header none' fit --data headless.csv
claim "and read" same --data headless.csv --header none

claim "a column of text is an error that names what to do" says 'column "kind": .*--drop kind .*--label-column kind' \
    fit --data rows.csv --drop site
claim "--drop leaves it out" same --data rows.csv --drop site,kind
claim "--columns names the features" same --data rows.csv --columns "$first,$second"
claim "fit has no use for nodes" same --data rows.csv --node-column site --label-column kind

sed "3s/^[^,]*,/NA,/; 7s/,.*/,/" plain.csv >gaps.csv
sed '7d; 3d' plain.csv >whole.csv
claim "a missing value is an error on demand, which offers to drop" says 'gaps.csv:3: .*"NA".*--missing drop' fit --data gaps.csv --missing error
plain=$(bound --data whole.csv)
claim "its row is dropped" same --data gaps.csv --missing drop
claim "and counted" grep -q 'note: 2 of 80 rows are left out' said.txt
claim "in the summary, too" grep -q '"rows_dropped": 2' <(fit --data gaps.csv --missing drop --json 2>/dev/null)

mkdir sites
for site in 1 2 3 4; do awk -F , -v s="$site" 'NR == 1 || $3 == s { print $2 "," $1 }' rows.csv >"sites/town$site.csv"; done
claim "a folder is a network of its files" says 'each of the 4 nodes is linked to all others' \
    "$program" sim --data sites --n-components 2 --out result
claim "whose nodes have the names of the files" test "$(cut -d , -f 2 result/nodes.csv | tr '\n' ' ')" = 'node town1 town2 town3 town4 '
claim "so is a list" "$program" sim --data sites/town2.csv,sites/town1.csv --n-components 2 --rounds 3
awk -F , 'NR == 1 || $3 == 3 { print $1 "," $2 }' rows.csv >sites/town3.csv
claim "in any order of the columns" "$program" sim --data sites --n-components 2 --rounds 3
printf 'a,c\n1,2\n' >sites/town5.csv
claim "a file of other columns is named" says 'sites/town5.csv: no column "' "$program" sim --data sites --n-components 2
rm sites/town5.csv
for site in 5 6 7 8 9 10 11; do cp sites/town1.csv "sites/town$site.csv"; done
claim "more than ten ask for a network" says 'no network for the 11 nodes of --data: give --network' \
    "$program" sim --data sites --n-components 2
claim "results do not go into the folder of the data" says 'are the same folder' \
    "$program" sim --data sites --topology ring:n=11 --out sites
plain=$(bound --data plain.csv)
claim "standard input is read" test "$(bound --data - <plain.csv)" = "$plain"

awk 'NR == 1 { print "time," $0; next } { print NR * 0.25 "," $0 }' plain.csv >timed.csv
claim "equal steps are pointed out" says 'column "time" \(equal steps\) is used as a feature; .*--drop time' fit --data timed.csv
printf 'i,j\n1,2\n2,3\n3,4\n' >net.csv
cut -d , -f 1-3 rows.csv | sed '1s/site/plant/' >plants.csv
claim "a column of the network's nodes is pointed out" \
    says 'column "plant" \(its values are nodes of net.csv\) is used as a feature; .*--node-column plant' \
    "$program" sim --data plants.csv --network net.csv --n-components 2 --rounds 3

finish

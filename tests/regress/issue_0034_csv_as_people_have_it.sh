#!/usr/bin/env bash
# CSV as R, pandas, Excel and instruments write it: each form is read as the plain file is, or ends in
# one line that names what helps.
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

two_clusters 2 60
cut -d, -f1,2 rows.csv >plain.csv
fit() { "$program" fit --n-components 2 --seed 3 "$@"; }
means() { grep -A 12 '"mean' "$1/posterior.json"; }
fit --data plain.csv --out plain >/dev/null 2>&1
# same FILE OPTION..: the posterior is that of the plain file, bit for bit.
same() {
    rm -rf other
    fit --data "$@" --out other >said.txt 2>&1 || { cat said.txt; return 1; }
    cmp <(means plain) <(means other)
}

awk 'BEGIN { OFS = "," } NR == 1 { print "\"\"", "\"a\"", "\"b\"" } NR > 1 { print "\"car " NR - 1 "\"", $0 }' plain.csv >r.csv
awk '{ print (NR == 1 ? "" : NR - 2) "," $0 }' plain.csv >pandas.csv
claim "row names of R's write.csv are not a feature" same r.csv
claim "and a note says so" grep -q 'note: r.csv: its first column has no name: row names' said.txt
claim "nor is the index of pandas" same pandas.csv
claim "--columns needs no note" same r.csv --columns a,b
claim "which is not there" refuted grep -q 'row names' said.txt
claim "predict copies row names" "$program" predict --posterior plain/posterior.json --data r.csv --keep row_name --out p.csv
claim "as they are" grep -q '^car 7,' <(cut -d, -f1- p.csv | sed -n 8p | awk -F, '{ for (i = 1; i <= NF; i++) if ($i ~ /car/) print $i "," }')
claim "--columns may name them" says 'mean|lower bound' fit --data pandas.csv --columns row_name,a
claim "rows are described without them" refuted says '^car|row_name *number' "$program" data describe --data r.csv
head -n 61 r.csv >one.csv
{ head -n 1 plain.csv && tail -n 60 plain.csv; } >two.csv
claim "one of two files may lack them" says 'lower bound' fit --data one.csv,two.csv
claim "in either order" says 'lower bound' fit --data two.csv,one.csv

{ printf '# an instrument\n# units: m, kg, s\n' && cat plain.csv; } >comment.csv
claim "comments above the header line are read" same comment.csv
sed '1d' comment.csv | sed '2d' >bare.csv
claim "and above rows without one" says 'lower bound' fit --data bare.csv --header none
sed '1s/^/#/' plain.csv >hash.csv
claim "a header line may begin with #" says 'lower bound' fit --data hash.csv --columns '#a,b'
printf '#a,kind\nx,y\n' >which.csv
claim "where nothing tells the two apart, the choice is named" says 'which.csv:1: begins with # .*--header first' fit --data which.csv
sed '9s/^/# half way, /' plain.csv >middle.csv
claim "a comment among rows is named with its line" says 'middle.csv:9: .*comment lines may only stand above' fit --data middle.csv
printf 'x\n' >>comment.csv
claim "lines are counted with comments" says 'comment.csv:124: got 1 cells' fit --data comment.csv

{ printf 'sep=;\r\n' && sed 's/,/;/; s/$/\r/' plain.csv; } >excel.csv
claim "Excel's sep=;" same excel.csv
{ printf '\xef\xbb\xbfsep=;\n' && sed 's/,/;/; s/\./,/g' plain.csv; } >german.csv
claim "with a byte order mark and decimal commas" same german.csv --separator ';'
{ printf 'sep=|\n' && sed 's/,/|/' plain.csv; } >bar.csv
claim "another separator is refused" says 'bar.csv:1: "sep=\|": expected a comma, a semicolon or a tab' fit --data bar.csv

sed '7s/,.*/,NA/' plain.csv >na.csv
fit --data na.csv --out na >/dev/null 2>&1
for mark in - . '#N/A'; do
    sed "7s|,.*|,$mark|" plain.csv >mark.csv
    claim "$mark is a missing value" says 'note: 1 of 240 cells have no value' fit --data mark.csv
done
sed '7s/^[^,]*/"1,234"/' plain.csv >thousand.csv
claim "1,234 is a number with thousands" says 'thousand.csv:7: .*commas between thousands are not read: expected 1234$' fit --data thousand.csv
sed '7s/^[^,]*/"-1,234,567.5"/' plain.csv >million.csv
claim "also of several groups" says 'expected -1234567.5$' fit --data million.csv
sed 's/,/ /' plain.csv >blanks.csv
claim "blanks between cells are named" says "blanks.csv:2: .*tr -s ' ' ','" fit --data blanks.csv
claim "and the line that is named reads them" bash -c "tr -s ' ' ',' <blanks.csv | \"$program\" fit --data - --n-components 2"
awk -F, 'NR == 1 { print "a,b" } NR > 1 { print NR - 1 "," $0 }' plain.csv >table.csv
claim "R's write.table is told of col.names" says 'table.csv:2: got 3 cells; expected 2.*col.names = NA' fit --data table.csv
for format in parquet:read_parquet feather:read_feather arrow:read_feather xlsx:read_excel; do
    printf 'PK\3\4\0\0\0\0' >"x.${format%:*}"
    claim "${format%:*} names the line of pandas" says "pandas.${format#*:}\(\"x.${format%:*}\"\).to_csv\(" fit --data "x.${format%:*}"
done
printf 'PAR1\0\0\0\0\0' >unknown
claim "also by the first bytes" says 'unknown: Parquet is not read' fit --data unknown
finish

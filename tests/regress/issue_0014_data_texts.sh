#!/bin/bash
# `data describe`, `data split` and `data pca` take the options of every command that reads rows.
# usage: issue_0014_data_texts.sh PROGRAM
# shellcheck disable=SC2317
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

is() { [ "$1" = "$2" ] || { printf 'got\n%s\nexpected\n%s\n' "$1" "$2"; return 1; }; }
describe() { "$program" data describe --data "$@" 2>said.txt; }
split() { "$program" data split --nodes 1 --out split.csv --data "$@" >said.txt 2>&1; }

printf 'x,y,site,kind,w\n1,2,a,up,1\n3,NA,a,down,2\n5,6,b,up,.5\n' >rows.csv
claim "describe counts missing values and keeps the rows" is "$(describe rows.csv)" 'rows.csv: 3 rows, 5 columns
  x                    count     1 to 5
  y                    count     2 to 6, 1 missing
  site                 category  a: 2, b: 1
  kind                 category  down: 1, up: 2
  w                    number    0.5 to 2
1 of 3 rows have a value missing'
claim "columns in the order wanted, rows dropped, nodes, classes and weights" is \
    "$(describe rows.csv --columns y,x --node-column site --label-column kind --weight-column w --missing drop)" \
    'rows.csv: 2 rows, 5 columns
  y                    count     2 to 6
  x                    count     1 to 5
  site                 category  a: 1, b: 1
  kind                 category  up: 2
  w                    number    0.5 to 1
2 nodes, 1 to 1 rows each
1 class, 2 to 2 rows each
weights sum to 1.5'
claim "a note counts the dropped row" grep -q '1 of 3 rows are left out: a value is missing' said.txt
claim "a dropped column" is "$(describe rows.csv --drop kind,site,w | cut -c3-4 | sed -n 2,3p)" $'x \ny '
claim "--missing error names the cell" says 'rows.csv:3: column "y": got "NA"; expected a value' \
    "$program" data describe --data rows.csv --missing error
claim "with status 1" status_is 1 "$program" data describe --data rows.csv --missing error
claim "a column that is not there: status 2" status_is 2 "$program" data describe --data rows.csv --columns z

split rows.csv --columns y,x --label-column kind --missing drop
claim "split: the same columns and rows" is "$(cat split.csv)" $'node,y,x,kind\n1,2,1,up\n1,6,5,up'
split rows.csv --drop y,w
claim "split without columns" is "$(cat split.csv)" $'node,x,site,kind\n1,1,a,up\n1,3,a,down\n1,5,b,up'
split rows.csv
claim "split copies cells as they are" is "$(cut -d, -f2- split.csv)" "$(cat rows.csv)"
claim "--by a column that is not read says so" says 'no column "site" among those that --columns and --drop leave' \
    "$program" data split --data rows.csv --columns x --by column:site --out no.csv
"$program" data split --data rows.csv --columns x --node-column site --by column:site --out by.csv >/dev/null
claim "--by a node column" is "$(cat by.csv)" $'node,x\na,1\na,3\nb,5'

printf 'x;y\n1,5;a\n-2,25;"b,c"\n' >comma.csv
claim "decimal commas with --separator" is "$(describe comma.csv --separator ';' | sed -n 2p)" \
    '  x                    number    -2.25 to 1.5'
split comma.csv --separator ';'
claim "become points, texts stay" is "$(cat split.csv)" $'node,x,y\n1,1.5,a\n1,-2.25,"b,c"'
claim "a separator that is recognised is named" says 'its cells are separated by semicolons' \
    "$program" data describe --data comma.csv

printf '1,2\n3,4\n' >bare.csv
claim "a header of numbers is explained" says 'bare.csv:1: .*--header none' "$program" data describe --data bare.csv
split bare.csv --header none
claim "--header none" is "$(cat split.csv)" $'node,x1,x2\n1,1,2\n1,3,4'

mkdir sites
printf 'x,y\n1,2\n' >sites/berlin.csv
printf 'y,x\n4,3\n6,5\n' >sites/bonn.csv
claim "a folder: its files are counted" is "$(describe sites | sed '2,3d')" 'sites: 3 rows, 2 columns
2 files, 1 to 2 rows each'
split sites
claim "and split together" is "$(cat split.csv)" $'node,x,y\n1,1,2\n1,3,4\n1,5,6'
claim "standard input" is "$(describe - <rows.csv | head -n 1)" 'standard input: 3 rows, 5 columns'
printf 'x,y\n1,2\nq,4\n' >sites/ulm.csv
claim "an error names the file of the row" says 'sites/ulm.csv:3: column "x": "q" is not a finite number' \
    "$program" data split --data sites --nodes 2 --by column:x --out no.csv

printf 'a,b,kind\n1,2,u\n3,5,v\n4,1,u\n0.1,7,v\n' >four.csv
"$program" data pca four.csv --components 2 --label-column kind --out pc.npy >/dev/null
split pc.npy
# shellcheck disable=SC2016 # fields of awk
claim "NPY has numbers that read back" awk -F, 'NR == 1 { exit $0 != "node,x1,x2" }' split.csv
"$program" data pca four.csv --components 2 --keep kind --label-column kind --out pc.csv >/dev/null
claim "they are those of the CSV" cmp <(tail -n +2 split.csv | awk -F, '{ printf "%.12g %.12g\n", $2, $3 }') \
    <(tail -n +2 pc.csv | awk -F, '{ printf "%.12g %.12g\n", $1, $2 }')
claim "pca keeps a column beside the label" is \
    "$("$program" data pca rows.csv --missing drop --keep site --label-column kind --weight-column w --components 1 \
        --out pc.csv >/dev/null 2>&1; cut -d, -f2 pc.csv)" $'site\na\nb'
finish

#!/bin/bash
# A value, weight or spread with which nothing can be computed is refused where it stands in the file.
# usage: issue_0012_large_values.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

two_clusters 4 20
cut -d , -f 1,2 rows.csv >xy.csv
"$program" fit --data xy.csv --out p.json >/dev/null
awk -F , 'NR == 1 { print; next } { print $1 "e300," $2 "e300" }' xy.csv >huge.csv
awk 'NR == 7 { print "1,-1e200"; next } { print }' xy.csv >cell.csv
awk 'NR == 1 { print $0 ",w"; next } { print $0 "," (NR == 9 ? "1e200" : 1) }' xy.csv >weights.csv
awk -F , 'NR == 1 { print; next } { print $1 "e-200," $2 }' xy.csv >tiny.csv
awk -F , 'NR == 1 { print; next } { print $1 "e90," $2 "e-90" }' xy.csv >far.csv
{ # float64 of 3 x 2: five times 1, and 1e200 = 0x6974e718d7d7625a at row 3, column 2
    printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }"
    for _ in 1 2 3 4 5; do printf '\x00\x00\x00\x00\x00\x00\xf0\x3f'; done
    printf '\x5a\x62\xd7\xd7\x18\xe7\x74\x69'
} >cell.npy
range='is too large; expected numbers up to 1e+100 in magnitude'
on_ring() { "$program" sim --topology ring:n=3 --rounds 3 --n-components 1 "$@"; }

for command in "fit" "sim --topology ring:n=4 --rounds 3" "data pca --out pc.csv" "predict --posterior p.json" \
    "score --posterior p.json"; do
    read -ra words <<<"$command"
    file=(--data)
    [ "${words[1]:-}" != pca ] || file=()
    claim "${words[0]}: huge rows are refused at their place" says \
        "error: huge.csv:2: column \"a\": -?[0-9.]*e300 ${range//+/\\+}\$" "$program" "${words[@]}" "${file[@]}" huge.csv
    claim "${words[0]}: a huge cell too" says \
        "error: cell.csv:7: column \"b\": -1e200 ${range//+/\\+}\$" "$program" "${words[@]}" "${file[@]}" cell.csv
    claim "${words[0]}: and in NPY" says \
        "error: cell.npy: row 3, column 2: 1e\+200 ${range//+/\\+}\$" "$program" "${words[@]}" "${file[@]}" cell.npy
done
claim "and where the rows are mapped" says "error: cell.npy: row 3, column 2: 1e\+200 ${range//+/\\+}\$" on_ring \
    --data cell.npy --deal blocks
claim "with status 1" status_is 1 on_ring --data cell.npy --deal blocks
claim "a huge weight is refused" says 'weights.csv:9: column "w": 1e200 is too large; expected numbers up to 1e\+15' \
    "$program" fit --data weights.csv --weight-column w
claim "a spread without a square is refused by name" says 'error: tiny.csv: column "a": its values differ by about' \
    "$program" fit --data tiny.csv
claim "columns 180 orders of magnitude apart are fitted" "$program" fit --data far.csv --n-components 2 --out far.json
claim "into finite numbers" refuted grep -qiE 'nan|inf[^o]|null' far.json
claim "that predict" "$program" predict --posterior far.json --data far.csv --out labels.csv
printf "x,y\n1e-90,1e96\n3e-90,2e96\n4e-90,5e96\n8e-90,7e96\n" >slope.csv
"$program" fit --data slope.csv --model linreg --target-column y --out slope.json >slope.txt
claim "a slope of 1e186 has a finite scale" refuted grep -qiE "inf|nan|\[ *null" slope.txt slope.json

finish

#!/bin/bash
# The table that `sim` prints is at most 100 columns wide, shows a divergence below rounding as 0, and
# says how many initialisations agree.
# usage: issue_0014_table_of_sim.sh PROGRAM
# shellcheck disable=SC2317
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

two_clusters 6 60
sim() {
    "$program" sim --data rows.csv --node-column site --label-column kind --network links.csv \
        --n-components 2 "$@" 2>/dev/null
}
within() { awk -v most="$1" 'length > most { print; bad = 1 } END { exit bad }' "$2"; }
# column NAME FILE: the cells of edge's line below this heading, which ends where they end.
column() {
    awk -v name="$1" '/ rounds verdict / { end = index($0, name) + length(name) - 1; at = index($0, name) }
        /^edge/ && end { print substr($0, at, length(name)); exit }' "$2" | tr -d ' '
}

sim --algorithm cvb,noncoop,dsvb,edge,average,flow --metrics all --rounds 3000 --n-init 3 >all.txt
claim "all metrics fit into 100 columns" within 100 all.txt
claim "the first columns are in the known order" \
    grep -q '^ *rounds verdict  *lower bound  *apart  *moved KL to cVB KL to true accuracy ' all.txt
claim "a divergence below rounding is 0" test "$(column 'KL to cVB' all.txt)" = 0.0e+00
# shellcheck disable=SC2016 # fields of awk
claim "one above it is not" awk '/^noncoop/ { exit !($7 > 1e-6) }' all.txt
claim "sim says how many of its initialisations agree" \
    grep -Eq '^[1-3] of 3 initialisations reached this bound' all.txt
sim --algorithm edge --rounds 20 >few.txt
claim "few columns leave room for all" grep -q ' events outside MB sent seconds$' few.txt
claim "one initialisation is not counted" refuted grep -q 'initialisations reached' few.txt
finish

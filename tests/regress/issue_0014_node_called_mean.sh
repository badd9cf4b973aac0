#!/usr/bin/env bash
# A node may be called "mean": its components are drawn as a node's, not as the network mean's.
# usage: issue_0014_node_called_mean.sh PROGRAM
# The functions are called through `claim`.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

{
    echo "x,y,site"
    for i in $(seq 1 30); do echo "$((i * 7 % 11)),$((i * 5 % 13)),mean"; done
    for i in $(seq 1 30); do echo "$((i * 3 % 11 + 20)),$((i * 4 % 13 + 9)),other"; done
} >rows.csv
printf 'i,j\nmean,other\n' >links.csv
claim "a run with a node called mean" "$program" sim --data rows.csv --node-column site \
    --network links.csv --n-components 2 --algorithm edge --rounds 60 --out out
shapes() { awk -F, -v node="$1" -v of="$2" '$2 == node && $NF == of' out/view_shapes.csv | wc -l; }
claim "the network mean has its components" test "$(shapes mean mean)" = 2
claim "the node has its own" test "$(shapes mean node)" = 2
claim "the other node, too" test "$(shapes other node)" = 2
if command -v gnuplot >/dev/null; then
    sed 's/mean/m/' rows.csv >rows_m.csv
    sed 's/mean/m/' links.csv >links_m.csv
    claim "the same run, the node called m" "$program" sim --data rows_m.csv --node-column site \
        --network links_m.csv --n-components 2 --algorithm edge --rounds 60 --out out_m
    claim "has the same picture" cmp out/figures/contours-edge.svg out_m/figures/contours-edge.svg
fi
finish

#!/bin/bash
# Components are numbered from 0 in every output, as in scikit-learn and in the lists of the files.
# usage: issue_0014_numbered_from_zero.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

two_clusters 4 30
cut -d , -f 1,2 rows.csv >xy.csv
"$program" fit --data xy.csv --n-components 2 --init kmeans --out p.json >/dev/null
"$program" sim --data rows.csv --node-column site --label-column kind --network links.csv \
    --rounds 20 --out result >/dev/null 2>&1
numbers() { # numbers FILE COLUMN: the values of a column, each once
    awk -F, -v want="$2" 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == want) at = k; next }
        { print $at }' "$1" | sort -u | tr '\n' ' '
}
"$program" sample --posterior p.json --component-column from --rows 200 >rows2.csv
"$program" sample --posterior p.json --what parameters --rows 3 >draws.csv
"$program" predict --posterior p.json --data xy.csv --what labels --out labels.csv
claim "sampled rows" test "$(numbers rows2.csv from)" = "0 1 "
claim "draws of the parameters" test "$(numbers draws.csv component)" = "0 1 "
claim "the number of a draw counts from 1" test "$(numbers draws.csv draw)" = "1 2 3 "
claim "predicted labels" test "$(numbers labels.csv label)" = "0 1 "
claim "rows of the report's figures" test "$(numbers result/view_rows.csv component)" = "0 1 "
claim "shapes of the report's figures" test "$(numbers result/view_shapes.csv component)" = "0 1 "
claim "comparisons" bash -c "'$program' compare p.json p.json --json | tr -d ' \n' | grep -q '\"match\":\[0,1\]'"
printf 'r0,r1\n1.5,-0.5\n' >minus.csv
yes 1,0 | head -n 119 >>minus.csv || true
claim "messages" says 'responsibility of component 1 is -0.5' \
    "$program" fit --data xy.csv --n-components 2 --init responsibilities:minus.csv
finish

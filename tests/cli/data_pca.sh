#!/bin/bash
# `meshbayes data pca`: the paper's 52 components of COIL-20, files in both formats.
# usage: data_pca.sh PROGRAM
# shellcheck disable=SC2016  # awk programs
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

# The ellipse x = 2 a, y = a + b/10: the first axis is near (2, 1)/sqrt 5.
awk 'BEGIN { print "x,y,kind"; s = 5
    for (i = 0; i < 200; i++) { for (k = 0; k < 2; k++) { s = (s * 16807) % 2147483647; u[k] = s / 2147483647 - .5 }
        printf "%.9f,%.9f,%s\n", 2 * u[0], u[0] + u[1] / 10, (u[0] > 0 ? "up" : "down") } }' >rows.csv
"$program" data pca rows.csv --keep kind --out one.csv >said.txt
claim "one component holds 90 % of an ellipse" grep -q '^one.csv: 200 rows, 1 of 2 components hold 99' said.txt
claim "its columns" test "$(head -n 1 one.csv)" = pc1,kind
claim "the kept column is as it was" cmp <(cut -d, -f 2 one.csv) <(cut -d, -f 3 rows.csv)
claim "the component follows the long axis" awk -F, 'NR > 1 && ($1 > 0.1 && $2 != "up" || $1 < -0.1 && $2 != "down") { exit 1 }' one.csv
cut -d, -f 1,2 rows.csv >plain.csv
"$program" data pca plain.csv --components 2 --out two.npy >/dev/null
"$program" data pca plain.csv --components 2 --out two.csv >/dev/null
"$program" data pca two.npy --components 2 --out again.csv >/dev/null
claim "components of components are themselves, from NPY and CSV" awk -F, '
    FNR == 1 { next }
    FNR == NR { a[FNR] = $1; b[FNR] = $2; next }
    ($1 - a[FNR]) ^ 2 + ($2 - b[FNR]) ^ 2 > 1e-26 { exit 1 }
    END { exit FNR != 201 }' two.csv again.csv
claim "too many components are refused" status_is 2 "$program" data pca plain.csv --components 3 --out no.csv
claim "words are refused" status_is 1 "$program" data pca rows.csv --out no.csv
claim "nothing is half-written" test ! -e no.csv

coil=$top/../shared/data/coil20/coil20_u8.npy
if [ -e "$coil" ]; then
    claim "COIL-20, rows of length 1: 52 components hold more than 90 %" \
        says ' 52 of 1024 components hold 90\.10 %' "$program" data pca "$coil" --normalise rows --out coil.npy
    claim "as they are: 40" says ' 40 of 1024 components' "$program" data pca "$coil" --out coil.npy
else
    echo "skipped: COIL-20 is not at $coil"
fi

finish

#!/bin/bash
# Seeds, shapes and names that can not be taken as they are given are refused in one line.
# usage: issue_0012_refused.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

two_clusters 4 20
cut -d , -f 1,2 rows.csv >xy.csv
"$program" fit --data xy.csv --out p.json >/dev/null
vector() { # vector FILE NUMBERS: float64 of one dimension, all zero
    local head="{'descr': '<f8', 'fortran_order': False, 'shape': ($2,), }"
    printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "$head" >"$1"
    head -c $(($2 * 8)) /dev/zero >>"$1"
}
vector ones.npy 40

for command in "fit --data xy.csv" "sample --posterior p.json" "graph generate --topology ring:n=4 --out g.csv"; do
    # shellcheck disable=SC2086 # words
    claim "${command%% -*}: a seed beyond 2^53 is wrong use" status_is 2 "$program" $command --seed 9007199254740993
    # shellcheck disable=SC2086
    claim "${command%% -*}: and says what is accepted" \
        says 'error: --seed: got "9007199254740993.0", which is out of range; expected .* 9007199254740992$' \
        "$program" $command --seed 9007199254740993.0
done
claim "2^53 itself is a seed" "$program" fit --data xy.csv --seed 9007199254740992

shape='ones.npy: got 1 dimension; expected rows x columns'
claim "rows of one dimension are refused" says "$shape" "$program" fit --data ones.npy
claim "where they are mapped, too" says "$shape" "$program" sim --data ones.npy --deal blocks \
    --topology ring:n=4 --rounds 3
claim "where they are read in batches, too" says "$shape" "$program" predict --posterior p.json --data ones.npy
claim "and by pca" says "$shape" "$program" data pca ones.npy --out pc.csv
claim "responsibilities of one dimension are refused" says "$shape" "$program" fit --data xy.csv \
    --n-components 1 --init responsibilities:ones.npy

claim "a component column with a feature's name is refused" says \
    'error: --component-column: p.json has a column "b" already; expected another name' \
    "$program" sample --posterior p.json --component-column b --out new.csv
claim "and nothing is written" test ! -e new.csv
claim "another name is fine" "$program" sample --posterior p.json --component-column from --out new.csv

"$program" compare p.json p.json >same.txt
claim "a posterior is 0 nats from itself" grep -q '^KL(first || second)  0 nats$' same.txt
printf 'a\n-1e-9\n1e-9\n-1e-9\n1e-9\n' >tiny.csv
claim "no number is printed as minus 0" refuted says '(^| )-0(\.0*)?( |$)' "$program" fit --data tiny.csv \
    --n-components 1 --standardize off --prior.mu0=-0.0
claim "a noise without a mean is said, not nan" refuted says 'nan' "$program" fit --data xy.csv --model linreg \
    --target-column b --prior.a0 1e-9 --weight-column w

finish

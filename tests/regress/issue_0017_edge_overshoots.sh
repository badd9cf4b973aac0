#!/bin/bash
# Where inputs separate the values of a target, EDGE did not settle in 5000 rounds: the local step of a
# likelihood that is not conjugate overshoots, and nodes counted only gains above 0.
# usage: issue_0017_edge_overshoots.sh PROGRAM
# shellcheck disable=SC2317
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

awk 'BEGIN { print "a,b,c,d,y"; srand(7)
    for (j = 0; j < 150; j++) {
        y = j < 50
        printf "%.1f,%.1f,%.1f,%.1f,%d\n", 5 + 1.2 * !y + rand(), 3.4 - .6 * !y + rand() / 2,
            1.5 + 3.4 * !y + rand() * (.3 + !y), .2 + 1.4 * !y + rand() / 3, y
    } }' >apart.csv
for seed in 1 2 3 4; do
    claim "network $seed settles" says 'edge +[0-9]+ settled' "$program" sim --data apart.csv --model glm --target-column y \
        --topology geometric:n=12,side=2,radius=1 --loss 0.2 --algorithm edge --rounds 2000 --tol 1e-9 --seed "$seed"
done
finish

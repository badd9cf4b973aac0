#!/bin/bash
# A node's memory for the model of its genesis left out prior, margins and scratch: with four columns
# and two components it ended with "out of memory".
# usage: issue_0015_room_for_the_model.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

for D in 1 2 3 4 6 9; do
    awk -v D="$D" 'BEGIN { srand(3); printf "site"; for (d = 1; d <= D; d++) printf ",x%d", d; print ""
        for (i = 0; i < 120; i++) { printf "%d", i % 4
            for (d = 1; d <= D; d++) printf ",%.6f", 8 * (i % 3 == 0) + rand(); print "" } }' >rows.csv
    for K in 1 2; do
        "$program" genesis --data rows.csv --node-column site --n-components "$K" --out genesis.json >/dev/null
        for genesis in genesis.json sample; do
            claim "$D columns, $K components, $genesis" status_is 0 "$program" up --virtual --data rows.csv \
                --node-column site --topology ring:n=4 --n-components "$K" --genesis "$genesis" --until 5s
        done
    done
done
finish

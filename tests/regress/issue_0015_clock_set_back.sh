#!/bin/bash
# A node whose clock was set back waited for the old reading before its next tick: one that was
# alone, or cut off while it was at rest, stood still for as long.
# usage: issue_0015_clock_set_back.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

two_clusters 6 30
for jump in -100000 -31536000 31536000; do
    printf 'time,event,a,b\n5,clock,6,%s\n5.5,cut,5,6\n' "$jump" >schedule.csv
    claim "a clock that jumps by $jump s: the network settles" status_is 0 "$program" up --virtual --data rows.csv \
        --node-column site --label-column kind --topology path:n=6 --n-components 2 --schedule schedule.csv \
        --time 400s --out result
    claim "the node knows that it is alone" [ "$(value result/nodes/6/status.json verdict)" = alone ]
done
finish

#!/bin/bash
# A node believed the leader's beat over a link that carries frames one way only. Such a link is not
# averaged over, so N, one over the average of the leader's 1, grew without end.
# usage: issue_0015_one_way_leader.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

two_clusters 6 30
printf 'time,event,a,b\n3,oneway,4,3\n' >schedule.csv
is_three() { awk -v x="$1" 'BEGIN { exit !(x > 3 - 1e-9 && x < 3 + 1e-9) }'; }
claim "both ends settle" status_is 0 "$program" up --virtual --data rows.csv --node-column site \
    --label-column kind --topology path:n=6 --n-components 2 --schedule schedule.csv --time 400s --out result
for node in 1 2 3 4 5 6; do
    claim "node $node knows three nodes" is_three "$(value "result/nodes/$node/status.json" n_nodes)"
done
claim "they follow their own lowest" [ "$(value result/nodes/6/status.json leader)" = 4 ]
finish

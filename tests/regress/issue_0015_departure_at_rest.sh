#!/bin/bash
# At rest nodes tick once a second, and time-outs were 20 ticks: a node that left was missed after 20 s, with
# loss after minutes, because gaps between the frames of nodes at rest counted as slowness of the link.
# usage: issue_0015_departure_at_rest.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

two_clusters 6 30
printf 'time,event,a,b\n60,leave,6,\n' >leaves.csv
printf 'time,event,a,b\n60,leave,1,\n' >leads.csv
for loss in 0 .3; do
    for schedule in leaves leads; do
        claim "$schedule, loss $loss: the run ends" status_is 0 "$program" up --virtual --data rows.csv \
            --node-column site --label-column kind --topology complete:n=6 --n-components 2 --loss $loss \
            --schedule $schedule.csv --until 72s --out "$schedule"
        claim "$schedule, loss $loss: before it was over all rested" grep -q '^59.9[0-9]*,6,6,1,' "$schedule/trace.csv"
        claim "$schedule, loss $loss: twelve seconds later all have settled and count five" \
            grep -q '^72.*,5,5,1,.*,5,5,5,[0-9]*$' <(tail -n 1 "$schedule/trace.csv")
    done
done
finish

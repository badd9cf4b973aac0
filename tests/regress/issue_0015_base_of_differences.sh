#!/bin/bash
# With --wire float16 a node acknowledged frames whose vector it had not kept, because they were of another run or
# it had none yet, and one that returned with a checkpoint took over acknowledgements of its former life: up to 32
# frames after that were refused (cause value), being differences to a vector that was not there.
# usage: issue_0015_base_of_differences.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

two_clusters 6 30
printf 'time,event,a,b\n.02,partition,"1 2 3",\n4,rejoin,,\n' >parts.csv
printf 'time,event,a,b\n4,join,6,\n' >joins.csv
printf 'time,event,a,b\n1,kill,2,\n1.1,start,2,\n2,kill,5,\n2.5,start,5,\n3,kill,1,\n3.8,start,1,\n4,wipe,2,\n4.2,start,2,\n' >lives.csv
none_refused() { # none_refused FOLDER: every node is there, and none has refused a frame for a number in it
    [ "$(find "$1/nodes" -mindepth 1 -maxdepth 1 | wc -l)" = 6 ] && ! grep -h '"value": [1-9]' "$1"/nodes/*/status.json
}
for schedule in parts joins lives; do
    for loss in 0 .3; do
        claim "$schedule, loss $loss: it settles" status_is 0 "$program" up --virtual --data rows.csv \
            --node-column site --label-column kind --topology complete:n=6 --n-components 2 --wire float16 \
            --loss $loss --checkpoint-ticks 40 --schedule $schedule.csv --time 120s --seed 3 --out $schedule
        claim "$schedule, loss $loss: no frame lacks its base" none_refused $schedule
    done
done
finish

#!/bin/bash
# With --window TIME: up failed with "no node has rows: nothing to scale" once all rows had left; a node without rows
# whose leader was gone waked and rested in turns and went on to count the nodes that had left; a blank node that
# joined where no neighbour had rows stayed outside the domain with the posterior it had begun with.
# usage: issue_0015_window_by_age.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

two_clusters 5 30
"$program" genesis --data rows.csv --node-column site --label-column kind --n-components 2 --out genesis.json >/dev/null
run() { # run OUT SCHEDULE OPTION...
    "$program" up --virtual --data rows.csv --node-column site --label-column kind --topology star:n=5 --n-components 2 \
        --genesis genesis.json --window 5s --schedule "$2" --time 300s --seed 3 --out "$1" "${@:3}"
}
counts() { # counts FOLDER NODE N ROWS
    grep -q "\"rows\": $4," "$1/nodes/$2/status.json" &&
        /usr/bin/python3 -c 'import json, sys; sys.exit(abs(json.load(open(sys.argv[1]))["n_nodes"] - float(sys.argv[2])) > 1e-9)' \
            "$1/nodes/$2/status.json" "$3"
}
printf 'time,event,a,b\n20,pause,2,1\n' >calm.csv
printf 'time,event,a,b\n20,partition,5,\n' >parted.csv
printf 'time,event,a,b\n20,wipe,4,\n22,start,4,\n' >blank.csv
printf 'time,event,a,b\n9,clock,2,40000000\n9.5,clock,3,-40000000\n20,clock,2,-3\n30,pause,2,1\n' >jumps.csv
claim 'a network whose rows have all left settles at the prior' status_is 0 run calm calm.csv
claim 'it has no rows and counts its nodes' counts calm 3 5 0
claim 'a node without rows that is cut off settles' status_is 0 run parted parted.csv
claim 'it counts itself alone' counts parted 5 1 0
claim 'a node that joins where nobody has rows settles' status_is 0 run blank blank.csv
claim 'it was given its rows again' counts blank 4 5 30
claim 'a clock that jumps lets rows leave at last' status_is 0 run jumps jumps.csv
claim 'no row is kept' counts jumps 3 5 0
claim 'nor at the other node' counts jumps 2 5 0
finish

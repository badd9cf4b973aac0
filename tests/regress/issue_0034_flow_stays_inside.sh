#!/bin/bash
# FLOW failed on stars and small networks whose clusters overlap and whose nodes have few rows: nodes left
# the domain again and again for ever.
# usage: issue_0034_flow_stays_inside.sh PROGRAM
# shellcheck disable=SC2317
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

overlapping() { # overlapping NODES SEED: three clusters, 1 to 200 rows a node
    awk -v nodes="$1" -v seed="$2" 'function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand()) }
        BEGIN { srand(seed); print "x,y,node"
            for (k = 0; k < 3; k++) { a[k] = 1.5 * normal(); b[k] = 1.5 * normal() }
            for (i = 0; i < nodes; i++) for (n = int(200 ^ rand()); n > 0; n--) {
                k = rand() < .6 ? int(3 * i / nodes) : int(3 * rand())
                print a[k] + normal() "," b[k] + normal() "," i + 1
            } }' >"overlap$1.$2.csv"
}
flow() { # flow TOPOLOGY DATA ROUNDS OPTION..
    local topology=$1 data=$2 rounds=$3
    shift 3
    "$program" sim --data "$data" --node-column node --topology "$topology" --n-components 3 --algorithm flow \
        --rounds "$rounds" "$@"
}
for seed in 1 2 3 4; do
    overlapping 20 $seed
    overlapping 16 $seed
    claim "a lossy star, draw $seed: no node ends outside the domain" refuted says 'flow: failed' \
        flow star:n=20 overlap20.$seed.csv 3000 --loss-directed .3
    claim "two cliques, draw $seed: neither" refuted says 'flow: failed' \
        flow barbell:clique=8,path=0 overlap16.$seed.csv 3000 --loss-directed .3
done
"$program" data synthetic --nodes 20 --rows 20 --seed 1 --out star.csv >/dev/null
claim "a star of 20 settles" flow star:n=20 star.csv 1500 --label-column label --require-settled
claim "with loss, too" flow star:n=20 star.csv 4500 --label-column label --loss-directed .3 --require-settled
finish

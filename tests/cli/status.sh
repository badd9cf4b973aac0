#!/usr/bin/env bash
# status.sh PROGRAM: no run fails silently: exit status 3 and 4 of sim and fit.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

two_clusters 4 20
sim=("$program" sim --data rows.csv --node-column site --label-column kind --network links.csv --n-components 2)
# An undamped step on a network whose nodes have few rows each: every node leaves the domain.
awk -v OFS=, 'BEGIN { srand(7); print "x,y,node"; for (i = 0; i < 300; i++) print rand() + 3 * (i % 3), rand() - 5 * (i % 2), i % 60 }' >few.csv
lost=("$program" sim --data few.csv --node-column node --topology star:n=60 --n-components 3 --rounds 60
    --edge.eta 1 --edge.kappa 0.01 --prior weak --init kmeans++)

claim "a run that settles ends with status 0" status_is 0 "${sim[@]}" --algorithm cvb,edge --require-settled
claim "one that does not end by itself is no failure" status_is 0 "${sim[@]}" --algorithm edge --rounds 3
claim "unless it is required to settle: status 4" status_is 4 "${sim[@]}" --algorithm edge --rounds 3 --require-settled
claim "with its results" says '"verdict": "moving"' "${sim[@]}" --algorithm edge --rounds 3 --require-settled --json
slow=("${sim[@]}" --algorithm edge --edge.eta 0.05)
claim "and how many rounds are missing" says 'warning: edge: moving: --rounds 100 used up.*; about [0-9]+ more rounds: --rounds [0-9]+$' \
    "${slow[@]}" --rounds 100
enough() { # the rounds that it names, and a fifth more, are enough
    "${slow[@]}" --rounds 100 2>&1 >/dev/null | sed -n 's/.*--rounds \([0-9]*\)$/\1/p' >more.txt
    status_is 0 "${slow[@]}" --rounds $(($(cat more.txt) * 6 / 5)) --require-settled
}
claim "which is about right" enough
claim "one of several is enough" status_is 4 "${sim[@]}" --algorithm cvb,edge --rounds 40 --require-settled
claim "when every distributed algorithm has failed: status 3" status_is 3 "${lost[@]}" --algorithm edge --out lost
claim "with its results, which say so" grep -q '"verdict": "failed"' lost/summary.json
claim "and why the first of them has no step" grep -q '"reason": "[^"]*outside' lost/summary.json
claim "central VB beside it changes nothing" status_is 3 "${lost[@]}" --algorithm cvb,edge
claim "another algorithm that did not fail does: a warning" says 'warning: edge: failed: [0-9]* nodes* ended outside the domain: .' "${lost[@]}" --algorithm edge,nsg
claim "and status 0" status_is 0 "${lost[@]}" --algorithm edge,nsg
claim "fit settles" status_is 0 "$program" fit --data rows.csv --label-column kind --n-components 2 --require-settled
claim "or not: status 4" status_is 4 "$program" fit --data rows.csv --label-column kind --n-components 2 --rounds 2 --require-settled
finish

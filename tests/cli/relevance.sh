#!/usr/bin/env bash
# relevance.sh PROGRAM: regressions with --linreg.relevance on, from rows to every file that is made of
# the answer.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

awk 'BEGIN { srand(1); print "site,a,b,c,y"
    for (j = 0; j < 120; j++) { a = rand(); b = rand(); c = rand(); print j % 6 "," a "," b "," c "," 1 + 3 * a + .2 * rand() - .5 * c } }' >rows.csv
cut -d, -f2- rows.csv >all.csv
regression=(--model linreg --target-column y --linreg.relevance on)
network=(--data rows.csv --node-column site "${regression[@]}" --topology ring:n=6)
fit() { "$program" fit --data all.csv "${regression[@]}" --rounds 20000 "$@"; }

"$program" fit --data all.csv --model linreg --target-column y --out plain.json >/dev/null
claim "files without it do not say so" refuted grep -q relevance plain.json
fit --out on.json --trace on.csv --tol 1e-12 >/dev/null
claim "the file says what it is" grep -q '"relevance": "on"' on.json
claim "the bound never falls" rises on.csv
claim "the input that explains nothing fades" python3 -c "
import json
p = json.load(open('on.json'))
assert p['relevance_mean'][1] > 100 * p['relevance_mean'][0] and abs(p['coef'][1]) < 1e-2 < abs(p['coef'][2])"
claim "a network that loses 30 % of its messages settles" says 'edge +[0-9]+ settled' \
    "$program" sim "${network[@]}" --loss 0.3 --algorithm edge,cvb,tree --tol 1e-9 --rounds 20000 --out net
claim "at the answer of central VB" near net/posterior-edge.json net/posterior-cvb.json 1e-8
claim "TREE too" near net/posterior-tree.json net/posterior-cvb.json 1e-8
claim "which is fit's" near net/posterior-cvb.json on.json 1e-8
claim "the report is there" test -s net/report.html
claim "a mesh" "$program" up --virtual "${network[@]}" --loss 0.2 --genesis sums --tol 1e-9 --out mesh
claim "finds it" near mesh/posterior.json on.json 1e-6
claim "a genesis" "$program" genesis --data all.csv "${regression[@]}" --out g.json
claim "begins a mesh" "$program" up --virtual "${network[@]}" --genesis g.json --tol 1e-9 --out given
claim "to the same answer" near given/posterior.json on.json 1e-6
claim "but none without relevance" says 'relevance is off here and on there' \
    "$program" up --virtual --data rows.csv --node-column site --model linreg --target-column y --topology ring:n=6 --genesis g.json
claim "it is no prior of more rows" says "parts of this model's prior depend on each other" fit --prior posterior:on.json
claim "not compared with one without" says 'relevance is on in .* and off' "$program" compare on.json plain.json
claim "no mean of the prior beside it" says 'expected neither' fit --prior.m0 1,2,3,4
claim "no precision either" says 'expected neither' fit --prior.lambda0 2
claim "noise can be given" fit --prior.a0 2 --prior.b0 0.1
claim "the weak prior" fit --prior weak
claim "without an intercept" fit --intercept off
claim "columns' own scale" fit --standardize off --tol 1e-12 --out raw.json
claim "is the same" near raw.json on.json 1e-8
claim "the same file again" "$program" export --posterior on.json --format json --out again.json
claim "to the byte" cmp again.json on.json
claim "densities" says 'mean log predictive density' "$program" score --posterior on.json --data all.csv
claim "predictions" says 'row,mean,sd,lower,upper' "$program" predict --posterior on.json --data all.csv
claim "parameters with relevances" says 'noise_variance,relevance.a,relevance.b,relevance.c' \
    "$program" sample --posterior on.json --what parameters --rows 2
claim "not of a mixture: status 2" status_is 2 "$program" fit --data all.csv --linreg.relevance on
finish

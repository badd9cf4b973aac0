#!/usr/bin/env bash
# former.sh PROGRAM: yesterday's answer as today's prior or initialisation, and what a singular
# covariance and a network say of the empirical prior.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

two_clusters 6 30
cut -d, -f1,2 rows.csv >xy.csv
head -n 91 xy.csv >one.csv
{ head -n 1 xy.csv && tail -n 90 xy.csv; } >two.csv
fit() { "$program" fit "$@"; }
line=(--model linreg --target-column b --prior.a0 1 --prior.b0 2 --prior.m0 0 --prior.lambda0 .5)
fit --data one.csv "${line[@]}" --out half.json >/dev/null
fit --data xy.csv "${line[@]}" --out all.json >/dev/null
claim "regression: the second half with the first's answer as prior" \
    fit --data two.csv --model linreg --target-column b --prior posterior:half.json --out both.json
claim "is the answer of all rows" close_to all.json both.json 1e-10
claim "and so it is over a network" "$program" sim --data two.csv --model linreg --target-column b \
    --topology ring:n=5 --prior posterior:half.json --tol 1e-10 --out net
claim "to what the nodes agree" close_to all.json net/posterior.json 1e-7
# shellcheck disable=SC2054 # commas inside values
one=(--n-components 1 --prior.alpha0 2 --prior.beta0 .5 --prior.mu0 1,2 --prior.nu0 4 --prior.w0inv 2)
fit --data one.csv "${one[@]}" --out half1.json >/dev/null
fit --data xy.csv "${one[@]}" --out all1.json >/dev/null
claim "one component: the second half after the first" \
    fit --data two.csv --n-components 1 --prior posterior:half1.json --out both1.json
claim "is the answer of all rows, too" close_to all1.json both1.json 1e-10

fit --data xy.csv --out p.json >/dev/null
claim "a fit starts from its own answer" fit --data xy.csv --init posterior:p.json --out again.json
claim "and stays there" close_to p.json again.json 1e-5
claim "so does a network" "$program" sim --data xy.csv --topology star:n=6 --init posterior:p.json --out star
claim "whose answer is the same" close_to p.json star/posterior.json 1e-4
claim "several initialisations make no difference" says 'makes no difference' \
    fit --data xy.csv --init posterior:p.json --n-init 3
claim "the options are in the posterior" grep -q '"init": "posterior:p.json"' again.json

claim "the network says what it revealed" grep -q 'every node knows the mean, standard deviation, range and covariance' star/summary.json
"$program" sim --data xy.csv --topology star:n=6 --prior weak --out weak >/dev/null
claim "less with --prior weak" grep -q 'every node knows the mean, standard deviation and range of each' weak/summary.json
fit --data xy.csv --out alone >/dev/null
claim "one machine reveals nothing" grep -q '"revealed": null' alone/summary.json
awk -F, 'NR == 1 { print "a,b,c" } NR > 1 { printf "%s,%s,%.6f\n", $1, $2, 2 * $1 - $2 }' xy.csv >flat.csv
claim "a singular covariance is warned of" says 'warning: the covariance of the rows is singular' fit --data flat.csv
claim "not with --prior weak" refuted says 'singular' fit --data flat.csv --prior weak
awk -F, 'NR == 1 { print } NR > 1 { print $1 * 1e-9 "," $2 * 1e6 }' xy.csv >units.csv
claim "units do not make it singular" refuted says 'singular' fit --data units.csv
claim "help empirical says what it reveals" says 'reveals sums over all rows' "$program" help empirical

turn() { awk -F, -v OFS=, '{ print $2, $1 }' xy.csv >turned.csv; }
turn
for option in init prior; do
    claim "--$option: columns in another order are refused" says 'p.json: feature 1: got "a"; expected "b"' \
        fit --data turned.csv "--$option" posterior:p.json
    claim "--$option: other components" says 'p.json: got 2 components; expected 3' \
        fit --data xy.csv --n-components 3 "--$option" posterior:p.json
    claim "--$option: another model's answer is refused" says 'half.json: field "model"' \
        fit --data xy.csv "--$option" posterior:half.json
    claim "--$option: a file that is missing" says 'absent.json: cannot read' \
        fit --data xy.csv "--$option" posterior:absent.json
done
claim "single options exclude a former answer" status_is 2 fit --data xy.csv --prior posterior:p.json --prior.nu0 4
claim "merging excludes a former answer as prior" says 'error: --prune on and --prior posterior:FILE.json exclude each other' \
    fit --data xy.csv --prior posterior:p.json --prune on
claim "with status 2" status_is 2 fit --data xy.csv --prior posterior:p.json --prune on
claim "not a former answer as initialisation" fit --data xy.csv --init posterior:p.json --prune on
for list in 1,2 1..3 auto; do
    claim "--n-components $list excludes it in one line" \
        says "--n-components: got $list; expected one number: --prior reads a file with as many components" \
        fit --data xy.csv --prior posterior:p.json --n-components "$list"
    claim "and no other line" test "$(wc -l <said.txt)" -eq 1
done
claim "also in a network" says '--n-components: got 1,2; expected one number' "$program" sim --data xy.csv \
    --topology ring:n=5 --prior posterior:p.json --n-components 1,2
finish

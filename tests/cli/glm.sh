#!/usr/bin/env bash
# glm.sh PROGRAM: generalised linear models, from rows to every file that is made of the answer.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

awk 'BEGIN { srand(1); print "site,a,b,y,n"
    for (j = 0; j < 120; j++) {
        a = rand(); b = rand(); u = rand()
        print j % 6 "," a "," b "," (u < 1/(1 + exp(2 - 5 * a))) "," int(-log(u) * exp(2 * a))
    } }' >rows.csv
fit() { "$program" fit --model glm "$@"; }

for link in logistic poisson; do
    [[ $link == logistic ]] && target=y other=n || target=n other=y
    glm=(--model glm --glm.link "$link" --target-column "$target")
    cut -d, -f"2,3,$([[ $link == logistic ]] && echo 4 || echo 5)" rows.csv >one.csv
    network=(--data rows.csv --drop "$other" --node-column site "${glm[@]}" --topology ring:n=6)
    "$program" fit --data one.csv "${glm[@]}" --out $link.json --trace $link.csv --tol 1e-12 >/dev/null
    claim "$link: the file says what it is" grep -q '"model": "glm"' $link.json
    claim "$link: the bound never falls" rises $link.csv
    claim "$link: a network that loses 30 % of its messages settles" says 'edge +[0-9]+ settled' \
        "$program" sim "${network[@]}" --loss 0.3 --algorithm edge,cvb,tree --tol 1e-9 --rounds 4000 --out net-$link
    claim "$link: at the answer of central VB" near net-$link/posterior-edge.json net-$link/posterior-cvb.json 1e-8
    claim "$link: TREE too" near net-$link/posterior-tree.json net-$link/posterior-cvb.json 1e-8
    claim "$link: which is fit's" near net-$link/posterior-cvb.json $link.json 1e-8
    claim "$link: the report is there" test -s net-$link/report.html
    claim "$link: a mesh" "$program" up --virtual "${network[@]}" --loss 0.2 --genesis sums --tol 1e-9 --out mesh-$link
    claim "$link: finds it" near mesh-$link/posterior.json $link.json 1e-6
    claim "$link: a genesis" "$program" genesis --data one.csv "${glm[@]}" --out g-$link.json
    claim "$link: begins a mesh" "$program" up --virtual "${network[@]}" --genesis g-$link.json --tol 1e-9 --out given-$link
    claim "$link: to the same answer" near given-$link/posterior.json $link.json 1e-6
    claim "$link: as a prior of more rows" "$program" fit --data one.csv "${glm[@]}" --prior posterior:$link.json
    claim "$link: columns' own scale" "$program" fit --data one.csv "${glm[@]}" --standardize off --tol 1e-12 --out raw.json
    claim "$link: is the same" near raw.json $link.json 1e-8
    claim "$link: single precision" "$program" fit --data one.csv "${glm[@]}" --precision float32 --out narrow.json
    claim "$link: is close" near narrow.json $link.json 1e-6
    claim "$link: the same file again" "$program" export --posterior $link.json --format json --out again.json
    claim "$link: to the byte" cmp again.json $link.json
    claim "$link: densities" says 'mean log predictive density -[0-9]' "$program" score --posterior $link.json --data one.csv
    [[ $link == logistic ]] && table='row,label,probability,lower,upper' || table='row,mean,sd,lower,upper'
    claim "$link: predictions" says "^$table\$" "$program" predict --posterior $link.json --data one.csv
    claim "$link: the interval alone" says '^mean,lower,upper$' \
        "$program" predict --posterior $link.json --data one.csv --what interval
    claim "$link: mean and variance" says '^mean,variance$' \
        "$program" predict --posterior $link.json --data one.csv --what mean
    claim "$link: no responsibilities" says 'which model glm does not predict; expected mean' \
        "$program" predict --posterior $link.json --data one.csv --what responsibilities
    claim "$link: parameters" says 'draw,intercept,coef.a,coef.b' "$program" sample --posterior $link.json --what parameters --rows 2
    claim "$link: no attributes of scikit-learn" refuted "$program" export --posterior $link.json --format sklearn --out s.npz
    claim "$link: without an intercept" "$program" fit --data one.csv "${glm[@]}" --intercept off
done
claim "links are not compared" says 'link is logistic in' "$program" compare logistic.json poisson.json
claim "a genesis of another link" says 'link is poisson here and logistic there' \
    "$program" up --virtual "${network[@]}" --genesis g-logistic.json
claim "counts are not flags" says 'one.csv:3: column "n": got [0-9]+; expected a flag: 0 or 1$' fit --data one.csv --target-column n
awk -F, 'NR == 4 { $3 = -1 } { OFS = ","; $1 = $1; print }' one.csv >negative.csv
claim "a negative count" says 'negative.csv:4: column "n": got -1; expected a count: a whole number from 0 up$' fit --glm.link poisson --data negative.csv --target-column n
claim "status 2" status_is 2 fit --glm.link probit --data one.csv --target-column n
awk 'BEGIN { print "a,y"; for (j = 0; j < 40; j++) print j / 7 "," (j >= 20) }' >apart.csv
claim "classes that a line separates have a finite answer" says 'settled' fit --data apart.csv --target-column y --trace apart.t.csv
claim "to which the bound rises" rises apart.t.csv
claim "and are named as such" says 'the inputs separate the rows where "y" is 0 from those where it is 1' \
    fit --data apart.csv --target-column y
cut -d, -f2-4 rows.csv >mixed.csv
claim "those that overlap have an answer" says 'settled' fit --data mixed.csv --target-column y
claim "and are not" refuted says 'inputs separate' fit --data mixed.csv --target-column y
claim "also with a prior that is nearly flat" says 'settled' \
    fit --data apart.csv --target-column y --prior.lambda0 1e-4 --trace flat.t.csv
claim "to which the bound rises, too" rises flat.t.csv
awk 'BEGIN { print "a,y"; for (j = 0; j < 40; j++) print j / 7 ",1" }' >one-class.csv
claim "a target that is constant is named" says 'target "y" is constant \(1\): nothing explains it' fit --data one-class.csv --target-column y
claim "a single class has one" says 'settled' fit --data one-class.csv --target-column y
claim "constant counts too" says 'settled' fit --glm.link poisson --data one-class.csv --target-column y
finish

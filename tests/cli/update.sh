#!/usr/bin/env bash
# update.sh PROGRAM: an answer that learns batch by batch (fit --update).
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

fit() { "$program" fit "$@"; }
# field FILE NAME: a number of a posterior file.
field() { sed -n "s/^ *\"$2\": \([-+0-9.e]*\),*\$/\1/p" "$1" | head -n 1; }
# close A B LIMIT
close() { awk -v a="$1" -v b="$2" -v limit="$3" 'BEGIN { d = a - b; exit !((d < 0 ? -d : d) <= limit) }'; }

two_clusters 6 30
cut -d, -f1,2 rows.csv >xy.csv
for k in 1 2 3 4 5 6 7 8 9 10; do # every tenth row
    awk -v k="$k" 'NR == 1 || NR % 10 == k % 10' xy.csv >"batch$k.csv"
done
# learn OPTIONS..: the batches one by one into learnt.json, with --forget $forget
learn() {
    fit --data batch1.csv "$@" --out learnt.json
    for k in 2 3 4 5 6 7 8 9 10; do
        fit --update learnt.json --forget "$forget" --data "batch$k.csv" --out learnt.json
    done
}
for k in 1 2 3 4 5 6 7 8 9 10; do
    awk -F, -v OFS=, -v k="$k" 'NR == 1 { if (k == 1) print $0, "w" } NR > 1 { printf "%s,%.17g\n", $0, .9 ^ (10 - k) }' "batch$k.csv"
done >faded.csv
awk -F, -v OFS=, '{ print $1, $2, (NR == 1 ? "c" : $1 * $1 - $2) }' xy.csv >three.csv

line=(--model linreg --target-column b --prior.a0 1 --prior.b0 2 --prior.m0 0 --prior.lambda0 .5)
forget=1
claim "a regression learns from ten batches" learn "${line[@]}"
fit --data xy.csv "${line[@]}" --out all.json >/dev/null
claim "what it learns from all rows" close_to all.json learnt.json 1e-10
claim "it has seen as many rows" test "$(grep '"rows"' learnt.json)" = "$(grep '"rows"' all.json)"
claim "of the same weight" close "$(field learnt.json weight_total)" "$(field all.json weight_total)" 1e-9
claim "the bounds add up" close "$(field learnt.json bound)" "$(field all.json bound)" 1e-8
claim "its prior is the first one" grep -q '"shape": 1.0,' learnt.json
forget=.9
claim "it forgets" learn "${line[@]}"
fit --data faded.csv "${line[@]}" --weight-column w --out faded.json >/dev/null
claim "as if earlier rows weighed less" close_to faded.json learnt.json 1e-10
claim "which the file says" close "$(field learnt.json weight_total)" "$(field faded.json weight_total)" 1e-9
claim "and its bound" close "$(field learnt.json bound)" "$(field faded.json bound)" 1e-8

# shellcheck disable=SC2054 # commas inside values
both=(--model linreg --target-column b,c --prior.a0 1 --prior.b0 2 --prior.m0 0 --prior.lambda0 .5)
head -n 61 three.csv >first.csv
{ head -n 1 three.csv && tail -n +62 three.csv; } >rest.csv
fit --data three.csv "${both[@]}" --out all2.json >/dev/null
fit --data first.csv "${both[@]}" --out half.json >/dev/null
claim "several targets" fit --update half.json --data rest.csv --out both.json
claim "are learnt the same" close_to all2.json both.json 1e-10
awk -F, -v OFS=, '{ print "n" NR, $3, $2, $1 }' rest.csv | sed '1s/n1/site/' >turned.csv
claim "columns are found by their names" fit --update half.json --data turned.csv --out turned.json
claim "wherever they are" close_to both.json turned.json 1e-12

fit --data batch1.csv --n-components 2 --out mixture.json >/dev/null
cp mixture.json before.json
claim "a mixture needs no option again" fit --update mixture.json --data batch2.csv --out mixture.json
claim "its prior stays" test "$(sed -n '/"prior": {/,$p' before.json)" = "$(sed -n '/"prior": {/,$p' mixture.json)"
claim "the options are in the file" grep -q '"update": "mixture.json"' mixture.json
head -n 2 batch3.csv >one.csv
claim "a batch may be one row" fit --update mixture.json --data one.csv --out one.json
claim "which counts" grep -q "\"rows\": $(($(grep -c . batch1.csv) + $(grep -c . batch2.csv) - 1))" one.json
claim "an answer goes into a folder, too" fit --update mixture.json --data batch4.csv --out folder
claim "with all rows" test "$(grep -c '"forget"\|"update"' folder/posterior.json)" = 1
for type in diag spherical tied; do
    fit --data batch1.csv --covariance-type $type --out $type.json >/dev/null
    claim "$type" fit --update $type.json --data batch2.csv --out $type.json
    claim "keeps its form" grep -q "\"covariance_type\": \"$type\"" $type.json
done
fit --data batch1.csv --model tmm --n-components 2 --weight-concentration-prior-type dirichlet_process --out tmm.json >/dev/null
claim "a robust mixture with sticks" fit --update tmm.json --data batch2.csv --out tmm.json
awk -F, 'NR == 1 { print "size,colour" } NR > 1 { print $1 "," (NR % 3 ? "red" : NR % 2 ? "blue" : "green") }' xy.csv >mixed.csv
{ head -n 1 mixed.csv && grep red mixed.csv; } >red.csv
fit --data mixed.csv --model lca --n-components 2 --out lca.json >/dev/null
claim "latent classes know their categories, whatever a batch has" fit --update lca.json --data red.csv --out lca.json
awk -F, 'NR == 1 { print "x,y" } NR > 1 { print $1 "," (NR % 3 > 0) }' xy.csv >flags.csv
fit --data flags.csv --model glm --target-column y --out glm.json >/dev/null
claim "a logistic regression" fit --update glm.json --data flags.csv --out glm.json
claim "whose bounds do not add up, so that none is written" refuted grep -q '"bound"' glm.json

fit --data xy.csv --model linreg --target-column b --linreg.relevance on --out relevant.json >/dev/null
claim "relevances cannot be updated" says 'relevant.json: parts of this model.s prior depend on each other' \
    fit --update relevant.json --data xy.csv --out none.json
claim "nothing is written" test ! -e none.json
claim "other columns are refused" says 'red.csv: no column "a"' fit --update mixture.json --data red.csv
claim "other components" says '--n-components: got 3; expected 2, that of mixture.json' \
    fit --update mixture.json --data batch2.csv --n-components 3
claim "another model" says '--model: got tmm; expected gmm, that of mixture.json' \
    fit --update mixture.json --data batch2.csv --model tmm
claim "several numbers of them" says 'expected one number: --update reads a file with as many components' \
    fit --update mixture.json --data batch2.csv --n-components 1..3
claim "another prior" says '--prior.nu0 and --update exclude each other: the prior is that of mixture.json' \
    fit --update mixture.json --data batch2.csv --prior.nu0 5
claim "another initialisation" says '--init and --update exclude each other' \
    fit --update mixture.json --data batch2.csv --init farthest
claim "pruning" says '--prune on and --update exclude each other' \
    fit --update mixture.json --data batch2.csv --prune on
claim "to forget all" says '--forget: got "0"' fit --update mixture.json --data batch2.csv --forget 0
claim "to forget without an answer" says '--forget requires --update' fit --data batch2.csv --forget .5
claim "a file that is missing" says 'absent.json: cannot read' fit --update absent.json --data xy.csv
claim "with status 2 or 1" refuted fit --update absent.json --data xy.csv
cp mixture.json kept.json
sed '4s/.*/1,x/' batch2.csv >bad.csv
claim "a bad row is refused" says 'bad.csv:4' fit --update mixture.json --data bad.csv --out mixture.json
claim "and the answer is what it was" cmp kept.json mixture.json
finish

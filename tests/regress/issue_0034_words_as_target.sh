#!/usr/bin/env bash
# A logistic target of two words is taken as 0 and 1 are: the answer is the same to the bit, says which
# word is the second, and predict, score, update, --follow, networks, meshes and a genesis know them.
# predict gives label, probability and its interval, of counts the interval of their mean.
# shellcheck disable=SC2317
# shellcheck disable=SC2016 # awk programs
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

awk 'BEGIN { srand(5); print "site,a,b,y,n"
    for (j = 0; j < 120; j++) { a = rand(); b = rand(); u = rand()
        print j % 6 "," a "," b "," (u < 1/(1 + exp(2 - 5 * a))) "," int(-log(u) * exp(a)) } }' >all.csv
cut -d, -f2-4 all.csv >flag.csv
words() { awk -F, -v no="$1" -v yes="$2" 'BEGIN { OFS = "," } NR > 1 { $3 = $3 ? yes : no } { print }' flag.csv; }
words no yes >words.csv
glm=(--model glm --target-column y)
fit() { "$program" fit "${glm[@]}" "$@"; }
numbers() { tr -d '\n ' <"$1" | sed 's/.*"intercept":\(.*\)"prior".*/\1/'; }
same() { diff <(numbers "$1") <(numbers "$2"); }

fit --data flag.csv --out flag.json >/dev/null
claim "a target of two words" says 'coefficients of "yes" against "no"$' fit --data words.csv --out words.json
claim "has the answer of 0 and 1" same words.json flag.json
claim "and its levels in the file" levels words.json '"no","yes"'
claim "which is written again" "$program" export --posterior words.json --format json --out again.json
claim "to the byte" cmp again.json words.json
words FALSE TRUE >truth.csv
claim "TRUE and FALSE" says 'coefficients of "TRUE" against "FALSE"$' fit --data truth.csv --out truth.json
claim "are the same" same truth.json flag.json
claim "the order can be given" says 'coefficients of "no" against "yes"$' \
    fit --data words.csv --target-levels yes,no --out turned.json
claim "and turns the signs" same turned.json <(awk -F, 'BEGIN { OFS = "," } NR > 1 { $3 = 1 - $3 } { print }' flag.csv >opposite.csv &&
    fit --data opposite.csv --out opposite.json >/dev/null && cat opposite.json)
claim "two numbers are words when they are named" says 'coefficients of "2" against "1"$' \
    fit --data <(words 1 2) --target-levels 1,2
claim "a word that is not named" says 'words.csv:[0-9]+: column "y": got category "(yes|no)"; expected on, off' \
    fit --data words.csv --target-levels on,off
claim "three words" says 'the target has 3 categories; expected 2 \(--glm.link multinomial takes more\)' \
    fit --data <(sed '9s/[a-z]*$/perhaps/' words.csv)
claim "a single one" says 'the target has 1 category, "no"; expected 2' fit --data <(words no no)
claim "levels of Gaussians" says 'target-levels: got "a,b"; expected none' "$program" fit --data flag.csv --target-levels a,b
claim "categories may be ordered so, too" says 'coefficients of each level against "yes"$' \
    fit --data words.csv --glm.link multinomial --target-levels yes,no
claim "--columns need not list the target" fit --data words.csv --columns b --out b.json
claim "nor of a linear regression" "$program" fit --model linreg --target-column a --data flag.csv --columns b --out lin.json
claim "which has the inputs listed" says '^\(intercept\) |^b ' "$program" fit --model linreg --target-column a --data flag.csv --columns b

"$program" predict --posterior words.json --data words.csv >p.csv
claim "predictions are names with an interval" grep -qxE 'row,label,probability,lower,upper' p.csv
claim "whose probability is inside" awk -F, 'NR > 1 && !($2 ~ /^(yes|no)$/ && $3 >= .5 && $4 < $3 && $3 < $5) { exit 1 } END { exit NR != 121 }' p.csv
"$program" predict --posterior flag.json --data flag.csv >q.csv
claim "those of 0 and 1 are the same" cmp p.csv <(sed -E 's/^([0-9]+),1,/\1,yes,/; s/^([0-9]+),0,/\1,no,/' q.csv)
claim "probabilities have names" says '^p.no,p.yes$' "$program" predict --posterior words.json --data words.csv --what probabilities
density() { "$program" score --posterior "$1.json" --data "$1.csv" --samples; }
claim "scores are the same" cmp <(density words) <(density flag)
claim "of rows without a target too" "$program" predict --posterior words.json --data <(cut -d, -f1,2 words.csv)
cut -d, -f2,3,5 all.csv >counts.csv
"$program" fit --model glm --glm.link poisson --target-column n --data counts.csv --out counts.json >/dev/null
"$program" predict --posterior counts.json --data counts.csv >c.csv
claim "counts have the interval of their mean" grep -qxE 'row,mean,sd,lower,upper' c.csv
claim "around it" awk -F, 'NR > 1 && !($4 < $2 && $2 < $5) { exit 1 }' c.csv

head -n 61 words.csv >early.csv
{ head -n 1 words.csv && tail -n +62 words.csv; } >late.csv
"$program" fit "${glm[@]}" --data early.csv --out early.json >/dev/null
claim "updates know the words" "$program" fit --update early.json --data late.csv --out both.json
claim "and come close" near both.json words.json 0.2
claim "a batch may have one of them" "$program" fit --update early.json --data <(grep -v no late.csv) --out one.json
claim "others are refused" says 'got category "oui"; expected no, yes' "$program" fit --update early.json --data <(sed 's/yes/oui/' late.csv)
claim "rows that arrive" status_is 0 timeout 20 "$program" fit --follow - --update early.json --out streamed.json <late.csv
claim "are words as well" near streamed.json words.json 0.2
awk -F, 'BEGIN { OFS = "," } NR > 1 { $4 = $4 ? "yes" : "no" } { print }' all.csv >sites.csv
network=(--data sites.csv --drop n --node-column site "${glm[@]}" --topology ring:n=6)
claim "a network" "$program" sim "${network[@]}" --algorithm edge,cvb --tol 1e-9 --rounds 4000 --out net
claim "finds the same" near net/posterior-edge.json words.json 1e-8
claim "a mesh" "$program" up --virtual "${network[@]}" --genesis sums --tol 1e-9 --out mesh
claim "too" near mesh/posterior.json words.json 1e-6
claim "a genesis" "$program" genesis --data words.csv "${glm[@]}" --out g.json
claim "has the words" levels g.json '"no","yes"'
claim "and begins a mesh" "$program" up --virtual "${network[@]}" --genesis g.json --tol 1e-9 --out given
claim "to the same answer" near given/posterior.json words.json 1e-6
claim "a prior of other words" says 'its categories are not those of the rows' fit --data words.csv --prior posterior:turned.json
finish

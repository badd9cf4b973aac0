#!/usr/bin/env bash
# multinomial.sh PROGRAM: a category explained by columns, from rows to every file that is made of the
# answer.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

awk 'BEGIN { srand(3); print "site,kind,a,b"
    for (j = 0; j < 180; j++) {
        a = 3 * rand(); b = 10 * rand(); u = rand(); o = exp(a - 1); p = exp(2 - b / 3)
        kind = u < 1 / (1 + o + p) ? "oak" : u < (1 + o) / (1 + o + p) ? "ash" : "elm"
        print j % 6 "," kind "," a "," b
    } }' >rows.csv
cut -d, -f2- rows.csv >one.csv
awk -F, 'NR > 1 { $1 = $1 == "ash" ? 0 : $1 == "elm" ? 1 : 2 } { OFS = ","; print $2, $3, $1 }' one.csv >numbers.csv
model=(--model glm --glm.link multinomial)
glm=("${model[@]}" --target-column kind)
fit() { "$program" fit "${glm[@]}" "$@"; }

"$program" fit --data one.csv "${glm[@]}" --out p.json --trace t.csv --tol 1e-12 >said.txt
claim "the bound never falls" rises t.csv
claim "coefficients are of each level but the first" grep -q '^oak: b ' said.txt
claim "as the answer says" grep -q 'coefficients of each level against "ash"' said.txt
claim "levels keep their names in the file" levels p.json '"ash","elm","oak"'
network=(--data rows.csv --node-column site "${glm[@]}" --topology ring:n=6)
claim "a network that loses 30 % of its messages settles" says 'edge +[0-9]+ settled' \
    "$program" sim "${network[@]}" --loss 0.3 --algorithm edge,cvb,tree --tol 1e-9 --rounds 4000 --out net
claim "at the answer of central VB" near net/posterior-edge.json net/posterior-cvb.json 1e-8
claim "TREE too" near net/posterior-tree.json net/posterior-cvb.json 1e-8
claim "which is fit's" near net/posterior-cvb.json p.json 1e-8
claim "the report names the levels" grep -q 'oak: b' net/report.html
claim "a mesh" "$program" up --virtual "${network[@]}" --loss 0.2 --genesis sums --tol 1e-9 --out mesh
claim "finds it" near mesh/posterior.json p.json 1e-6
claim "a genesis" "$program" genesis --data one.csv "${glm[@]}" --out g.json
claim "has the levels" levels g.json '"ash","elm","oak"'
claim "begins a mesh" "$program" up --virtual "${network[@]}" --genesis g.json --tol 1e-9 --out given
claim "to the same answer" near given/posterior.json p.json 1e-6
claim "an answer is a genesis" "$program" genesis --prior posterior:p.json --data one.csv "${glm[@]}" --out again.json
claim "and a prior of more rows" "$program" fit --data one.csv "${glm[@]}" --prior posterior:p.json
claim "columns' own scale" "$program" fit --data one.csv "${glm[@]}" --standardize off --tol 1e-12 --out raw.json
claim "is the same" near raw.json p.json 1e-8
claim "single precision" "$program" fit --data one.csv "${glm[@]}" --precision float32 --out narrow.json
claim "is close" near narrow.json p.json 1e-6
claim "the same file again" "$program" export --posterior p.json --format json --out same.json
claim "to the byte" cmp same.json p.json
claim "densities" says 'mean log predictive density -[0-9]' "$program" score --posterior p.json --data one.csv
claim "labels are names" says '^[0-9]+,(oak|ash|elm),0\.[0-9]+,0\.[0-9]+,0\.[0-9]+$' "$program" predict --posterior p.json --data one.csv
claim "with their probability" says '^row,label,probability,lower,upper$' "$program" predict --posterior p.json --data one.csv
claim "alone, too" says '^(oak|ash|elm)$' "$program" predict --posterior p.json --data one.csv --what labels
claim "probabilities have the names of the levels" says '^p.ash,p.elm,p.oak$' \
    "$program" predict --posterior p.json --data one.csv --what probabilities
claim "NPY has numbers" "$program" predict --posterior p.json --data one.csv --out labels.npy
claim "no mean" says 'which model glm does not predict; expected labels or probabilities or interval' \
    "$program" predict --posterior p.json --data one.csv --what mean
claim "parameters" says 'draw,intercept.elm,intercept.oak,coef.elm.a,coef.elm.b,coef.oak.a' \
    "$program" sample --posterior p.json --what parameters --rows 2
claim "no attributes of scikit-learn" refuted "$program" export --posterior p.json --format sklearn --out s.npz
claim "without an intercept" says 'settled' fit --data one.csv --intercept off --out through.json
claim "again as a file" "$program" export --posterior through.json --format json --out same-through.json
claim "to the byte, too" cmp same-through.json through.json

head -n 91 one.csv >early.csv
{ head -n 1 one.csv && tail -n +92 one.csv; } >late.csv
"$program" fit --data early.csv "${glm[@]}" --out early.json >/dev/null
claim "an answer learns from further rows" "$program" fit --update early.json --data late.csv --out both.json
claim "and comes close to that of all" near both.json p.json 0.2
claim "with its levels" says 'got category "yew"; expected ash, elm, oak' \
    "$program" fit --update early.json --data <(sed '3s/^[a-z]*/yew/' late.csv) --out none.json
claim "rows that arrive need an answer that knows them" says 'needs --update FILE.json, an answer that knows the kinds' \
    "$program" fit --follow one.csv "${glm[@]}" --out none.json
claim "to which they are added" status_is 0 timeout 20 "$program" fit --follow - --update early.json --out streamed.json <late.csv
claim "as close" near streamed.json p.json 0.2

claim "numbers are categories" "$program" fit "${model[@]}" --target-column kind --data numbers.csv --tol 1e-12 --out n.json
claim "without names these are the numbers" levels n.json '"0","1","2"'
same_coef() { # the two files have the same precisions and means but names
    diff <(tr -d '\n ' <"$1" | sed 's/.*"intercept":\(.*\)"prior".*/\1/') <(tr -d '\n ' <"$2" | sed 's/.*"intercept":\(.*\)"prior".*/\1/')
}
claim "with the same coefficients" same_coef p.json n.json
npy() { # npy FROM TO: the rows of a CSV file without its names, 8 little-endian bytes a number
    local head n=$(($(wc -l <"$1") - 1))
    head="{'descr': '<f8', 'fortran_order': False, 'shape': ($n, 3), }"
    { printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "$head"
        tail -n +2 "$1" | tr ',' '\n' | perl -ne 'print pack("d<", $_)'; } >"$2"
}
npy numbers.csv numbers.npy
claim "and the same answer" "$program" fit "${model[@]}" --data numbers.npy --tol 1e-12 --out npy.json
claim "with numbers as levels" levels npy.json '"0","1","2"'
claim "the declared order decides about the base" says '^ash: a ' fit --data one.csv --column 'kind:category(oak|elm|ash)' --out order.json
claim "and about what is the same" says 'other categories' "$program" compare order.json p.json
claim "also of a prior" says 'its categories are not those of the rows' fit --data one.csv --prior posterior:order.json
claim "links are not compared" says 'link is multinomial in' "$program" compare p.json <("$program" fit --model glm --data numbers.csv \
    --glm.link poisson --target-column kind --out poisson.json >/dev/null && cat poisson.json)

claim "an unseen category of a row" says 'one.csv:2: column "kind": got category "[a-z]+"; expected' \
    fit --data one.csv --column 'kind:category(yew|box)'
sed '3s/^[a-z]*/yew/' one.csv >unseen.csv
claim "is named in score" says 'unseen.csv:3: column "kind": got category "yew"; expected ash, elm, oak' \
    "$program" score --posterior p.json --data unseen.csv
claim "and in predict" says 'got category "yew"' "$program" predict --posterior p.json --data unseen.csv
claim "which may ignore it" "$program" predict --posterior p.json --data unseen.csv --unseen ignore
claim "score cannot" says 'a target that p.json does not know has no density' "$program" score --posterior p.json --data unseen.csv --unseen ignore
sed 's/^[eo][a-z]*/ash/' one.csv >single.csv
claim "a target of one level" says 'the target has 1 category, "ash"; expected 2 to 100' fit --data single.csv
awk 'BEGIN { print "kind,a"; for (j = 0; j < 300; j++) print "c" j % 101 "," j }' >many.csv
claim "of too many" says 'the target has 101 categories; expected 2 to 100' fit --data many.csv
claim "an input with a category for each row" says 'column "a": got [0-9]+ categories in [0-9]+ rows' fit --data one.csv --column 'a:category'
awk -F, 'NR == 5 { $3 = 1.5 } { OFS = ","; $1 = $1; print }' numbers.csv >half.csv
npy half.csv half.npy
claim "half a category" says 'half.npy: row 4, column "x3": got 1.5; expected the number of a category' \
    "$program" fit "${model[@]}" --data half.npy
claim "status 2" status_is 2 fit --data single.csv
awk 'BEGIN { print "a,kind"; for (j = 0; j < 60; j++) print j / 7 "," substr("xyz", 1 + int(j / 20), 1) }' >apart.csv
claim "classes that lines separate have a finite answer" says 'settled' fit --data apart.csv --trace apart.t.csv
claim "to which the bound rises" rises apart.t.csv
claim "and are named as such" says 'the inputs separate the categories of "kind"' fit --data apart.csv
claim "those that overlap are not" refuted says 'inputs separate' fit --data one.csv
claim "also with a prior that is nearly flat" says 'settled' fit --data apart.csv --prior.lambda0 1e-4 --trace flat.t.csv
claim "to which the bound rises, too" rises flat.t.csv
claim "a prior mean of every level" says 'settled' fit --data one.csv --prior.m0 0,1,2
claim "of the right number" says 'prior.m0' fit --data one.csv --prior.m0 0,1
finish

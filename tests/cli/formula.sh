#!/usr/bin/env bash
# formula.sh PROGRAM: formulas and categories as inputs of linreg and glm, from rows to predictions.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

# R's warpbreaks: nine breaks of each wool and tension.
awk 'BEGIN { print "breaks,wool,tension,note"
    n = split("26 30 54 25 70 52 51 26 67 18 21 29 17 12 18 35 30 36 36 21 24 18 10 43 28 15 26 27 14 29 19 29 " \
              "31 41 20 44 42 26 19 16 39 28 21 39 29 20 21 24 17 13 15 15 16 28", y, " ")
    for (j = 0; j < n; j++)
        print y[j + 1] "," (j < 27 ? "A" : "B") "," substr("LMH", int(j/9) % 3 + 1, 1) "," (j % 2 ? "NA" : "seen " j) }' >warp.csv
awk 'BEGIN { srand(3); print "site,x,z,f,y"
    for (j = 0; j < 150; j++) {
        f = int(3 * rand()); x = rand(); z = 1 + 2 * rand()
        print j % 5 "," x "," z "," substr("abc", f + 1, 1) "," 1 + 2 * x * x + f * (x - 1) + log(z) + rand()
    } }' >rows.csv
order=(--column 'tension:category(L|M|H)')
poisson=(--model glm --glm.link poisson)
fit() { "$program" fit "$@"; }
# coefficient FILE NAME VALUE TOLERANCE: of the posterior's means.
coefficient() {
    python3 - "$@" <<'PY'
import json, sys
file, name, value, tolerance = sys.argv[1:]
o = json.load(open(file))
got = o["intercept"] if name == "(intercept)" else o["coef"][o["features"].index(name)]
sys.exit(abs(got - float(value)) > float(tolerance) and f"{name}: {got}, expected {value}")
PY
}
same_but() { diff <(grep -v "\"$3\"" "$1") <(grep -v "\"$3\"" "$2"); }

claim "warpbreaks by a formula" fit --data warp.csv "${poisson[@]}" "${order[@]}" --formula 'breaks ~ wool + tension' --out warp.json
for row in "(intercept) 3.692" "woolB -0.206" "tensionM -0.321" "tensionH -0.518"; do
    claim "warpbreaks: ${row% *} is R's, ${row##* }" coefficient warp.json "${row% *}" "${row##* }" 0.005
done
claim "warpbreaks: its counts are overdispersed, which is said" says 'warning: the counts vary 4.26 times as much .*2.1 times as long' \
    fit --data warp.csv "${poisson[@]}" "${order[@]}" --formula 'breaks ~ wool + tension' --out warp
claim "with R's figure" grep -q ', dispersion 4.26' said.txt
claim "in the file" grep -q '"dispersion": 4.26' warp/answer.json
claim "and in the report" grep -q 'dispersion 4.26 (1 of Poisson counts)' warp/report.html
claim "a formula reads no other column" refuted grep -q note warp.json
fit --data warp.csv "${poisson[@]}" "${order[@]}" --drop note --target-column breaks --out plain.json >/dev/null 2>said.txt
claim "categories code themselves, and say so" grep -q 'tension: a category of 3 levels, coded against "L"' said.txt
claim "to what the formula makes of all columns" coefficient plain.json tensionH -0.518 0.005
fit --data warp.csv "${poisson[@]}" --formula 'breaks ~ tension' --out bytes.json >/dev/null 2>&1
claim "levels without an order are sorted by bytes" grep -q tensionL bytes.json
claim "and the first has no coefficient" refuted grep -q tensionH bytes.json
fit --data warp.csv "${poisson[@]}" "${order[@]}" --formula 'breaks ~ tension' --coding sum --out sum.json >/dev/null 2>&1
claim "coding as sums" grep -q '"coding": "sum"' sum.json
claim "is the same fit" test "$(value sum.json weight_total)" = "$(value bytes.json weight_total)"

claim "linreg: an interaction, a polynomial and a logarithm" fit --data rows.csv --model linreg --drop site \
    --formula 'y ~ poly(x, 2)*f + log(z)' --out lin.json
claim "linreg: its columns" grep -q 'poly(x, 2)2:fc' lin.json
claim "linreg: the constants are in the file" grep -q '"norm2"' lin.json
claim "a file that is read and written is the same" "$program" export --posterior lin.json --format json --out again.json
claim "to the byte" cmp lin.json again.json
head -n 31 rows.csv >some.csv
tail -n +32 rows.csv | cat <(head -n 1 rows.csv) - >rest.csv
"$program" predict --posterior lin.json --data rows.csv --out all.csv 2>/dev/null
"$program" predict --posterior lin.json --data rest.csv --out rest-out.csv 2>/dev/null
claim "rows of another file are predicted with the same constants" cmp <(tail -n +32 all.csv | cut -d, -f2-) <(tail -n +2 rest-out.csv | cut -d, -f2-)
claim "score" says 'mean log predictive density' "$program" score --posterior lin.json --data rows.csv
cut -d, -f1-4 rows.csv >blind.csv
claim "rows without the target are predicted" "$program" predict --posterior lin.json --data blind.csv --out blind-out.csv
claim "to the same" cmp blind-out.csv all.csv
claim "sim: a network finds central VB's posterior" says 'edge +[0-9]+ settled' "$program" sim --data rows.csv \
    --model linreg --node-column site --formula 'y ~ poly(x, 2)*f + log(z)' --topology ring:n=5 --algorithm edge,cvb --out net
claim "sim: which is fit's" near net/posterior-cvb.json lin.json 1e-8
claim "sim: EDGE's, too" near net/posterior-edge.json lin.json 1e-4
claim "runs have one formula" "$program" sim --data rows.csv --drop site --model linreg --formula 'y ~ 0 + x + f' --target-column y \
    --topology ring:n=3 --runs 2 --algorithm cvb --out runs
# shellcheck disable=SC2016 # an awk program
claim "and one bound" awk -F, 'NR > 1 { b[NR] = $5 } END { exit !(NR == 3 && (b[2] - b[3])^2 < 1e-12*b[2]^2) }' runs/runs.csv
claim "rows dealt to nodes are those of the design" says 'edge +[0-9]+ settled' "$program" sim --data rows.csv --drop site \
    --model linreg --formula 'y ~ poly(x, 2)*f + log(z)' --topology ring:n=5 --algorithm edge,cvb --out dealt
claim "to the same posterior" near dealt/posterior-cvb.json lin.json 1e-8
claim "without an intercept" fit --data rows.csv --model linreg --formula 'y ~ 0 + f' --out zero.json
claim "the first category has all its levels" grep -q '"fa"' zero.json
claim "all columns but one" fit --data rows.csv --model linreg --formula 'y ~ . - site' --out but.json
fit --data rows.csv --model linreg --formula 'y ~ x + z + f' --out named.json >/dev/null 2>&1
claim "are those that are named" near but.json named.json 1e-12
claim "an intercept alone" fit --data rows.csv --model linreg --formula 'y ~ 1'
"$program" predict --posterior lin.json --data rows.csv --what mean --out rows.npy 2>/dev/null
piped() { fit --data "$1" --model linreg --drop site --formula 'y ~ x + z' --out "$2" < <(cat rows.csv); }
claim "rows from a pipe, which is read once" piped <(cat rows.csv) pipe.json
claim "from standard input" piped - input.json
claim "by its path, too" piped /dev/stdin path.json
fit --data rows.csv --model linreg --formula 'y ~ x + z' --out file.json >/dev/null
claim "are those of a file" close_to pipe.json file.json 0
claim "columns of NPY are called x1, x2" fit --data rows.npy --model linreg --formula 'x2 ~ x1 + I(x1^2)' --out npy.json
claim "compare refuses another formula" says 'made otherwise|features|hold' "$program" compare lin.json zero.json

sed 's/,a,/,e,/' rows.csv >unseen.csv
claim "an unknown level is an error" says 'got category "e"; expected a, b, c' "$program" predict --posterior lin.json --data unseen.csv
claim "with status 1" status_is 1 "$program" predict --posterior lin.json --data unseen.csv
claim "or the baseline" "$program" predict --posterior lin.json --data unseen.csv --unseen baseline --out base.csv
claim "which is the first level" cmp base.csv all.csv
refuse() { # refuse PATTERN OPTIONS: in one line of that pattern, and nothing is fitted
    says "$1" "$program" fit --model linreg "${@:2}" && ! grep -q 'lower bound' said.txt
}
claim "an unknown column has a caret" refuse 'no column "w"; expected' --data rows.csv --formula 'y ~ x + w'
claim "below its place" grep -qE '^ {10}\^$' said.txt
claim "a group is refused with a way out" refuse 'or the column as a category: \+ site' --data rows.csv --formula 'y ~ x + (1 | site)'
claim "an offset is for glm" refuse 'an offset is for --model glm' --data rows.csv --formula 'y ~ x + offset(z)'
claim "the logarithm of a category" refuse 'is a category' --data rows.csv --formula 'y ~ log(f)'
claim "the logarithm of 0 names row and column" refuse 'log\(site\)' --data rows.csv --formula 'y ~ log(site)'
claim "two targets" refuse 'target-column: got x; expected y' --data rows.csv --formula 'y ~ z' --target-column x
claim "a mixture has no formula" says 'model gmm has no target' "$program" fit --data rows.csv --formula 'y ~ x'
fit --data some.csv --model linreg --formula 'y ~ x + f + log(z)' --out first.json >/dev/null
claim "an update has the formula of the file" fit --update first.json --data rest.csv --out second.json
fit --data rows.csv --model linreg --formula 'y ~ x + f + log(z)' --out both.json >/dev/null
claim "and what a fit of all rows has" near second.json both.json 1e-9
claim "and finds its inputs by name, whatever is left out" fit --update first.json --data rest.csv --drop site --out dropped.json
claim "to the same posterior" close_to second.json dropped.json 0
claim "as rows that are followed" "$program" fit --follow - --update first.json --out followed.json <rest.csv
claim "to the same posterior" near followed.json both.json 1e-9
claim "a window of them, too" "$program" fit --follow - --update first.json --window rows=40 --out window.json <rows.csv
claim "whose answer can be applied" "$program" predict --posterior window.json --data rest.csv
sed '2s/,[abc],/,q,/' rest.csv >unknown.csv
claim "a level that the file has not is named" says 'unknown.csv:2: column "f": got category "q"; expected a, b, c' \
    "$program" fit --update first.json --data unknown.csv
sed '2s/^\([^,]*,[^,]*\),[^,]*/\1,0/' rest.csv >zero.csv
claim "and a row that the formula makes no number of" says 'log\(z\)": -inf' "$program" fit --update first.json --data zero.csv
claim "a stream leaves it out with its reason" says 'log\(z\) is -inf; expected a finite number; the row is left out' \
    "$program" fit --follow - --update first.json --out left.json <zero.csv
claim "an update has no formula of its own" says 'the formula is that of the file' "$program" fit --update first.json \
    --data rest.csv --formula 'y ~ x'
claim "nor has a stream" says 'expected --update FILE.json' "$program" fit --follow - --model linreg --out s.json \
    --formula 'y ~ x'
claim "a target that is a category has no regression of numbers" says 'is a category; expected numbers as the target' \
    "$program" fit --data rows.csv --model linreg --target-column f --column 'f:category(a|b|c)'
claim "columns that are declared need not be in the formula" fit --data rows.csv --model linreg --formula 'y ~ x' \
    --column 'f:category(a|b|c)' --out declared.json
network=(--data rows.csv --model linreg --node-column site --formula 'y ~ poly(x, 2)*f + log(z)' --topology ring:n=5)
claim "a mesh of virtual nodes" "$program" up --virtual "${network[@]}" --loss 0.2 --tol 1e-9 --out mesh
claim "finds the posterior of fit, which its file can apply" near mesh/posterior.json lin.json 1e-6
sed 's/"poly(x, 2)"/"poly(q, 2)"/' lin.json >bad.json
claim "a file with an unknown variable is refused" says 'field "design.variables\[0\]" is wrong' "$program" score --posterior bad.json --data rows.csv
sed 's/"coding": "treatment"/"coding": "sum"/' lin.json >bad.json
claim "a file whose features are others is refused" says 'features' "$program" score --posterior bad.json --data rows.csv
for pair in binomial:logistic poisson:poisson; do
    cut -d, -f2,3,5 rows.csv | awk -F, -v OFS=, -v link="${pair#*:}" 'NR > 1 { $3 = link == "poisson" ? int($3) : $3 > 2 } 1' >target.csv
    fit --data target.csv --model glm --target-column y --family "${pair%:*}" --out family.json >/dev/null
    fit --data target.csv --model glm --target-column y --glm.link "${pair#*:}" --out link.json >/dev/null
    claim "--family ${pair%:*} is --glm.link ${pair#*:}" close_to family.json link.json 0
    claim "which the file says" diff <(grep '"link"' family.json) <(grep '"link"' link.json)
done
"$program" predict --posterior link.json --data target.csv --what interval --out three.npy 2>/dev/null
"$program" predict --posterior link.json --data target.csv --what interval 2>/dev/null | sed '1s/.*/x1,x2,x3/' >three.csv
fit --data three.npy --model linreg --formula 'x3 ~ x2 + I(x1^2)' --out three.json >/dev/null
fit --update three.json --data three.csv --out more.json >/dev/null
claim "an update finds those of the formula" fit --update three.json --data three.npy --out more-npy.json
claim "as it finds names" near more-npy.json more.json 1e-9
claim "predictions of NPY" "$program" predict --posterior three.json --data three.npy --out three-npy.csv
claim "are those of its columns" diff three-npy.csv <("$program" predict --posterior three.json --data three.csv 2>/dev/null)
for pair in logit:logistic log:poisson softmax:multinomial; do
    sed 's/[02-9]*$/0/' target.csv | awk 'NR == 1 { print "x1,x2,y"; next } { sub(/[^,]*$/, NR % 2); print }' >link.csv
    for link in "${pair%:*}" "${pair#*:}"; do
        fit --data link.csv --model glm --target-column y --glm.link "$link" --out "$link.json" >/dev/null
    done
    claim "--glm.link ${pair%:*} is ${pair#*:}, to the bit" diff "${pair%:*}.json" "${pair#*:}.json"
done
claim "logit says what binomial says" fit --data link.csv --model glm --target-column y --family binomial --glm.link logit
claim "two that differ are refused" says 'glm.link: got poisson; expected logistic' fit --data target.csv --model glm --target-column y --family binomial --glm.link poisson
claim "a family that is not the file's is refused by its name" says '--family: its link is logistic; expected poisson, that of family.json' \
    fit --update family.json --data target.csv --family binomial
claim "one that is, is not" fit --update family.json --data target.csv --family poisson
sed 's/,[abc],/,a,/' rows.csv >single.csv
claim "a category of one level is a matter of the file" says 'error: single.csv: column "f" is a category of one level' \
    fit --data single.csv --model linreg --target-column y
claim "without a caret" refuted grep -q '\^' said.txt
claim "a linear regression has no family" says 'belongs to --model glm' fit --data target.csv --model linreg --target-column y --family poisson
finish

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
# Counts over days, whose rate follows a and is half as large of the kind b.
awk 'BEGIN { srand(2); OFMT = "%.17g"; CONVFMT = OFMT; print "site,days,a,kind,y,ldays,bad"
    for (j = 0; j < 150; j++) {
        a = rand(); k = rand() < .4; d = 1 + 9 * rand(); m = d * exp(.5 + a - .7 * k)
        y = int(m + sqrt(m) * (rand() + rand() + rand() - 1.5) * 2 + .5)
        print j % 5 "," d "," a "," (k ? "b" : "a") "," (y > 0 ? y : 0) "," log(d) "," (j == 3 ? 0 : d)
    } }' >rates.csv
# same FILE FILE TOLERANCE: intercept, coefficients and their standard deviations.
same() { python3 -c 'import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:3])
v = lambda o: [o["intercept"], o["intercept_sd"], *o["coef"], *o["coef_sd"]]
sys.exit(len(v(a)) != len(v(b)) or max(abs(x - y) for x, y in zip(v(a), v(b))) > float(sys.argv[3]))' "$@"; }
rates=(--data rates.csv --model glm --glm.link poisson --target-column y)
"$program" fit "${rates[@]}" --columns a,kind --offset-column ldays --tol 1e-12 --out offset.json --trace offset.csv >/dev/null 2>&1
claim "an offset: the bound never falls" rises offset.csv
"$program" fit "${rates[@]}" --columns a,kind --exposure-column days --tol 1e-12 --out exposure.json >/dev/null 2>&1
"$program" fit "${rates[@]}" --formula 'y ~ a + kind + offset(log(days))' --tol 1e-12 --out term.json >/dev/null 2>&1
"$program" fit "${rates[@]}" --formula 'y ~ a + kind' --exposure-column days --tol 1e-12 --out both.json >/dev/null 2>&1
for file in exposure term both; do
    claim "an exposure is its logarithm as an offset ($file)" same offset.json $file.json 1e-9
done
"$program" fit "${rates[@]}" --formula 'y ~ kind' --exposure-column days --prior.lambda0 1e-9 --out kind.json >/dev/null 2>&1
claim "rates of kinds are events by days" python3 -c 'import csv, json, math
o = json.load(open("kind.json"))
rate = lambda k: math.log(sum(float(r["y"]) for r in rows if r["kind"] == k) / sum(float(r["days"]) for r in rows if r["kind"] == k))
rows = list(csv.DictReader(open("rates.csv")))
assert abs(o["intercept"] - rate("a")) < 2e-3 and abs(o["intercept"] + o["coef"][0] - rate("b")) < 3e-3'
claim "counts that are no more than Poisson's are not named" refuted says 'the counts vary' "$program" fit "${rates[@]}" --formula 'y ~ a + kind' --exposure-column days
"$program" fit "${rates[@]}" --formula 'y ~ .' --columns days,a,kind --exposure-column days --tol 1e-12 --out dot.json >/dev/null 2>&1
for file in exposure dot; do
    "$program" fit --update $file.json --data rates.csv --tol 1e-12 --out $file-more.json >/dev/null 2>&1
done
"$program" fit "${rates[@]}" --formula 'y ~ a*days' --exposure-column days --tol 1e-12 --out term-too.json >/dev/null 2>&1
"$program" fit "${rates[@]}" --formula 'y ~ a*days + offset(log(days))' --tol 1e-12 --out written.json >/dev/null 2>&1
claim "an exposure that the formula has as a term is one, too" same written.json term-too.json 1e-9
for formula in 'y ~ . + days' 'y ~ a + kind + days'; do
    "$program" fit "${rates[@]}" --formula "$formula" --columns days,a,kind --exposure-column days --tol 1e-12 --out "${#formula}.json" >/dev/null 2>&1
done
claim "beside a dot, too" same 12.json 19.json 1e-9
claim "which an update has" "$program" fit --update term-too.json --data rates.csv
claim "an update finds the exposure wherever the formula has it" same exposure-more.json dot-more.json 1e-9
claim "the same file again" "$program" export --posterior exposure.json --format json --out again.json
claim "to the byte" cmp again.json exposure.json
claim "of a formula, too" "$program" export --posterior term.json --format json --out again.json
claim "to the byte" cmp again.json term.json
for file in offset exposure term; do
    "$program" predict --posterior $file.json --data rates.csv --what mean --out $file-mean.csv 2>/dev/null
done
claim "predictions have the offset" python3 -c 'import csv
rows = [[float(x) for x in r[-2:]] for f in ("offset", "exposure", "term") for r in list(csv.reader(open(f + "-mean.csv")))[1:]]
days, n = [float(r["days"]) for r in csv.DictReader(open("rates.csv"))], 150
assert all(abs(rows[j][0] - rows[j + k * n][0]) < 1e-9 * rows[j][0] for j in range(n) for k in (1, 2))
assert max(r[0] / d for r, d in zip(rows, days)) < 6 < max(r[0] for r in rows)'
claim "and scores" says 'mean log predictive density -[0-9]' "$program" score --posterior exposure.json --data rates.csv
for how in "--columns a --exposure-column days" "--columns a --offset-column ldays"; do
    sites=("${rates[@]}" --node-column site --topology ring:n=5)
    # shellcheck disable=SC2086 # options
    "$program" fit "${rates[@]}" $how --tol 1e-12 --out one.json >/dev/null 2>&1
    # shellcheck disable=SC2086
    claim "a network, $how" says 'edge +[0-9]+ settled' \
        "$program" sim "${sites[@]}" $how --loss 0.3 --algorithm edge,cvb,tree --tol 1e-9 --out net-rates
    claim "finds the posterior of central VB" near net-rates/posterior-edge.json one.json 1e-8
    claim "TREE too" near net-rates/posterior-tree.json one.json 1e-8
    # shellcheck disable=SC2086
    claim "a mesh" "$program" up --virtual "${sites[@]}" $how --loss 0.2 --tol 1e-9 --out mesh-rates
    claim "finds it" near mesh-rates/posterior.json one.json 1e-6
    claim "an update knows it" "$program" fit --update one.json --data rates.csv --out twice.json
    # shellcheck disable=SC2086
    claim "a genesis" "$program" genesis "${rates[@]}" $how --out g-rates.json
    # shellcheck disable=SC2086
    claim "begins a mesh" "$program" up --virtual "${sites[@]}" $how --genesis g-rates.json --tol 1e-9 --out given-rates
    claim "to the same answer" near given-rates/posterior.json one.json 1e-6
done
how=(--formula 'y ~ a + kind + offset(log(days))')
"$program" genesis "${rates[@]}" "${how[@]}" --out g-term.json >/dev/null 2>&1
claim "a genesis of a formula with an offset" "$program" up --virtual "${sites[@]}" "${how[@]}" --genesis g-term.json --tol 1e-9 --out given-term
claim "begins a mesh that finds the posterior of fit" near given-term/posterior.json term.json 1e-6
for kinds in '["offset", "number"]' '["exposure", "offset"]'; do
    python3 -c 'import json, sys
o = json.load(open("one.json"))
json.dump({**o, "kinds": json.loads(sys.argv[1])}, open("first.json", "w"))' "$kinds"
    claim "a posterior with $kinds" says 'kinds\[0\]" is wrong or missing; expected no offset but the last feature of a glm$' \
        "$program" predict --posterior first.json --data rates.csv
done
resumed=("${sites[@]}" --columns a --exposure-column days --algorithm edge --loss 0.2)
"$program" sim "${resumed[@]}" --rounds 20 --checkpoint saved >/dev/null 2>&1
"$program" sim "${resumed[@]}" --rounds 40 --resume saved --out later >/dev/null 2>&1
"$program" sim "${resumed[@]}" --rounds 40 --out whole >/dev/null 2>&1
claim "a run that is resumed has the bits of one that was not" cmp whole/posteriors.npy later/posteriors.npy
claim "a prior whose offset is none here" says '"ldays" is an offset there, an input with a coefficient here; --offset-column' \
    "$program" fit "${rates[@]}" --columns a,ldays --prior posterior:one.json
claim "an exposure of 0" says 'rates.csv:5: column "bad": got 0; expected an exposure: a number above 0$' \
    "$program" fit "${rates[@]}" --columns a --exposure-column bad
claim "in a formula" says 'rates.csv:5: column "bad": got 0; expected an exposure' "$program" fit "${rates[@]}" --formula 'y ~ kind' --exposure-column bad
claim "whose logarithm is written" says 'rates.csv:5: column "offset\(log\(bad\)\)": -inf is not a finite' "$program" fit "${rates[@]}" --formula 'y ~ a + offset(log(bad))'
sed 's/,0,/,,/; s/,0$/,/' rates.csv >missing.csv
claim "a missing one" says 'missing.csv:5: column "bad": "" is not a finite number: the cell is missing' \
    "$program" fit "${rates[@]}" --data missing.csv --columns a --exposure-column bad
sed 's/^site,days,/site,d,/; s/,bad$/,days/' rates.csv >zero.csv
claim "in rows to predict" says 'column "days": got 0; expected an exposure' \
    "$program" predict --posterior exposure.json --data zero.csv
claim "in rows that are followed" says '^.*-:5: column "days": got 0; expected an exposure: .*; the row is left out' \
    "$program" fit --follow - --update exposure.json --out followed.json <zero.csv
claim "of odds" says 'exposure-column: .*expected --glm.link poisson, or --offset-column' fit --data rows.csv --columns a --exposure-column b --target-column y
claim "of no column" says 'offset-column: rates.csv has no feature "q"' "$program" fit "${rates[@]}" --columns a --offset-column q
claim "both" says 'exclude each other' "$program" fit "${rates[@]}" --columns a --offset-column ldays --exposure-column days
claim "an offset twice" says 'offset\(\.\.\) in --formula exclude each other' "$program" fit "${rates[@]}" --formula 'y ~ a + offset(ldays)' --offset-column ldays
claim "of linreg" says 'belongs to --model glm' "$program" fit "${rates[@]}" --model linreg --columns a --offset-column ldays
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

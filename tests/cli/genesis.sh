#!/usr/bin/env bash
# genesis.sh PROGRAM: genesis files of a run, of a sample and of an earlier answer.
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

"$program" data synthetic --nodes 9 --rows 20 --out rows.csv
rows=(--data rows.csv --node-column node --label-column label --n-components 3)
sim() { "$program" sim "${rows[@]}" --topology ring:n=9 --rounds 5 --tol 0 "$@"; }
genesis() { "$program" genesis "${rows[@]}" "$@"; }
# numbers FILE KEY: the list of this name, without its layout.
numbers() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$1" "$2"; }
same() { test "$(numbers "$1" "$3")" = "$(numbers "$2" "$3")"; }

sim --seed 4 --write-genesis run.json >/dev/null
genesis --out sample.json >said.txt
claim "a run writes its genesis" test "$(numbers run.json format)" = "meshbayes genesis"
claim "the command says what it wrote" grep -qE '^sample.json: mixture of Gaussians, 3 components, 2 columns, run id [0-9a-f]{16}$' said.txt
claim "which is the hash in the file" grep -q "$(numbers sample.json hash)" said.txt
claim "units of a run are those of its rows" same run.json sample.json scale
claim "and so are the origins" same run.json sample.json origin
genesis --out again.json >/dev/null
claim "the same seed gives the same file" cmp sample.json again.json
genesis --init kmeans++ --seed 1 --out one.json >/dev/null
genesis --init kmeans++ --seed 2 --out two.json >/dev/null
claim "another seed draws other centres" bash -c "! cmp -s one.json two.json"
sim --algorithm cvb,edge --write-genesis both.json >/dev/null
claim "central VB and a network have the same genesis" test -s both.json
printf 'x1,x2\n1,2\n3,4\n5,6\n' >centres.csv
sim --init centres:centres.csv --write-genesis given.json >/dev/null
claim "centres of a file are taken as they are" test "$(numbers given.json start)" = "[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]"
genesis --init centres:centres.csv --out given2.json >/dev/null
claim "by the command too" same given.json given2.json start
sim --out folder --write-genesis folder.json >/dev/null
cp folder.json before.json
sim --out folder --write-genesis folder.json >/dev/null
claim "a run repeated writes the same genesis" cmp folder.json before.json
"$program" fit "${rows[@]}" --out p.json >/dev/null
"$program" genesis --from p.json --out from.json >/dev/null
claim "an earlier answer gives its means as centres" test "$(numbers from.json start)" = "$(numbers p.json means)"
claim "and its prior" python3 -c '
import json
g, p = (json.load(open(f))["prior"] for f in ("from.json", "p.json"))
assert all(g[k] == p[k] for k in g) and len(g) == 5'

printf 'a,b,y\n1,2,3\n2,1,5\n3,5,1\n4,2,2\n' >lin.csv
"$program" genesis --data lin.csv --model linreg --target-column a --out lin.json >/dev/null
claim "regression has no start block" python3 -c '
import json
g = json.load(open("lin.json"))
assert "start" not in g and g["target"] == "a" and g["features"] == ["b", "y"]'
awk 'BEGIN { srand(5); print "node,dose,arm,y"
    for (j = 0; j < 120; j++) { x = 1 + rand(); print j % 4 "," x "," substr("abc", j % 3 + 1, 1) "," log(x) + j % 3 + rand() } }' >arms.csv
formula=(--model linreg --formula 'y ~ poly(dose, 2)*arm')
"$program" genesis --data arms.csv --drop node "${formula[@]}" --out arms.json 2>/dev/null >/dev/null
claim "a genesis has what a formula makes of columns, and their levels" python3 -c '
import json
g = json.load(open("arms.json"))
assert g["design"]["categories"] == {"arm": ["a", "b", "c"]} and "poly(dose, 2)1:armb" in g["features"] and g["design"]["poly"]'
nodes=(--data arms.csv --node-column node --topology complete:n=4)
"$program" sim "${nodes[@]}" "${formula[@]}" --write-genesis sim.json >/dev/null 2>&1
claim "that of sim is the same" python3 -c '
import json
a, b = (json.load(open(f))["design"] for f in ("arms.json", "sim.json"))
assert {k: a[k] for k in a if k != "poly"} == {k: b[k] for k in b if k != "poly"}'
claim "virtual nodes begin with it" "$program" up --virtual "${nodes[@]}" "${formula[@]}" --genesis arms.json --out arms
"$program" genesis --data arms.csv --drop node "${formula[@]}" --algorithm sum --out sums.json >/dev/null 2>&1
claim "it may say what the nodes run" grep -q '"algorithm": "sum"' sums.json
claim "nodes run that" "$program" up --virtual "${nodes[@]}" "${formula[@]}" --genesis sums.json --algorithm sum --out sums
claim "masked by the seed, if they are to" "$program" up --virtual "${nodes[@]}" "${formula[@]}" --genesis sums.json --algorithm sum --mask on --out masked
claim "as the result says" grep -q '"mask": "simulated"' masked/summary.json
claim "but not from a start that shows rows" says 'a genesis that nodes draw shows rows to all of them' "$program" up --virtual "${nodes[@]}" "${formula[@]}" --algorithm sum --mask on
claim "and nothing else" says 'of nodes that run sum; use --algorithm sum' "$program" up --virtual "${nodes[@]}" "${formula[@]}" --genesis sums.json
claim "a formula of other columns is refused" says 'another formula, other levels or no formula' "$program" up --virtual \
    "${nodes[@]}" --model linreg --formula 'y ~ dose' --genesis arms.json
"$program" fit --data arms.csv --drop node "${formula[@]}" --out arms-fit.json >/dev/null 2>&1
claim "so has one of a posterior" "$program" genesis --from arms-fit.json --out from-fit.json
claim "with that design" grep -q '"poly(dose, 2)"' from-fit.json
{ echo column,low,high && printf '%s,0,9\n' a y b; } >bounds.csv
ranges() { "$program" genesis ranges "$@" --out ranges.json; }
claim "genesis ranges needs no rows" says 'which nodes make of sums within bounds' ranges --bounds bounds.csv --n-components 3
claim "its file has model and bounds, and no block" python3 -c '
import json
g = json.load(open("ranges.json"))
assert g["model"]["columns"] == ["a", "y", "b"] and g["model"]["bounds"] == [[0, 9]] * 3 and g["algorithm"] == "sum" and "prior" not in g'
ranges --bounds bounds.csv --model linreg --target-column y >/dev/null
claim "targets come last" python3 -c '
import json
assert json.load(open("ranges.json"))["model"]["columns"] == ["a", "b", "y"]'
claim "rows are refused" says '--data: genesis ranges has no rows' ranges --bounds bounds.csv --data rows.csv
claim "bounds are needed" says '--bounds is missing' ranges
claim "bounds without the word are refused" says 'it is of .meshbayes genesis ranges' "$program" genesis --data rows.csv --bounds bounds.csv --out x.json
claim "genesis sample is the same as genesis" "$program" genesis sample "${rows[@]}" --out sample2.json
claim "to the byte" cmp sample.json sample2.json
finish

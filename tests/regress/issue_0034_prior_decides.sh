#!/usr/bin/env bash
# A coefficient whose size comes from the prior is named, and its interval called too short: of a cell
# in which a flag has one level, of a cell of counts that are all 0, of levels that inputs separate;
# by fit, sim and the report alike, and of no other coefficient.
# shellcheck disable=SC2317
# shellcheck disable=SC2054 # commas belong to options
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

awk 'BEGIN { print "site,x,z,y,n,kind"
    for (i = 0; i < 60; i++) { x = i % 3 == 0; c = i % 4
        print i % 5 "," x "," (i * 37 % 60) / 60 "," (x ? 1 : i % 2) "," (x ? 0 : i * 7 % 5) "," \
            (c == 0 ? "a" : c == 1 ? "b" : x ? "b" : "c") } }' >rows.csv
flag=(--model glm --glm.link logistic --target-column y --drop site,n,kind)
count=(--model glm --glm.link poisson --target-column n --drop site,y,kind)
kind=(--model glm --glm.link multinomial --target-column kind --drop site,y,n)
one='decides how large the coefficient of "x" is: there the interval is too short$'

claim "a cell where a flag has one level" says "$one" "$program" fit --data rows.csv "${flag[@]}" --out flag
claim "is in the summary" grep -q 'coefficient of \\"x\\" is: there' flag/summary.json
claim "and beside the coefficients" grep -q '"warning": "the prior' flag/answer.json
claim "in the report too" grep -q 'Warning</span> the prior (--prior.lambda0) decides' flag/report.html
claim "a cell of zeros" says "$one" "$program" fit --data rows.csv "${count[@]}"
claim "levels, one of which a cell lacks" says 'coefficient of "c: x" is: there the interval is too short' \
    "$program" fit --data rows.csv "${kind[@]}"
claim "a weaker prior" says "$one" "$program" fit --data rows.csv "${flag[@]}" --prior.lambda0 1e-6
claim "on a network" says "$one" "$program" sim --data rows.csv --node-column site "${flag[@]/site,/}" \
    --topology ring:n=5 --tol 1e-7 --rounds 3000
claim "and on a mesh" says "$one" "$program" up --virtual --data rows.csv --node-column site "${count[@]/site,/}" \
    --topology ring:n=5 --out mesh
awk -F, 'BEGIN { OFS = "," } NR > 1 { $4 = NR % 7 % 2; $5 = NR * 7 % 5; $2 = NR % 3 == 0 } { print }' rows.csv >regular.csv
claim "regular rows have no such warning" refuted says 'too short' "$program" fit --data regular.csv "${flag[@]}"
claim "nor have counts" refuted says 'too short' "$program" fit --data regular.csv "${count[@]}"
awk -F, 'BEGIN { OFS = "," } { print $0, (NR == 1 ? "again" : $3) }' regular.csv >twice.csv
claim "a column that is there twice: the rows say nothing of the difference" refuted says 'too short' \
    "$program" fit --data twice.csv "${flag[@]}"
finish

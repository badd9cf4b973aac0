#!/bin/bash
# What a reader stumbled over in reports: a regression was told to give true classes, a component
# between two others "differed in no column", flags were 0, a report of many runs did not say what it
# takes to come close. usage: issue_0014_report_reads_well.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

awk 'BEGIN { srand(1); print "x,z,y"; for (i = 0; i < 60; i++) { z = rand(); print i "," z "," 3 + 2 * i + z + (i % 2 ? 1 : -1) } }' >line.csv
claim "a regression in a network runs" "$program" sim --model linreg --target-column y --data line.csv \
    --topology ring:n=5 --algorithm cvb,edge --out line
page=line/report.html
claim "its report asks for no true classes" refuted grep -qE 'true class|label-column|NMI|accuracy' "$page"
claim "nor for a view of components" refuted grep -q 'view_rows.csv' "$page"
claim "nor lists initialisation" refuted grep -qE '<th scope="row">(init|n-init|prune)<' "$page"
claim "flags are off" grep -q '<th scope="row">json</th><td>off</td>' "$page"
claim "lists may be broken after commas" grep -q '<td>cvb,<wbr>edge</td>' "$page"
claim "columns without a value are left out" refuted grep -q 'KL to truth, nats' "$page"
claim "and a table without events" grep -q 'No node was frozen, projected or outside the domain' "$page"
# two sentences that hold for all curves stand below the first of them only
claim "what all curves have in common is said once" \
    test "$(grep -o 'Bytes do not include the messages' "$page" | wc -l)" -eq 1

# three clusters in a row on x; y says nothing
awk 'BEGIN { srand(2); print "x,y"; for (i = 0; i < 300; i++) printf "%.5g,%.5g\n", 10 * (i % 3) + rand(), rand() }' >rows.csv
printf 'x,y\n0.5,0.5\n10.5,0.5\n20.5,0.5\n' >centres.csv
claim "three clusters in a row" "$program" sim --data rows.csv --n-components 3 --init centres:centres.csv \
    --topology ring:n=5 --algorithm cvb,edge --runs 3 --out runs
claim "the middle one is between the others" grep -q '<b>1</b>: <b>x</b> between those of 0 and 2' runs/report.html
claim "a report of runs counts those that settled" grep -q '<p>Of 3 runs settled: central VB 3, EDGE 3.</p>' runs/report.html
median() { awk -F, '$1 == "edge" && $2 == "1 nat" { print $4 " of " $3 "</td><td>" $6 + 0 " (" }' runs/reach.csv; }
claim "and says what it takes to come close" grep -qF "<td>$(median)" runs/report.html
claim "its lines are called what they are" refuted grep -q 'thin: the worst node' runs/report.html
claim "one machine runs" "$program" fit --data rows.csv --n-components 3 --out fit
claim "one curve needs no key" refuted grep -q 'central VB' fit/report.html
finish

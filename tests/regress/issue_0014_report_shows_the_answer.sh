#!/bin/bash
# Neither the report nor the printed result of a run showed the weights and means it had found.
# usage: issue_0014_report_shows_the_answer.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

# Two clusters whose means and deviations are exact: 0 and 10 in a (sd 1), 5 and 5 in b (sd 2).
awk 'BEGIN { print "a,b,kind"; for (c = 0; c < 2; c++) for (i = 0; i < 100; i++)
    print 10 * c + (i % 2 ? 1 : -1) "," 5 + (int(i / 2) % 2 ? 2 : -2) "," (c ? "up" : "down") }' >rows.csv
printf 'a,b\n0,5\n10,5\n' >centres.csv
weak=(--prior.w0inv 1e-6 --prior.beta0 1e-6 --prior.alpha0 1e-6)
fit() { "$program" fit --data rows.csv --label-column kind --n-components 2 --init centres:centres.csv "${weak[@]}" "$@"; }
sim() { "$program" sim --data rows.csv --label-column kind --n-components 2 --init centres:centres.csv "${weak[@]}" --topology ring:n=5 --seed 3 "$@"; }

for command in fit sim; do
    claim "$command runs" "$command" --out "$command"
    claim "$command prints weight, rows, mean and deviation of component 1" \
        says '^ +1 +0\.500 +100\.0 +10\.[0-9]+ ± (1\.0[0-9]|0\.99[0-9]?) +(5\.0[0-9]|4\.99) ± (2\.0[0-9]|1\.9[89]) *$' "$command"
    claim "its report opens with them" says '^<section id="answer">' grep -m 1 '<section' "$command/report.html"
    claim "with what sets them apart" grep -q '<b>a</b> ' "$command/report.html"
    claim "with the classes" grep -q '<td class="hit">100</td>' "$command/report.html"
    claim "the folder alone is enough" bash -c "cp '$command/report.html' before.html && '$program' report '$command' && cmp before.html '$command/report.html'"
done
claim "the network says what it revealed" grep -q 'What the network revealed' sim/report.html
claim "and what moving the rows would cost" grep -q 'moving all rows to one place costs' sim/report.html
# 200 rows in a ring of 5, 40 a node: 2 nodes one hop away, 2 nodes two hops, so 40 (2 + 4) rows times hops.
claim "in bytes: 240 x 2 numbers x 8" grep -q '<b>3.84&nbsp;kB</b>' sim/report.html
claim "a fit says nothing of nodes and links" bash -c '! grep -qE "1 node|0 links|id=\"(network|cost|algorithms)\"" fit/report.html'

awk 'BEGIN { print "x,y"; for (i = 0; i < 50; i++) print i "," 3 + 2 * i + (i % 2 ? 1 : -1) }' >line.csv
claim "a regression is printed with intervals" says '^x +[12]\.[0-9.]+ +0\.0[0-9]+ +1\.9[0-9]+ +2\.0[0-9]+' "$program" fit --model linreg --target-column y --data line.csv --out line
claim "with the fit" says 'R2 0\.998[78]' "$program" fit --model linreg --target-column y --data line.csv
claim "and its report opens with the coefficients" grep -q '95&nbsp;% from' line/report.html
finish

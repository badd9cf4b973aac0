#!/bin/bash
# Intervals of linreg were too short: the default prior counted every coefficient as a row. They are those
# of least squares (R's lm) on one machine, a simulated network and the nodes of a mesh; where there are none
# a line says so, and a prior that counts as rows is named. Windows and forgetting leave and enter the domain.
# The digits of more data sets are in tests/reference/check_least_squares.py.
# usage: issue_0034_least_squares.sh PROGRAM
# shellcheck disable=SC2317
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

cars=$top/tests/reference/data/mtcars.csv
linreg() { "$program" "$@" --model linreg --target-column mpg; }
later() { { head -n 1 "$cars" && tail -n "$1" "$cars"; } }
early() { head -n "$(($1 + 1))" "$cars"; }
dof() { # dof FILE NUMBER: of the posterior, which precedes its prior, to 1e-6
    awk -v want="$2" '/"degrees_of_freedom"/ && got == "" { gsub(/[^0-9.eE+-]/, "", $2); got = $2 + 0 }
        END { print got; exit !(got > want - 1e-6 && got < want + 1e-6) }' "$1"
}

# confint(lm(mpg ~ ., mtcars)) of R 4.2: wt -7.654954, 0.2243463; carb -1.922904, 1.524066; sigma 2.650197
answer='^wt +[^ ]+ +[^ ]+ +-7\.65495 +0\.224346$'
claim "one machine" says "$answer" linreg fit --data "$cars"
claim "the noise of least squares" says 'noise: sd 2\.65, 21 degrees of freedom$' linreg fit --data "$cars"
claim "a network" says "$answer" linreg sim --data "$cars" --topology ring:n=6
claim "nodes" says "$answer" linreg up --virtual --data "$cars" --topology ring:n=6 --out mesh
claim "the former prior is an option" says 'sd 2\.11, 33 degrees of freedom \(rows less coefficients: 21\)' \
    linreg fit --data "$cars" --prior empirical
claim "and so is the weak one" says '33 degrees of freedom \(rows less coefficients: 21\)' \
    linreg fit --data "$cars" --prior weak

early 10 >few.csv
claim "10 rows, 11 coefficients: a proper prior, and a line" \
    says 'no more rows than coefficients.*--linreg\.relevance on' linreg fit --data few.csv
claim "its degrees of freedom are not the rows'" says '11 degrees of freedom \(rows less coefficients: -1\)' \
    linreg fit --data few.csv
awk -F, -v OFS=, '{ print $0, NR == 1 ? "twice" : 2 * $2 }' "$cars" >twice.csv
claim "an input twice: a line" says 'collinear.*--linreg\.relevance on' linreg fit --data twice.csv

awk -F, -v OFS=, '{ $1 = NR == 1 ? "mpg" : 5; print }' "$cars" >constant.csv
claim "a constant target has no R2" says '^target mpg: constant, RMSE 0' linreg fit --data constant.csv
claim "nor in a report" linreg sim --data constant.csv --topology ring:n=3 --out constant
claim "which says so" grep -q '</b>: constant, root mean square error 0' constant/report.html

early 16 >first.csv
later 16 >second.csv
linreg fit --data first.csv --out first.json >/dev/null
claim "forgetting may leave fewer rows than coefficients" \
    "$program" fit --update first.json --forget .1 --data second.csv --out forgotten.json
claim "and new ones make up for them" dof forgotten.json 6.6
follow() { "$program" fit --follow - --update first.json --window rows=14 --every rows=7 --out window.json <second.csv; }
claim "a window that fills waits for enough rows" says 'the 7 rows of the window do not determine the answer' follow
claim "and has the answer of the newest" dof window.json 3

linreg genesis --data "$cars" --out genesis.json >/dev/null
later 22 >more.csv
printf 'time,event,a,b\n3,rows,2,more.csv\n' >more.txt
claim "nodes with too few rows wait for more" says "$answer" linreg up --virtual --data few.csv --genesis genesis.json \
    --topology ring:n=4 --schedule more.txt --out more
finish

#!/bin/bash
# A few extreme rows do not decide the scale of the default prior: two groups that overlap in no column
# are found beside an outlier. The former default, from minimum and maximum, is --prior weak.
# usage: issue_0014_prior_of_outliers.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

awk 'BEGIN { print "x,y"; s = 5
    for (j = 0; j < 400; j++) {
        for (k = 0; k < 2; k++) { s = (s * 16807) % 2147483647; u[k] = s / 2147483647 }
        printf "%.6f,%.6f\n", 10 * (j % 2) + u[0], 10 * (j % 2) + u[1] }
    print "2000,2000" }' >d.csv
"$program" fit --data d.csv --n-components 2 --out p.json >/dev/null
"$program" fit --data d.csv --n-components 2 --prior weak --out weak.json >/dev/null
# first PRIOR-FILE: W0^-1 of column x.
first() {
    awk '/"prior"/ { inside = 1 } inside && /"w_inverse"/ { at = 1 } at { text = text $0 }
        END { gsub(/.*"w_inverse": *[[ ]*/, "", text); print text + 0 }' "$1"
}
narrower() { awk -v a="$(first p.json)" -v b="$(first weak.json)" 'BEGIN { print a, b; exit !(a > 0 && a < b / 10) }'; }
claim "the default prior is narrower than a quarter of the range" narrower
finish

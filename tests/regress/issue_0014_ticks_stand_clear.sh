#!/bin/bash
# Ticks of wide numbers ran into each other, and the label of the bounds over K was cut off.
# usage: issue_0014_ticks_stand_clear.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

command -v gnuplot >/dev/null || { echo "no gnuplot: skipped"; exit 0; }
# Three clusters on three columns of thousands, and a long name; 2000 rows, so that bounds are wide.
awk 'BEGIN { srand(5); print "CO,a_column_whose_name_is_much_longer_than_any_panel_is_wide,z"
    for (i = 0; i < 2000; i++) { c = i % 3
        printf "%.6g,%.6g,%.8g\n", 3000 * c + 900 * rand(), 1e5 * (c == 1) + 2e4 * rand(), -4e6 * (c == 2) - 1e6 * rand() } }' >rows.csv
claim "a sweep in a network runs" "$program" sim --data rows.csv --n-components 1..3 --topology ring:n=4 \
    --algorithm cvb,edge --out sweep
claim "its texts stand clear of each other" python3 "$top/tests/report/crowded.py" sweep/figures/*.svg
claim "bounds over K are labelled" grep -q 'lower bound (nats)' sweep/figures/components.svg
claim "the table calls algorithms as figures do" grep -q '</span>central VB</th><td' sweep/report.html
claim "a regression runs" "$program" fit --model linreg --target-column z --data rows.csv --out line
claim "its texts do too" python3 "$top/tests/report/crowded.py" line/figures/*.svg
claim "a sweep on one machine runs" "$program" fit --data rows.csv --n-components 1..3 --out fit
claim "without a column of algorithms" refuted grep -q '<th scope="col" class="text">algorithm' fit/report.html
claim "nor a key" refuted grep -q 'central VB' fit/figures/components.svg
finish

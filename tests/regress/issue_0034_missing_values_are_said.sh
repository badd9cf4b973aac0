#!/usr/bin/env bash
# issue_0034_missing_values_are_said.sh MESHBAYES - a report says how many values the data lack, what
# becomes of them, and how many rows its figures do not show for it.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

awk 'BEGIN { srand(3); print "ozone,solar,wind"; for (j = 0; j < 150; j++) { k = j % 2
    print (j % 7 ? 9 * k + rand() : "") "," (j % 5 ? 6 * k + rand() : "") "," 5 * k + rand() } }' >rows.csv
# of 0..149: 22 divisible by 7, 30 by 5, 5 by both
"$program" fit --data rows.csv --n-components 2 --out kept >kept.txt 2>&1
claim "missing values are counted" grep -q ' 52 values are missing, in 47 rows: they are integrated out\.' kept/report.html
claim "in summary.json, too" grep -q '"rows_incomplete": 47' kept/summary.json
claim "figures say what they do not show" grep -q ' 47 of 150 rows are not shown: they lack a value' kept/report.html
claim "which is what the file lacks" test "$(wc -l <kept/view_rows.csv)" -eq 104
"$program" fit --data rows.csv --n-components 2 --missing drop --out dropped >dropped.txt 2>&1
claim "rows left out are counted" grep -q ' 47 further rows were left out: a value is missing\.' dropped/report.html
claim "and figures show all others" refuted grep -q 'are not shown' dropped/report.html
"$program" sim --data rows.csv --n-components 2 --topology ring:n=5 --algorithm edge --out net >net.txt 2>&1
claim "a network says both" test "$(grep -cE ' 52 values are missing| 47 of 150 rows are not shown' net/report.html)" -ge 2
awk -F, 'NR > 1 && ($1 == "" || $2 == "") { next } 1' rows.csv >whole.csv
"$program" fit --data whole.csv --n-components 2 --out whole >whole.txt 2>&1
claim "complete rows need no word" refuted grep -qE 'missing[,:. ]|not shown' <(sed 's/<[^>]*>//g; /^missing/d' whole/report.html)
finish

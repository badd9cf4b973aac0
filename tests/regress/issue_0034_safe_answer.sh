#!/usr/bin/env bash
# issue_0034_safe_answer.sh MESHBAYES - an answer is called safe only where every component has rows enough
# and nothing speaks against it; components without rows are mentioned on the terminal as in the report.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

printf 'a,b\n1,2\n3,5\n' >two.csv
awk 'BEGIN { srand(1); print "a,b"; for (j = 0; j < 200; j++) print rand() + 6 * (j % 2) "," rand() }' >rows.csv
awk 'BEGIN { srand(2); print "a,b,c"; for (j = 0; j < 300; j++) { k = j % 2
    print (rand() < .1 + .8 * k ? "yes" : "no") "," (rand() < .1 + .8 * k ? "x" : "y") "," (rand() < .9 - .8 * k ? "u" : "v") } }' >words.csv
two() { says '^10 of 10 initialisations reached this bound$' "$program" fit --data two.csv --n-components 2; }
claim "two rows have no safe answer" two
claim "two components of a hundred rows have one" says '^10 of 10 .*: a safe answer$' \
    "$program" fit --data rows.csv --n-components 2 --init farthest --out sound
claim "as the report says" grep -q 'All agree: a safe answer' sound/report.html
"$program" fit --data words.csv --model lca --n-components 4 --n-init 5 --out words >words.txt 2>&1
claim "empty components are mentioned" grep -q '^2 components hold no rows: the data need fewer, and what the table shows of them is the prior$' words.txt
claim "as in the report" grep -q '2 components hold no rows' words/report.html
claim "and are no safe answer" refuted grep -q 'a safe answer' words.txt words/report.html
claim "answer.json says so" grep -q '"safe": false' words/answer.json
claim "a network mentions them" says '^[1-4] components? holds? no rows: the data need fewer' "$program" sim --data rows.csv \
    --n-components 5 --topology ring:n=5 --algorithm edge
claim "no such line without" refuted says 'no rows' "$program" fit --data rows.csv --n-components 2
finish

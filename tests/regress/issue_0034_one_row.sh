#!/usr/bin/env bash
# issue_0034_one_row.sh MESHBAYES - one of a thing is in the singular, and what stands after ± is said.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

printf 'a,b\n1,2\n' >one.csv
awk 'BEGIN { srand(1); print "a,b"; for (j = 0; j < 100; j++) print rand() + 6 * (j % 2) "," rand() }' >rows.csv
plain() { # plain COMMAND...: nothing but a one is in the singular
    "$@" >said.txt 2>&1
    ! grep -E '(^|[^0-9.,])1 (rows|features|components|columns|nodes|links|edges|rounds)\b' said.txt
}
claim "a fit of one row" plain "$program" fit --data one.csv --n-components 1 --out one
claim "is of one component" grep -q '^1 row, 2 features, 1 component$' said.txt
claim "its description" plain "$program" data describe --data one.csv
claim "its density" plain "$program" score --posterior one/posterior.json --data one.csv
claim "a network of one node" plain "$program" sim --data rows.csv --n-components 1 --topology complete:n=1 --algorithm cvb
claim "a network of two" plain "$program" sim --data rows.csv --n-components 2 --topology path:n=2 --algorithm edge
claim "has one link" grep -q '2 nodes, 1 link$' said.txt
claim "a graph of two" plain "$program" graph make --topology path:n=2 --out graph.csv
claim "± is explained on the terminal" says '^±: standard deviation among the rows of a component$' "$program" fit --data rows.csv \
    --n-components 2 --out two
claim "and in the report" grep -q '<p>&plusmn;: standard deviation among the rows of a component' two/report.html
claim "coefficients have none" refuted says '±' "$program" fit --data rows.csv --model linreg --target-column b
finish

#!/bin/bash
# The commands of docs/howto/hospitals.md do what the page says.
# usage: howto_hospitals.sh PROGRAM
# shellcheck disable=SC2016
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

# Tests that run at the same time have ports of their own.
meshbayes() {
    if [ "$1" = up ]; then set -- "$@" --base-port $((6500 + $$ % 70 * 10)); fi
    "$program" "$@"
}
sed -n '/^```sh$/,/^```$/p' "$top/docs/howto/hospitals.md" | grep -v '^```' >commands.txt
claim "the page has commands" test "$(wc -l <commands.txt)" = 7
while IFS= read -r line; do
    claim "${line:0:100}" eval "$line"
done <commands.txt
claim "the network has the answer of one machine" near net/posterior.json one/posterior.json 1e-6
claim "five processes have it" near five/posterior.json one/posterior.json 1e-6
claim "a node that is one hospital is named" grep -q 'effects of its group' net/summary.json
claim "the report says so, too" grep -q 'effects of its group' net/report.html
claim "and has the groups" grep -q 'hospital_4</th>' net/report.html
claim "a new hospital's intervals are wider" awk -F, 'FNR > 1 { w[FILENAME] += $3 - $2 } END { exit !(w["known.csv"] < w["unknown.csv"]) }' known.csv unknown.csv

finish

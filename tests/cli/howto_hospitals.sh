#!/bin/bash
# The commands of docs/howto/hospitals.md do what the page says.
# usage: howto_hospitals.sh PROGRAM
# shellcheck disable=SC2016
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

meshbayes() { "$program" "$@"; }
sed -n '/^```sh$/,/^```$/p' "$top/docs/howto/hospitals.md" | grep -v '^```' >commands.txt
claim "the page has commands" test "$(wc -l <commands.txt)" = 6
while IFS= read -r line; do
    claim "${line:0:100}" eval "$line"
done <commands.txt
claim "the network has the answer of one machine" near net/posterior.json one/posterior.json 1e-6
claim "a node that is one hospital is named" grep -q 'effects of its group' net/summary.json
claim "a new hospital's intervals are wider" awk -F, 'FNR > 1 { w[FILENAME] += $3 - $2 } END { exit !(w["known.csv"] < w["unknown.csv"]) }' known.csv unknown.csv

finish

#!/bin/bash
# The commands of docs/howto/factors.md do what the page says.
# usage: howto_factors.sh PROGRAM
# shellcheck disable=SC2016
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

meshbayes() { "$program" "$@"; }
sed -n '/^```sh$/,/^```$/p' "$top/docs/howto/factors.md" | grep -v '^```' >commands.txt
claim "the page has commands" test "$(wc -l <commands.txt)" = 7
while IFS= read -r line; do
    claim "${line:0:100}" eval "$line"
done <commands.txt
bound() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["bound"])' "$1/posterior.json"; }
claim "noise that is alike has the higher bound with one variance" \
    awk -v one="$(bound one)" -v pca="$(bound pca)" 'BEGIN { exit !(one < -5818 && one > -5820 && pca > -5761 && pca < -5759) }'
claim "three factors of six live" grep -q '3 of 6 factors' net/report.html
claim "the network has the answer of one machine" near net/posterior.json one/posterior.json 1e-6
claim "a score for each person and factor" test "$(awk -F, 'NF == 6' scores.csv | wc -l)" = 401
claim "no answer is missing any longer" awk -F, '{ for (i = 1; i <= NF; i++) if ($i == "") exit 1 }' filled.csv
claim "what was answered stays" awk -F, 'FNR == NR { for (i = 1; i <= 12; i++) x[FNR, i] = $i; next }
    FNR > 1 { for (i = 1; i <= 12; i++) if (x[FNR, i] != "" && x[FNR, i] - $i) exit 1 }' answers.csv filled.csv

claim "the report shows which questions follow which factor" python3 -c 'import re
page = open("one/report.html").read()
table = page[page.index("id=\"loadings\""):].split("</table>")[0]
rows = [re.sub("<[^>]*>", " ", r).split() for r in table.split("<tr>")[2:]]
assert [r[0] for r in rows] == [f"q{q}" for q in range(1, 13)] and {len(r) for r in rows} == {6}
assert [max((1, 2, 3), key=lambda k: abs(float(r[k].replace("&minus;", "-")))) for r in rows] == [1] * 5 + [2] * 4 + [3] * 3'

finish

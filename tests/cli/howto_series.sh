#!/usr/bin/env bash
# The commands of docs/howto/series.md do what the page says.
# usage: howto_series.sh PROGRAM
# shellcheck disable=SC2016
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

meshbayes() { "$program" "$@"; }
sed -n '/^```sh$/,/^```$/p' "$top/docs/howto/series.md" | grep -v '^```' >commands.txt
claim "the page has commands" test "$(wc -l <commands.txt)" = 9
while IFS= read -r line; do
    claim "${line:0:100}" eval "$line"
done <commands.txt
claim "the interval is widest in the middle of the gap, and widens in a forecast" python3 -c 'import csv
f = {int(r["year"]): float(r["scale"]) for r in csv.DictReader(open("filled.csv"))}
assert max(range(1885, 1906), key=f.get) in (1895, 1896) and f[1890] < f[1893] < f[1895] and f[1900] < f[1897]
sd = [float(r["sd"]) for r in csv.DictReader(open("next.csv"))]
assert len(sd) == 10 and all(a < b for a, b in zip(sd, sd[1:]))
level = [float(r["variance"]) for r in csv.DictReader(open("level.csv"))]
assert len(level) == 100 and max(level) in level[24:26]'
claim "the network settles" grep -q '"verdict": "settled"' net/posterior.json

finish

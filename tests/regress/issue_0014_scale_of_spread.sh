#!/usr/bin/env bash
# issue_0014_scale_of_spread.sh PROGRAM: the common scale of a column followed from its range: one far
# row made it 47 standard deviations. It is the power of two nearest to the standard deviation.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

# 1600 rows at -1 and 1, one at 100: sd = sqrt(1 + 1e4/1601) = 2.7, a quarter of the range 25.
awk 'BEGIN { print "x,node"; for (i = 0; i < 1600; i++) print (i % 2 ? 1 : -1) "," i % 4; print "100,3" }' >rows.csv
"$program" sim --data rows.csv --node-column node --topology ring:n=4 --n-components 2 --rounds 2 --out out >/dev/null 2>&1
claim "the scale is the power of two nearest to the standard deviation" \
    python3 -c 'import json; assert json.load(open("out/config.json"))["resolved"]["agreed_scale"] == [2.0]'
claim "and the origin within 1/128 of it from the mean" \
    python3 -c 'import json; assert abs(json.load(open("out/config.json"))["resolved"]["agreed_origin"][0] - 100 / 1601) <= 2 / 128'
finish

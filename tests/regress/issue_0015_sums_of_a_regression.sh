#!/bin/bash
# With --genesis sums a regression, which draws no rows, wrote a number for each of a node's rows into memory of no
# numbers, and so over the marks of new messages behind it: neighbours 6 and 7 of every node counted as neighbour 0,
# and a network of nine nodes with 30 rows or more never settled (storm 348).
# usage: issue_0015_sums_of_a_regression.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

/usr/bin/python3 - <<'END'
import random
random.seed(1)
with open('rows.csv', 'w') as f:
    f.write('site,a,y\n')
    for site in range(9):
        for _ in range(50):
            a = random.gauss(0, 1)
            f.write(f'{site},{a},{1 + 2 * a + random.gauss(0, .5)}\n')
END
claim 'nine nodes with fifty rows each settle' status_is 0 "$program" up --virtual --data rows.csv --node-column site \
    --model linreg --target-column y --topology complete:n=9 --genesis sums --time 60s --seed 1 --out out
finish

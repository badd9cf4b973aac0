#!/bin/bash
# With --wire float16 and answers later than the 32 ticks that a node remembers there is never a base for a
# difference: float32 was sent for ever, whose rounding stayed in the answer. Now float64 is sent there.
# usage: issue_0015_float32_for_ever.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

two_clusters 3 20
for wire in float64 float16; do
    claim "$wire over a slow link runs" status_is 0 "$program" up --virtual --data rows.csv --node-column site \
        --label-column kind --topology path:n=3 --n-components 2 --genesis init --delay 400ms..400ms \
        --wire $wire --until 20s --out $wire
done
bytes() { tail -n 1 "$1/trace.csv" | cut -d, -f12; }
claim "where differences have no base the vectors are float64" \
    [ $((100 * $(bytes float16))) -gt $((95 * $(bytes float64))) ]
finish

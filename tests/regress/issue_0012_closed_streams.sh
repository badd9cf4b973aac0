#!/bin/bash
# Closed standard input, output and error never lead into the user's files.
# usage: issue_0012_closed_streams.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

two_clusters 3 20
cp rows.csv kept.csv
"$program" fit --data rows.csv --label-column kind --n-components 2 --out p.json >/dev/null
cp p.json kept.json
closed_in() { "$program" "$@" <&-; }
closed_out() { "$program" "$@" >&-; }
closed_both() { "$program" "$@" >&- 2>&-; }
closed_all() { "$program" "$@" <&- >&- 2>&-; }
with_rows() { "$1" "$2" --posterior p.json --data rows.csv "${@:3}"; }
reading() { "$program" predict --posterior p.json --data rows.csv 1<kept.csv; }

touch labels.csv
for how in closed_out closed_both closed_all; do
    claim "$how: predict without a place to write to is status 1" status_is 1 with_rows $how predict
    claim "$how: score --samples too" status_is 1 with_rows $how score --samples
    claim "$how: sample too" status_is 1 $how sample --posterior p.json --rows 5
    claim "$how: a table too" status_is 1 $how data describe --data rows.csv
    claim "$how: a file can be written" status_is 0 with_rows $how predict --out labels.csv
    claim "$how: and is whole" test "$(wc -l <labels.csv)" = 61
    : >labels.csv
done
claim "the reason is said" says '/dev/stdout: cannot write: Bad file descriptor' with_rows closed_out predict
claim "closed input can not be read" says 'empty file' closed_in predict --posterior p.json --data /dev/stdin
claim "output that can only be read is an error" status_is 1 reading
claim "rows are as they were" cmp rows.csv kept.csv
claim "the posterior too" cmp p.json kept.json

"$program" predict --posterior p.json --data rows.csv >labels.csv 2>/dev/null
{ echo before; "$program" predict --posterior p.json --data rows.csv 2>/dev/null; echo after; } >around.txt
claim "in a file, output goes where the writer stands" cmp around.txt <(echo before; cat labels.csv; echo after)

finish

#!/usr/bin/env bash
# With at most as many rows as columns at a node its neighbours can compute these rows: the pages that
# promise that rows stay where they are say so, and sim --out, up and meshbayes-node check warn.
# shellcheck disable=SC2317
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"
node=$(dirname "$program")/meshbayes-node

sentence='a node with few rows (at most the number of columns) shows its neighbours, in effect, the rows'
has() { tr -s ' \n' ' ' <"$1" | pipe_has "$sentence"; }
claim "the first page of help" has <("$program" help)
for page in README.md docs/howto/deploy.md docs/howto/privacy.md daemon/page.html; do claim "$page" has "$top/$page"; done
awk 'BEGIN { srand(4); print "a,b,c,site"
    for (i = 1; i <= 4; i++) for (j = 0; j < (i == 3 ? 3 : 40); j++) print rand() "," rand() "," rand() ",s" i }' >rows.csv
run=(--data rows.csv --node-column site --topology ring:n=4 --n-components 1)
warning='1 node has at most as many rows as columns \("s3" 3 rows, 3 columns\): such a node shows its neighbours'
claim "sim --out" says "$warning" "$program" sim "${run[@]}" --out result
claim "and its report" has result/report.html
masked=(--algorithm sum --sum.mask simulated)
claim "with masks it is the sums of the start that show them" says 'in the sums of the start, which are masked with --bounds FILE.csv alone' \
    "$program" sim "${run[@]}" "${masked[@]}" --out masked
printf 'column,low,high\na,0,1\nb,0,1\nc,0,1\n' >ends.csv
claim "and inside stated bounds nothing does" refuted says 'as many rows as columns' \
    "$program" sim "${run[@]}" "${masked[@]}" --init ranges --bounds ends.csv --out inside
claim "and the report says what masks are" pipe_has 'Sums with masks .* The masks are simulated' <masked/report.html
claim "as does its summary" pipe_has '"mask": "simulated"' <masked/summary.json
claim "a network that has both says whom it means" pipe_has 'In the rounds without masks neighbours saw' < <(
    "$program" sim "${run[@]}" --algorithm edge,sum --sum.mask simulated --out both >both.txt && cat both/report.html)
claim "masks change no bit of the answer" cmp <("$program" sim "${run[@]}" --algorithm sum --dump-phi open.npy >open.txt && cat open.npy) \
    <("$program" sim "${run[@]}" "${masked[@]}" --dump-phi masked.npy >masked.txt && cat masked.npy)
claim "without --out nothing is for others" refuted says 'as many rows as columns' "$program" sim "${run[@]}"
claim "up" says "$warning" "$program" up --virtual "${run[@]}" --genesis sums --out net
claim "a fit has no neighbours" refuted says 'as many rows as columns' "$program" fit --data rows.csv --drop site --n-components 1 --out fit
grep -v s3 rows.csv >many.csv
claim "nor does a network with rows enough" refuted says 'as many rows as columns' \
    "$program" sim --data many.csv --node-column site --topology ring:n=3 --n-components 1 --out result
if [ -x "$node" ]; then
    config() { # config NAME ROWS
        head -n $(($2 + 1)) rows.csv | cut -d, -f1-3 >"$1.csv"
        printf '{"name": "%s", "id": 1, "listen": "tcp://127.0.0.1:7001", "insecure": true, "data": "%s.csv",
            "model": {"name": "gmm", "n-components": 1}, "neighbours": [{"name": "b", "id": 2, "address": "tcp://127.0.0.1:7002"}]}\n' \
            "$1" "$1" >"$1.json"
    }
    config few 3
    config many 4
    claim "check warns of 3 rows of 3 columns" says '3 rows of 3 columns: with at most as many rows as columns' "$node" check --config few.json
    claim "and not of 4" refuted says 'as many rows' "$node" check --config many.json
    claim "which is right otherwise" says '^rows: 4 of many.csv' "$node" check --config many.json
fi
finish

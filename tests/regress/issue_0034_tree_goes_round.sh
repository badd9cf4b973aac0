#!/bin/bash
# TREE went round for ever on short paths, because its extrapolation of old sums overshot; and a run that did
# not converge was told "about 42000000 more rounds".
# usage: issue_0034_tree_goes_round.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

path() { # path NODES SEED OPTION..: TREE on a path, 20 rows a node
    local nodes=$1 seed=$2
    shift 2
    "$program" data synthetic --nodes "$nodes" --rows 20 --seed "$seed" --out rows.csv >/dev/null
    "$program" sim --data rows.csv --node-column node --label-column label --topology path:n="$nodes" \
        --n-components 3 --algorithm tree --seed "$seed" "$@"
}
for draw in "12 1" "13 3" "14 1" "16 1" "16 2"; do
    read -r nodes seed <<<"$draw"
    claim "a path of $nodes, draw $seed, that went round" path "$nodes" "$seed" --rounds 1000 --require-settled
done
# NODES SEED LOSS ROUNDS: those before from the same first centres, of which 1.1 times are enough.
while read -r nodes seed loss rounds; do
    claim "a path of $nodes, loss $loss, settles as before" \
        path "$nodes" "$seed" --loss "$loss" --rounds $((rounds * 11 / 10)) --require-settled
done <<'END'
2 1 0 80
5 3 .3 410
10 2 .3 580
11 2 .3 620
12 2 .3 980
14 1 .3 870
16 2 .3 690
30 2 0 1520
30 2 .3 2580
60 1 0 1070
60 3 .3 1840
END
around=(path 16 2 --tree.lead 1.5 --rounds 20000)
claim "a given lead is not changed: it still goes round" status_is 4 "${around[@]}" --require-settled
claim "and it is said that it does not converge" \
    says 'moving: --rounds 20000 used up.*; it does not converge: more than 100 times as many rounds$' "${around[@]}"
claim "no number of rounds" refuted says 'about [0-9]+ more rounds' "${around[@]}"
finish

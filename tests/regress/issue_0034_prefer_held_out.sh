#!/usr/bin/env bash
# issue_0034_prefer_held_out.sh MESHBAYES - --prefer held-out chooses among the optima of a search the one that
# predicts rows best that it is not fitted to: on wine the three cultivars, not six rows by themselves.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

/usr/bin/python3 - <<'EOF'
import numpy as np
from sklearn.datasets import load_wine
wine = load_wine()
out = np.random.default_rng(1).permutation(178)[:35]
X, y = np.delete(wine.data, out, axis=0), np.delete(wine.target, out)
np.savetxt('wine.csv', np.c_[X, y], delimiter=',', comments='', fmt='%.17g',
           header=','.join([f'x{d + 1}' for d in range(13)] + ['cultivar']))
EOF
fit=("$program" fit --data wine.csv --label-column cultivar --n-components 3)
"${fit[@]}" --prefer held-out --out held >held.txt
ari() { sed -n 's/.*adjusted Rand index \([0-9.]*\).*/\1/p' "$1"; }
above() { awk -v x="$1" -v least="$2" 'BEGIN { exit !(x != "" && x > least) }'; }
claim "wine: the cultivars are found" above "$(ari held.txt)" .85
claim "how many optima there were, and both densities" grep -qE '^of [0-9]+ optima this one predicts rows held out best: -[0-9.]+ nats a row; the one with the highest lower bound, by [0-9.]+ nats, -[0-9.]+$' held.txt
claim "no word of how many reached this bound" refuted grep -q 'reached this bound\|improved it' held.txt
claim "the report says so" grep -q 'predicts rows held out best' held/report.html
claim "and answer.json" python3 -c 'import json; h = json.load(open("held/answer.json"))["held_out"]
assert 2 <= h["optima"] <= 10 and h["density"] > h["density_of_best_bound"] and h["bound_below_best"] > 0'
"${fit[@]}" >default.txt
claim "the default stays the bound" grep -q 'moves from the best of 10 initialisations' default.txt
"${fit[@]}" --n-init 10 >bound.txt
bounds() { sed -n 's/^lower bound \([-0-9.]*\) nats.*/\1/p' "$1"; }
claim "which is higher by what was said" awk -v a="$(bounds bound.txt)" -v b="$(bounds held.txt)" \
    -v said="$(sed -n 's/.*highest lower bound, by \([0-9.]*\) nats.*/\1/p' held.txt)" \
    'BEGIN { d = a - b - said; exit !(said > 0 && d < .05 && d > -.05) }'
"${fit[@]}" --prefer held-out --threads 1 --out one >/dev/null
claim "the same bits on one thread" cmp <(lasting one/posterior.json) <(lasting held/posterior.json)
"$program" fit --data wine.csv --drop cultivar --n-components 3 --out old.json >/dev/null
for with in "--update old.json" "--follow - --update old.json"; do
    # shellcheck disable=SC2086 # words
    claim "refused with $with" says '^meshbayes fit: error: --prefer held-out and --(update|follow) exclude each other' \
        "$program" fit $with --prefer held-out
done
claim "and with --prune on" says 'error: --prefer held-out and --prune on exclude each other' "${fit[@]}" --prefer held-out --prune on
claim "four rows are too few" says 'error: rows held out: got 4 rows; expected 5 or more' \
    "$program" fit --data <(head -n 5 wine.csv) --drop cultivar --n-components 2 --prefer held-out
finish

#!/usr/bin/env bash
# issue_0034_covariance_auto.sh MESHBAYES - `fit --covariance-type auto` takes the form, and with it the number of
# components, of the best lower bound: the answer of that form asked for by name.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

# Clusters far from each other: of one matrix; of a variance for each column that differs between them; round ones.
/usr/bin/python3 - <<'PY'
import numpy as np
g = np.random.default_rng(5)
centre = np.array([[0, 0, 0], [12, 0, 0], [0, 12, 12]])
def save(name, x): np.savetxt(f'{name}.csv', x, delimiter=',', comments='', header='a,b,c', fmt='%.6f')
save('tied', np.concatenate([m + g.normal(size=(600, 3)) @ np.array([[1, .9, .5], [0, .4, .3], [0, 0, .3]]) for m in centre]))
save('diag', np.concatenate([m + g.normal(size=(600, 3)) * s for m, s in zip(centre, [[.2, 1, 4], [3, .3, 1], [1, 3, .2]])]))
save('spherical', np.concatenate([m + s * g.normal(size=(600, 3)) for m, s in zip(centre, [1, 1.3, 1.7])]))
turn = lambda a, b: np.linalg.qr(np.array([[1, a, b], [0, 1, a], [b, 0, 1]]))[0]
save('full', np.concatenate([m + (g.normal(size=(600, 3)) * [.2, 1, 3]) @ turn(*t) for m, t in zip(centre, [(1, 2), (-1, .5), (3, -2)])]))
PY
bound() { sed -nE 's/^lower bound (-?[0-9.]+) nats.*/\1/p' "$1"; }
answer() { sed -e '/"options": {/,/}/d' -e '/"seconds"/d' "$1"; }
highest() { # highest NAME: of the four by name, which the answer is, to the bit
    local form most=-1e300 which="" name=$1
    for form in full diag spherical tied; do
        "$program" fit --data "$name.csv" --n-components 3 --covariance-type $form --out "$name-$form.json" >"$name-$form.txt"
        if awk -v a="$(bound "$name-$form.txt")" -v b="$most" 'BEGIN { exit !(a > b) }'; then
            most=$(bound "$name-$form.txt") which=$form
        fi
    done
    echo "$name: $which"
    [ "$which" = "$name" ] && [ "$(bound "$name.txt")" = "$most" ] && diff <(answer "$name.json") <(answer "$name-$which.json")
}
for name in tied diag spherical full; do
    "$program" fit --data $name.csv --n-components 3 --covariance-type auto --out $name.json >$name.txt
    claim "$name: the best of four forms" highest $name
done

"$program" fit --data tied.csv --n-components 2..4 --covariance-type auto --out both >both.txt
claim "with numbers of components" grep -qE '^tied +3 .* best$' both.txt
chosen() { python3 -c 'import csv, json; c = json.load(open("both/summary.json"))["components"]
assert (c["chosen"], c["covariance_type"], len(c["curve"])) == (3, "tied", 12), c
rows = list(csv.DictReader(open("both/components.csv")))
best = max(rows, key=lambda r: float(r["bound"]))
assert (best["components"], best["covariance_type"]) == ("3", "tied"), best'; }
claim "summary.json and components.csv have them" chosen
[ -z "$(command -v gnuplot)" ] || claim "the figure has a curve of each form" test "$(grep -cE '<title>(full|diag|spherical|tied)</title>' both/figures/components.svg)" = 4
claim "auto and auto" says '^tied +3 .* best$' "$program" fit --data tied.csv --n-components auto --covariance-type auto
"$program" fit --data tied.csv --n-components 2..4 --covariance-type auto --checkpoint kept --out first.json >/dev/null
"$program" fit --data tied.csv --n-components 2..4 --covariance-type auto --checkpoint kept --resume kept --out again.json >/dev/null
claim "resumed, the same bits" cmp first.json again.json
claim "another form is not resumed" says 'error: .*covariance-type' "$program" fit --data tied.csv --n-components 2..4 \
    --covariance-type diag --resume kept
awk 'NR == 1 { print $0 ",g" } NR > 1 { print $0 "," int(NR / 2) }' tied.csv >groups.csv
"$program" fit --data groups.csv --group-column g --n-components 3 --covariance-type auto >groups.txt
claim "rows in groups have the forms that there are for them" test "$(grep -cE '^(full|diag|spherical) +3 ' groups.txt)" = 3
claim "auto is for fit" says 'covariance-type: got auto, which is for fit; expected full, diag, spherical or tied$' "$program" sim \
    --data tied.csv --topology ring:n=3 --covariance-type auto
claim "and for models with forms" says 'covariance-type: got auto; --model tmm has one form$' "$program" fit --data tied.csv \
    --model tmm --covariance-type auto
claim "a wrong form is refused" says 'got "round", which is not known; expected full, diag, spherical or tied$' "$program" fit \
    --data tied.csv --covariance-type round
finish

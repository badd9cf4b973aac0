#!/usr/bin/env bash
# components.sh PROGRAM: several numbers of components, and components that are merged.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

two_clusters 6 30
cut -d, -f1,2 rows.csv >xy.csv
fit() { "$program" fit --data xy.csv --init farthest --n-init 1 "$@"; }
sim() { "$program" sim --data xy.csv --init farthest --topology ring:n=4 "$@"; }
field() { sed -n "s/^ *\"$1\": \([-0-9.e]*\),*$/\1/p" "$2" | head -1; }
same_posterior() { diff <(sed '/"options": {/,/}/d' "$1") <(sed '/"options": {/,/}/d' "$2"); }

claim "a range is run" fit --n-components 1..4 --out range
claim "the curve has a line for each" test "$(wc -l <range/components.csv)" = 5
best() { awk -F, 'NR > 1 && (b == "" || $4 > b) { b = $4; k = $2 } END { print k }' "$1"; }
claim "the best bound is chosen" test "$(best range/components.csv)" = "$(field chosen range/summary.json)"
claim "two clusters: two" test "$(field chosen range/summary.json)" = 2
fit --n-components 2 --out two >/dev/null
claim "the answer is that of the number alone" same_posterior range/posterior.json two/posterior.json
# In powers of two as units the other column is the wider one, along which all initialisations divide the rows.
python3 -c 'import random
r = random.Random(1)
print("a,b")
for i in range(200):
    print(f"{6*(i%2) + .7*r.gauss(0, 1):.6f},{.7*r.gauss(0, 1):.6f}")' >apart.csv
"$program" fit --data apart.csv --n-components 2 --out apart >/dev/null
claim "two clusters that no initialisation finds are found" test "$(sed -n 's/^ *"bound": -\([0-9]*\).*/\1/p' apart/posterior.json | head -1)" = 595
claim "a list" says '^ *4 +4 +-[0-9.]+ ' fit --n-components 1,2,4
claim "a network, each number a run" sim --n-components 1..3 --algorithm cvb,edge --out net
claim "central VB decides" grep -q '"by": "cvb"' net/summary.json
claim "a line for each and each algorithm" test "$(wc -l <net/components.csv)" = 7
claim "auto stops three after the best" fit --n-components auto --out auto
claim "at five" test "$(tail -1 auto/components.csv | cut -d, -f2)" = 5
claim "one number has no curve" test ! -e two/components.csv
claim "and null in the summary" grep -q '"components": null' two/summary.json

fit --n-components 6 --out six >/dev/null
claim "components that are not needed are merged" says '^2 of 6 components are left' fit --n-components 6 --prune on --out pruned
claim "the posterior has those that are left" test "$(field n_components pruned/posterior.json || true)" != 6
higher() { awk -v a="$(sed -n 's/^ *"bound": \([-0-9.e]*\).*/\1/p' pruned/summary.json)" \
    -v b="$(sed -n 's/^ *"bound": \([-0-9.e]*\).*/\1/p' six/summary.json)" 'BEGIN { exit !(a > b) }'; }
claim "the bound is higher" higher
claim "central VB of sim merges too" says 'components are left' sim --algorithm cvb,edge --n-components 6 --prune on
claim "not its networks: status 2" status_is 2 sim --algorithm edge --n-components 6 --prune on
claim "nor with dumps: status 2" status_is 2 sim --algorithm cvb --prune on --dump-phi d.npy
for bad in 8..1 1,1 1,,2 1..x 0..3 3.. 1,20000; do
    claim "--n-components $bad: status 2" status_is 2 fit --n-components $bad
done
finish

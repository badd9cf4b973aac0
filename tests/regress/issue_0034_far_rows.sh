#!/usr/bin/env bash
# issue_0034_far_rows.sh MESHBAYES - a robust mixture finds its clusters whatever rows are far out.
. "$(dirname "$0")/../lib/claims.sh"

# drawn FILE D SHARE SD SEED: 300 rows of three clusters 5.7 apart, a share of them about 0.
drawn() {
    /usr/bin/python3 - "$@" <<'PY'
import sys
import numpy as np
out, D, share, sd, seed = sys.argv[1], *(float(a) for a in sys.argv[2:])
D, n = int(D), 300
g = np.random.default_rng(int(seed))
centre = np.zeros((3, D))
centre[1, 0] = 5.7
centre[2, :2] = (2.85, 5.7 * np.sqrt(3) / 2)[:D] if D > 1 else 11.4
far = round(share * n)
x = np.r_[centre[np.arange(n - far) % 3] + g.normal(size=(n - far, D)), sd * g.normal(size=(far, D))]
np.savetxt(out, x[g.permutation(n)], fmt='%.10g', delimiter=',', comments='',
           header=','.join(f'x{d}' for d in range(D)))
PY
}
# found POSTERIOR D: all means within .5 of the centres
found() {
    /usr/bin/python3 - "$@" <<'PY'
import itertools
import json
import sys
import numpy as np
D = int(sys.argv[2])
p = json.load(open(sys.argv[1]))
mean = np.array(p['posterior']['means'] if 'posterior' in p else p['means'])
centre = np.zeros((3, D))
centre[1, 0] = 5.7
centre[2, :2] = (2.85, 5.7 * np.sqrt(3) / 2)[:D] if D > 1 else 11.4
sys.exit(int(min(np.abs(mean[list(o)] - centre).max() for o in itertools.permutations(range(3))) > .5))
PY
}
# all_found D SHARE SD TOPOLOGY SEED..: by fit, or by sim on a network
all_found() {
    local D=$1 share=$2 sd=$3 network=$4 seed to
    shift 4
    for seed; do
        drawn rows.csv "$D" "$share" "$sd" "$seed"
        rm -rf out.json out
        if [ "$network" = one ]; then
            "$program" fit --data rows.csv --n-components 3 --model tmm --out out.json >/dev/null
            to=out.json
        else
            "$program" sim --data rows.csv --topology "$network" --n-components 3 --model tmm \
                --out out >/dev/null
            to=out/posterior.json
        fi
        found "$to" "$D" || { echo "seed $seed"; return 1; }
    done
}
means() { # the means of one column, of a listing on standard input, ascending
    awk '$1 ~ /^[01]$/ && NF > 3 { print $4 }' | sort -g | tr '\n' ' '
}
near() { # near "A B": within .5 of 0 and 8
    awk -v m="$1" 'BEGIN { split(m, x, " "); exit !(x[1] > -.5 && x[1] < .5 && x[2] > 7.5 && x[2] < 8.5) }'
}

/usr/bin/python3 - <<'PY'
import numpy as np
g = np.random.default_rng(1)
x = np.r_[g.normal(size=100), 8 + g.normal(size=100), 300 * g.normal(size=10)]
np.savetxt('two.csv', x, header='x', comments='')
x = np.r_[g.normal(size=(270, 2)), 40 + g.normal(size=(30, 2))]
np.savetxt('cluster.csv', x, header='a,b', comments='', delimiter=',')
PY
claim "two clusters and ten rows at sd 300: fit has both means within .5" \
    near "$("$program" fit --data two.csv --n-components 2 --model tmm | means)"
claim "a ring of 12 nodes has them" \
    near "$("$program" sim --data two.csv --n-components 2 --model tmm --topology ring:n=12 | means)"
claim "the rows far out have a component with --tmm.trim 0, and a line says so" \
    says 'component 1 is .* times as wide as the median component' \
    "$program" fit --data two.csv --n-components 2 --model tmm --tmm.trim 0
for cell in ".02 1000" ".05 30" ".1 100"; do
    read -r share sd <<<"$cell"
    claim "two columns, $share of the rows at sd $sd: fit finds three clusters" \
        all_found 2 "$share" "$sd" one 1 2
    claim "12 nodes find them" all_found 2 "$share" "$sd" complete:n=12 3
done
claim "one column, .1 at sd 30: fit finds them, from heavy tails" all_found 1 .1 30 one 2 4 8
claim "12 nodes find them with one initialisation" all_found 1 .1 30 complete:n=12 1 2 3
claim "eight columns, .05 at sd 1000: no component of them and a few others" all_found 8 .05 1000 one 1 2 3 4 5
claim "eight columns, .02 at sd 100: fit finds them" all_found 8 .02 100 one 1 3
claim "a ring of 12 nodes finds them" all_found 8 .02 100 ring:n=12 1
claim "eight columns, .1 at sd 10, among the clusters: 12 nodes find them" all_found 8 .1 10 complete:n=12 1 2 3 4 5
drawn rows.csv 2 .05 1000 1
claim "an answer that was not taken is named" says 'rows far out has the higher lower bound' \
    "$program" fit --data rows.csv --n-components 3 --model tmm
claim "a distinct cluster far from most rows keeps its component" \
    says '^ *1 +0\.101' "$program" fit --data cluster.csv --n-components 2 --model tmm
finish

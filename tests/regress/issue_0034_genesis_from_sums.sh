#!/usr/bin/env bash
# issue_0034_genesis_from_sums.sh MESHBAYES - nodes that draw their own centres compare several rows for each: of six networks
# with eight clear clusters five lost one before. A robust mixture leaves rows far out of units, prior and centres.
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

python3 - <<'PY'
import random
for seed in range(6):
    r = random.Random(seed)
    centre = [[3 * r.gauss(0, 1) for d in range(10)] for k in range(8)]
    with open(f'rows-{seed}.csv', 'w') as out:
        print(*(f'x{d}' for d in range(10)), sep=',', file=out)
        for i in range(1200):
            print(*(c + r.gauss(0, 1) for c in r.choice(centre)), sep=',', file=out)
PY
found=0
for seed in 0 1 2 3 4 5; do
    "$program" up --virtual --genesis sums --time 600s --topology complete:n=6 --data rows-$seed.csv \
        --n-components 8 --seed $seed --out net-$seed >said.txt
    [ "$(grep -cE '^ +[0-7]   0\.(09|1[0-9])[0-9] ' said.txt)" -ne 8 ] || found=$((found + 1))
done
claim "eight clusters are found in at least 5 of 6 networks, not in $found" test $found -ge 5
# drawn D SHARE SD SEED: rows.csv, 300 rows of three clusters 5.7 apart, a share of them about 0.
drawn() {
    /usr/bin/python3 - "$@" <<'PY'
import sys
import numpy as np
D, share, sd, seed = (float(a) for a in sys.argv[1:])
D, n = int(D), 300
g = np.random.default_rng(int(seed))
centre = np.zeros((3, D))
centre[1, 0] = 5.7
centre[2, :2] = (2.85, 5.7 * np.sqrt(3) / 2)[:D] if D > 1 else 11.4
far = round(share * n)
x = np.r_[centre[np.arange(n - far) % 3] + g.normal(size=(n - far, D)), sd * g.normal(size=(far, D))]
np.savetxt('rows.csv', x[g.permutation(n)], fmt='%.10g', delimiter=',', comments='',
           header=','.join(f'x{d}' for d in range(D)))
np.savetxt('centre.txt', centre)
PY
}
# found POSTERIOR: all means within .5 of the centres
found() {
    /usr/bin/python3 - "$1" <<'PY'
import itertools
import json
import sys
import numpy as np
mean = np.array(json.load(open(sys.argv[1]))['means'])
centre = np.loadtxt('centre.txt').reshape(mean.shape)
sys.exit(int(min(np.abs(mean[list(o)] - centre).max() for o in itertools.permutations(range(3))) > .5))
PY
}
# right D SHARE SD: at least four of five draws, on a ring of 12
right() {
    local seed good=0
    for seed in 1 2 3 4 5; do
        drawn "$1" "$2" "$3" $seed
        rm -rf far
        "$program" up --virtual --genesis sums --time 600s --topology ring:n=12 --data rows.csv --model tmm \
            --n-components 3 --out far >said.txt 2>&1 && found far/posterior.json && good=$((good + 1))
    done
    [ $good -ge 4 ] || { echo "$good of 5"; return 1; }
}
claim "one column, .1 of the rows at sd 100: a robust mixture finds its clusters" right 1 .1 100
claim "two columns, .05 at sd 1000" right 2 .05 1000
claim "eight columns, .02 at sd 100" right 8 .02 100
claim "no line says what sums cannot do" refuted says 'warning: --genesis' \
    "$program" up --virtual --data rows.csv --topology complete:n=6 --n-components 2 --model tmm --time 1s --genesis sums
finish

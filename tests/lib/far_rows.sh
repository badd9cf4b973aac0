# shellcheck shell=bash
# far_rows.sh - clusters with a share of rows far out, and whether a posterior has found them.
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

#!/usr/bin/env bash
# issue_0034_large_sets.sh MESHBAYES - the size of a set does not decide how well it is searched: where three initialisations
# of all rows, or one, lose clusters, the search on a sample of the rows finds them. MB_SMALL=1: one fit.
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

drawn() { # drawn SEED N K D: clusters of sd 1 about centres of sd 2
    /usr/bin/python3 - "$@" <<'PY'
import sys
import numpy as np
seed, n, K, D = map(int, sys.argv[1:])
g = np.random.default_rng(seed)
centre, k = 2 * g.normal(size=(K, D)), g.integers(K, size=n)
np.save('rows.npy', centre[k] + g.normal(size=(n, D)))
np.save('kind.npy', k)
PY
}
all_found() { "$program" fit --data rows.npy --label-file kind.npy --n-components "$1" | tee /dev/stderr | pipe_has -E '^accuracy (99\.[5-9]|100\.0) %'; }
small=${MB_SMALL:-}
for seed in 1 3; do
    drawn $seed 26000 16 18
    [ -n "$small" ] || claim "seed $seed: sixteen clusters, one of which three initialisations lose" all_found 16
done
"$program" fit --data rows.npy --n-components 16 --out all >all.txt
claim "the terminal says what was searched" grep -qx 'one initialisation is the best answer for a sample of 3200 rows' all.txt
claim "the report, too" grep -q 'One initialisation is the best answer for a sample of 3200 rows' all/report.html
claim "and answer.json" grep -q '"sampled": 3200' all/answer.json
if [ -n "$small" ]; then
    finish
    exit
fi
"$program" fit --data rows.npy --n-components 16 --threads 1 --out one.json >/dev/null
claim "the same bits on one thread" cmp <(sed '/"options"/,/}/d' one.json) <(sed '/"options"/,/}/d' all/posterior.json)
"$program" fit --data rows.npy --n-components 16 --n-init 3 >three.txt
claim "--n-init 3 searches all rows alone" refuted grep -q 'sample' three.txt
drawn 2 160000 3 3
"$program" fit --data rows.npy --n-components 3 --threads 2 --out two.json >two.txt
claim "initialisations that agree on a sample leave one of all rows" grep -q '^2 of 2 initialisations reached this bound: a safe answer' two.txt
claim "the terminal says so" grep -qx 'one initialisation is the best answer for a sample of 20000 rows' two.txt
"$program" fit --data rows.npy --n-components 3 --threads 1 --out one.json >/dev/null
claim "with the same bits on one thread, too" cmp <(sed '/"options"/,/}/d' one.json) <(sed '/"options"/,/}/d' two.json)
# Those of a sample, which are spread evenly.
/usr/bin/python3 -c "import numpy as np; x = np.load('rows.npy'); w = np.ones(len(x)); w[::8] = 0
np.savetxt('weighted.csv', np.column_stack([x, w]), delimiter=',', fmt='%.6g', header='a,b,c,w', comments='')"
claim "rows without weight may be all of the sample" says 'settled$' "$program" fit --data weighted.csv --weight-column w --n-components 3
finish

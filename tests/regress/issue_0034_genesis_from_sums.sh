#!/usr/bin/env bash
# issue_0034_genesis_from_sums.sh MESHBAYES - nodes that draw their own centres compare several rows for each: of six networks
# with eight clear clusters five lost one before. A robust mixture draws by distances, and a line says what sums cannot do.
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
robust=(up --virtual --data rows-0.csv --topology complete:n=6 --n-components 2 --model tmm --time 1s)
warning='warning: --genesis sums makes units, prior and initialisation from all rows'
claim "sums say that rows far out count" says "$warning" "$program" "${robust[@]}" --genesis sums
claim "a sample does not" refuted says "$warning" "$program" "${robust[@]}"
claim "nor do limits that are off" refuted says "$warning" "$program" "${robust[@]}" --genesis sums --tmm.trim 0
finish

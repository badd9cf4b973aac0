#!/usr/bin/env bash
# issue_0034_genesis_from_sums.sh MESHBAYES - nodes that draw their own centres compare several rows for each: of six networks
# with eight clear clusters five lost one before. A robust mixture leaves rows far out of units, prior and centres.
# MB_SMALL=1: one network of each, that with one row for each centre is lost.
set -euo pipefail
# shellcheck source=../lib/far_rows.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/far_rows.sh"
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
networks=(0 1 2 3 4 5) draws=(1 2 3 4 5)
[ -z "${MB_SMALL:-}" ] || networks=(1) draws=(2)
found=0
for seed in "${networks[@]}"; do
    "$program" up --virtual --genesis sums --time 600s --topology complete:n=6 --data "rows-$seed.csv" \
        --n-components 8 --seed "$seed" --out "net-$seed" >said.txt
    [ "$(grep -cE '^ +[0-7]   0\.(09|1[0-9])[0-9] ' said.txt)" -ne 8 ] || found=$((found + 1))
done
n=${#networks[@]}
claim "eight clusters are found in $found of $n networks" test $found -ge $((n < 6 ? n : 5))
# right D SHARE SD: at least four of five draws, on a ring of 12
right() {
    local seed good=0
    for seed in "${draws[@]}"; do
        drawn rows.csv "$1" "$2" "$3" "$seed"
        rm -rf far
        "$program" up --virtual --genesis sums --time 600s --topology ring:n=12 --data rows.csv --model tmm \
            --n-components 3 --out far >said.txt 2>&1 && found far/posterior.json "$1" && good=$((good + 1))
    done
    [ $good -ge $((${#draws[@]} < 5 ? ${#draws[@]} : 4)) ] || { echo "$good of ${#draws[@]}"; return 1; }
}
claim "one column, .1 of the rows at sd 100: a robust mixture finds its clusters" right 1 .1 100
claim "two columns, .05 at sd 1000" right 2 .05 1000
claim "eight columns, .02 at sd 100" right 8 .02 100
claim "no line says what sums cannot do" refuted says 'warning: --genesis' \
    "$program" up --virtual --data rows.csv --topology complete:n=6 --n-components 2 --model tmm --time 1s --genesis sums
finish

#!/usr/bin/env bash
# issue_0034_far_rows.sh MESHBAYES - a robust mixture finds its clusters whatever rows are far out.
# shellcheck source=../lib/far_rows.sh
. "$(dirname "$0")/../lib/far_rows.sh"
# shellcheck source=../lib/claims.sh
. "$(dirname "$0")/../lib/claims.sh"

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

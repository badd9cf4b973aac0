#!/usr/bin/env bash
# threads.sh PROGRAM: the same bits for one and two threads; also run under the thread sanitizer.
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

two_clusters 12 20
sim() {
    "$program" sim --data rows.csv --node-column site --label-column kind --network links.csv \
        --algorithm cvb,noncoop,nsg,dsvb,edge,flow --rounds 30 --tol 0 --seed 3 --metrics all "$@"
}

claim "one thread runs" sim --threads 1 --dump-phi one.npy --trace one.csv
claim "two threads run" sim --threads 2 --dump-phi two.npy --trace two.csv
for name in cvb noncoop nsg dsvb edge flow; do
    claim "$name: same bits" cmp "one-$name.npy" "two-$name.npy"
done
claim "same trace" cmp one.csv two.csv
faults=(--loss-directed 0.2 --silent 0.1 --delay 2)
claim "one thread runs with faults" sim --threads 1 --dump-phi one.npy "${faults[@]}"
claim "two threads run with faults" sim --threads 2 --dump-phi two.npy "${faults[@]}"
for name in dsvb edge flow; do
    claim "$name: same bits with faults" cmp "one-$name.npy" "two-$name.npy"
done
claim "one thread runs in single precision" sim --threads 1 --dump-phi one.npy --precision float32
claim "two threads run in single precision" sim --threads 2 --dump-phi two.npy --precision float32
for name in cvb edge; do
    claim "$name: same bits in single precision" cmp "one-$name.npy" "two-$name.npy"
done
two_clusters 20 700
fit() { "$program" fit --data rows.csv --label-column kind --n-components 2 --rounds 20 --tol 0 "$@"; }
claim "fit of 14000 rows on one thread" fit --threads 1 --out one.json --trace one.csv
claim "fit on two threads" fit --threads 2 --out two.json --trace two.csv
claim "fit: the same file" cmp one.json two.json
claim "fit: the same trace" cmp one.csv two.csv
for threads in 1 3; do
    claim "score on $threads threads" "$program" score --posterior one.json --data rows.csv --samples --out "score-$threads.csv" \
        --threads "$threads"
    claim "predict on $threads threads" "$program" predict --posterior one.json --data rows.csv --keep site --out "label-$threads.csv" \
        --threads "$threads"
done
claim "score: the same bits" cmp score-1.csv score-3.csv
claim "predict: the same labels" cmp label-1.csv label-3.csv
finish

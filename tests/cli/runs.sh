#!/usr/bin/env bash
# runs.sh PROGRAM: `sim --runs R`: files, refusals, exit statuses, threads and processes.
# The functions are called through `claim`.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

two_clusters 5 12
sim() {
    "$program" sim --data rows.csv --node-column site --label-column kind --network links.csv \
        --n-components 2 --rounds 40 --loss 0.1 "$@"
}
quietly() { "$@" >said.txt 2>&1; }
refuses() { # refuses WORDS ARGS..: status 2 and one line that has them
    local words=$1
    shift
    status_is 2 sim "$@" 2>said.txt && grep -qF -e "$words" said.txt && [ "$(wc -l <said.txt)" -eq 1 ]
}

claim "three runs" quietly sim --algorithm cvb,edge --runs 3 --out out
for file in runs.csv bands.csv reach.csv report.html posterior-edge.json; do
    claim "out/$file is there" test -s "out/$file"
done
claim "a line for each run and algorithm" test "$(wc -l <out/runs.csv)" = 7
claim "the table is printed" grep -q "Of all runs" said.txt
claim "without a folder, too" quietly sim --algorithm edge --runs 2
claim "with the median" grep -q "KL to central VB below 1 nat" said.txt
claim "the folder is in order" quietly "$program" report out
quietly sim --algorithm cvb,edge --metrics kl_cvb --out single
quietly sim --algorithm cvb,edge --metrics kl_cvb --runs 3 --out first
claim "the folder is that of the first run" cmp single/posterior-edge.json first/posterior-edge.json
claim "its trace, too" cmp single/trace.csv first/trace.csv
claim "one run has no such files" refuted test -e single/runs.csv
quietly sim --algorithm cvb,edge --out out
claim "and removes those of an earlier one" refuted test -e out/bands.csv
for option in "--checkpoint saved" "--resume saved" "--dump-phi x.npy"; do
    # shellcheck disable=SC2086 # two words
    claim "$option is refused" refuses "expected --runs 1" --runs 2 $option
done
claim "no runs are refused" refuses "--runs" --runs 0
claim "a last seed that is too large is refused" refuses "--seed: got 9007199254740991" \
    --seed 9007199254740991 --runs 3
claim "every run must settle with --require-settled" status_is 4 sim --algorithm edge --rounds 2 --runs 2 \
    --require-settled 2>/dev/null
finish

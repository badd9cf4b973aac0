#!/usr/bin/env bash
# A second run into a folder removes the files that the first made and the second does not, and no
# others; a run that was killed in between leaves that to the next one.
# usage: issue_0014_second_run.sh PROGRAM
# The functions are called through `claim`.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

two_clusters 5 12
sim() {
    "$program" sim --data rows.csv --node-column site --label-column kind --network links.csv \
        --rounds 20 --tol 0 "$@" >/dev/null 2>&1
}
names() { find "$1" -maxdepth 1 -type f ! -name .lock -printf '%f\n' | LC_ALL=C sort; }
first() {
    rm -rf out
    sim --out out --algorithm cvb,edge,flow --dump-phi out/phi.npy
    echo mine >out/notes.txt
    echo mine >out/figures/mine.svg
    echo "changed by hand" >>out/posterior-flow.json
}
sim --out fresh --algorithm edge
first
sim --out out --algorithm edge
claim "what only the first run made is gone; what is no run's, or was changed, remains" \
    test "$(names out)" = "$(printf '%s\n' "$(names fresh)" notes.txt posterior-flow.json | LC_ALL=C sort)"
claim "a foreign file in figures remains" test -f out/figures/mine.svg
claim "the folder is in order" "$program" report out

# killed after the old summary was put aside: no summary, so no run; the next one finishes the work
first
mv out/summary.json out/.earlier.json
claim "a folder without a summary is no run's" refuted "$program" report out
sim --out out --algorithm edge
claim "the next run removes what the one before the crash made" \
    test "$(names out)" = "$(printf '%s\n' "$(names fresh)" notes.txt posterior-flow.json | LC_ALL=C sort)"

# killed after the new summary was there
first
cp out/summary.json before.json
sim --out out --algorithm edge
cp before.json out/.earlier.json
echo '{"no": "list"}' >out/other.json
sim --out out --algorithm edge
claim "nothing is left of it" test ! -e out/.earlier.json
claim "and foreign files remain" test -e out/other.json

# a run that is refused or fails leaves the folder as it was
first
kept=$(names out)
claim "a run that is refused" refuted sim --out out --algorithm nosuch
claim "leaves the folder as it was" test "$(names out)" = "$kept"
finish

#!/bin/bash
# Other columns of a links file are used or named, and names that do not match are shown.
# usage: issue_0014_links.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

two_clusters 6 15
awk 'NR == 1 { print $0 ",loss"; next } { print $0 ",0.3" }' links.csv >same.csv
awk 'NR == 1 { print $0 ",prob,km"; next } { print $0 "," 1 - NR / 10 "," NR }' links.csv >own.csv
awk -F, 'NR == 1 { print; next } { print $2 "," $1 "," $3 "," $4; print }' own.csv >both_ways.csv
sim() {
    "$program" sim --data rows.csv --node-column site --label-column kind --rounds 25 --tol 0 \
        --algorithm edge --init kmeans --dump-phi phi.npy --dump-at 1,5,25 "$@"
}
dump() { # dump NAME OPTIONS: the iterates of a run
    sim "${@:2}" >"$1.txt" 2>&1 && mv phi.npy "$1.npy"
}
dump number --network links.csv --loss 0.3
dump file --network same.csv --loss file
dump own1 --network own.csv --loss file --threads 1
dump own3 --network own.csv --loss file --threads 3
dump both --network both_ways.csv --loss file
dump reliable --network own.csv
dump plain --network links.csv
claim "equal losses are the run of that number, bit for bit" cmp number.npy file.npy
claim "each link has its own" refuted cmp -s own1.npy number.npy
claim "on any number of threads" cmp own1.npy own3.npy
claim "a link in both directions is one link" cmp own1.npy both.npy
claim "without --loss file the column changes nothing" cmp reliable.npy plain.npy
claim "and is named in a note" grep -q 'note: own.csv: columns not used: km, prob (--loss file uses prob)$' reliable.txt
claim "a column that is used is not" grep -q 'note: own.csv: columns not used: km$' own1.txt
claim "no note without such columns" refuted grep -q note plain.txt
claim "graph describe names them, too" says 'note: own.csv: columns not used: km' "$program" graph describe --network own.csv
claim "ADMM is refused on lossy links" says 'admm needs every message' \
    "$program" sim --data rows.csv --node-column site --label-column kind --network own.csv --loss file --algorithm admm
claim "plan takes it" "$program" plan --network own.csv --loss file --rows-per-node 5 --features 2
sed 's/^/n/; 1s/n//; s/,/,n/; 1s/,n/,/' links.csv >named.csv
claim "names without one in common" says \
    'no node of the data is in named.csv: the data have "1", "2", "3" \(and 3 more\), the network has "n1", "n2", "n3" \(and 3 more\)$' \
    sim --network named.csv
{ cat links.csv; sed 1d links.csv; } | sed 's/\b6\b/7/g' >most.csv
claim "one that is missing is named as before" says 'not connected: 2 components: .*\{6\}' sim --network most.csv
finish

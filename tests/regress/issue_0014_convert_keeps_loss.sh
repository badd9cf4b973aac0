#!/bin/bash
# graph convert keeps what a column prob or loss says of the links, in every format, and so does the
# folder of a run that used it.
# usage: issue_0014_convert_keeps_loss.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

two_clusters 6 15
awk 'NR == 1 { print $0 ",loss"; next } { print $0 "," NR / 20 }' links.csv >own.csv
convert() { "$program" graph convert --network "$1" --out "$2"; }
dump() { # dump NAME LINKS: the iterates of a run whose links fail as the file says
    "$program" sim --data rows.csv --node-column site --label-column kind --rounds 25 --tol 0 --algorithm edge \
        --dump-phi "$1.npy" --out "run-$1" --network "$2" --loss file >/dev/null 2>&1
}
claim "a run with losses of each link" dump own own.csv
claim "an edge list becomes GraphML" convert own.csv own.graphml
claim "which has the same losses" dump xml own.graphml
claim "bit for bit" cmp own.npy xml.npy
claim "GraphML becomes an edge list" convert own.graphml back.csv
claim "with a column prob" grep -qx 'i,j,prob' back.csv
claim "of the same losses" dump back back.csv
claim "bit for bit again" cmp own.npy back.npy
claim "the folder's links have them, too" dump folder run-own/edges.csv
claim "as they were" cmp own.npy folder.npy
claim "DOT" convert own.csv own.dot
claim "has them as attributes" grep -q '\[prob=0.9\];' own.dot
claim "no note names a column that is kept" refuted grep -q note <("$program" graph convert --network own.csv --out x.csv 2>&1)
claim "a network without them" convert links.csv plain.csv
claim "has no such column" grep -qx 'i,j' plain.csv
sed 's/,0.1$/,9/' own.csv >wrong.csv
claim "a value that is no probability is refused" says 'wrong.csv:2: column loss: got "9"; expected 0 to 0.999' convert wrong.csv x.csv
finish

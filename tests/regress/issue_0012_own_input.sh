#!/bin/bash
# No command writes over a file that it reads, whatever the two are called.
# usage: issue_0012_own_input.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

two_clusters 4 20
printf 'node,x,y\n1,0,0\n2,0,1\n3,1,1\n4,1,0\n' >places.csv
printf 'a,b\n0,0\n3,-3\n' >centres.csv
cut -d , -f 1,2 rows.csv >xy.csv
"$program" fit --data xy.csv --out p.json >/dev/null
"$program" graph generate --topology ring:n=4 --out drawn.csv --weights-out w.csv >/dev/null
mkdir before
cp ./*.csv ./*.json before
unchanged() { for f in before/*; do cmp "$f" "${f#before/}" || return 1; done; }
# refused TEXT COMMAND...: with status 2 and one line with both names; nothing is changed.
refused() {
    local text=$1
    shift
    claim "$text is refused" status_is 2 "$@"
    claim "in one line that names both" test "$(grep -c -E 'error: .*(would be written over|are the same file|is the file that)' .claim)/$(wc -l <.claim)" = 1/1
    claim "and nothing is lost" unchanged
    cp before/* .
}
sim=(sim --data rows.csv --node-column site --label-column kind --network links.csv --rounds 3 --algorithm cvb)

refused "predict" "$program" predict --posterior p.json --data xy.csv --out xy.csv
refused "another name of it" "$program" predict --posterior p.json --data xy.csv --out "./before/../xy.csv"
ln -s xy.csv link.csv
ln xy.csv hard.csv
refused "a symbolic link" "$program" predict --posterior p.json --data xy.csv --out link.csv
refused "a hard link" "$program" predict --posterior p.json --data hard.csv --out xy.csv
refused "the posterior" "$program" predict --posterior p.json --data xy.csv --out p.json
refused "score" "$program" score --posterior p.json --data xy.csv --samples --out xy.csv
refused "split" "$program" data split --data xy.csv --nodes 2 --out xy.csv
refused "pca" "$program" data pca xy.csv --out xy.csv
refused "fit --trace" "$program" fit --data xy.csv --trace xy.csv
refused "fit --out" "$program" fit --data p.json --out p.json
refused "centres" "$program" fit --data xy.csv --init centres:centres.csv --trace centres.csv
refused "export" "$program" export --posterior p.json --out p.json
refused "sample" "$program" sample --posterior p.json --out p.json
refused "sim --dump-phi" "$program" "${sim[@]}" --dump-phi rows.csv
refused "sim --trace" "$program" "${sim[@]}" --trace links.csv
refused "weights" "$program" "${sim[@]}" --weights file:w.csv --trace w.csv
refused "graph convert" "$program" graph convert --network links.csv --out links.csv
refused "graph convert --positions-out" "$program" graph convert --network links.csv \
    --positions places.csv --out other.csv --positions-out places.csv
mkdir run
cp links.csv run/edges.csv
refused "a file in the folder that is written" "$program" sim --data rows.csv --node-column site \
    --label-column kind --network run/edges.csv --rounds 3 --out run
claim "which is as it was" cmp run/edges.csv links.csv
cp rows.csv run/mine.csv
claim "a file of another name in it is fine" "$program" sim --data run/mine.csv --node-column site \
    --label-column kind --network links.csv --rounds 3 --out run
claim "and stays" cmp run/mine.csv rows.csv
onto() { local file=$1 && shift && "$@" >>"$file"; }
refused "standard output" onto xy.csv "$program" predict --posterior p.json --data xy.csv
refused "a table" onto p.json "$program" compare p.json p.json
# shellcheck disable=SC2094 # that is the point
refused "standard input" onto xy.csv "$program" predict --posterior p.json --data /dev/stdin <xy.csv
refused "two outputs" "$program" graph generate --topology ring:n=4 --out drawn.csv --positions drawn.csv
refused "a file that takes the table too" onto drawn.csv "$program" graph generate --topology ring:n=4 --out drawn.csv
claim "a word of an option is no file" "$program" fit --data xy.csv --init random --trace random
claim "another file is fine" "$program" predict --posterior p.json --data xy.csv --out labels.csv

finish

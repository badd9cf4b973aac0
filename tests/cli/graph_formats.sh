#!/bin/bash
# Networks go through edge lists, GraphML and DOT and stay what they were.
# usage: graph_formats.sh PROGRAM
set -euo pipefail

# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

geometric=geometric:n=30,side=3,radius=0.9
generate() { "$program" graph generate --topology $geometric --seed 5 --out "$1" "${@:2}" >/dev/null; }
generate links.csv --positions places.csv
generate net.graphml
generate net.dot
edges=$(($(wc -l <links.csv) - 1))
claim "DOT has every node with its place" test "$(grep -cE '^  "[0-9]+" \[pos="[-0-9.e]+,[-0-9.e]+!"\];$' net.dot)" = 30
claim "DOT has every link once" test "$(grep -cE '^  "[0-9]+" -- "[0-9]+";$' net.dot)" = "$edges"
claim "GraphML has every link once" test "$(grep -c '^<edge ' net.graphml)" = "$edges"
if ! "$program" graph describe --network net.graphml --json >described.json 2>err.txt &&
    grep -q 'built without expat' err.txt; then
    claim "without expat GraphML is refused in one line" test "$(wc -l <err.txt)" = 1
    finish
    exit
fi
"$program" graph describe --network links.csv --json >listed.json
claim "GraphML describes as the edge list does" cmp listed.json described.json

convert() { "$program" graph convert --network "$1" --out "$2" "${@:3}"; }
claim "says what it wrote" grep -qx "back.csv: 30 nodes, $edges edges" \
    <(convert net.graphml back.csv --positions-out back_places.csv)
claim "GraphML comes back as the edge list" cmp links.csv back.csv
claim "and as the positions" cmp places.csv back_places.csv
convert net.graphml again.dot >/dev/null
claim "positions in GraphML go to DOT" cmp net.dot again.dot
convert links.csv again.graphml --positions places.csv >/dev/null
claim "a list with positions becomes the same GraphML" cmp net.graphml again.graphml
convert links.csv bare.graphml >/dev/null
claim "without positions there are none" refuted grep -q '<key' bare.graphml
claim "and none can be written" status_is 2 convert bare.graphml x.csv --positions-out y.csv

printf 'i,j\n"a, ""b"" & <c>",é\né,d\\\n"two\nlines",d\\\n" blank ",é\n' >odd.csv
convert odd.csv odd.graphml >/dev/null && convert odd.graphml odd2.csv >/dev/null
convert odd.csv odd3.csv >/dev/null
claim "odd names survive GraphML" cmp odd2.csv odd3.csv
claim "and the edge list" cmp odd3.csv <(convert odd3.csv odd4.csv >/dev/null && cat odd4.csv)
convert odd.csv odd.dot >/dev/null
claim "DOT hides quotes and backslashes" grep -qF '  "a, \"b\" & <c>" -- "é";' odd.dot
claim "backslashes too" grep -qF '"d\\"' odd.dot
printf 'i,j\na,\001\n' >control.csv
claim "a name that XML can not hold is an error" status_is 1 convert control.csv control.graphml
claim "and leaves no file" test ! -e control.graphml
printf 'i,j\na,\351\n' >latin.csv
claim "so is one that is not UTF-8" status_is 1 convert latin.csv latin.graphml

two_clusters 5 12
convert links.csv ring.graphml >/dev/null
simulate() {
    "$program" sim --data rows.csv --network "$1" --node-column site --label-column kind \
        --n-components 2 --rounds 5 --out "out-$2" "${@:3}" >/dev/null
}
simulate links.csv list
simulate ring.graphml xml
claim "a run over GraphML is the run over its edge list" \
    cmp out-list/posteriors.npy out-xml/posteriors.npy
convert out-list/edges.csv drawn.graphml --positions out-list/network.csv >/dev/null
simulate links.csv drawn --positions drawn.graphml
claim "positions come from GraphML" cmp <(cut -d, -f1-3 out-list/network.csv) <(cut -d, -f1-3 out-drawn/network.csv)

sed -E 's/,([0-9]),(up|down)$/,"node \1, ""x""","\2, or ""so"""/' rows.csv >named_rows.csv
printf 'i,j\n' >named.csv
awk -F, 'NR > 1 { printf "\"node %d, \"\"x\"\"\",\"node %d, \"\"x\"\"\"\n", $1, $2 }' links.csv >>named.csv
"$program" sim --data named_rows.csv --network named.csv --node-column site --label-column kind \
    --n-components 2 --rounds 5 --out out-named >/dev/null
claim "a run with odd names is the run with numbers" cmp out-list/posteriors.npy out-named/posteriors.npy
claim "and leaves its network for others to read" cmp <(convert links.csv a.csv) \
    <(convert out-named/edges.csv a.csv --positions out-named/network.csv)
claim "and its nodes" grep -q '^edge,"node 1, ""x""",12,' out-named/nodes.csv
rm out-named/report.html
claim "and its report" test -n "$("$program" report out-named)" -a -s out-named/report.html

finish

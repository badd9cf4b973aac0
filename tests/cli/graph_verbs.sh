#!/bin/bash
# `meshbayes graph` writes networks and weights that come back as what they were.
# usage: graph_verbs.sh PROGRAM
# shellcheck disable=SC2016  # awk programs
set -euo pipefail

# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

geometric=geometric:n=50,side=3.5,radius=0.8
"$program" graph generate --topology $geometric --seed 7 --out links.csv --positions places.csv \
    --weights nearest --weights-out weights.csv >said.txt
claim "says what it wrote" grep -qE '^links.csv: 50 nodes, [0-9]+ edges' said.txt
claim "each link once, the lower id first" awk -F, \
    'NR > 1 && ($1 >= $2 || seen[$0]++) { bad = 1 } END { exit bad }' links.csv
claim "links are the pairs within the radius" awk -F, '
    FNR == 1 { file++; next }
    file == 1 { x[$1] = $2; y[$1] = $3; next }
    { link[$1 "," $2] = 1 }
    END { for (i = 1; i <= 50; i++) for (j = i + 1; j <= 50; j++) {
              near = (x[i] - x[j]) ^ 2 + (y[i] - y[j]) ^ 2 <= 0.64
              if (near != ((i "," j) in link)) exit 1 } }' places.csv links.csv

"$program" graph describe --topology $geometric --seed 7 --weights nearest --json >topology.json
"$program" graph describe --network links.csv --weights nearest --json >file.json
claim "the file is the topology" cmp topology.json file.json
"$program" graph describe --network links.csv --weights file:weights.csv --json 2>warned.txt |
    sed 's/file:weights.csv/nearest/' >weights.json
claim "the weights' file is the rule" cmp file.json weights.json
claim "columns that do not sum to 1 are warned of" grep -q 'warning: weights.csv: columns' warned.txt
"$program" graph generate --topology $geometric --seed 8 --out other.csv >/dev/null
claim "another seed, another network" test "$(cmp -s links.csv other.csv && echo same)" != same

"$program" graph generate --topology ring:n=4 --out ring.csv --weights-out ring_w.csv >/dev/null
"$program" graph describe --network ring.csv --weights file:ring_w.csv >ring.txt 2>quiet.txt
claim "doubly stochastic weights are not warned of" test ! -s quiet.txt
claim "a ring's diameter" grep -qE '^diameter +2 hops' ring.txt
claim "a ring's algebraic connectivity" grep -qE '^algebraic connectivity +2$' ring.txt
claim "a ring's second eigenvalue" grep -qE '^second eigenvalue +0\.333333 ' ring.txt

printf 'i,j\nb,a\na,b\nc,b\n' >named.csv
claim "names, and a link given twice" grep -q '"edges": 2' <("$program" graph describe \
    --network named.csv --json)
printf 'i,j,w\na,a,1\nb,b,.5\nb,c,.4\nc,c,1\n' >short.csv
"$program" graph describe --network named.csv --weights file:short.csv >/dev/null 2>short.txt &&
    status=0 || status=$?
claim "a row that does not sum to 1 fails" test "$status" = 1
claim "and is named" grep -q 'short.csv: the weights of node b .* sum to 0.9' short.txt

finish

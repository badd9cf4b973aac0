#!/bin/bash
# The networks that are shipped have the paper's numbers and come from the commands beside them.
# usage: shipped_networks.sh PROGRAM
# shellcheck disable=SC2016  # awk programs
set -euo pipefail

networks=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../data/networks" && pwd)
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

# number FILE KEY FORMAT: of `graph describe`, rounded
number() {
    "$program" graph describe --network "$1" --json |
        awk -v key="\"$2\":" -v format="$3" '$1 == key { printf format, $2 }'
}

# like_the_paper FILE NODES EDGES DEGREE CONNECTIVITY, the last to two digits
like_the_paper() {
    local file=$networks/$1
    [ "$(number "$file" nodes %d) $(number "$file" edges %d)" = "$2 $3" ] &&
        [ "$(number "$file" deg_mean %.3g)" = "$4" ] &&
        [ "$(number "$file" algebraic_connectivity %.2g)" = "$5" ]
}

claim "50 nodes: 144 links, connectivity .080" like_the_paper network50.csv 50 144 5.76 0.08
claim "20 nodes: mean degree 4.8, connectivity .24" like_the_paper network20.csv 20 48 4.8 0.24
claim "10 nodes: mean degree 3.0, connectivity .51" like_the_paper network10.csv 10 15 3 0.51

grep -E '^    meshbayes graph generate' "$networks/README.md" >commands.txt
claim "three commands made them" test "$(wc -l <commands.txt)" = 3
while read -r _ words; do
    IFS=' ' read -ra word <<<"$words"
    "$program" "${word[@]}" >/dev/null
done <commands.txt
for file in "$networks"/*.csv; do
    claim "$(basename "$file") is what its command writes" cmp "$file" "$(basename "$file")"
done

# The links of the 50 nodes are the pairs within 0.8 in the paper's square.
claim "50 nodes lie in the 3.5 x 3.5 square" awk -F, \
    'NR > 1 && ($2 < 0 || $2 > 3.5 || $3 < 0 || $3 > 3.5) { exit 1 } END { exit NR != 51 }' \
    "$networks/network50_positions.csv"

finish

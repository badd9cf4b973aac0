#!/bin/bash
# Packed files are read as what they hold, and written when the name ends in .gz.
# usage: gzip.sh PROGRAM
set -euo pipefail

# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

two_clusters 5 12
gzip -nk rows.csv links.csv
run() { # run DATA NETWORK
    "$program" sim --data "$1" --network "$2" --node-column site --label-column kind \
        --n-components 2 --rounds 5 --seed 3 --out out
}
if ! run rows.csv.gz links.csv.gz >said.txt 2>err.txt && grep -q 'built without zlib' err.txt; then
    claim "without zlib a packed file is refused in one line" test "$(wc -l <err.txt)" = 1
    finish
    exit
fi

posterior() { # what a run found, without the names of its files
    run "$1" "$2" >/dev/null && sed '/"file"/d; /"network"/d' out/posterior.json
}
posterior rows.csv links.csv >plain.json
posterior rows.csv.gz links.csv.gz >packed.json
claim "packed data and network give the same posterior and hash" cmp plain.json packed.json
{ head -n 20 rows.csv | gzip -n && tail -n +21 rows.csv | gzip -n; } >members.csv.gz
posterior members.csv.gz links.csv >members.json
claim "members are read one behind the other" cmp plain.json members.json
posterior <(cat rows.csv.gz) links.csv >pipe.json
claim "a pipe of packed bytes is unpacked" cmp plain.json pipe.json

head -c 300 rows.csv.gz >cut.csv.gz
claim "a file cut short fails" status_is 1 run cut.csv.gz links.csv
run cut.csv.gz links.csv 2>err.txt >/dev/null || true
claim "in one line that names it" grep -qx \
    'meshbayes sim: error: cut.csv.gz: the gzip data ends too early' err.txt

"$program" data synthetic --nodes 4 --out new.csv >/dev/null
"$program" data synthetic --nodes 4 --out new.csv.gz >/dev/null
claim "a name in .gz is packed" cmp new.csv <(gzip -dc new.csv.gz)
"$program" sim --data rows.csv --network links.csv --node-column site --label-column kind \
    --n-components 2 --rounds 5 --algorithm edge,dsvb --dump-phi phi.npy.gz --out out >/dev/null
claim "several dumps keep their ending" gzip -t phi-edge.npy.gz phi-dsvb.npy.gz

finish

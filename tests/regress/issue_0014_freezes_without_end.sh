#!/bin/bash
# On this split of Ionosphere EDGE ended in a cycle: a node left the domain in each window of its damping, and
# because no window after a freeze was judged, its step stayed too long for ever.
# usage: issue_0014_freezes_without_end.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

"$program" graph generate --topology geometric:n=20,side=2.2,radius=0.72 --seed 1 --out links.csv >/dev/null
"$program" data split --data "$top/data/ionosphere.csv" --nodes 20 --take 340 --seed 8 --out rows.csv >/dev/null
claim "EDGE settles" "$program" sim --data rows.csv --node-column node --label-column label \
    --network links.csv --n-components 2 --algorithm edge --seed 8 --rounds 3000 --require-settled
finish

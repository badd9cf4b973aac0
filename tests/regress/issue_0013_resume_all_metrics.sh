#!/bin/bash
# A run with --metrics all resumes when its data have no labels: the metrics that need them are not
# among those that the run and its checkpoint must agree on.
# usage: issue_0013_resume_all_metrics.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

two_clusters 6 20
cut -d , -f 1-3 rows.csv >unlabelled.csv
run() { # run ROUNDS TRACE OPTION..
    "$program" sim --data unlabelled.csv --node-column site --network links.csv --n-components 2 --tol 0 \
        --metrics all --rounds "$1" --trace "$2" "${@:3}" >/dev/null
}
claim "a run is stored" run 20 half.csv --checkpoint stored
claim "it resumes" run 40 resumed.csv --checkpoint stored --resume stored
claim "a run without interruption" run 40 whole.csv
claim "has the same trace" cmp whole.csv resumed.csv
finish

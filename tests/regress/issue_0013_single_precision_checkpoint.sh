#!/bin/bash
# A run with rows in single precision can be stored and resumed.
# usage: issue_0013_single_precision_checkpoint.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

run() { # run ROUNDS OUT [OPTION...]
    "$program" sim --data "$top/examples/readings.csv" --n-components 2 --topology ring:n=6 --precision float32 \
        --tol 0 --rounds "$1" --dump-phi "$2" "${@:3}" >/dev/null 2>&1
}
claim "it is stored" run 20 half.npy --checkpoint stored --every 10
claim "it resumes" run 40 resumed.npy --checkpoint stored --resume stored --every 10
claim "a run without interruption" run 40 whole.npy
claim "has the same bits" cmp whole.npy resumed.npy
changed() {
    sed '2s/^[0-9]*/99/' "$top/examples/readings.csv" >other.csv
    refuted "$program" sim --data other.csv --n-components 2 --topology ring:n=6 --precision float32 --tol 0 \
        --rounds 50 --checkpoint stored --resume stored --every 10
}
claim "other rows are refused" changed
finish

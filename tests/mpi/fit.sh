#!/usr/bin/env bash
# fit.sh PROGRAM MPIEXEC: `fit` under mpirun leaves the files of one process, byte for byte, from rows
# that each process has a share of, and ends with one line when a row is wrong or a process is lost.
# LONG=1 kills processes 20 times instead of 3.
set -euo pipefail
# shellcheck source=../lib/mpi.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/mpi.sh"
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

# More than 2^18 rows are shared. Clusters that overlap, so that initialisations differ.
/usr/bin/python3 - <<'END' || { echo "numpy is needed"; exit 1; }
import numpy as np
from clusters import overlapping
r, k, x = overlapping(270011)
np.save("rows.npy", x)
np.save("few.npy", x[:5000])
np.save("packed.npy", x.astype("f4"))
for row in (260000, 269000):
    x[row, 1] = np.nan
np.save("nan.npy", x)
x[260000] = 1e200, 1e300
x[269000] = 0
np.save("far.npy", x)
np.save("many.npy", overlapping(2**21 + 12345)[2].astype("f4")) # pieces have two slices
END

fit() { # fit NAME PROCESSES ARGUMENTS...: in the folder NAME-PROCESSES
    local folder=$1-$2 processes=$2
    shift 2
    mkdir "$folder"
    (cd "$folder" && job "$processes" fit "$@" >stdout.txt)
}
same() { # same NAME PROCESSES: the files of NAME-0
    local file bad=0
    for file in "$1"-0/*.json "$1"-0/*.csv "$1"-0/out/*.json "$1"-0/out/*.csv; do
        if [ ! -e "$file" ] || [ "${file##*/}" = config.json ]; then # it has the threads
            continue
        fi
        diff <(lasting "$file") <(lasting "$1-$2/${file#"$1"-0/}") >/dev/null || { echo "$file differs"; bad=1; }
    done
    [ -s "$1-0/p.json" ] || [ -s "$1-0/out/summary.json" ] || bad=1
    return "$bad"
}
alike() { # alike NAME "PROCESSES.." ARGUMENTS...
    local name=$1 counts=$2 p
    shift 2
    fit "$name" 0 "$@" --threads 1
    # shellcheck disable=SC2086 # words
    for p in $(counts $counts); do
        claim "$name: on $p processes" fit "$name" "$p" "$@" --threads $((p % 2 + 1))
        claim "$name: the same files" same "$name" "$p"
    done
}
alike plain "1 2 3 4" --data ../rows.npy --n-components 3 --rounds 12 --n-init 2 --out p.json --trace trace.csv
alike folder 3 --data ../rows.npy --n-components 3 --rounds 8 --n-init 1 --init kmeans++ --out out
alike moves 2 --data ../rows.npy --n-components 6 --rounds 3 --out p.json
alike pruned 3 --data ../rows.npy --n-components 6 --rounds 60 --n-init 1 --prune on --tol 1e-4 --out p.json
alike sweep 2 --data ../rows.npy --n-components 1..3 --rounds 5 --n-init 1 --out p.json
alike robust 3 --data ../rows.npy --model tmm --n-components 2 --rounds 4 --n-init 1 --init random --out p.json
alike line 4 --data ../rows.npy --model linreg --out p.json --trace trace.csv
alike narrow 2 --data ../rows.npy --n-components 2 --rounds 5 --n-init 1 --precision float32 --init farthest --out p.json
alike few "1 2 3 4" --data ../few.npy --n-components 3 --out out --trace trace.csv
alike apart "2 3" --data ../few.npy --n-components 2..3 --covariance-type auto --n-init 4 --rounds 100 --out p.json --trace trace.csv
alike auto "2 3" --data ../few.npy --n-components auto --n-init 2 --rounds 60 --out p.json
curve() { sed -n '/lower bound  *rounds/,/^$/p' "$1/stdout.txt"; }
same_curve() { [ "$(curve "$1-0" | wc -l)" -gt 4 ] && diff <(curve "$1-0") <(curve "$1-$2"); }
for p in $(counts 2 3); do
    claim "the same curve over the numbers of components on $p processes" same_curve apart "$p"
    claim "with auto too" same_curve auto "$p"
done
alike lonely 4 --data ../few.npy --n-components 2,5 --prune on --rounds 100 --out p.json
alike packed 2 --data ../packed.npy --n-components 2 --rounds 5 --n-init 1 --out p.json
alike many "3 40 66" --data ../many.npy --n-components 3 --rounds 4 --n-init 1 --out p.json --trace trace.csv
alike drawn 40 --data ../many.npy --n-components 3 --rounds 2 --n-init 1 --init kmeans++ --out p.json

claim "bytes a pass are printed" grep -q '3 processes with a share of the rows each; bytes a pass' plain-3/stdout.txt
fit update 0 --data ../rows.npy --update ../plain-0/p.json --out p.json
claim "an update, of which each process reads all rows" fit update 2 --data ../rows.npy --update ../plain-0/p.json --out p.json
claim "the same file" same update 2

once() { # once STATUS PATTERN PROCESSES ARGUMENTS...: one line of ours, no file
    local want=$1 pattern=$2 got=0
    shift 2
    job "$1" fit "${@:2}" --out none.json >out.txt 2>err.txt || got=$?
    [ "$got" -eq "$want" ] || { echo "status $got, expected $want"; return 1; }
    [ "$(grep -c '^meshbayes' err.txt)" -eq 1 ] && grep -qE -e "$pattern" err.txt && [ ! -e none.json ]
}
touch file
claim "a trace that cannot be written ends a search with one line" \
    once 1 'file/trace.csv: ' 3 --data few.npy --n-components 3 --trace file/trace.csv
claim "more processes than parts are refused" \
    once 2 '65 processes for rows that are cut into 64 parts; expected 1 to 64' 65 --data rows.npy --n-components 2
claim "rows that arrive are one process's work" once 2 'got 2 processes; expected one' \
    2 --follow - --update plain-0/p.json
claim "a value that is missing names process and row" \
    once 1 'process 2 of 3: nan.npy: row 260001, column 2' 3 --data nan.npy --n-components 2
claim "one that is too large names process and row" \
    once 1 'process 1 of 2: far.npy: row 260001, column 1: 1e.200 is too large' 2 --data far.npy --n-components 2

lost() { # lost K: process K % 3 of 3 is killed at another time of the run each time
    local status=0 job_pid workers=()
    rm -f lost.json
    "$mpiexec" -n 3 "$program" fit --data rows.npy --n-components 3 --n-init 1 --tol 0 --rounds 100000000 \
        --out lost.json >out.txt 2>err.txt &
    job_pid=$!
    for _ in $(seq 300); do
        # shellcheck disable=SC2046 # one word a process
        mapfile -t workers < <(children $(children "$job_pid"))
        [ ${#workers[@]} -lt 3 ] || break
        sleep 0.1
    done
    sleep "0.$(($1 * 7 % 10))"
    kill -9 "${workers[$1 % 3]}" || kill "$job_pid"
    wait "$job_pid" || status=$?
    [ "$status" -eq 1 ] || { echo "status $status"; cat err.txt; return 1; }
    [ "$(grep -c '^meshbayes' err.txt)" -eq 1 ] || { cat err.txt; return 1; }
    grep -q 'was killed by signal 9' err.txt && [ -z "$(find . -maxdepth 1 -name 'lost.json*')" ]
}
for k in $(seq "$([ "${LONG:-0}" = 1 ] && echo 20 || echo 3)"); do
    claim "a killed process ends the job with status 1, one line and no file ($k)" lost "$k"
done
finish

#!/usr/bin/env bash
# parts.sh PROGRAM MPIEXEC: `fit --data part-%r.npy` under mpirun, a file for each process, leaves the
# posterior of one process on the concatenation, byte for byte, wherever the parts end.
set -euo pipefail
# shellcheck source=../lib/mpi.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/mpi.sh"
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

# Pieces of the 270011 rows have 4219 each; more than 2^18 rows are shared.
/usr/bin/python3 - <<'END' || { echo "numpy is needed"; exit 1; }
import numpy as np
from clusters import overlapping
r, k, x = overlapping(270011)

def parts(name, x, *ends):
    for q, (begin, end) in enumerate(zip((0,) + ends, ends + (len(x),))):
        np.save(f"{name}-{q}.npy", x[begin:end])

np.save("rows.npy", x)
np.save("narrow.npy", x.astype("f4"))
np.save("few.npy", x[:5000])
parts("even", x, 135000)
parts("whole", x, 4219 * 32)
parts("uneven", x, 1, 200000)
parts("empty", x, 100000, 100000, 100001)
parts("narrow", x.astype("f4"), 77777)
parts("few", x[:5000], 1, 2000)
gaps = x[:4000].copy()
gaps[3000, 1] = np.nan
np.save("gaps.npy", gaps)
parts("gaps", gaps, 1000)
x[100050, 1] = np.nan
parts("nan", x, 100000)
parts("columns", x[:200], 100)
np.save("columns-1.npy", x[100:200, :1])
parts("type", x[:200], 100)
np.save("type-1.npy", x[100:200].astype("f4"))
parts("void", x[:0], 0)
many = overlapping(2**21 + 12345)[2].astype("f4") # more slices than pieces, which 34 processes share
np.save("many.npy", many)
parts("many", many, *range(1, 60001 * 33, 60001))
END

fit() { # fit NAME PROCESSES DATA ARGUMENTS...: NAME.json
    local name=$1 processes=$2 data=$3
    shift 3
    job "$processes" fit --data "$data" --rounds 10 --out "$name.json" "$@" </dev/null >"$name.txt"
}
same() { # same NAME OF: but for the name of the file of the rows
    diff <(sed -e '/"file": /d' "$1.json") <(sed -e '/"file": /d' "$2.json") && grep -q '"file": ".*%r' "$1.json"
}
alike() { # alike PROCESSES PARTS OF ARGUMENTS..
    local processes=$1 parts=$2 of=$3
    shift 3
    claim "parts $parts on $processes processes $*" fit "$parts" "$processes" "$parts-%r.npy" --threads 2 "$@"
    claim "the posterior and the hash of one process on the concatenation" same "$parts" "$of"
}
mixture=(--n-components 3 --n-init 1)
for of in rows narrow few gaps; do
    fit "$of" 0 "$of.npy" "${mixture[@]}" --threads 1
done
alike 2 even rows "${mixture[@]}"
alike 2 whole rows "${mixture[@]}"
alike 3 uneven rows "${mixture[@]}"
alike 4 empty rows "${mixture[@]}"
alike 2 narrow narrow "${mixture[@]}"
alike 3 few few "${mixture[@]}"
alike 2 gaps gaps "${mixture[@]}"
fit many 0 many.npy "${mixture[@]}" --threads 1
alike 34 many many "${mixture[@]}"
fit rows 0 rows.npy --model linreg
alike 3 uneven rows --model linreg
claim "what a regression leaves over is that of one process" \
    diff <(sed '/in .* s:/,$d' rows.txt) <(sed '/in .* s:/,$d' uneven.txt)
fit rows 0 rows.npy "${mixture[@]}" --prune on --init kmeans++
alike 4 empty rows "${mixture[@]}" --prune on --init kmeans++

job 0 fit --data rows.npy --rounds 5 "${mixture[@]}" --out one >one.txt
claim "a folder with its report" job 3 fit --data uneven-%r.npy --rounds 5 "${mixture[@]}" --out parts
claim "its posterior" same parts/posterior one/posterior
claim "its trace" cmp parts/trace.csv one/trace.csv

once() { # once STATUS PATTERN PROCESSES DATA ARGUMENTS...: one line of ours, no file
    local want=$1 pattern=$2 processes=$3 data=$4 got=0
    shift 4
    job "$processes" fit --data "$data" "${mixture[@]}" --out none.json "$@" >out.txt 2>err.txt || got=$?
    [ "$got" -eq "$want" ] || { echo "status $got, expected $want"; return 1; }
    [ "$(grep -c '^meshbayes' err.txt)" -eq 1 ] && grep -qE -e "$pattern" err.txt && [ ! -e none.json ]
}
claim "a value that is missing names process, part and row of the part" \
    once 1 'process 1 of 2: nan-1.npy: row 51, column 2' 2 nan-%r.npy
claim "a part of other columns is named" \
    once 1 'process 1 of 2: columns-1.npy: got 1 columns; expected 2' 2 columns-%r.npy
claim "a part of another type is named" \
    once 1 'process 1 of 2: type-1.npy: got numbers of type f4 .*; expected f8' 2 type-%r.npy
claim "a part that is missing names its process" once 1 'process 3 of 4: uneven-3.npy: cannot open' 4 uneven-%r.npy
claim "parts beyond the processes are refused" once 2 'got uneven-2.npy besides the parts of 2 processes' 2 uneven-%r.npy
claim "on one process too" once 2 'got even-1.npy besides the part of 1 process' 0 even-%r.npy
claim "parts without any row are refused" once 1 'void-0.npy: got no rows' 2 void-%r.npy
claim "columns of parts cannot be chosen" once 2 'expected the rows alone' 2 even-%r.npy --drop x1
cp rows.npy 'is-%r.npy'
claim "a file of that name is a file" fit is 2 'is-%r.npy' "${mixture[@]}"
cp even-0.npy alone-0.npy
claim "one part is one file" fit alone 0 alone-%r.npy "${mixture[@]}"
finish

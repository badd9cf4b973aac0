#!/usr/bin/env bash
# predict.sh PROGRAM MPIEXEC: `predict` and `score` under mpirun give the bytes of one process, notes
# too, and end with its line when a row is wrong, in every process and without a file.
set -euo pipefail
# shellcheck source=../lib/mpi.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/mpi.sh"
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

# Batches have 4096 rows: 8 of them, the last one short; 3 whole ones; one.
/usr/bin/python3 - <<'END' || { echo "numpy is needed"; exit 1; }
import numpy as np
from clusters import overlapping
r, k, x = overlapping(30011, 3, 5)
w = r.random(k.size)
np.save("rows.npy", x)
np.save("three.npy", x[:3 * 4096])
np.save("few.npy", x[:300])
gap = r.random(x.shape) < .05
for name, bad in (("rows", {}), ("gaps", None), ("bad", {(20000, 1): "1e300", (28000, 1): "word"}), ("word", {(28000, 1): "word"})):
    with open(name + ".csv", "w") as f:
        f.write("id,a,b,w\n")
        for j in range(len(x)):
            cells = [repr(float(x[j, d])) for d in range(2)]
            if bad is None:
                cells = ["" if gap[j, d] else cells[d] for d in range(2)]
            else:
                cells = [bad.get((j, d), cells[d]) for d in range(2)]
            f.write('"r,%d",%s,%s,%.6f\n' % (j, *cells, w[j]))
x *= 1e-70
np.save("tiny.npy", x[:300])
x[20000] = 1e99, -1e99 # values that are accepted, but their squares in units of 1e-70 are not finite
x[28000, 1] = np.nan
np.save("far.npy", x)
END
"$program" fit --data few.npy --n-components 3 --n-init 1 --out mixture.json >/dev/null
"$program" fit --data tiny.npy --n-components 2 --n-init 1 --out tiny.json >/dev/null
"$program" fit --data few.npy --model linreg --out line.json >/dev/null
awk -F, -v OFS=, 'NR > 1 { $NF = 0 } NR < 99' rows.csv >weightless.csv
sed 's/"x1"/"a"/g; s/"x2"/"b"/g' mixture.json >named.json

alike() { # alike NAME "PROCESSES.." ARGUMENTS...: they leave what one process without MPI does
    local name=$1 counts=$2 p file
    shift 2
    mkdir -p "$name-0"
    (cd "$name-0" && "$program" "$@" >stdout.txt 2>stderr.txt) || { cat "$name-0/stderr.txt"; return 1; }
    # shellcheck disable=SC2086 # words
    for p in $(counts $counts); do
        mkdir -p "$name-$p"
        (cd "$name-$p" && job "$p" "$@" >stdout.txt 2>stderr.txt) || { cat "$name-$p/stderr.txt"; return 1; }
        for file in "$name-0"/*; do
            cmp "$file" "$name-$p/${file##*/}" || return 1
        done
        [ "$(find "$name-$p" -type f | wc -l)" -eq "$(find "$name-0" -type f | wc -l)" ] || return 1
    done
    [ -n "$(find "$name-0" -type f ! -name stderr.txt -size +0)" ]
}
mixture=(--posterior ../mixture.json) named=(--posterior ../named.json --drop id)
claim "predictions of NPY into CSV" alike table "1 2 3" predict "${mixture[@]}" --data ../rows.npy --out t.csv
claim "into NPY" alike array "2 3" predict "${mixture[@]}" --data ../rows.npy --what responsibilities --out r.npy
claim "a number of batches that every process has a part of" alike three "2 3" predict "${mixture[@]}" --data ../three.npy --out t.npy
claim "fewer rows than a batch, on standard output" alike few "3" predict "${mixture[@]}" --data ../few.npy
claim "predictions of CSV, with its texts and notes" alike kept "1 2 3" predict "${named[@]}" --data ../rows.csv --keep id --out t.csv
claim "of CSV into NPY" alike cells "2 3" predict "${named[@]}" --data ../rows.csv --out l.npy
claim "of rows with gaps" alike gaps "3" predict "${named[@]}" --data ../gaps.csv --out t.csv
claim "without those rows" alike whole "2" predict "${named[@]}" --data ../gaps.csv --missing drop --what labels
claim "of a regression" alike line "3" predict --posterior ../line.json --data ../rows.npy --out t.csv
claim "the mean density, weighted" alike mean "1 2 3" score "${named[@]}" --data ../rows.csv --weight-column w --json
claim "as the E-step has it" alike expected "2 3" score "${named[@]}" --data ../gaps.csv --density expected --json
claim "of a regression" alike straight "3" score --posterior ../line.json --data ../three.npy --json
claim "the density of every row, and the mean" alike each "2" score "${mixture[@]}" --data ../rows.npy --samples --out d.npy
claim "the density of every row on standard output" alike every "2" score "${mixture[@]}" --data ../few.npy --samples

once() { # once STATUS PATTERN PROCESSES ARGUMENTS...: one line of ours, no file
    local want=$1 pattern=$2 got=0
    shift 2
    rm -f none.*
    job "$@" >out.txt 2>err.txt || got=$?
    [ "$got" -eq "$want" ] || { echo "status $got, expected $want"; cat err.txt; return 1; }
    [ "$(grep -c '^meshbayes' err.txt)" -eq 1 ] && grep -qE -e "$pattern" err.txt && [ -z "$(find . -maxdepth 1 -name 'none.*')" ]
}
for p in 0 2 3; do
    claim "a row that is too far out is named, not a later one ($p processes)" \
        once 1 'far.npy: row 20001: ' "$p" predict --posterior tiny.json --data far.npy --out none.csv
done
claim "a cell that is no number is named once" \
    once 1 'word.csv:28002: column "b"' 2 predict --posterior named.json --drop id --data word.csv --out none.npy
claim "and one that is too large" \
    once 1 'bad.csv:20002: column "b"' 3 score --posterior named.json --drop id --data bad.csv --samples --out none.npy
claim "a folder that is not there ends the job" \
    once 1 'none' 2 predict --posterior mixture.json --data rows.npy --out nowhere/none.csv
claim "a full disk ends the job" once 1 'No space left' 2 predict --posterior mixture.json --data rows.npy --out /dev/full
claim "a full disk at the end" once 1 'No space left' 2 predict --posterior mixture.json --data few.npy --out /dev/full
claim "rows of standard input come to one process" \
    once 2 'standard input, which comes to one process' 2 score --posterior mixture.json --data -
claim "a wrong option is named once" once 2 '--dta is not an option' 3 predict --dta rows.npy
claim "the weights are checked once" once 1 'the weights are all 0' \
    3 score --posterior named.json --drop id --data weightless.csv --weight-column w

/usr/bin/python3 - <<'END'
import numpy as np
x = np.load("rows.npy")
for q, (begin, end) in enumerate(((0, 20000), (20000, 20001), (20001, 30011))):
    np.save(f"part-{q}.npy", x[begin:end])
np.save("void-0.npy", x[:5])
np.save("void-1.npy", x[:0])
np.save("torn-0.npy", x[:9000])
np.save("torn-1.npy", np.load("far.npy")[15000:])
END
apart() { # apart PATTERN ARGUMENTS...: its outputs are those of a process for each part
    local pattern=$1 q
    shift
    job 3 "$@" --data part-%r.npy --out "$pattern" || return 1
    for q in 0 1 2; do
        "$program" "$@" --data part-$q.npy --out "one-${pattern//%r/$q}" || return 1
        cmp "one-${pattern//%r/$q}" "${pattern//%r/$q}" || return 1
    done
}
claim "predictions of a part each, one of them a single row" apart p-%r.csv predict --posterior mixture.json
claim "into NPY" apart p-%r.npy predict --posterior mixture.json --what responsibilities
claim "densities of a part each" apart d-%r.npy score --posterior mixture.json --samples
mean_of_parts() { # as NumPy has it of all rows
    job 3 score --posterior mixture.json --data part-%r.npy --json >parts.json
    "$program" score --posterior mixture.json --data rows.npy --samples --out all.npy >/dev/null
    /usr/bin/python3 -c 'import json, numpy as np
got, d = json.load(open("parts.json")), np.load("all.npy")
assert got["rows"] == len(d) == 30011 and abs(got["mean_log_density"] - d.mean()) < 1e-12, (got, d.mean())'
}
claim "the mean over all parts" mean_of_parts
claim "a row of one part that is too far out ends all, without a file" \
    once 1 'torn-1.npy: row 5001: ' 2 predict --posterior tiny.json --data torn-%r.npy --out none.%r.csv
claim "a part without rows is named, as by one process" \
    once 1 'void-1.npy: got 0 x 2; expected at least one row' 2 predict --posterior mixture.json --data void-%r.npy --out none.%r.csv
claim "a part that is missing is named" once 1 'torn-2.npy' 3 predict --posterior tiny.json --data torn-%r.npy --out none.%r.csv
claim "parts beyond the processes are refused" \
    once 2 'got part-2.npy besides the parts of 2 processes' 2 score --posterior mixture.json --data part-%r.npy
claim "outputs of parts need a file each" \
    once 2 'got none.csv for rows in parts; expected a file for each process' 3 predict --posterior mixture.json --data part-%r.npy --out none.csv
claim "groups of parts are a column" once 2 '--group-file: got few.npy beside rows in parts' \
    3 predict --posterior mixture.json --data part-%r.npy --group-file few.npy --out none.%r.csv

lost() { # one process is killed while the other waits for room in a pipe
    local status=0 job_pid workers=()
    mkfifo full
    exec 9<>full
    "$mpiexec" -n 2 "$program" predict --posterior mixture.json --data rows.npy --out full 2>err.txt &
    job_pid=$!
    for _ in $(seq 300); do
        # shellcheck disable=SC2046 # one word a process
        mapfile -t workers < <(children $(children "$job_pid"))
        [ ${#workers[@]} -lt 2 ] || break
        sleep 0.1
    done
    timeout 60 head -c 1 <&9 >/dev/null # both have started: the first rows are written
    kill -9 "${workers[1]}" || kill "$job_pid"
    wait "$job_pid" || status=$?
    [ "$status" -eq 1 ] || { echo "status $status"; cat err.txt; return 1; }
    [ "$(grep -c '^meshbayes' err.txt)" -eq 1 ] && grep -q 'was killed by signal 9; the output is not complete' err.txt
}
claim "a killed process ends the job with status 1 and one line" lost
finish

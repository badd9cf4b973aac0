#!/usr/bin/env bash
# fit_resume.sh PROGRAM MPIEXEC: a fit under mpirun, one of whose processes is killed at any moment,
# again and again, goes on with other numbers of processes to the file of one that was not; damaged
# checkpoints cost time alone, and another run is refused. LONG=1 kills 20 times instead of 4.
# The functions are called through `claim`.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/mpi.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/mpi.sh"
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"
deaths=$([ "${LONG:-0}" = 1 ] && echo 20 || echo 4)

# More than 2^18 rows are shared; of few, initialisations are.
/usr/bin/python3 - <<'END' || { echo "numpy is needed"; exit 1; }
import numpy as np
from clusters import overlapping
r, k, x = overlapping(265001)
np.save("rows.npy", x)
np.save("few.npy", x[:3000])
x[200000, 1] += .25
np.save("other.npy", x)
END

# struck PROCESSES MS ARGUMENTS...: kills one of the processes within a time that is drawn from MS
# milliseconds; the exit status of the job. 0 processes: one without MPI.
struck() {
    local processes=$1 most=$2 status=0 job_pid workers=()
    shift 2
    if [ "$processes" -eq 0 ]; then
        "$program" fit "$@" >out.txt 2>err.txt &
    else
        "$mpiexec" -n "$processes" "$program" fit "$@" >out.txt 2>err.txt &
    fi
    job_pid=$!
    workers=("$job_pid")
    for _ in $(seq 300); do
        [ "$processes" -gt 0 ] || break
        # shellcheck disable=SC2046 # one word a process
        mapfile -t workers < <(children $(children "$job_pid"))
        if [ ${#workers[@]} -ge "$processes" ] || ! kill -0 "$job_pid" 2>/dev/null; then break; fi
        sleep 0.02
    done
    sleep "$(awk -v most="$most" -v part=$RANDOM 'BEGIN { print most * part / 32768e3 }')"
    [ ${#workers[@]} -eq 0 ] || kill -9 "${workers[RANDOM % ${#workers[@]}]}" 2>/dev/null || true
    wait "$job_pid" || status=$?
    return "$status"
}
# One line, with status 1, that says where to go on from. A killed process without MPI says nothing.
says_where() { # says_where PROCESSES STATUS
    [ "$1" -gt 1 ] || return 0
    [ "$2" -eq 1 ] && [ "$(grep -c '^meshbayes.*error' err.txt)" -eq 1 ] &&
        grep -qE 'was killed by signal 9; (no round is saved yet: begin again with|resume (from round [0-9]+ of|after) [-a-z0-9]+ with) --resume kept|there is no checkpoint' err.txt
}
# killed ARGUMENTS...: until jobs have died often enough with something to go on from; each ends in the same
# files.
killed() {
    local tries=0 on=0 processes status
    rm -rf kept b.json b.csv
    while ((tries++ < 200)); do
        processes=$(((tries * 2) % 5)) status=0
        struck "$processes" $((100 + tries % 12 * 120)) "$@" --threads $((1 + tries % 2)) --out b.json --trace b.csv \
            --checkpoint kept --resume kept --every 4 || status=$?
        if [ "$status" -eq 0 ]; then
            same || return 1
            ((on < deaths)) || { echo "killed $on times in $tries tries, to the same bits"; return 0; }
            rm -rf kept b.json b.csv
        else
            says_where "$processes" "$status" || { echo "$processes processes, status $status:"; cat err.txt; return 1; }
            holds_checkpoint kept && on=$((on + 1))
        fi
    done
    echo "not over after 200 tries"
    return 1
}
same() { cmp a.csv b.csv && diff <(lasting a.json) <(lasting b.json) && [ -s b.json ]; }
goes_on() { # goes_on NAME ARGUMENTS...
    local name=$1
    shift
    "$program" fit "$@" --out a.json --trace a.csv >out.txt
    claim "$name: killed again and again, on 0 to 4 processes, it ends" killed "$@"
    [ "${LONG:-0}" = 0 ] || tail -n 1 .claim
    claim "$name: with the same bits" same
}
goes_on "shared rows" --data rows.npy --n-components 4 --n-init 2 --rounds 30
goes_on "spread initialisations and moves" --data few.npy --n-components 6 --rounds 60
goes_on "spread numbers of components" --data few.npy --n-components 1..4 --n-init 3 --rounds 60 --prune on

# The folder of a fit that has ended, on shared rows.
bare=(--n-components 3 --n-init 1 --tol 0)
plain=("${bare[@]}" --data rows.npy --rounds 25)
"$program" fit "${plain[@]}" --out a.json --trace a.csv >out.txt
stored() { rm -rf kept && job 2 fit "${plain[@]}" --out b.json --trace b.csv --checkpoint kept --every 7 >out.txt; }
on() { job "$@" fit "${plain[@]}" --out b.json --trace b.csv --resume kept >out.txt 2>err.txt; }
claim "a fit that has ended is loaded" stored
claim "in another number of processes" on 3
claim "to the same bits" same
truncate -s 900 kept/round-000000025-fit-end/part-0000.mbck
claim "of a damaged newest checkpoint" on 2
claim "it is said" grep -q 'part-0000.mbck: .*; the checkpoint before it is tried' err.txt
claim "the one before is used" grep -q 'resumes from the checkpoint of round 21' err.txt
claim "with the same bits" same
printf 'x' | dd of=kept/unit-seed-0.mbck bs=1 seek=60 conv=notrunc status=none
claim "a damaged unit" on 1
claim "is computed again" grep -q 'unit-seed-0.mbck: checksum of page 1 differs; it is computed again' err.txt
claim "and nothing else changes" same

once() { # once STATUS PATTERN PROCESSES ARGUMENTS...: that status, one line of ours, no file
    local want=$1 pattern=$2 got=0
    shift 2
    rm -f none.json
    job "$1" fit "${@:2}" --out none.json >out.txt 2>err.txt || got=$?
    [ "$got" -eq "$want" ] || { echo "status $got, expected $want"; cat err.txt; return 1; }
    { [ "$(grep -c '^meshbayes.*error' err.txt)" -eq 1 ] && grep -qE -e "$pattern" err.txt && [ ! -e none.json ]; } ||
        { cat err.txt; return 1; }
}
claim "other data are refused" once 2 'was made with --data 265001 x 2 of hash [0-9a-f]+, but this run has' 2 \
    "${bare[@]}" --rounds 25 --data other.npy --trace none.csv --resume kept
claim "another option is" once 2 'was made with seed 0, but this run has 4' 3 "${plain[@]}" --seed 4 --resume kept
claim "a folder in use is" once 2 '--checkpoint: kept holds the checkpoints of a run' 2 "${plain[@]}" --checkpoint kept
claim "a folder without checkpoints is" once 2 'nothing holds no checkpoint' 2 "${plain[@]}" --resume nothing
claim "fewer rounds than are done are" once 2 '--rounds: 9, but the checkpoint of fit in kept is of round [0-9]+' 2 \
    "${bare[@]}" --data rows.npy --rounds 9 --trace none.csv --resume kept
more() { job 2 fit "${bare[@]}" --data rows.npy --rounds 40 --out b.json --trace b.csv --resume kept >out.txt &&
    "$program" fit "${bare[@]}" --data rows.npy --rounds 40 --out a.json --trace a.csv >out.txt && same; }
claim "one initialisation may have more rounds" more
finish

#!/usr/bin/env bash
# resume.sh PROGRAM MPIEXEC: a job that was interrupted goes on, on any number of processes, to the
# files of one that was not.
# shellcheck disable=SC2054 # commas belong to options
set -euo pipefail
# shellcheck source=../lib/mpi.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/mpi.sh"
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

same() {
    local file bad=0
    for file in "$1"/*.npy "$1"/*.csv "$1"/posterior*.json "$1"/summary.json; do
        diff <(lasting "$file") <(lasting "$2/${file#"$1"/}") >/dev/null || {
            echo "$file differs"
            bad=1
        }
    done
    for file in phi-*.npy; do
        cmp "$file" "first-$file" || bad=1
    done
    [ -s "$1/summary.json" ] && return "$bad"
}

two_clusters 14 15
# Both initialisations reach one bound; of seed 7 31 rounds keep the one that 60 rounds keep.
sim=(sim --data rows.csv --node-column site --label-column kind --network links.csv --seed 7 --metrics all
    --rounds 60 --tol 0 --n-init 2 --dump-phi phi.npy --dump-at 1,9,20)
clean=("${sim[@]}" --algorithm cvb,dsvb,admm,edge,flow)
rough=("${sim[@]}" --algorithm cvb,nsg,edge,flow,sum --sum.mask simulated --loss-directed 0.2 --loss 0.05 --silent 0.1 --delay 2)

# over FROM TO ARGUMENTS...: 31 rounds on FROM processes, the rest on TO.
over() {
    local from=$1 to=$2
    shift 2
    rm -rf kept b
    job "$from" "$@" --rounds 31 --out b --checkpoint kept --every 10 >out.txt &&
        job "$to" "$@" --out b --resume kept --checkpoint kept --every 10 >out.txt
}
whole() { # whole ARGUMENTS...: without interruption and MPI
    rm -rf a first-*.npy phi-*.npy
    job 0 "$@" --out a >out.txt
    for file in phi-*.npy; do mv "$file" "first-$file"; done
}
refused() { # refused PROCESSES: one number of the last share is another
    /usr/bin/python3 -c 'import numpy as np
x = np.load("many.npy"); x[-1, 1] += 1e-9; np.save("many.npy", x)'
    ! job "$1" "${wide[@]}" --out b --resume kept >out.txt 2>err.txt && grep -q 'rows' err.txt
}
whole "${clean[@]}"
for pair in "0 3" "1 2" "2 0" "3 4" "4 2"; do
    # shellcheck disable=SC2086 # two words
    claim "from and to processes: $pair" over $pair "${clean[@]}"
    claim "the same files" same a b
done
# Central VB, whose rows the processes share.
/usr/bin/python3 -c 'import numpy as np
np.save("many.npy", np.random.default_rng(5).normal(size=(270011, 2)) ** 3)'
wide=(sim --data many.npy --deal blocks --topology ring:n=4 --n-components 2 --n-init 1 --algorithm cvb,edge
    --rounds 60 --tol 0 --dump-phi phi.npy --dump-at 1,9,20)
whole "${wide[@]}"
for pair in "0 3" "2 3" "3 2" "2 0"; do
    # shellcheck disable=SC2086 # two words
    claim "rows in shares, from and to processes: $pair" over $pair "${wide[@]}"
    claim "the same files" same a b
done
claim "other rows are refused" refused 3
whole "${rough[@]}"
for pair in "2 3" "3 0" "0 2"; do
    # shellcheck disable=SC2086 # two words
    claim "with faults, from and to processes: $pair" over $pair "${rough[@]}"
    claim "the same files" same a b
done

once() { # once STATUS PATTERN PROCESSES ARGUMENTS...: that status, and one line of ours that says so
    local want=$1 pattern=$2 got=0
    shift 2
    job "$@" >out.txt 2>err.txt || got=$?
    [ "$got" -eq "$want" ] || { echo "status $got, expected $want"; cat err.txt; return 1; }
    { [ "$(grep -c '^meshbayes.*error' err.txt)" -eq 1 ] && grep -qE -e "$pattern" err.txt; } || { cat err.txt; return 1; }
}
claim "another option is named once" once 2 'made with loss 0.05, but this run has 0.1' 3 "${rough[@]}" --out b --resume kept --loss 0.1
for file in kept/*-edge*/part-0001.mbck; do truncate -s 800 "$file"; done
claim "what one process finds damaged all refuse" once 1 'none of the 2 checkpoints of edge can be used' 2 "${rough[@]}" --out b --resume kept
[ "$(grep -c 'part-0001.mbck: .*the checkpoint before it is tried' err.txt)" -eq 2 ] || cat err.txt
claim "each of them told once" test "$(grep -c 'part-0001.mbck: .*the checkpoint before it is tried' err.txt)" -eq 2

# A process is killed: the line says where to go on from, and one can.
long=(sim --data rows.csv --node-column site --label-column kind --network links.csv --seed 3 --algorithm edge --tol 0)
# A process whose parent is of the job too: the parent is its guardian.
worker() {
    ps -eo pid=,ppid=,args= | awk -v program="$program" '$3 == program && /--rounds 100000000 / { parent[$1] = $2 }
        END { for (pid in parent) if (parent[pid] in parent) { print pid; exit } }'
}
# struck SIGNAL OPTIONS...: a run on two processes, one of which gets the signal once there is a
# checkpoint; its exit status.
struck() {
    local signal=$1 status=0 child=""
    shift
    rm -rf kept
    timeout 60 "$mpiexec" -n 2 "$program" "${long[@]}" --rounds 100000000 --checkpoint kept --every 20 "$@" >out.txt 2>err.txt &
    local job_pid=$!
    for _ in $(seq 100); do
        sleep 0.2
        holds_checkpoint kept 'round-*-edge' && child=$(worker)
        [ -z "$child" ] || break
    done
    kill "-$signal" "$child" || ps -eo pid,ppid,stat,args
    wait "$job_pid" || status=$?
    return "$status"
}
killed() {
    local status=0
    struck KILL || status=$?
    [ "$status" -eq 1 ] || { echo "status $status"; cat err.txt; return 1; }
    grep -qE 'was killed by signal 9; resume from round [0-9]+ of edge with --resume kept' err.txt || { cat err.txt; return 1; }
}
goes_on() {
    local t
    t=$(find kept -maxdepth 1 -name 'round-*-edge' | sed 's/.*round-0*\([0-9]*\)-edge/\1/' | sort -n | tail -1)
    job 3 "${long[@]}" --rounds $((t + 7)) --resume kept --dump-phi one.npy &&
        job 0 "${long[@]}" --rounds $((t + 7)) --dump-phi two.npy && cmp one.npy two.npy
}
claim "a killed process names the checkpoint" killed
claim "which the run goes on from, on three processes" goes_on

# A signal to one process ends all of them after a round, with their files.
interrupted() {
    local status=0
    rm -rf out
    struck TERM --out out || status=$?
    [ "$status" -eq 143 ] || { echo "status $status"; cat err.txt; return 1; }
    grep -q 'edge was interrupted by SIGTERM after round [0-9]*0, from where --resume continues' err.txt &&
        "$program" report out
}
claim "a signal to one process ends all after a round, with their files" interrupted
claim "and the run goes on from there" goes_on
finish

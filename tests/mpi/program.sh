#!/usr/bin/env bash
# program.sh PROGRAM MPIEXEC: a command under mpirun leaves the files it leaves without, byte for byte,
# and says what goes wrong once.
# shellcheck disable=SC2054 # commas belong to options
set -euo pipefail
# shellcheck source=../lib/mpi.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/mpi.sh"
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

run_in() { # run_in FOLDER PROCESSES ARGUMENTS...: in a folder of its own, so that names are the same
    local folder=$1
    shift
    mkdir -p "$folder"
    (cd "$folder" && job "$@" >stdout.txt)
}
# What a folder holds, but for the seconds and what is drawn of them.
same() {
    local file bad=0
    for file in "$1"/*.npy "$1"/*.csv "$1"/out/*.npy "$1"/out/*.csv "$1"/out/*.json; do
        [ -e "$file" ] || continue
        diff <(lasting "$file") <(lasting "$2/${file#"$1"/}") >/dev/null || {
            echo "$file differs"
            bad=1
        }
    done
    [ -s "$1/out/summary.json" ] && return "$bad"
}

two_clusters 14 15
all=(sim --data ../rows.csv --node-column site --label-column kind --network ../links.csv
    --algorithm cvb,noncoop,nsg,dsvb,admm,edge,flow --rounds 30 --tol 0 --seed 3 --metrics all
    --out out --trace trace.csv --dump-phi phi.npy --dump-at 1,9,30 --node 11)
run_in all-0 0 "${all[@]}"
for p in $(counts 1 2 3 4); do
    claim "every algorithm runs on $p processes" run_in "all-$p" "$p" "${all[@]}"
    claim "and leaves the same files" same all-0 "all-$p"
done

faults=(sim --data ../rows.csv --node-column site --label-column kind --network ../links.csv --algorithm nsg,dsvb,edge,flow
    --rounds 40 --seed 5 --loss-directed 0.2 --loss 0.05 --silent 0.1 --delay 2 --n-init 2 --out out --dump-phi phi.npy)
run_in faults-0 0 "${faults[@]}"
for p in $(counts 2 3); do
    claim "lost, late and silent, with two starts: on $p processes" run_in "faults-$p" "$p" "${faults[@]}"
    claim "the same files" same faults-0 "faults-$p"
done

# The stop rule: what every process knows of its nodes and links makes one verdict in one round.
settles=(sim --data ../rows.csv --node-column site --label-column kind --network ../links.csv --algorithm cvb,edge,nsg,sum --sum.mask simulated
    --rounds 5000 --seed 2 --loss-directed 0.4 --delay 1 --out out --dump-phi phi.npy)
run_in settles-0 0 "${settles[@]}"
claim "a lossy run settles" grep -q '"verdict": "settled"' settles-0/out/posterior-edge.json
for p in $(counts 2 3); do
    claim "it settles on $p processes" run_in "settles-$p" "$p" "${settles[@]}"
    claim "in the same round, with the same bits" same settles-0 "settles-$p"
done

# Rows with gaps: moments, centres and sums of what is there.
awk -F, -v OFS=, 'NR > 1 { if (NR % 5 == 1) $1 = ""; if (NR % 7 == 3) $2 = "NA" } 1' rows.csv >gaps.csv
for type in full diag spherical tied; do
    gaps=(sim --data ../gaps.csv --node-column site --label-column kind --network ../links.csv --algorithm cvb,edge
        --covariance-type "$type" --rounds 60 --seed 2 --loss-directed 0.2 --metrics all --trace trace.csv --out out
        --dump-phi phi.npy)
    run_in "gaps-$type-0" 0 "${gaps[@]}"
    for p in $(counts 2 3); do
        claim "gaps, $type: on $p processes" run_in "gaps-$type-$p" "$p" "${gaps[@]}"
        claim "the same files" same "gaps-$type-0" "gaps-$type-$p"
    done
done

"$program" data synthetic --nodes 12 --rows 20 --seed 2 --out three.csv >/dev/null
awk -F, 'NR > 1 { print $2 "," $3 }' three.csv >plain.csv
/usr/bin/python3 - <<'END' || { echo "numpy is needed"; exit 1; }
import numpy as np
x = np.loadtxt("plain.csv", delimiter=",")
np.save("rows.npy", x)
np.save("packed.npy", x.astype("f4"))
x[-1, 1] = np.nan
np.save("nan.npy", x)
END
blocks=(sim --data ../rows.npy --deal blocks --topology grid:rows=3,cols=4 --n-components 3 --algorithm edge,flow
    --rounds 20 --out out --dump-phi phi.npy)
run_in blocks-0 0 "${blocks[@]}"
for p in $(counts 2 4); do
    claim "rows that stay in their file: on $p processes" run_in "blocks-$p" "$p" "${blocks[@]}"
    claim "the same files" same blocks-0 "blocks-$p"
done
cp rows.npy whole.npy
claim "rows read whole are the same rows" run_in whole 0 sim --data ../packed.npy --deal blocks \
    --topology grid:rows=3,cols=4 --n-components 3 --algorithm edge,flow --rounds 20 --out out --dump-phi phi.npy
for network in geometric:n=20,side=3,radius=1.2 ring:n=7; do
    dealt=(sim --data ../rows.npy --topology "$network" --n-components 2 --algorithm edge,tree --rounds 20 --node 5
        --loss-directed 0.1 --out out --dump-phi phi.npy)
    [ "$network" != ring:n=7 ] || dealt=("${dealt[@]/edge,tree/edge,incremental}" --loss-directed 0)
    run_in "dealt-${network%%:*}-0" 0 "${dealt[@]}"
    claim "rows dealt over ${network%%:*}, links in process 0: on 3" run_in "dealt-${network%%:*}-3" 3 "${dealt[@]}"
    claim "the same files" same "dealt-${network%%:*}-0" "dealt-${network%%:*}-3"
done
linreg=(sim --data ../rows.npy --deal blocks --model linreg --topology grid:rows=3,cols=4 --precision float32 --rounds 20 --out out)
run_in linreg-0 0 "${linreg[@]}"
claim "a regression on two processes" run_in linreg-2 2 "${linreg[@]}"
claim "the same files" same linreg-0 linreg-2

# A private release: nodes draw and mask by their ids, wherever they are; process 0 books it.
printf 'column,low,high\nx1,-9,9\nx2,-9,9\n' >ends.csv
private=(sim --data ../rows.npy --model linreg --topology grid:rows=3,cols=4 --algorithm sum --sum.mask simulated --bounds ../ends.csv
    --privacy epsilon=50,delta=1e-3,colluders=3 --privacy.budget 100 --ledger ledger.json --out answer.json)
run_in private-0 0 "${private[@]}"
for p in $(counts 1 2 3 4); do
    claim "a private release on $p processes" run_in "private-$p" "$p" "${private[@]}"
    claim "the same answer" cmp private-0/answer.json "private-$p/answer.json"
    claim "booked once" test "$(grep -c '"mu"' "private-$p/ledger.json")" = 1
done

sites=(sim --data ../rows.csv --node-column site --drop kind --model mixed --target-column b --mixed.varying a --network ../links.csv
    --algorithm cvb,edge,tree --loss 0.1 --rounds 20 --out out --dump-phi phi.npy --dump-at 1,20)
run_in sites-0 0 "${sites[@]}"
for p in $(counts 1 2 3 4); do
    claim "effects that vary by group on $p processes" run_in "sites-$p" "$p" "${sites[@]}"
    claim "the same files" same sites-0 "sites-$p"
done

ring=(sim --data ../rows.npy --deal blocks --topology ring:n=4 --n-components 2 --rounds 20 --out out)
run_in ring-0 0 "${ring[@]}"
claim "three processes share four nodes" run_in ring-3 3 "${ring[@]}"
claim "the same files" same ring-0 ring-3

# More than 2^18 rows: central VB and its metrics over shares of the rows, whatever nodes have them.
/usr/bin/python3 - <<'END'
import numpy as np
r = np.random.default_rng(5)
k = r.integers(3, size=270011)
x = r.normal(size=(k.size, 2)) * (1 + .5 * k[:, None]) + 4 * np.stack([k % 2, k // 2], 1)
np.save("many.npy", x)
np.savetxt("many.csv", np.column_stack([x, k]), "%.6f,%.6f,%d", header="a,b,kind", comments="")
END
shared() { # shared NAME "PROCESSES.." ARGUMENTS...: the files of one process
    local name=$1 p
    run_in "$name-0" 0 "${@:3}"
    # shellcheck disable=SC2086 # words
    for p in $(counts $2); do
        claim "$name, rows in shares: on $p processes" run_in "$name-$p" "$p" "${@:3}"
        claim "the same files" same "$name-0" "$name-$p"
    done
}
wide=(--topology grid:rows=3,cols=4 --n-components 3 --rounds 6 --tol 0 --threads 2 --out out --trace trace.csv)
stays=(sim --data ../many.npy --deal blocks "${wide[@]}")
shared central "1 2 3" "${stays[@]}" --algorithm cvb,edge --metrics kl_cvb,bound,bound_mean --dump-phi phi.npy
claim "the metric is there" grep -q '^edge,6,kl_cvb,nats,[0-9]' central-3/trace.csv
shared random 2 "${stays[@]}" --algorithm cvb --init random --n-init 2 --precision float32 --dump-phi phi.npy
shared merged 3 "${stays[@]}" --n-components 5 --algorithm cvb --n-init 1 --tol 1e-3 --rounds 60 --prune on --metrics bound
shared labels "2 3" sim --data ../many.csv --label-column kind "${wide[@]}" \
    --algorithm cvb,edge --metrics kl_cvb,kl_truth,accuracy,nmi --dump-phi phi.npy

# once STATUS PATTERN ARGUMENTS...: that status, and one line of ours that says so.
once() {
    local want=$1 pattern=$2 got=0
    shift 2
    job "$@" >out.txt 2>err.txt || got=$?
    [ "$got" -eq "$want" ] || { echo "status $got, expected $want"; return 1; }
    [ "$(grep -c '^meshbayes' err.txt)" -eq 1 ] && grep -qE -e "$pattern" err.txt
}
grid=(--topology grid:rows=3,cols=4 --n-components 3 --rounds 10)
claim "a value in the share of one process is named once" once 1 'nan.npy: row 240, column 2: nan is not' \
    3 sim --data nan.npy --deal blocks "${grid[@]}"
printf 'i,j\n1,2\n3,4\n' >parts.csv
claim "a network in two parts, which process 0 alone reads, is named once" once 2 'not connected: 2 components: {1, 2}, {3, 4}' \
    3 sim --data rows.npy --network parts.csv --n-components 2
claim "an algorithm for rings is refused once" once 2 'needs a ring, but node "2" has 3' \
    3 sim --data rows.npy "${grid[@]}" --algorithm incremental
claim "a node that is none is named once" once 2 '"13" is not a node' 3 sim --data rows.npy "${grid[@]}" --node 13 --out none
claim "a missing file is named once" once 1 'none.csv: cannot read' 3 sim --data none.csv "${grid[@]}"
claim "a wrong option is named once" once 2 '--dta is not an option' 2 sim --dta rows.csv
claim "more processes than nodes are refused" once 2 '4 processes for a network of 3 nodes' \
    4 sim --data rows.npy --topology ring:n=3 --n-components 2
claim "describing rows is one process's work" once 2 'started as 2 processes' 2 data describe rows.npy
claim "a full disk below the trace ends the job" once 1 'No space left' 2 sim --data rows.npy "${grid[@]}" --trace /dev/full
claim "a folder that can not be made ends it" once 1 'not a folder' 2 sim --data rows.npy "${grid[@]}" --out rows.npy/out

stops() { # stops ALGORITHM: the node and round at which a run ends are those of one process
    local p line want=
    for p in 0 2 3; do
        job "$p" sim --data three.csv --node-column node --label-column label --topology geometric:n=12,side=2,radius=0.9 \
            --n-components 4 --rounds 300 --on-domain stop --init random --prior paper --algorithm "$@" >out.txt 2>err.txt && return 1
        line=$(grep '^meshbayes.*error' err.txt)
        [ -n "$want" ] || want=$line
        [ "$line" = "$want" ] || { printf '%s\n%s\n' "$want" "$line"; return 1; }
    done
    grep -q 'outside its domain' err.txt
}
claim "a run that leaves the domain ends at the same node (edge)" stops edge --edge.eta 1
claim "and for admm" stops admm

# A process that is killed: the job ends, with status 1 and one line. mpiexec starts guardians, and
lost() {
    local status=0 job_pid workers=()
    "$mpiexec" -n 2 "$program" sim --data rows.npy "${grid[@]}" --rounds 100000000 --tol 0 >out.txt 2>err.txt &
    job_pid=$!
    for _ in $(seq 300); do
        # shellcheck disable=SC2046 # one word a process
        mapfile -t workers < <(children $(children "$job_pid"))
        [ ${#workers[@]} -lt 2 ] || break
        sleep 0.2
    done
    sleep 1
    kill -9 "${workers[0]}" || { ps -ef --forest; kill "$job_pid"; }
    wait "$job_pid" || status=$?
    [ "$status" -eq 1 ] || { echo "status $status"; cat err.txt; return 1; }
    [ "$(grep -c '^meshbayes' err.txt)" -eq 1 ] && grep -q 'was killed by signal 9; there is no checkpoint' err.txt
}
claim "a killed process ends the job with status 1 and one line" lost
finish

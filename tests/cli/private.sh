#!/usr/bin/env bash
# private.sh PROGRAM: what `meshbayes fit --privacy` shows of rows, and what it books.
# shellcheck disable=SC2317
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

awk 'BEGIN { print "a,b,y"; s = 17
    for (j = 0; j < 600; j++) {
        for (k = 0; k < 3; k++) { s = (s * 16807) % 2147483647; u[k] = s / 2147483647 }
        printf "%.4f,%.4f,%.4f\n", 4 * u[0] - 2, 4 * u[1] - 2, u[0] - u[1] + u[2]
    } }' >rows.csv
printf 'column,low,high\na,-1,1\nb,-1,1\ny,-1,1.5\n' >bounds.csv
release() { # release EPSILON [OPTIONS]
    local epsilon=$1
    shift
    "$program" fit --model linreg --target-column y --bounds bounds.csv --privacy "epsilon=$epsilon,delta=1e-5" "$@"
}
booked() { grep -c '"mu"' "$1"; }
answer() { sed -e '/"file"/d' -e '/"bounds"/d' "$1"; } # but for names of files

release 1 --data rows.csv --out p.json >first.txt
claim "a release is booked beside the data" test "$(booked rows.csv.ledger.json)" = 1
claim "the ledger holds a key, and is its owner's" test "$(stat -c %a rows.csv.ledger.json)" = 600
claim "beyond the budget a release is refused" status_is 2 release 1 --data rows.csv --out q.json
claim "and writes nothing" test ! -e q.json
claim "and is not booked" test "$(booked rows.csv.ledger.json)" = 1
claim "a larger budget allows it" release 1 --data rows.csv --privacy.budget 2 --out q.json
claim "for later ones, too" says '3 releases, epsilon 1\.8.* of 2 ' release 1 --data rows.csv
claim "without --seed no two releases have the same noise" refuted cmp -s p.json q.json
claim "the files have no hash of the rows" test "$(value p.json hash)" = 0000000000000000
claim "the posterior says what it cost" test "$(value p.json epsilon)" = 1.0
claim "it can be read again" "$program" predict --posterior p.json --data rows.csv

refused_without() { # refused_without OPTION COMMAND...: the message does not suggest this option
    local option=$1
    shift
    ! "$@" >refused.txt 2>&1 && ! grep -q -e "$option" refused.txt
}
sed '4s/^[^,]*//' rows.csv >hole.csv
claim "a missing value is refused, with no hint to what is refused as well" refused_without --missing release 1 --data hole.csv
claim "which names its place" grep -q 'hole.csv:4: column "a"' refused.txt
sed '4s/^[^,]*/text/' rows.csv >text.csv
claim "a text among numbers, too" refused_without --label-column release 1 --data text.csv --target-column a
claim "which names its column" grep -q 'column "a"' refused.txt

# What is to be expected before anything is spent.
"$program" plan --model linreg --rows-per-node 600 --features 2 --privacy epsilon=1,delta=1e-5 --json >plan.json
claim "plan knows the noise of a release" test "$(value plan.json noise_sd)" = "$(value p.json noise_sd)"
claim "and how far it moves a coefficient" awk -v with="$(value plan.json sd)" -v without="$(value plan.json sd_without_noise)" \
    'BEGIN { exit !(with > 2 * without && without > 0.02 && without < 0.04) }'
claim "plan says where rows are too few" says '^too few rows' "$program" plan --model linreg --rows-per-node 60 --privacy epsilon=1,delta=1e-5
claim "plan books nothing" test "$(find . -name '*ledger.json' | wc -l)" = 1

# What is shown follows from the sums of clipped rows alone.
awk -F, 'NR == 1 { print; next } { for (k = 1; k <= 3; k++) { top = k == 3 ? 1.5 : 1
    $k = $k < -1 ? -1 : $k > top ? top : $k } print $1 "," $2 "," $3 }' rows.csv >clipped.csv
{ head -n 1 rows.csv; tail -n +2 rows.csv | sort; } >sorted.csv
for name in rows clipped sorted; do
    release 1 --data "$name.csv" --seed 5 --ledger seeded.json --out "$name.json" >"$name.txt" 2>&1
done
claim "the ledger has an entry for each data set" test "$(grep -c '"hash"' seeded.json)" = 3
claim "rows beyond the bounds are rows at the bounds, in all that is shown" cmp <(answer rows.json) <(answer clipped.json)
claim "on the terminal, too" cmp <(grep -v posterior: rows.txt) <(grep -v posterior: clipped.txt)
claim "the order of the rows shows nowhere" cmp <(answer rows.json) <(answer sorted.json)
claim "noise of a seed is called simulated" grep -q '^simulated: the noise is of --seed' rows.txt
claim "in the file, too" test "$(value rows.json noise)" = simulated
claim "in the ledger, too" grep -q '"noise": "simulated"' seeded.json
claim "noise of the system is not" test "$(value p.json noise)" = random
for damage in 's/"hash": "./"hash": "/' 's/"releases"/"release"/' 's/"data"/"date"/' 's/"hash".*/"hash": 5,/'; do
    sed "$damage" seeded.json >damaged.json
    claim "a ledger is refused after $damage" status_is 1 release 1 --data rows.csv --ledger damaged.json
done
cp rows.csv copy.csv
claim "a ledger that forgets is none" says 'got a device or pipe, which forgets' release 1 --data rows.csv --ledger /dev/null
claim "a copy of the data with the same ledger is the same data" status_is 2 release 1 --data copy.csv --ledger seeded.json
sed /^a/d bounds.csv >fewer.csv
claim "with other columns, too" status_is 2 "$program" fit --model linreg --target-column y --drop a --data rows.csv --bounds fewer.csv \
    --privacy epsilon=1,delta=1e-5 --ledger seeded.json

# Files are the same data in any order, and an NPZ file whatever array of it is read.
mkdir parts
for k in 1 2; do
    awk -v k="$k" 'NR == 1 || NR % 2 == k - 1' rows.csv >"parts/$k.csv"
    python3 - "parts/$k.csv" "parts/$k.npy" <<'END'
import sys
x = [float(c) for line in list(open(sys.argv[1]))[1:] for c in line.split(",")]
import array, struct
head = ("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, 3), }" % (len(x) // 3)).ljust(117) + "\n"
open(sys.argv[2], "wb").write(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode() + array.array("d", x).tobytes())
import zipfile
with zipfile.ZipFile("a%s.npz" % sys.argv[2][-5], "w") as z:
    for name in "X", "Z":
        z.write(sys.argv[2], name + ".npy")
END
done
rm parts/*.npy
printf 'column,low,high\nx1,-1,1\nx2,-1,1\nx3,-1,1.5\n' >numbers.csv
array() { release 1 --bounds numbers.csv --target-column x3 --data "$@"; }
claim "several files are one data set" release 1 --data parts/1.csv,parts/2.csv
claim "booked beside the first" test "$(booked parts/1.csv.ledger.json)" = 1
claim "in another order, too" status_is 2 release 1 --data parts/2.csv,parts/1.csv
claim "with a ledger, too" status_is 2 release 1 --data parts/2.csv,parts/1.csv --ledger parts/1.csv.ledger.json
claim "and as a folder" status_is 2 release 1 --data parts
claim "one of them is another" release 1 --data parts/1.csv
claim "an array is booked beside its file" array a1.npz:X
claim "another one of the file is the same data" status_is 2 array a1.npz:Z
claim "and there is one ledger" test "$(booked a1.npz.ledger.json)" = 1
claim "arrays of several files are further data" array a1.npz:X,a2.npz:X
claim "in another order, too" status_is 2 array a2.npz:X,a1.npz:X
claim "no ledger has the name of an array" test -z "$(find . -name '*:*')"

# Eight processes at once, a budget for some of them: nothing is booked twice or lost.
for k in 1 2 3 4 5 6 7 8; do
    (if release 1 --data rows.csv --ledger shared.json --privacy.budget 2 >"at.$k" 2>&1; then touch "done.$k"; fi) &
done
wait
finished=$(find . -name 'done.*' | wc -l)
claim "releases at the same time are booked one after the other" test "$finished" = 3
claim "and each of them is there" test "$(booked shared.json)" = "$finished"
release 1 --data rows.csv --ledger full.json >/dev/full 2>/dev/null || true
claim "a release whose answer was lost is booked" test "$(booked full.json)" = 1

# In a network: each node adds a part of the noise and masks to its sums, and one pass is all.
network() { # network TOPOLOGY EPSILON [OPTIONS]
    local topology=$1 epsilon=$2
    shift 2
    "$program" sim --model linreg --target-column y --bounds bounds.csv --algorithm sum --sum.mask simulated --topology "$topology" \
        --data rows.csv --privacy.budget 50 --privacy "epsilon=$epsilon,delta=1e-5$colluders" --ledger network.json "$@"
}
colluders=
for topology in ring:n=8 star:n=8; do
    network "$topology" 1 --out "${topology%:*}.json" >"${topology%:*}.txt"
done
claim "whatever the tree, the answer is the same" cmp <(sed '/"privacy"/,$d; /"rounds"/d; /"topology"/d' ring.json) <(sed '/"privacy"/,$d; /"rounds"/d; /"topology"/d' star.json)
claim "it takes one pass" grep -q ' 8 nodes: one pass, 8 rounds, ' ring.txt
claim "half of the nodes may collude" test "$(value ring.json colluders)" = 4
more() { awk -v noise="$(value "$1" noise_sd)" -v alone="$(value p.json noise_sd)" -v times="$2" \
    'BEGIN { exit !(noise / alone > times * .9999 && noise / alone < times * 1.0001) }'; }
claim "so there is sqrt 2 times the noise of one machine" more ring.json 1.414214
colluders=,colluders=0 network ring:n=8 1 --out honest.json >/dev/null
claim "where nobody does, there is as much" more honest.json 1
claim "its noise and masks are simulated, and the terminal says so" grep -q '^simulated: noise and masks are of --seed' ring.txt
claim "so does the file" test "$(value ring.json mask) $(value ring.json noise)" = "simulated simulated"
claim "which has no hash of the rows" test "$(value ring.json hash)" = 0000000000000000
claim "each release is booked" test "$(booked network.json)" = 3
claim "what is beyond the budget is refused, and leaves nothing" status_is 2 network ring:n=8 1 --privacy.budget 1 --out late.json
claim "and is not booked" test "$(booked network.json) $(find . -name 'late*' | wc -l)" = "3 0"
"$program" plan --model linreg --topology ring:n=8 --rows-per-node 75 --features 2 --privacy epsilon=1,delta=1e-5 --json >plan.json
claim "plan knows the noise of a network" test "$(value plan.json noise_sd)" = "$(value ring.json noise_sd)"
claim "and how many may collude" test "$(value plan.json nodes) $(value plan.json colluders)" = "8 4"

# Processes that are killed at any time: what was answered is booked, and the ledger is whole.
for k in 1 2 3 4 5 6 7 8 9 10 11 12; do
    (if release .1 --data rows.csv --ledger killed.json --privacy.budget 50 >"killed.$k" 2>&1; then touch "answered.$k"; fi) &
    at=$!
    sleep "0.0$((k / 4))$((k % 10))"
    pkill -KILL -P "$at" 2>/dev/null || true
done
wait
answered=$(find . -name 'answered.*' | wc -l)
release .1 --data rows.csv --ledger killed.json --privacy.budget 50 >last.txt
claim "after kills the ledger is whole" grep -q '^killed.json: ' last.txt
claim "it has every release that was answered, and none that was not begun" \
    test "$(booked killed.json)" -gt "$answered" -a "$(booked killed.json)" -le 13

# A network of nodes sums its rows once.
of_nodes() { "$program" genesis ranges --model linreg --target-column y --bounds bounds.csv --privacy epsilon=1,delta=1e-5 "$@"; }
claim "rows in batches are refused with privacy" says '--rows-batch: got 5 with --privacy' of_nodes --rows-batch 5 --out promised.json
of_nodes --out promised.json >/dev/null
up() { "$program" up --data rows.csv --model linreg --target-column y --topology ring:n=4 --algorithm sum --virtual "$@"; }
claim "up names the options that give what a file promises" says 'promised.json promises privacy; expected up --bounds' up --genesis promised.json
claim "a virtual network, whose noise would hide nothing, releases nothing" says '^meshbayes up: error: --privacy: got --virtual' \
    up --bounds bounds.csv --privacy epsilon=1,delta=1e-5
sed 's/"algorithm"/"rows_batch": 5, &/' promised.json >batches.json
claim "a file with both is refused" says '"rows_batch".* expected none with privacy' up --genesis batches.json

# The page.
cp "$top/examples/readings.csv" .
meshbayes() { "$program" "$@"; }
# shellcheck disable=SC2016 # marks of Markdown, not commands
sed -n '/^```sh$/,/^```$/p' "$top/docs/howto/privacy.md" | grep -v '^```' >commands.txt
while IFS= read -r line; do
    case $line in
    "meshbayes up "*)
        [ -x "${program%/*}/meshbayes-node" ] || continue
        line="$line --base-port $((10500 + $$ % 300 * 10))"
        ;;
    esac
    claim "$line" eval "$line"
done <commands.txt
claim "the page's answer says that it is private" test "$(value private.json neighbours)" = "one row replaced"
finish

#!/usr/bin/env bash
# up.sh PROGRAM: nodes of a mesh on a virtual network: the answer, the folder, the exit status.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

two_clusters 6 30
up=("$program" up --virtual --data rows.csv --node-column site --label-column kind --network links.csv
    --n-components 2 --time 120s)
head -n 11 rows.csv | cut -d, -f1,2 >more.csv
cat >storm.csv <<END
time,event,a,b
2,kill,3,
3,start,3,
4,rows,2,more.csv
6,partition,"1 2 3",
9,rejoin,,
12,wipe,5,
13,start,5,
14,leave,6,
END

near() { awk -v x="$1" -v y="$2" -v most="$3" 'BEGIN { d = x - y; exit !(x != "" && (d < 0 ? -d : d) <= most) }'; }

claim "a mesh settles: status 0" status_is 0 "${up[@]}" --out calm
claim "the verdict is printed first" bash -c "'$program' up --virtual --data rows.csv --node-column site \
    --network links.csv --n-components 2 --drop kind --time 120s | head -n 1 | grep '^settled after'"
claim "one centralised step moves nothing" below "$(value calm/summary.json moved)" 1e-6
"$program" sim --data rows.csv --node-column site --label-column kind --network links.csv --n-components 2 \
    --algorithm cvb --tol 1e-12 --out whole >/dev/null 2>&1
claim "the bound is near that of central VB under sim's prior" \
    near "$(value calm/summary.json bound)" "$(value whole/summary.json bound)" 2
every_node() {
    local node
    for node in 1 2 3 4 5 6; do
        [ "$(value "calm/nodes/$node/status.json" verdict)" = settled ] || return 1
        near "$(value "calm/nodes/$node/status.json" n_nodes)" 6 1e-6 || return 1
        [ -s "calm/nodes/$node/posterior.json" ] || return 1
    done
}
claim "every node has settled, knows N and has its posterior" every_node
claim "posteriors of nodes are files of the program" \
    "$program" compare calm/posterior.json calm/nodes/3/posterior.json
claim "the report has the figures of time" grep -q 'id="life"' calm/report.html
claim "and can be made again" "$program" report calm

again() {
    "${up[@]}" --loss .3 --speed 1..3 --seed 5 --out first >/dev/null 2>&1
    "${up[@]}" --loss .3 --speed 1..3 --seed 5 --out second >/dev/null 2>&1
    cmp first/trace.csv second/trace.csv && cmp first/events.csv second/events.csv &&
        cmp first/posteriors.npy second/posteriors.npy
}
claim "the same seed gives the same bits" again

claim "after a storm it settles" status_is 0 "${up[@]}" --schedule storm.csv --loss .1 --out storm
claim "on the rows that are left" below "$(value storm/summary.json moved)" 1e-6
claim "which are counted" [ "$(value storm/summary.json rows)" = 160 ]
claim "with the nodes that are left" near "$(value storm/nodes/1/status.json n_nodes)" 5 1e-6
claim "a node that left has no status" test ! -e storm/nodes/6
in_order() { # events of the schedule, at their times
    grep -vE ',(settled|moving|failed),' storm/events.csv | cut -d, -f1,2 | sed 's/\.000000//' |
        diff - <(cut -d, -f1,2 storm.csv)
}
claim "events.csv has the schedule" in_order
claim "and what came of it" grep -q '3.000000,start,3,,.*incarnation 2' storm/events.csv
columns() { head -n 1 "storm/$1"; }
claim "trace.csv is against virtual time" [ "$(columns trace.csv | cut -d, -f1-4)" = time,live,settled,parts ]
claim "a folder that was used holds no old node" bash -c "'$program' up --virtual --data rows.csv --node-column site \
    --drop kind --network links.csv --n-components 2 --time 120s --schedule storm.csv --out calm >/dev/null 2>&1
    test ! -e calm/nodes/6"

claim "without time to settle: status 4" status_is 4 "${up[@]}" --time 1500ms --out short
claim "until a time: status 0" status_is 0 "${up[@]}" --until 2s
claim "the summary as JSON" says '"genesis": "sample"' "${up[@]}" --json
claim "a genesis from sums: status 0" status_is 0 "${up[@]}" --genesis sums --loss .1 --out sums
claim "which the summary names" [ "$(value sums/summary.json genesis)" = sums ]
claim "its answer at rest is a fixed point" below "$(value sums/summary.json moved)" 1e-6
claim "with the number of nodes" near "$(value sums/nodes/4/status.json n_nodes)" 6 1e-8
claim "and the bound of central VB under sim's prior, which is that of all rows" \
    near "$(value sums/summary.json bound)" "$(value whole/summary.json bound)" 1e-5
claim "the report says what was revealed" grep -q 'smallest and largest value of each column' sums/report.html
{ echo column,low,high && head -n 1 rows.csv | cut -d, -f1,2 | tr , '\n' | sed 's/$/,-50,50/'; } >bounds.csv
claim "a genesis of exact sums within bounds" says '^settled' "${up[@]}" --algorithm sum --genesis ranges --bounds bounds.csv \
    --loss .1 --record within-tapes --out within
claim "which the summary names" [ "$(value within/summary.json genesis)" = ranges ]
claim "it showed no row, says the report" grep -q 'within stated bounds: no node saw a row' within/report.html
claim "its nodes can be replayed, with their bounds" says 'are the same to the bit' "$program" replay within-tapes/node-3.mbr
grep -vE 'rows|leave' storm.csv >masked.csv
masked=("${up[@]}" --algorithm sum --bounds bounds.csv --mask on --schedule masked.csv --loss .1)
"${masked[@]}" --record masked-tapes >/dev/null 2>&1
"${masked[@]}" --record masked-short --record-limit 20kB >/dev/null 2>&1
masked_tapes() { # every record, in whole and from a checkpoint on
    for file in masked-tapes/node-?.mbr masked-short/node-?.mbr; do
        "$program" replay "$file" | pipe_has 'are the same to the bit' || return 1
    done
}
claim "nodes that mask their sums can be replayed, with what they drew" masked_tapes
claim "from a checkpoint, too" says '^from a checkpoint of tick [1-9]' "$program" replay masked-short/node-2.mbr
claim "sum with bounds alone means that" says '^settled' "${up[@]}" --algorithm sum --bounds bounds.csv --mask on --out masked
claim "also masked" grep -q '"genesis": "ranges"' masked/summary.json
awk -F, -v OFS=, 'BEGIN { srand(3); print "a,b"
    for (i = 0; i < 300; i++) print i % 30 && rand() < .9 ? 6 * (i % 3) + rand() : "", i % 30 && rand() < .9 ? rand() : "" }' >gaps.csv
awk -v OFS=, 'BEGIN { srand(4); print "a,b"
    for (i = 0; i < 300; i++) print i % 17 ? 6 * (i % 3) + rand() : 90 * rand(), i % 17 ? rand() : -90 * rand() }' >far.csv
printf 'column,low,high\na,-100,100\nb,-100,100\n' >wide.csv
for model in "gmm --data gaps.csv" "tmm --data gaps.csv" "tmm --data far.csv"; do
    read -ra honest <<<"$model"
    claim "totals of every pass are those declared: $model" says '^settled' "$program" up --virtual --model "${honest[@]}" \
        --n-components 3 --topology ring:n=5 --algorithm sum --genesis init --bounds wide.csv --mask on --out honest
done
printf 'a,b\n1,2\n3,4\n' >two.csv
printf 'time,event,a,b\n%s' $'5,rows,1,two.csv\n5,rows,2,two.csv\n5,rows,3,two.csv\n' >batch.csv
batch=("$program" up --virtual --data far.csv --n-components 2 --topology ring:n=5 --algorithm sum --bounds wide.csv --mask on --rows-batch 2)
claim "an end before a batch has entered says so" says 'warning: 6 new rows of 3 nodes are not in the answer: they enter .* at least 2 each' \
    "${batch[@]}" --schedule batch.csv --out batch
claim "later it has" says '^306 rows' "${batch[@]}" --schedule batch.csv --until 30s --out batch
claim "rows of one node wait" says 'warning: 2 new rows of 1 node are not' "${batch[@]}" --schedule <(head -n 2 batch.csv) --until 30s --out batch
"$program" genesis ranges --bounds bounds.csv --n-components 2 --out stated.json >/dev/null
claim "or a file without a block" says '^settled' "${up[@]}" --algorithm sum --genesis stated.json --mask on --out stated
claim "with the same answer" cmp masked/posteriors.npy stated/posteriors.npy
awk -F, -v OFS=, 'NR == 5 { $1 = 999 } 1' rows.csv >outside.csv
claim "a row outside of its bounds is named" says '^meshbayes up: error: outside.csv:5: column "a": got 999; expected .* as stated.json says' \
    "${up[@]}" --data outside.csv --algorithm sum --genesis stated.json --mask on
claim "of this model alone" says 'is of gmm of 2 columns' "${up[@]}" --algorithm sum --genesis stated.json --n-components 3
claim "one made as sim makes it from the same bounds" says '^settled' "${up[@]}" --algorithm sum --genesis init --bounds bounds.csv
claim "a block made as sim makes it" says '^settled' "${up[@]}" --genesis init
"$program" sim --data rows.csv --node-column site --label-column kind --network links.csv --n-components 2 \
    --write-genesis block.json >/dev/null 2>&1
claim "or from a file" says '^settled' "${up[@]}" --genesis block.json
for wire in float16 changes; do
    claim "$wire: nodes settle" says '^settled' "${up[@]}" --wire $wire
done
"${up[@]}" --schedule storm.csv --loss .2 --corrupt .05 --record tapes >/dev/null 2>&1
every_tape() {
    local node
    for node in 1 2 3 4 5 6; do
        "$program" replay "$1/node-$node.mbr" | pipe_has 'are the same to the bit' || return 1
    done
}
claim "every node of a storm runs again to the bit" every_tape tapes
claim "with the life after its crash" says '^node 3: 2 lives' "$program" replay tapes/node-3.mbr
cp tapes/node-2.mbr other.mbr
printf '\125\252' | dd of=other.mbr bs=1 seek=$(($(wc -c <other.mbr) - 20)) conv=notrunc 2>/dev/null
claim "a byte that differs is found" status_is 1 "$program" replay other.mbr
head -c 3000 tapes/node-2.mbr >part.mbr
claim "of half a file what is whole runs" says '^the record ended in the middle of a record' "$program" replay part.mbr
claim "and it is the same" status_is 0 "$program" replay part.mbr
head -c 60 tapes/node-2.mbr >part.mbr
claim "half a head is refused" says 'error: part.mbr: got the end of the file' "$program" replay part.mbr
begun() { # a process was killed when its file began; the next one made that the older part
    local bytes
    cp tapes/node-2.mbr part.mbr
    for bytes in 0 3 20 60; do
        head -c $bytes tapes/node-3.mbr >part.mbr.1
        "$program" replay part.mbr | pipe_has '^node 2: 1 life.* are the same to the bit' || return 1
    done
    rm part.mbr.1
}
claim "before a record may be the beginning of another one" begun
claim "another file is refused" says 'error: rows.csv: got another file before byte 0; expected a record' "$program" replay rows.csv
"${up[@]}" --schedule storm.csv --loss .2 --corrupt .05 --record short --record-limit 100kB >/dev/null 2>&1
claim "a bounded record runs again to the bit" every_tape short
claim "from a checkpoint" says '^from a checkpoint of tick [1-9]' "$program" replay short/node-2.mbr
bounded() { # calls are within the bound; each of the two files begins with a checkpoint
    local size
    for node in 1 2 3 4 5 6; do
        size=$(($(wc -c <"short/node-$node.mbr") + $(wc -c <"short/node-$node.mbr.1")))
        [ "$size" -ge 50000 ] && [ "$size" -le 200000 ] || return 1
    done
}
claim "and is bounded" bounded
"${up[@]}" --record short >/dev/null 2>&1
claim "a folder that was used holds no older part" test ! -e short/node-1.mbr.1
awk 'BEGIN { print "site,a"; for (i = 1; i <= 690; i++) print int((i + 2) / 3) "," (i * 37) % 11 }' >many.csv
"$program" up --virtual --data many.csv --node-column site --topology ring:n=230 --n-components 1 --genesis init \
    --until 1s --out many >/dev/null 2>&1
claim "the strip of lives says that it does not show all" grep -q 'the first 200 of 230 nodes' many/report.html
claim "help in groups" says '^What happens with --virtual' "$program" help up all
claim "and the events of a schedule" says '^  oneway ' "$program" help up all
node=$(dirname "$program")/meshbayes-node
if [ -x "$node" ]; then
    cut -d, -f1,2 rows.csv >own.csv
    stated() { # stated LOW HIGH: a node whose rows are stated to be between these
        printf 'column,low,high\na,%s,%s\nb,-50,50\n' "$1" "$2" >stated.csv
        printf '{"id": 1, "listen": "tcp://127.0.0.1:7001", "insecure": true, "data": "own.csv", "algorithm": "sum",
            "model": {"name": "gmm", "n-components": 2, "genesis": "ranges", "bounds": "stated.csv"}, "neighbours": []}\n' >stated.json
        "$node" check --config stated.json
    }
    claim "a node knows that such a genesis shows no row" says 'exact sums within bounds: no node sees a row' stated -50 50
    printf '{"id": 1, "listen": "tcp://127.0.0.1:7001", "insecure": true, "data": "own.csv", "algorithm": "sum", "model": {"name": "gmm",
        "n-components": 2, "columns": ["a", "b"], "genesis": "ranges", "bounds": [[-50, 50], [-50, 50]]}, "neighbours": []}\n' >listed.json
    claim "bounds may be a list" says 'exact sums within bounds' "$node" check --config listed.json
    claim "it names file, line and column of a row beyond them" \
        says 'own.csv:[0-9]+: column "a": got .* expected 90 to 91, as .*stated.csv says' stated 90 91
    claim "and of bounds that are none" says 'stated.csv:2: column "a": got low 9 and high 9' stated 9 9
fi
finish

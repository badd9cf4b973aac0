#!/usr/bin/env bash
# checkpoint.sh PROGRAM: a run that is killed at any moment goes on with the bits of one that was
# not; what can not be gone on from is refused in one line.
# The functions are called through `claim`.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

two_clusters 12 20
common=(--data rows.csv --node-column site --label-column kind --network links.csv --seed 3
    --metrics all --dump-at "1,7,50,80")
whole() { rm -rf a a-*.npy && sim "$@" --out a --dump-phi a.npy; }
sim() { "$program" sim "${common[@]}" --rounds 110 --tol 1e-9 "$@"; }
clean=(--algorithm "cvb,noncoop,nsg,dsvb,admm,edge,flow")
rough=(--algorithm "cvb,dsvb,edge,flow" --loss 0.1 --loss-directed 0.2 --silent 0.1 --delay 3)

# same_files A B: every file of a run but those that tell of seconds and options.
same_files() {
    local file
    for file in "$1"/*.csv "$1"/posterior* "$1"-*.npy "$1".npy; do
        [ -e "$file" ] || continue
        cmp "$file" "${file/#$1/$2}" || return 1
    done
    diff <(lasting "$1/summary.json") <(lasting "$2/summary.json")
}

# killed OPTIONS...: the run b, killed at a random moment, over and over, until it ends; killed at
# least twice with a checkpoint to go on from, else it is done again. The time it is given grows.
killed() {
    local tries=0 on=0 pid
    rm -rf kept b b-*.npy
    while ((tries++ < 300)); do
        "$program" sim "${common[@]}" --rounds 110 --tol 1e-9 "$@" --threads $((1 + tries % 2)) \
            --out b --dump-phi b.npy --checkpoint kept --every 7 --resume kept >/dev/null 2>&1 &
        pid=$!
        sleep "$(awk -v most=$((tries * 40)) -v part=$RANDOM 'BEGIN { print most * part / 32768e3 }')"
        kill -9 "$pid" 2>/dev/null && holds_checkpoint kept 'round-*' && on=$((on + 1))
        if wait "$pid" 2>/dev/null; then
            ((on < 2)) || return 0
            echo "killed $on times with a checkpoint: again"
            on=0
            rm -rf kept b b-*.npy
        fi
    done
    echo "not over after 300 tries"
    return 1
}

claim "a whole run without faults" whole "${clean[@]}"
claim "killed again and again, every algorithm gets there" killed "${clean[@]}"
claim "with the same bits in every file" same_files a b
claim "a whole run with loss, silence and delay" whole "${rough[@]}"
claim "killed again and again with faults" killed "${rough[@]}"
claim "with the same bits in every file, faults and all" same_files a b

# One interruption at a known place: between two checkpoints, by a smaller --rounds.
interrupted() { # interrupted ROUNDS OPTIONS...
    local rounds=$1
    shift
    rm -rf kept b b-*.npy
    sim "$@" --dump-at 1,7 --rounds "$rounds" --out b --dump-phi b.npy --checkpoint kept --every 20
}
rest() { sim --dump-at 1,7 --out b --dump-phi b.npy --resume kept "$@"; }
claim "a whole run" whole "${rough[@]}" --dump-at 1,7
claim "a run of 47 rounds" interrupted 47 "${rough[@]}"
claim "goes on to 110 rounds" rest "${rough[@]}"
claim "with the same bits" same_files a b
claim "the newest two of each algorithm are kept" test "$(find kept -name '*-edge*' -type d | wc -l)" -eq 2
claim "nothing unfinished is left" refuted compgen -G 'kept/*.tmp'
for late in 0 3; do
    some=(--algorithm edge --send changes --loss-directed 0.2 --silent 0.1 --delay "$late")
    claim "a whole run of changes alone, up to $late rounds late" whole "${some[@]}" --dump-at 1,7
    claim "the same, interrupted" interrupted 47 "${some[@]}"
    claim "the same, gone on" rest "${some[@]}"
    claim "with the same bits, acknowledgements, frames on their way and all" same_files a b
done

# The stop rule watches for some rounds before it fires: an interruption among them changes nothing.
lossy=("$program" sim "${common[@]}" --dump-at "1,7" --algorithm edge --loss 0.6)
ended() { /usr/bin/python3 -c 'import json; print(json.load(open("a/summary.json"))["algorithms"][0]["rounds"])'; }
settles() { rm -rf a a.npy && "${lossy[@]}" --rounds 5000 --out a --dump-phi a.npy && grep -q '"verdict": "settled"' a/summary.json; }
same_end() { # same_end ROUNDS: interrupted so many rounds before its end
    rm -rf kept b b.npy
    "${lossy[@]}" --rounds $(($(ended) - $1)) --out b --dump-phi b.npy --checkpoint kept --every 100 2>/dev/null &&
        "${lossy[@]}" --rounds 5000 --out b --dump-phi b.npy --resume kept && same_files a b
}
claim "a run at 60 % loss settles" settles
for before in 1 4 9 13 21 28; do
    claim "interrupted $before rounds before, it ends in the same round with the same verdict" same_end "$before"
done
claim "several starts" whole --algorithm edge --n-init 3 --dump-at 1,7
claim "several starts, interrupted" interrupted 47 --algorithm edge --n-init 3
claim "several starts, gone on" rest --algorithm edge --n-init 3
claim "with the same bits after several starts" same_files a b

# damage
copy() { rm -rf damaged && cp -r kept damaged; }
rest_of() { sim "${rough[@]}" --dump-at 1,7 --out b --dump-phi b.npy --resume damaged; }
flip() { printf '\x5a' | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }
claim "a run of 50 rounds" interrupted 50 "${rough[@]}"
claim "a whole run to compare" whole "${rough[@]}" --dump-at 1,7
copy && for file in damaged/*-edge*/*.mbck; do printf '\x01' | dd of="$file" bs=1 seek=8 conv=notrunc status=none; done
claim "a checkpoint of format version 1 is refused" status_is 1 rest_of
claim "with both versions and what to do" says 'manifest.mbck: checkpoint format: got version 1; expected version 4: start the run again, or resume it with the older meshbayes' rest_of
copy && flip damaged/round-000000050-edge-end/part-0000.mbck 4000
claim "a flipped byte is told" says 'warning: damaged/round-000000050-edge-end/part-0000.mbck: checksum of page 1 differs; the checkpoint before it is tried' rest_of
claim "and the checkpoint that is used" says 'edge resumes from the checkpoint of round 40' rest_of
same_bits() {
    local file
    for file in a/posterior*.npy a/nodes.csv a/trace.csv; do
        cmp "$file" "${file/#a/b}" || return 1
    done
}
claim "with the same bits" same_bits
copy && truncate -s 1001 damaged/round-000000050-flow-end/manifest.mbck
claim "a cut file is told" says 'flow-end/manifest.mbck: is cut' rest_of
copy && rm damaged/round-000000050-flow-end/journal.mbck
claim "a missing file is told" says 'flow-end/journal.mbck: cannot read' rest_of
copy && for file in damaged/*-dsvb*/part-0000.mbck; do flip "$file" 300; done
claim "none that is good ends the run with status 1" status_is 1 rest_of
claim "in words" says 'damaged: none of the 2 checkpoints of dsvb can be used' rest_of

# wrong use
other() { # other WORD OPTIONS...: refused with status 2 and one line that holds WORD
    local word=$1
    shift
    status_is 2 rest "${rough[@]}" "$@" >said.txt 2>&1 || { cat said.txt; return 1; }
    { [ "$(wc -l <said.txt)" -eq 1 ] && grep -qe "$word" said.txt; } || { cat said.txt; return 1; }
}
claim "another --loss is named" other 'made with loss 0.1, but this run has 0.2' --loss 0.2
claim "another --seed is named" other 'made with seed 3, but this run has 4' --seed 4
claim "another option of an algorithm is named" other 'made with edge.alpha 0.95, but' --edge.alpha 0.9
claim "another set of metrics is named" other 'made with metrics traced' --metrics bound
claim "other dumps are named" other 'made with dump-at 1,7, but' --dump-at 1,8
claim "fewer rounds than are done" other '\-\-rounds: 30, but the checkpoint of .* round 50' --rounds 30
claim "another algorithm alone" other 'holds no checkpoint of admm' --algorithm admm --loss 0 \
    --loss-directed 0 --silent 0 --delay 0
claim "a folder without checkpoints" other 'nothing holds no checkpoint' --resume nothing
in_use() { sim "${rough[@]}" --dump-at 1,7 --out b --dump-phi b.npy --checkpoint kept; }
claim "a folder in use is not written over" status_is 2 in_use
claim "and what to do is said" says 'resume it with --resume kept' in_use
awk -F, -v OFS=, 'NR == 7 { $1 += 0.01 } 1' rows.csv >moved.csv
other_rows() { rest "${rough[@]}" --data moved.csv; }
claim "other rows are refused" status_is 1 other_rows
claim "and told" says 'made with other rows: at node number' other_rows
awk 'NR != 4' links.csv >fewer.csv && echo "3,5" >>fewer.csv
other_links() { rest "${rough[@]}" --network fewer.csv; }
claim "other links are told" says 'made with other (links|rows)|made with another network' other_links

# A limit on the size of files is what a full disk looks like.
full() {
    rm -rf kept c
    sim --algorithm edge --dump-at 1,7 --dump-phi c.npy --checkpoint kept --every 20 --rounds 40 \
        >/dev/null || return 1
    cp -r kept before
    (
        trap '' XFSZ
        ulimit -f 8
        sim --algorithm edge --dump-at 1,7 --dump-phi c.npy --checkpoint kept --resume kept --every 20
    ) >said.txt 2>&1 && return 1
    { [ "$(grep -c error: said.txt)" -eq 1 ] && grep -q 'cannot write' said.txt; } || { cat said.txt; return 1; }
    diff -r before kept
}
claim "a full disk ends the run in one line and leaves the checkpoints" full
finish

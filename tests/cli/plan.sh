#!/usr/bin/env bash
# plan.sh PROGRAM: what `meshbayes plan` foretells is what `meshbayes sim` then sends.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

two_clusters 6 15
numbers() { # numbers KEY: its values in the JSON on standard input, whole numbers, one line each
    sed -n "s/^ *\"$1\": \\([0-9.e+]*\\),*\$/\\1/p" | awk '{ printf "%.0f\n", $1 }'
}
shape=(--topology "geometric:n=30,side=3,radius=0.9" --measure 0.01 --json)
plan() { "$program" plan "${shape[@]}" --n-components 3 "$@"; }
real=(--data rows.csv --node-column site --label-column kind --network links.csv --n-components 2 --json)

same_bytes() { # same_bytes ROUNDS: bytes of all rounds, for every algorithm
    local all=cvb,noncoop,nsg,dsvb,admm,flow,edge
    "$program" sim "${real[@]}" --algorithm "$all" --rounds "$1" --tol 0 >sim.json
    "$program" plan "${real[@]}" --algorithm "$all" --rounds "$1" --measure 0 >plan.json
    numbers bytes <sim.json >sim.txt
    numbers bytes <plan.json >plan.txt
    [ "$(wc -l <sim.txt)" = 7 ] && diff sim.txt plan.txt
}
for rounds in 1 2 3 40; do
    claim "bytes of $rounds rounds are those sim sends, for every algorithm" same_bytes "$rounds"
done
changes() { # of a trial that ends, whose rounds send less and less
    "$program" sim "${real[@]}" --send changes >sim.json
    "$program" plan "${real[@]}" --send changes --measure 60 >plan.json
    diff <(numbers bytes <sim.json) <(numbers bytes_typical <plan.json)
}
claim "of changes alone, until it settles, too" changes
sums() { # passes of exact sums: 2 rounds for each of 2 hops, 2 messages a link; all bytes until they settle
    "$program" sim "${real[@]}" --algorithm sum --rounds 40 --tol 0 >sim.json
    [ "$(numbers passes <sim.json)" = 11 ] || return 1
    "$program" sim "${real[@]}" --algorithm sum >sim.json
    "$program" plan "${real[@]}" --algorithm sum --measure 60 >plan.json
    [ "$(numbers rounds_pass <plan.json)" = 4 ] && # nodes 2 and 5; 3 hops from the others
        [ "$(numbers messages_pass <plan.json)" = 10 ] &&
        diff <(numbers bytes <sim.json) <(numbers bytes_typical <plan.json)
}
claim "and what a pass of exact sums takes" sums
same_start() { # the start of sim is counted in one algorithm's record, the plan's in its own line
    diff <(numbers start_bytes <sim.json | sort -u | tail -n 1) <(numbers start_bytes <plan.json)
}
claim "and the bytes of the start" same_start

huge() { plan --rows-per-node 100000000000 --features 40; }
claim "what does not fit into memory is refused" status_is 1 huge
claim "with the figures" says 'edge would hold .* GB and .* GB are free here' huge
claim "it needs no data" plan --rows-per-node 7 --features 4
plan --rows-per-node 7 --features 4 >one.json
claim "nodes" test "$(numbers nodes <one.json)" = 30
claim "rows are rows a node times nodes" test "$(numbers rows <one.json)" = 210
claim "a message has the numbers of 3 components in 4 columns" test "$(numbers message_numbers <one.json)" = 51
printf 'i,j\n1,2\n2,3\n3,1\n' >ring.csv
claim "a network file is enough" "$program" plan --network ring.csv --n-components 2 --measure 0.01
sum_of_frames() { [ "$(plan --algorithm dsvb | numbers frames_round)" = 30 ]; }
claim "a broadcast method sends one frame a node and round" sum_of_frames
rows_do_not_matter() {
    diff <(plan --rows-per-node 10 | numbers bytes_round) <(plan --rows-per-node 5000 | numbers bytes_round)
}
claim "rows do not change the bytes" rows_do_not_matter
work_grows() {
    awk -v few="$(plan --rows-per-node 1000 --features 6 | numbers flops_round)" \
        -v many="$(plan --rows-per-node 2000 --features 6 | numbers flops_round)" \
        'BEGIN { exit !(many > 1.8 * few && many < 2 * few) }'
}
claim "twice the rows are nearly twice the work" work_grows
huge() { # a billion rows are not drawn: they are scaled
    plan --rows-per-node 33333334 --features 20 >huge.json
    awk -v rows="$(numbers rows <huge.json)" -v drawn="$(numbers rows_measured <huge.json)" \
        -v seconds="$(numbers seconds <huge.json)" 'BEGIN { exit !(rows > 1e9 && drawn < 4e6 && seconds > 1000) }'
}
claim "more rows than fit are rehearsed in part" huge
claim "a regression of 4 inputs: a message of 1 + 6 * 7 / 2 numbers" \
    test "$("$program" plan "${shape[@]}" --model linreg --features 4 | numbers message_numbers)" = 22
claim "the text names every algorithm" bash -c "'$program' plan --topology ring:n=4 --algorithm edge,flow --measure 0.01 | grep -cE '^(edge|flow) ' | grep -qx 2"
claim "and says that time is an estimate" bash -c "'$program' plan --topology ring:n=4 --measure 0.01 | grep -q 'Time is an estimate'"
values() { # values KEY: the numbers as they are
    sed -n "s/^ *\"$1\": \\([0-9.e+-]*\\),*\$/\\1/p"
}
is_sum() { # is_sum FILE RUNS ROUNDS: every algorithm's seconds are those of its parts
    paste <(values seconds <"$1") <(values seconds_round <"$1") |
        awk -v start="$(values start_seconds <"$1")" -v times="$(($2 * $3))" -v algorithms=3 '
            { sum = start + times * $2; if (!(start > 0) || ($1 - sum)^2 > 1e-18 * sum^2) exit 1 }
            END { exit NR != algorithms }'
}
plan --algorithm cvb,dsvb,edge --rounds 70 >one.json
claim "the time of a run is its initialisation and its rounds" is_sum one.json 1 70
plan --algorithm cvb,dsvb,edge --rounds 70 --n-init 3 >three.json
claim "of three initialisations each is run, and the best one again" is_sum three.json 4 70
runs_until_it_settles() { # of three initialisations: runs of cvb until it settles, in the time that is foretold
    "$program" plan --topology ring:n=4 --json --measure 20 --features 40 --rows-per-node "$1" --algorithm cvb --n-init 3 >typical.json
    awk -v all="$(values seconds_typical <typical.json)" -v start="$(values start_seconds <typical.json)" \
        -v rounds="$(values rounds_typical <typical.json)" -v each="$(values seconds_round <typical.json)" \
        'BEGIN { printf "%.6g\n", (all - start) / rounds / each }'
}
claim "until it settles, too, where a run is short" test "$(runs_until_it_settles 20)" = 4
claim "where it takes notable time the best runs on" test "$(runs_until_it_settles 110)" = 3
for drawn in "hmm --emission poisson" "hmm --emission categorical" "glm" "glm --glm.link poisson"; do
    read -ra model <<<"$drawn"
    claim "rows as the options declare columns are drawn: $drawn" "$program" plan --topology ring:n=4 --measure 0.01 --model "${model[@]}"
done
plan --rows-per-node 20000 --features 20 --algorithm cvb,dsvb,edge --rounds 70 >part.json
claim "also where a part of the rows is timed" is_sum part.json 1 70
each_sends() {
    local once twice thrice
    once=$(plan | numbers start_bytes) twice=$(plan --n-init 2 | numbers start_bytes)
    thrice=$(numbers start_bytes <three.json)
    [ "$once" -lt "$twice" ] && [ $((twice - once)) = $((thrice - twice)) ]
}
claim "each initialisation sends as much" each_sends
steps() { "$program" plan "${real[@]}" --algorithm edge --measure 0 "$@" | numbers start_steps; }
claim "k-means moves the centres of two clusters far apart once" test "$(steps)" = 1
claim "centres that are drawn and stay take no step" test "$(steps --init kmeans++)" = 0
at_most() { # at_most TEST: the seconds of the most steps against those of the steps that were counted
    awk -v most="$(values start_seconds_most)" -v counted="$1" "BEGIN { exit !(most $2 counted) }"
}
claim "with the most steps the initialisation takes no less" at_most "$(values start_seconds <one.json)" ">=" <one.json
plan --init kmeans++ >drawn.json
claim "without k-means it takes as long" at_most "$(values start_seconds <drawn.json)" "==" <drawn.json
table() { "$program" plan --topology ring:n=4 --measure 0.01 --algorithm edge,flow "$@"; }
claim "the text has one line of the initialisation" bash -c "'$program' plan --topology ring:n=4 --measure 0.01 | grep -c '^initialisation ' | grep -qx 1"
claim "it says that k-means was counted on drawn rows" says 'K-means took [0-9]* steps* on rows drawn for this plan' table
given() { "$program" plan "${real[@]:0:${#real[@]}-1}" --algorithm edge --measure 0; }
claim "or on those of --data" says 'K-means took 1 step on these rows' given
claim "the whole run comes before a round" bash -c "'$program' plan --topology ring:n=4 --measure 0.01 | grep -q 'until it settles .* a round'"
claim "no file is left" test "$(find . -name '*tmp*' | wc -l)" = 0
claim "help plan" bash -c "'$program' help plan | grep -q rows-per-node"
finish

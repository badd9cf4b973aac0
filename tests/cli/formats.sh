#!/usr/bin/env bash
# formats.sh PROGRAM: the files that earlier versions wrote (tests/formats) are read. Frames are
# read by tests/unit/test_frame.c. Numbers are compared to rounding: another compiler wrote them.
# The functions are called through `claim`.
# shellcheck disable=SC2317
set -euo pipefail
formats=$(cd "$(dirname "${BASH_SOURCE[0]}")/../formats" && pwd)
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"
# shellcheck source=../formats/cases.sh
. "$formats/cases.sh"

# columns_alike FILE FILE: CSV of the same cells, numbers to 1e-9.
columns_alike() {
    paste -d, "$1" "$2" | awk -F, '{ half = NF / 2
        for (i = 1; i <= half; i++) { d = $i - $(i + half); if (d < 0) d = -d
            if ($i != $(i + half) && (!(d < 1e-9) || $i + 0 == 0)) { print "line " NR ": " $0; exit bad = 1 } } }
        END { exit bad || NR < 2 }'
}
resumed() { # resumed FOLDER COMMAND..: from the checkpoints that are there
    local folder=$1
    shift
    "$program" "$@" --resume "$folder"
}
scored() { "$program" score --posterior "$1.json" --data rows.csv --samples --out now.csv && columns_alike "$1.csv" now.csv; }
updated() { "$program" fit --data rows.csv --columns a,b --update "$1.json" --out twice.json; }

for folder in "$formats"/*/; do
    version=$(basename "$folder")
    rm -rf -- *
    cp -r "$folder". .
    claim "$version: a run is resumed at round 40" resumed run "${run[@]}" --rounds 90 --out now.json
    for algorithm in cvb edge; do
        claim "$version: and $algorithm comes to the same" close_to run-$algorithm.json now-$algorithm.json 1e-9
    done
    claim "$version: a fit is resumed" says '3 of 3 initialisations' resumed fit "${fit[@]}" --out now.json
    claim "$version: and comes to the same" close_to fit.json now.json 1e-9
    while read -r name _; do
        claim "$version: the posterior of $name gives rows the same densities" scored "$name"
    done <<<"$models"
    claim "$version: a posterior is the prior of more rows" updated gmm
    claim "$version: a genesis begins a mesh" "$program" "${mesh[@]}" --genesis genesis.json --out mesh
    claim "$version: and it comes to the same" close_to mesh.json mesh/posterior.json 1e-5
    for wire in float64 float16; do
        # Another compiler may round otherwise, and a later version decide otherwise.
        claim "$version: the record of a node with $wire is read to its end" \
            says 'to the bit|: call [0-9]+ .* got another answer' "$program" replay node-$wire.mbr
    done
done
finish

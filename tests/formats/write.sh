#!/usr/bin/env bash
# write.sh PROGRAM DIR: writes the files of one version that later versions must read, for
# tests/cli/formats.sh: run once, by the commit that closes a version's formats, with DIR the
# folder tests/formats/VERSION. A folder that is there is left alone.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir "$2"
cd "$2"
# shellcheck source=cases.sh
. "$here/cases.sh"

awk 'BEGIN { print "a,b,visits,smokes,job,site"; s = 17; split("cook smith clerk", job, " ")
    for (i = 1; i <= 6; i++) for (j = 1; j <= 10; j++) {
        for (k = 0; k < 5; k++) { s = (s * 16807) % 2147483647; u[k] = s / 2147483647 }
        c = u[0] < .2 + .1 * i
        printf "%.3f,%.3f,%d,%s,%s,%d\n", 4 * c + u[1] + u[2] - 1, u[2] - 2 * u[3] - 3 * c,
            5 * u[4] * (1 + c), u[1] + .3 * c < .6 ? "yes" : "no", job[1 + int(3 * (u[3] + c * u[4]) / 2)], i } }' >rows.csv
printf 'i,j\n1,2\n2,3\n3,4\n4,5\n5,6\n6,1\n2,5\n' >links.csv

# A run that later versions resume at round 40, and what it comes to.
"$program" "${run[@]}" --rounds 40 --checkpoint run --every 40 --out first.json >said.txt 2>&1
"$program" "${run[@]}" --rounds 90 --resume run --out run.json >>said.txt 2>&1
rm -f first*.json
# A fit that has made three initialisations.
"$program" "${fit[@]}" --checkpoint fit --out fit.json >>said.txt 2>&1
while read -r name options; do
    # shellcheck disable=SC2086 # words
    "$program" fit --data rows.csv --seed 1 $options --out "$name.json" >>said.txt 2>&1
    "$program" score --posterior "$name.json" --data rows.csv --samples --out "$name.csv" >>said.txt 2>&1
done <<<"$models"
"$program" genesis --data rows.csv --columns a,b --n-components 2 --seed 1 --out genesis.json >>said.txt
"$program" "${mesh[@]}" --genesis genesis.json --out mesh >>said.txt
mv mesh/posterior.json mesh.json
for wire in float64 float16; do
    "$program" "${mesh[@]}" --genesis sums --wire $wire --loss .2 --record tapes/$wire --out mesh >>said.txt 2>&1
    "$program" "${mesh[@]}" --genesis sums --wire $wire --loss .2 --record tapes --record-limit 20kB --out mesh >>said.txt 2>&1
    mv tapes/node-2.mbr "node-$wire.mbr"
done
"$here/frames.py" tapes/float64/node-2.mbr tapes/float16/node-2.mbr >frames.csv
rm -r mesh tapes said.txt

#!/bin/bash
# `meshbayes data atmosphere` follows its rule: what qualifies, what is drawn, nothing twice.
# usage: data_atmosphere.sh PROGRAM
# shellcheck disable=SC2016  # awk programs
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

# 3 clean days (one at the limit), 2 polluted (one at the limit is neither), others with a gap or between.
mkdir air
cat >air/daily.csv <<'ROWS'
station,date,PM2.5,PM10,SO2,NO2,CO,O3,TEMP,PRES,DEWP,RAIN,WSPM
0,20130301,7.12,10.75,11.71,22.58,429.17,63.88,1.39,1026.88,-18.75,0,3.25
0,20130302,35,12,13,14,NaN,NaN,0.6,1026.8,-15.9,0,1.4
0,20130303,150,160,17,18,1,2,3,4,5,6,7
0,20130304,150.01,170,27,28,1,2,3,4,5,6,7
1,20130301,200,210.5,NaN,32,1,2,3,4,5,6,7
1,20130302,15,25,35,45,1,2,3,4,5,6,7
1,20130303,80,90,NaN,32,1,2,3,4,5,6,7
1,20130304,300.5,400,50.25,60,1,2,3,4,5,6,7
ROWS
"$program" data atmosphere --from air --clean 3 --polluted 2 --out all.csv --provenance from.csv >said.txt
claim "those that qualify are counted" grep -q '3 clean of 3 and 2 polluted of 2 station-days that qualify, of 8' said.txt
claim "all of them are drawn" diff <(tail -n +2 all.csv | sort) <(printf '%s\n' 11.71,22.58,10.75,0 13,14,12,0 \
    35,45,25,0 27,28,170,1 50.25,60,400,1 | sort)
claim "where they come from is beside them" diff <(paste -d, all.csv from.csv | grep ^50.25) \
    <(echo 50.25,60,400,1,1,20130304,300.5)
claim "more than qualify is refused" says '--clean: got 4 of the station-days in air/daily.csv; expected 0 to 3' \
    "$program" data atmosphere --from air --clean 4 --polluted 1 --out no.csv
claim "as wrong use" status_is 2 "$program" data atmosphere --from air --clean 4 --polluted 1 --out no.csv
claim "another limit" says '1 clean of 2 ' "$program" data atmosphere --from air --clean 1 --polluted 1 \
    --clean-at-most 15 --out two.csv
claim "without the data it says how to get them" says 'nowhere holds no daily.csv: meshbayes paper fetch beijing-air' \
    "$program" data atmosphere --from nowhere --out no.csv
claim "and has status 1" status_is 1 "$program" data atmosphere --from nowhere --out no.csv
claim "nothing is written" test ! -e no.csv

air=$top/../shared/data/beijing_air
if [ -e "$air/daily.csv.gz" ]; then
    "$program" data atmosphere --from "$air" --seed 3 --out a.csv --provenance where.csv >said.txt
    claim "4904 clean and 2110 polluted station-days qualify" \
        grep -q '830 clean of 4904 and 770 polluted of 2110 station-days that qualify, of 17532' said.txt
    claim "830 and 770 rows" test "$(tail -n +2 a.csv | cut -d, -f 4 | sort | uniq -c | tr -s ' \n' ' ')" = " 830 0 770 1 "
    claim "none twice" test -z "$(cut -d, -f 1,2 where.csv | sort | uniq -d)"
    claim "labels follow the rule" awk -F, 'NR > 1 && !($4 == 0 && $7 <= 35 || $4 == 1 && $7 > 150) { exit 1 }' \
        <(paste -d, a.csv where.csv)
    claim "rows are those of the file" test "$(zcat "$air/daily.csv.gz" | awk -F, '
        FNR == NR { want[$5 "," $6 "," $7] = $1 "," $2 "," $3; next }
        FNR > 1 && want[$1 "," $2 "," $3] == $5 "," $6 "," $4 { found++ } END { print found }' \
        <(paste -d, a.csv where.csv) -)" = 1600
    "$program" data atmosphere --from "$air" --seed 3 --out again.csv >/dev/null
    "$program" data atmosphere --from "$air" --seed 4 --out other.csv >/dev/null
    claim "same seed, same rows" cmp a.csv again.csv
    claim "another seed, others" refuted cmp a.csv other.csv
    claim "labels come in random order" test "$(tail -n +2 a.csv | cut -d, -f 4 | uniq | wc -l)" -gt 600
    claim "1562 days at most 15" says ' of 1562 and ' "$program" data atmosphere --from "$air" --clean-at-most 15 --out far.csv
else
    echo "skipped: the air quality data are not at $air"
fi

finish

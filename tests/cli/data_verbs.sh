#!/bin/bash
# `meshbayes data` writes what it says: the paper's proportions, exact splits, every row once.
# usage: data_verbs.sh PROGRAM
set -euo pipefail

# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

# equal WHAT GOT WANTED
equal() { claim "$1" diff <(echo "$2") <(echo "$3"); }

# tally FILE COLUMN..: "count value,value" of the distinct values of columns, on one line.
tally()
{
    local file=$1
    shift
    tail -n +2 "$file" | cut -d, -f "$(IFS=,; echo "$*")" | sort | uniq -c |
        awk '{printf "%s%s %s", (NR > 1 ? "; " : ""), $1, $2}'
}

"$program" data synthetic --seed 3 --out paper.csv >/dev/null
equal "rows of the paper's problem" "$(wc -l <paper.csv)" 5001
equal "nodes 1, 15, 16, 35, 36, 50" \
    "$(grep -E '^(1|15|16|35|36|50),' paper.csv | cut -d, -f 1,4 | sort -t, -k1,1n -k2 | uniq -c |
        awk '{printf "%s ", $1}')" \
    "80 10 10 80 10 10 5 90 5 5 90 5 20 20 60 20 20 60 "
"$program" data synthetic --seed 3 --out same.csv >/dev/null
equal "same seed" "$(cmp paper.csv same.csv 2>&1)" ""
"$program" data synthetic --seed 4 --out other.csv >/dev/null
equal "other seed" "$(cmp -s paper.csv other.csv && echo same)" ""

# Means of 1600, 2250 and 1150 rows, variance .6: off by .15 is 6 standard errors of the smallest.
equal "means of the components" "$(awk -F, '
    function off(sum, n, mean) { return (sum / n - mean > 0.15 || mean - sum / n > 0.15) }
    NR > 1 { n[$4]++; a[$4] += $2; b[$4] += $3 }
    END { for (k = 1; k <= 3; k++) bad += off(a[k], n[k], 2.5 * k - 1) + off(b[k], n[k], 3 + k / 2)
          print bad }' paper.csv)" 0

"$program" data synthetic --balanced --rows-min 40 --rows-max 160 --out unequal.csv >/dev/null
equal "unequal sizes" "$(tail -n +2 unequal.csv | cut -d, -f1 | uniq -c |
    awk '$1 < 40 || $1 > 160 { bad++ } { if (!n[$1]++) sizes++ } END { print bad + 0, (sizes > 10) }')" "0 1"

cut -d, -f 2- paper.csv >rows.csv
"$program" data split --data rows.csv --nodes 7 --out split.csv >/dev/null
equal "every row once" "$(cut -d, -f 2- split.csv | sort | cmp - <(sort rows.csv) 2>&1)" ""
equal "even sizes" "$(tally split.csv 1)" "715 1; 715 2; 714 3; 714 4; 714 5; 714 6; 714 7"
cut -d, -f 1,2 rows.csv >plain.csv
"$program" data split --data plain.csv --nodes 7 --seed 5 --out dealt.csv >/dev/null
same=(--topology ring:n=7 --seed 5 --n-components 3 --rounds 3)
"$program" sim --data plain.csv "${same[@]}" --dump-phi one.npy >/dev/null
"$program" sim --data dealt.csv --node-column node "${same[@]}" --dump-phi two.npy >/dev/null
claim "split deals as sim does" cmp one.npy two.npy
"$program" data split --data rows.csv --nodes 20 --take 340 --out taken.csv >/dev/null
equal "taken rows" "$(tail -n +2 taken.csv | cut -d, -f1 | sort | uniq -c | awk '$1 == 17' | wc -l)" 20
equal "taken once" "$(tail -n +2 taken.csv | cut -d, -f 2- | sort | uniq -d)" ""

"$program" data split --data rows.csv --by label:label --out again.csv \
    --proportions '15x0.8,0.1,0.1; 20x0.05,0.9,0.05; 15x0.2,0.2,0.6' >/dev/null
equal "the paper's proportions again" "$(tally again.csv 1 4)" "$(tally paper.csv 1 4)"
"$program" data split --data rows.csv --by column:label --out column.csv >/dev/null
equal "by a column" "$(head -n 1 column.csv) $(tally column.csv 1)" "node,x1,x2 1600 1; 2250 2; 1150 3"
"$program" data split --data rows.csv --by column:x1 --nodes 3 --out sorted.csv >/dev/null
equal "sorted by a column" "$(awk -F, 'NR > 1 { if (!($1 in lo) || $2 < lo[$1]) lo[$1] = $2
    if (!($1 in hi) || $2 > hi[$1]) hi[$1] = $2 } END { print (hi[1] <= lo[2] && hi[2] <= lo[3]) }' \
    sorted.csv)" 1

printf 'a,"b,c"\n"x ""y""", 2\n" z",3\n' >quoted.csv
"$program" data split --data quoted.csv --nodes 1 --out requoted.csv >/dev/null
equal "quotes" "$(cat requoted.csv)" $'node,a,"b,c"\n1,"x ""y""",2\n1," z",3'
equal "describe" "$("$program" data describe --data paper.csv --node-column node | sed -n '1p;$p')" \
    $'paper.csv: 5000 rows, 4 columns\n50 nodes, 100 to 100 rows each'

printf 'id,age,sex,smoker,x\n1,20,f,yes,1.5\n2,,m,no,\n3,41,f,,2.5\n' >kinds.csv
equal "describe says kinds and gaps" "$("$program" data describe --data kinds.csv | tr -s ' ' | tail -n +2)" \
    $' id count 1 to 3\n age count 20 to 41, 1 missing\n sex category f: 2, m: 1\n smoker flag 0: 1, 1: 1, 1 missing\n x number 1.5 to 2.5, 1 missing\n2 of 3 rows have a value missing'
equal "kinds may be declared" "$("$program" data describe --data kinds.csv --column age:number,x:category | tr -s ' ' | grep -E '^ (age|x)')" \
    $' age number 20 to 41, 1 missing\n x category 1.5: 1, 2.5: 1, 1 missing'
claim "a cell that is no count is refused" says 'column "x": got 1.5; expected a count' "$program" data describe --data kinds.csv --column x:count
printf 'b\n1\nword\n' >both.csv
equal "words after numbers" "$("$program" data describe --data both.csv | tail -n 1 | tr -s ' ')" " b category 1: 1, word: 1 (numbers and words)"

printf 'id,sex,weight_1,weight_2,height_1\n17,f,61.5,62.0,170\n18,m,,80,\n19,m,,,\n' >wide.csv
equal "from wide to long" "$("$program" data convert --data wide.csv --values weight,height --out long.csv)" \
    "long.csv: 3 measurements of 3 rows, at most 2 each; 3 without a value are left out"
equal "each measurement has a row" "$(cat long.csv)" \
    $'row,id,sex,measurement,weight,height\n1,17,f,1,61.5,170\n1,17,f,2,62.0,\n2,18,m,2,80,'
claim "a name that no column has is refused" says 'wide.csv has no column "wight_' "$program" data convert --data wide.csv --values wight --out none.csv
claim "a name that is there is refused" says 'column "sex" is there already' "$program" data convert --data wide.csv --values weight --name sex --out none.csv
claim "a name that is empty is refused" says 'values: got "weight,"; expected names' "$program" data convert --data wide.csv --values weight, --out none.csv
claim "nothing is written then" refuted test -e none.csv

equal "the help is wrapped to 96 columns" "$("$program" help data | awk 'length > 96' | wc -l)" 0
finish

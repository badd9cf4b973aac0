#!/usr/bin/env bash
# issue_0034_rows_have_lines.sh MESHBAYES - an error about a row of a CSV file names file, line and column, also where it is
# found after the file was read: targets, groups, responsibilities; in fit, sim, score and updates.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

# a comment and the header line come before the rows: row 3 stands in line 5
rows() { printf '# of a tool\nx,y,w,g,node\n1,0,1,a,1\n2,1,1,a,1\n%s\n4,1,%s,b,%s\n6,0,1,c,1\n' "$1" "${2:-1}" "${3:-2}"; }
rows 3,1,1,b,2 >good.csv
rows 3,-4,1,b,2 >count.csv
rows 3,2,1,b,2 >flag.csv
poisson=(--columns x --target-column y --model glm --glm.link poisson)
wrong='count.csv:5: column "y": got -4; expected a count: a whole number from 0 up$'
claim "a target that is no count" says "error: $wrong" "$program" fit --data count.csv "${poisson[@]}"
claim "in a network" says "error: $wrong" "$program" sim --data count.csv --topology path:n=2 "${poisson[@]}"
claim "no flag" says 'error: flag.csv:5: column "y": got 2; expected a flag: 0 or 1$' \
    "$program" fit --data flag.csv --columns x --target-column y --model glm
"$program" fit --data good.csv "${poisson[@]}" --out good.json >/dev/null
claim "in score" says "error: $wrong" "$program" score --posterior good.json --data count.csv
claim "in an update" says "error: $wrong" "$program" fit --update good.json --data count.csv
mkdir folder
cp good.csv folder/1.csv
cp count.csv folder/2.csv
claim "in the second file of a folder" says "error: folder/2.csv:5: column" "$program" fit --data folder "${poisson[@]}"
claim "standard input has rows" says 'error: standard input: row 3, column "y": got -4' \
    bash -c "'$program' fit --data - ${poisson[*]} <count.csv"
rows 3,1,1,b,2 2 >weights.csv
claim "a group of two weights" says 'error: weights.csv:6: got weight 2; expected 1, that of the rows before it in its group$' \
    "$program" fit --data weights.csv --columns x,y --weight-column w --group-column g --n-components 1
rows 3,1,1,b,2 1 1 >apart.csv
claim "a group at two nodes" says 'error: apart.csv:6: its group begins at another node' "$program" sim --data apart.csv \
    --columns x,y --node-column node --group-column g --topology path:n=2 --n-components 1
printf 'a,b\n1,0\n0,1\n.5,.6\n1,0\n0,1\n' >shares.csv
claim "responsibilities" says 'error: shares.csv:4: responsibilities sum to 1.1; expected 1$' "$program" fit --data good.csv \
    --columns x,y --n-components 2 --init responsibilities:shares.csv
rows 3,inf,1,b,2 >inf.csv
claim "an infinite number is no column of text" says 'error: inf.csv:5: column "y": "inf" is not a finite number$' \
    "$program" fit --data inf.csv --columns x,y --n-components 1
finish

#!/usr/bin/env bash
# sample.sh PROGRAM: what `meshbayes sample` draws from a posterior file. The statistical claims
# allow 6 standard errors: a false alarm has probability 2e-9, and the seeds are fixed.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

two_clusters 6 30
cut -d, -f1,2 rows.csv >xy.csv
"$program" fit --data xy.csv --n-components 2 --out p.json >/dev/null
"$program" fit --data xy.csv --model linreg --target-column b --out line.json >/dev/null
sample() { "$program" sample --posterior p.json "$@"; }
line() { "$program" sample --posterior line.json --what parameters "$@"; }
key() { # key NAME: the first two numbers of the JSON list NAME in p.json, one line
    awk -v key="\"$1\":" '$1 == key { on = 1 } on { gsub(/[^-+0-9.e]/, " "); for (k = 1; k <= NF; k++) if ($k ~ /[0-9]/) { printf "%s ", $k; if (++n == 2) exit } }' p.json
}
mean_is() { # mean_is COLUMN WANT [COMPONENT]: of standard input, within 6 standard errors
    awk -F, -v column="$1" -v want="$2" -v component="${3:-}" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        component == "" || $at["component"] == component { n++; d = $at[column] - m; m += d / n; q += d * ($at[column] - m) }
        END { e = sqrt(q) / n; if (n < 100 || (m - want) ^ 2 > 36 * e * e) { print m, "expected", want, "+-", e; exit 1 } }'
}

claim "rows go to standard output as CSV" bash -c "'$program' sample --posterior p.json --rows 3 | head -n 1 | grep -qx a,b"
claim "as many as asked" test "$(sample --rows 3000 | wc -l)" = 3001
claim "the same seed gives the same bytes" bash -c "cmp <('$program' sample --posterior p.json --seed 3) <('$program' sample --posterior p.json --seed 3)"
claim "another seed gives others" refuted bash -c "cmp -s <('$program' sample --posterior p.json --seed 3) <('$program' sample --posterior p.json --seed 4)"
claim "row j does not depend on how many there are" bash -c "cmp <('$program' sample --posterior p.json --rows 5) <('$program' sample --posterior p.json --rows 3000 | head -n 6)"
claim "threads change nothing" bash -c "cmp <('$program' sample --posterior p.json --rows 20000 --threads 1) <('$program' sample --posterior p.json --rows 20000 --threads 3)"
claim "draw j neither" bash -c "cmp <('$program' sample --posterior p.json --what parameters --rows 5) <('$program' sample --posterior p.json --what parameters --rows 300 | head -n 11)"

read -r weight _ <<<"$(key weights)"
read -r m1 m2 <<<"$(key means)"
sample --rows 20000 --seed 5 --component-column component >rows5.csv
claim "--component-column adds the component" bash -c "head -n 1 rows5.csv | grep -qx a,b,component"
claim "components are numbered from 0" test "$(tail -n +2 rows5.csv | cut -d, -f3 | sort -u | tr '\n' ' ')" = "0 1 "
claim "the weight of component 0" bash -c "$(declare -f mean_is); awk -F, 'NR == 1 { print \"first\" } NR > 1 { print (\$3 == 0) }' rows5.csv | mean_is first $weight"
claim "the mean of column a in component 0" bash -c "$(declare -f mean_is); mean_is a $m1 0 <rows5.csv"
claim "the mean of column b in component 0" bash -c "$(declare -f mean_is); mean_is b $m2 0 <rows5.csv"
claim "the rows but not the component without it" bash -c "cmp <(cut -d, -f1,2 rows5.csv) <('$program' sample --posterior p.json --rows 20000 --seed 5)"

sample --what parameters --rows 4000 --seed 6 >draws.csv
claim "columns of a draw" bash -c "head -n 1 draws.csv | grep -qx draw,component,weight,mean.a,mean.b,covariance.a.a,covariance.b.a,covariance.b.b"
claim "a line for each component" test "$(wc -l <draws.csv)" = 8001
claim "the mean weight" bash -c "$(declare -f mean_is); mean_is weight $weight 0 <draws.csv"
claim "the mean of the mean" bash -c "$(declare -f mean_is); mean_is mean.b $m2 0 <draws.csv"
sums() { awk -F, 'NR > 1 { s[$1] += $3 } END { for (d in s) if ((s[d] - 1) ^ 2 > 1e-24) exit 1 }' draws.csv; }
claim "weights of a draw sum to one" sums
positive() { awk -F, 'NR > 1 && !($6 > 0 && $8 > 0 && $6 * $8 > $7 * $7) { exit 1 }' draws.csv; }
claim "covariances are positive definite" positive

line --rows 4000 >line.csv
claim "columns of a regression's draw" bash -c "head -n 1 line.csv | grep -qx draw,intercept,coef.a,noise_variance"
coef=$(awk '$1 == "\"coef\":" { on = 1; next } on { gsub(/[^-+0-9.e]/, ""); print; exit }' line.json)
claim "the mean coefficient" bash -c "$(declare -f mean_is); mean_is coef.a $coef <line.csv"
claim "a regression has no rows to draw: status 2" status_is 2 "$program" sample --posterior line.json

claim "NPY" sample --rows 10 --out rows.npy
claim "has shape rows x columns" grep -qa "'shape': (10, 2)" rows.npy
claim "and nothing else: 8 bytes a number" test "$(stat -c %s rows.npy)" = $((128 + 160))
claim "NPY of parameters" sample --what parameters --rows 7 --out draws.npy
claim "has shape draws x components x columns" grep -qa "'shape': (7, 2, 8)" draws.npy
same_as_csv() { # a fit of either file is the same
    sample --rows 300 --out r.csv && sample --rows 300 --out r.npy &&
        "$program" fit --data r.csv --n-components 2 --json | grep '"bound":' >one.txt &&
        "$program" fit --data r.npy --n-components 2 --json | grep '"bound":' >two.txt && cmp one.txt two.txt
}
claim "CSV and NPY hold the same numbers" same_as_csv
claim "help sample" bash -c "'$program' help sample | grep -q Student"
finish

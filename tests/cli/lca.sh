#!/usr/bin/env bash
# lca.sh PROGRAM: latent classes of a table with numbers, counts, categories and flags, from rows to
# every file that is made of the answer.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

# 240 rows of two classes: site, age, visits, job, smokes, group. Arithmetic, no random numbers.
awk 'BEGIN { print "site,age,visits,job,smokes,group"
    for (i = 0; i < 240; i++) {
        k = i % 2; u = (i * 37 % 101) / 101; v = (i * 53 % 97) / 97
        split("clerk,nurse,cook and waiter", job, ",")
        printf "%d,%.3f,%d,%s,%s,%s\n", i % 6 + 1, (k ? 60 : 30) + 12 * u, (k ? 6 : 1) + int(4 * v),
            job[1 + (k ? (v < .7) : 2 * (u < .8))], ((k + (v < .2)) % 2) ? "yes" : "no", k ? "old" : "young"
    } }' >people.csv
usual=(--model lca --n-components 2 --data people.csv --node-column site --label-column group)
fit() { "$program" fit "${usual[@]}" "$@"; }

claim "kinds are recognised and said in one line" says \
    'kinds of columns: age:number,visits:count,job:category\(clerk\|cook and waiter\|nurse\),smokes:flag' fit --tol 1e-12 --trace trace.csv --out cvb.json
claim "the bound never falls" rises trace.csv
claim "the classes are found" says 'accuracy 100' fit
claim "the summary has a share for each level" says 'job=nurse' fit
claim "the file has kinds" grep -q '"kinds": \["number", "count", "category", "flag"\]' <(tr -s ' \n' ' ' <cvb.json | sed 's/\[ /[/g; s/ \]/]/g')
claim "and categories" grep -q '"cook and waiter"' cvb.json
declared=age:number,visits:count,'job:category(clerk|cook and waiter|nurse)',smokes:flag
claim "declared kinds are the same" fit --tol 1e-12 --column "$declared" --out declared.json
claim "to the bit" near declared.json cvb.json 1e-300
claim "a network that loses 20 % settles at central VB" says 'edge +[0-9]+ settled' \
    "$program" sim "${usual[@]}" --topology ring:n=6 --loss 0.2 --algorithm edge,cvb --tol 1e-9 --rounds 4000 --out net
claim "and is its answer" near net/posterior-edge.json net/posterior-cvb.json 1e-8
claim "the report has the profiles of the classes" grep -q 'id="profiles"' net/report.html
claim "a figure of means and one of shares" test -s net/figures/profile-means.svg -a -s net/figures/profile-shares.svg
claim "without a plane of codes" refuted test -e net/figures/data-pca.svg
claim "a mesh" "$program" up --virtual "${usual[@]}" --topology ring:n=6 --loss 0.2 --genesis sums --tol 1e-9 --record rec --out mesh
claim "finds it too" near mesh/posterior.json cvb.json 1e-6
claim "its nodes are run again to the bit" says 'are the same to the bit' "$program" replay rec/node-1.mbr
claim "a genesis" "$program" genesis "${usual[@]}" --out g.json
claim "begins a mesh" "$program" up --virtual "${usual[@]}" --topology ring:n=6 --genesis g.json --tol 1e-9 --out given
claim "to the same answer" near given/posterior.json cvb.json 1e-6
claim "but none of other categories" says 'the columns are of other kinds, or have other categories' \
    "$program" up --virtual "${usual[@]}" --column 'job:category(nurse|clerk|cook and waiter)' --topology ring:n=6 --genesis g.json
claim "an earlier answer begins a mesh" "$program" genesis --from cvb.json --out g2.json
claim "with its classes" "$program" up --virtual "${usual[@]}" --topology ring:n=6 --genesis g2.json --tol 1e-9 --out from
claim "to the same answer again" near from/posterior.json cvb.json 1e-6
awk -F, -v OFS=, 'NR > 1 { if (NR % 5 == 0) $2 = ""; if (NR % 7 == 0) $3 = "NA"; if (NR % 6 == 0) $4 = ""; if (NR % 9 == 0) $5 = "?" } 1' people.csv >holes.csv
holes=(--model lca --n-components 2 --data holes.csv --node-column site --label-column group)
claim "cells without a value are counted" says 'note: [0-9]+ of 960 cells have no value' "$program" fit "${holes[@]}" --out holes.json --trace holes-trace.csv --tol 1e-12
claim "and integrated out: the bound never falls" rises holes-trace.csv
claim "over a network, too" says 'edge +[0-9]+ settled' \
    "$program" sim "${holes[@]}" --topology ring:n=6 --loss 0.2 --algorithm edge,cvb --tol 1e-9 --rounds 4000 --out holes
claim "with the same answer" near holes/posterior-edge.json holes.json 1e-6
claim "rows with gaps have labels" "$program" predict --posterior holes.json --data holes.csv --out holes-labels.csv
claim "all of them" test "$(wc -l <holes-labels.csv)" = 241
claim "or such rows are left out" says 'left out|dropped' "$program" fit "${holes[@]}" --missing drop
claim "or refused" says 'holes.csv:5: column "age"' "$program" fit "${holes[@]}" --missing error
claim "as a prior" fit --prior posterior:cvb.json
claim "not of other kinds" says 'column "visits" is a count there and a number here' fit --prior posterior:cvb.json --column visits:number
claim "not compared with other kinds" says 'only like posteriors can be compared' bash -c "'$program' fit ${usual[*]} \
    --column visits:number --out other.json >/dev/null 2>&1; '$program' compare other.json cvb.json"
claim "the same file again" "$program" export --posterior cvb.json --format json --out again.json
claim "to the byte" cmp again.json cvb.json
claim "rows have words" says ',(clerk|nurse|cook and waiter),' "$program" sample --posterior cvb.json --rows 5
claim "parameters have a share for each level" says 'mean.age,variance.age,rate.visits,share.job=clerk' \
    "$program" sample --posterior cvb.json --what parameters --rows 2
claim "labels" says '^1,0,' "$program" predict --posterior cvb.json --data people.csv
claim "densities" says 'mean log predictive density' "$program" score --posterior cvb.json --data people.csv
for init in farthest kmeans++ random; do
    claim "--init $init" fit --init $init --out init.json
done
printf 'age,visits,job,smokes\n30,1,clerk,0\n64,8,nurse,1\n' | sed 's/clerk/0/; s/nurse/2/' >centres.csv
claim "--init centres" fit --init centres:centres.csv --out centres.json
claim "is close" near centres.json cvb.json 1e-3
claim "components are merged" says 'components are left' "$program" fit "${usual[@]}" --n-components 5 --prune on --init farthest --n-init 1
claim "components are chosen" says components "$program" fit "${usual[@]}" --n-components 1..3
claim "columns' own scale" fit --standardize off --out raw.json
claim "single precision" fit --precision float32 --out narrow.json
claim "is close" near narrow.json cvb.json 1e-3
claim "a weak prior" fit --prior weak
claim "single options" fit --prior.share0 0.5 --prior.a0 2 --prior.nu0 4

# New rows.
printf 'age,visits,job,smokes\n35,2,clerk,no\n' >known.csv
printf 'age,visits,job,smokes\n35,2,pilot,no\n' >unknown.csv
claim "an unseen category is one line" says \
    'unknown.csv:2: column "job": got category "pilot"; expected clerk, cook and waiter, nurse' "$program" predict --posterior cvb.json --data unknown.csv
claim "or says nothing" says '^1,0,' "$program" predict --posterior cvb.json --data unknown.csv --unseen ignore
more() { [[ $(bc -l <<<"$("$program" score --samples --posterior cvb.json --data unknown.csv --unseen ignore | tail -1) > \
    $("$program" score --samples --posterior cvb.json --data known.csv | tail -1)") == 1 ]]; }
claim "its density is that of the other cells" more

# Bad input, one line each.
bad() { # WHAT MESSAGE ROW OPTIONS..
    printf 'age,visits,job,smokes\n30,1,clerk,no\n40,2,nurse,yes\n%s\n' "$3" >bad.csv
    claim "$1" says "$2" "$program" fit --model lca --data bad.csv "${@:4}"
    claim "$1: in one line" test "$("$program" fit --model lca --data bad.csv "${@:4}" 2>&1 | grep -c error)" = 1
}
bad "a negative count" 'bad.csv:4: column "visits": got -1; expected a count' 50,-1,cook,no --column visits:count
bad "a fractional count" 'bad.csv:4: column "visits": got 1.5; expected a count' 50,1.5,cook,no --column visits:count
bad "an undeclared category" 'bad.csv:4: column "job": got category "cook"' 50,1,cook,no --column 'job:category(clerk|nurse)'
bad "an unknown kind" 'expected number, count, category or flag' 50,1,cook,no --column age:real
bad "a column that is not there" '\-\-column: no column "weight"' 50,1,cook,no --column weight:count
bad "a flag of two" 'column "visits": got 2; expected a flag' 50,1,cook,no --column visits:flag
bad "words after numbers" 'column "age": got "old"; expected a number' old,3,cook,no
claim "a model of numbers takes no kinds" says 'expected none: all columns are numbers' \
    "$program" fit --data known.csv --drop job,smokes --column age:count

# NPY has codes.
python3 - <<'END'
import struct
rows = [[i % 3, i % 2, (i * 7) % 5] for i in range(60)]
head = "{'descr': '<f8', 'fortran_order': False, 'shape': (60, 3), }".ljust(117) + '\n'
open('codes.npy', 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', 118) + head.encode() + b''.join(struct.pack('<3d', *r) for r in rows))
END
claim "codes of an NPY file" says 'x1=b' "$program" fit --model lca --data codes.npy --column 'x1:category(a|b|c)'
claim "need their words" says 'have no names; expected' "$program" fit --model lca --data codes.npy --column x1:category
claim "a code out of range" says 'codes.npy: row 3, column 1: got 2; expected a category' \
    "$program" fit --model lca --data codes.npy --column 'x1:category(a|b)'
finish

#!/usr/bin/env bash
# covariances.sh PROGRAM: mixtures with --covariance-type diag, spherical and tied, from rows to every file
# that is made of the answer.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

two_clusters 6 30
cut -d, -f1,2 rows.csv >xy.csv
fit() { "$program" fit --data xy.csv --n-components 2 "$@"; }

fit --out full.json >/dev/null
claim "files of full mixtures do not say so" refuted grep -q covariance_type full.json
for type in diag spherical tied; do
    fit --covariance-type $type --out $type.json --trace $type.csv --tol 0 --rounds 20 >/dev/null 2>&1
    claim "$type: the file says what it is" grep -q "\"covariance_type\": \"$type\"" $type.json
    claim "$type: the bound never falls" rises $type.csv
    claim "$type: a network that loses 30 % of its messages settles at central VB" says 'edge +[0-9]+ settled' \
        "$program" sim --data xy.csv --n-components 2 --covariance-type $type --topology ring:n=6 --loss 0.3 \
        --algorithm edge,cvb --tol 1e-9 --rounds 4000 --out net-$type
    claim "$type: and is the answer of central VB" near net-$type/posterior-edge.json net-$type/posterior-cvb.json 1e-8
    claim "$type: the report is there" test -s net-$type/report.html
    claim "$type: it is fit's" near net-$type/posterior-cvb.json $type.json 1e-6
    python3 -c "import json; d = json.load(open('$type.json')); d['features'] = []; json.dump(d, open('none.json', 'w'))"
    claim "$type: a file without columns is refused" says 'field "features" is wrong or missing; expected at least one name' \
        bash -c "'$program' compare none.json none.json 2>&1 || true"
    claim "$type: other initialisations" near <("$program" fit --data xy.csv --n-components 2 --covariance-type $type \
        --init farthest --n-init 1 --out far.json >/dev/null; cat far.json) $type.json 1e-3
    claim "$type: single precision" fit --covariance-type $type --precision float32 --out narrow.json
    claim "$type: is close" near narrow.json $type.json 1e-3
    claim "$type: columns' own scale" fit --covariance-type $type --standardize off --out raw.json
    claim "$type: is the same" near raw.json $type.json 1e-3
    claim "$type: a mesh" "$program" up --virtual --data xy.csv --n-components 2 --covariance-type $type \
        --topology ring:n=6 --loss 0.2 --genesis sums --tol 1e-9 --out mesh-$type
    claim "$type: finds it too" near mesh-$type/posterior.json $type.json 1e-6
    claim "$type: a genesis" "$program" genesis --data xy.csv --n-components 2 --covariance-type $type --out g-$type.json
    claim "$type: begins a mesh" "$program" up --virtual --data xy.csv --n-components 2 --covariance-type $type \
        --topology ring:n=6 --genesis g-$type.json --tol 1e-9 --out given-$type
    claim "$type: to the same answer" near given-$type/posterior.json $type.json 1e-6
    claim "$type: but none of full covariances" says "covariance_type is full here and $type there" \
        "$program" up --virtual --data xy.csv --n-components 2 --topology ring:n=6 --genesis g-$type.json
    claim "$type: it begins a run of full covariances neither" says "$type.json: covariance_type is $type there, full here" \
        fit --init posterior:$type.json
    claim "$type: as a prior of more rows" fit --covariance-type $type --prior posterior:$type.json
    claim "$type: not of another form" status_is 2 fit --prior posterior:$type.json
    claim "$type: not compared" says "covariance_type is $type in .* and full" "$program" compare $type.json full.json
    claim "$type: the same file again" "$program" export --posterior $type.json --format json --out again.json
    claim "$type: to the byte" cmp again.json $type.json
    claim "$type: densities" says 'mean log predictive density' "$program" score --posterior $type.json --data xy.csv
    claim "$type: rows" "$program" sample --posterior $type.json --rows 5 --out drawn.csv
    claim "$type: components are merged" says 'components are left' \
        fit --n-components 6 --covariance-type $type --prune on --init farthest --n-init 1
    claim "$type: components are chosen" says 'components' fit --n-components 1..3 --covariance-type $type
done
claim "parameters of diag have a variance for each column" says 'mean.a,mean.b,covariance.a,covariance.b' \
    "$program" sample --posterior diag.json --what parameters --rows 2
claim "of spherical one" says 'mean.b,covariance$' \
    "$program" sample --posterior spherical.json --what parameters --rows 2
claim "of the shared matrix its lower triangle" says 'mean.b,covariance.a.a,covariance.b.a,covariance.b.b$' \
    "$program" sample --posterior tied.json --what parameters --rows 2
one() { "$program" fit --data xy.csv --n-components 1 --tol 1e-12 --covariance-type "$1" --out "one-$1.json"; }
bounds() { sed -n 's/.*"bound": *\([-0-9.e+]*\).*/\1/p' "one-$1.json"; }
same() { paste <(bounds full) <(bounds tied) | awk '{ d = $1 - $2; n++; exit !(d * d < 1e-16 * $1 * $1) } END { exit !n }'; }
claim "one component has full covariances" one full
claim "or shares them with none" one tied
claim "which is the same bound" same
claim "a matrix for all" fit --covariance-type tied --prior.w0inv 1,0,0,2
claim "a row less to begin with than columns" says 'above D - 1' fit --covariance-type tied --prior.nu0 0.5
claim "not of robust mixtures" status_is 2 "$program" fit --model tmm --data xy.csv --covariance-type tied
claim "a number for each variance" fit --covariance-type diag --prior.w0inv 1,2
claim "one for a single one" says 'got 2 numbers; expected 1 number' fit --covariance-type spherical --prior.w0inv 1,2
claim "no other word" says 'expected full, diag, spherical or tied' fit --covariance-type round
claim "not of a regression: status 2" status_is 2 "$program" fit --model linreg --data xy.csv --covariance-type diag
awk 'NR == 1 { print $0 ",c" } NR > 1 { print $0 ",7" }' xy.csv >flat.csv
claim "a constant column is raised" says 'variance [0-9.e+-]*, 1e-6 of the mean' \
    "$program" fit --data flat.csv --n-components 2 --covariance-type diag
claim "and no matter for one variance" refuted says '1e-6 of the mean' \
    "$program" fit --data flat.csv --n-components 2 --covariance-type spherical
finish

#!/usr/bin/env bash
# gaps.sh PROGRAM: rows with missing values, from the file to every answer that is made of them.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

two_clusters 12 20
# A third of the values of a and b, written in several ways; row 9 has none at all.
awk -F, -v OFS=, 'NR > 1 { if (NR % 5 == 1) $1 = ""; if (NR % 7 == 3) $2 = NR % 2 ? "NA" : "nan"
    if (NR == 10) $1 = $2 = "" } 1' rows.csv >gaps.csv
cut -d, -f1,2 gaps.csv >xy.csv
cells=$(awk -F, 'NR > 1 { n += ($1 !~ /[0-9]/) + ($2 !~ /[0-9]/) } END { print n }' xy.csv)
fit() { "$program" fit --data xy.csv --n-components 2 "$@"; }

claim "cells that are missing are counted" says "$cells of 480 cells have no value \([0-9]+ of 240 rows\): they are integrated out" fit
claim "and rows without any" says 'rows without any value, whose weight is 0: [1-9]' fit
claim "as when it is asked for" says "$cells of 480 cells" fit --missing marginalise
claim "they may be an error" says 'column "b": "NA" is not a finite number; --missing drop' fit --missing error
claim "or left out" says "rows are left out: a value is missing" fit --missing drop
for type in full diag spherical tied; do
    fit --covariance-type $type --out $type.json --trace $type.csv --tol 1e-12 --threads 1 >/dev/null 2>&1
    claim "$type: the bound never falls" rises $type.csv
    fit --covariance-type $type --out threads.json --tol 1e-12 --threads 2 >/dev/null 2>&1
    claim "$type: threads do not matter" cmp $type.json threads.json
    "$program" fit --data gaps.csv --columns b,a --n-components 2 --covariance-type $type --tol 1e-12 --out turned.json \
        >/dev/null 2>&1
    claim "$type: nor the order of the columns" \
        [ "$(grep -o '"bound": [-0-9]*\.[0-9]\{6\}' turned.json)" = "$(grep -o '"bound": [-0-9]*\.[0-9]\{6\}' $type.json)" ]
    claim "$type: a network of 12 nodes that loses 20 % settles at central VB" says 'edge +[0-9]+ settled' \
        "$program" sim --data gaps.csv --node-column site --label-column kind --network links.csv --n-components 2 \
        --covariance-type $type --loss 0.2 --algorithm edge,cvb --tol 1e-9 --rounds 4000 --out net-$type
    claim "$type: and is its answer" near net-$type/posterior-edge.json net-$type/posterior-cvb.json 1e-8
    claim "$type: that of fit" near net-$type/posterior-cvb.json $type.json 1e-6
    claim "$type: the report is there" test -s net-$type/report.html
    claim "$type: every row is predicted" says '^240 ' \
        bash -c "'$program' predict --posterior $type.json --data xy.csv | tail -n +2 | wc -l | sed 's/\$/ /'"
    claim "$type: a row without values has the log density 0" says '^9,[01],[.0-9]*,[-]?(0|[0-9.]*e-1[0-9])$' \
        "$program" predict --posterior $type.json --data xy.csv
    claim "$type: it counts for nothing in the mean" says 'mean log predictive density' \
        "$program" score --posterior $type.json --data xy.csv
    claim "$type: single precision" fit --covariance-type $type --precision float32 --out narrow.json
    claim "$type: is close" near narrow.json $type.json 1e-3
    claim "$type: columns' own scale" fit --covariance-type $type --standardize off --out raw.json
    claim "$type: is the same" near raw.json $type.json 1e-3
    claim "$type: a mesh with a given block" "$program" up --virtual --data gaps.csv --node-column site --label-column kind \
        --network links.csv --n-components 2 --covariance-type $type --loss 0.2 --genesis init --tol 1e-9 --out mesh-$type
    claim "$type: finds it too" near mesh-$type/posterior.json $type.json 1e-6
    claim "$type: a genesis" "$program" genesis --data xy.csv --n-components 2 --covariance-type $type --out g-$type.json
done
claim "export to scikit-learn of a full one" "$program" export --posterior full.json --out full.npz
claim "and none where columns differ" says 'scikit-learn has one number for all columns' \
    "$program" export --posterior diag.json --out diag.npz
claim "the summary has the number, too" grep -q '"cells_missing": '"$cells" net-full/summary.json
for init in farthest kmeans++ random; do
    claim "--init $init" fit --init $init --n-init 1
done
claim "components are merged" fit --n-components 5 --prune on --init farthest --n-init 1
claim "and chosen" says 'components' fit --n-components 1..3
claim "new rows with gaps begin from an answer" fit --init posterior:full.json
claim "which may be the prior" fit --prior posterior:full.json
claim "a network that draws its genesis from a sample agrees on it with gaps" "$program" up --virtual --data xy.csv \
    --n-components 2 --topology ring:n=6 --out drawn
claim "every node has the answer" below "$(value drawn/summary.json disagreement)" 1e-6
claim "and refused no frame" grep -q '"frames_refused": {}' drawn/nodes/1/status.json
claim "one that draws it from sums says how it can" says 'expected --genesis sample, init or a file, or --missing drop' \
    "$program" up --virtual --data xy.csv --n-components 2 --topology ring:n=6 --genesis sums
claim "a regression needs every value" says 'column "b": "NA" is not a finite number' \
    "$program" fit --model linreg --data xy.csv --columns b,a --target-column a
claim "and says so: status 2" status_is 2 "$program" fit --model linreg --data xy.csv --target-column a --missing marginalise
claim "in one line" says 'got marginalise; model linreg needs every value; expected error or drop' \
    "$program" fit --model linreg --data xy.csv --target-column a --missing marginalise
awk -F, -v OFS=, 'NR == 1 { print $0, "c" } NR > 1 { print $0, "" }' xy.csv >none.csv
claim "a column needs some value" says 'column "c": no row has a value; expected some' \
    "$program" fit --data none.csv --n-components 2
printf 'a,b,c\n1,2,\n2,,1\n,3,2\n3,5,\n5,,4\n,8,7\n9,2,\n1,,3\n,2,5\n' >pairs.csv
claim "pairs that never occur leave the prior its variances, or a covariance" fit --data pairs.csv
awk -F, -v OFS=, 'NR == 1 { print $0, "w" } NR > 1 { print $0, NR == 4 ? "NA" : 1 }' xy.csv >weighted.csv
claim "a weight must be there" says 'column "w": "NA" is not a finite number' \
    "$program" fit --data weighted.csv --weight-column w --n-components 2
for scale in 1e-13 1e9; do
    awk -F, -v OFS=, -v s=$scale 'NR > 1 { for (k = 1; k < 3; k++) if ($k ~ /[0-9]/) $k *= s } 1' gaps.csv >scaled.csv
    claim "units of $scale: exact sums settle" says 'sum +[0-9]+ settled' "$program" sim --data scaled.csv --node-column site \
        --label-column kind --network links.csv --n-components 2 --algorithm sum,cvb --tol 1e-9 --rounds 4000 --standardize off --out scaled
    claim "units of $scale: at central VB" near scaled/posterior-sum.json scaled/posterior-cvb.json 1e-8
done
claim "axes need every value" says 'not a finite number' "$program" data pca xy.csv --out pc.csv
finish

#!/bin/bash
# A column that names rows or nodes is not taken for a measurement without a word.
# usage: issue_0012_ids_as_features.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

two_clusters 4 20
cut -d , -f 1-3 rows.csv >sites.csv
awk -F , 'NR == 1 { print "a,b,Nr,k"; next } { print $1 "," $2 "," 1000 + (37 * NR) % 81 "," NR % 5 }' rows.csv >counted.csv
awk -F , 'NR == 1 { print "a,ID"; next } { print $1 "," $3 }' rows.csv >named.csv
on_ring() { "$program" sim --topology ring:n=4 --rounds 3 "$@"; }

claim "fit says that the site is a feature" says 'warning: column "site" is used as a feature' "$program" fit --data sites.csv
claim "whatever its case" says 'warning: column "ID" is used as a feature' "$program" fit --data named.csv
claim "and numbers that never repeat" says \
    'warning: column "Nr" \(whole numbers that never repeat\) is used as a feature' "$program" fit --data counted.csv
claim "once" test "$(grep -c warning said.txt)" = 1
claim "sim says how to name nodes" says 'column "site" is used as a feature; if it .* say --node-column site' \
    on_ring --data sites.csv
claim "but not when they are named" refuted says 'used as a feature' on_ring --data sites.csv --node-column site
claim "a node column that comes back as a feature is said" says 'column "Nr" .*leave it out' "$program" sim \
    --data counted.csv --node-column k --topology ring:n=5 --rounds 3
claim "measurements are no ids" refuted says 'used as a feature' "$program" fit --data rows.csv --label-column kind \
    --weight-column site
claim "the warning is kept" grep -q 'site.*used as a feature' <("$program" fit --data sites.csv --json 2>/dev/null)

finish

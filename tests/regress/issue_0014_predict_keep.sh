#!/bin/bash
# predict writes what is known of a row into one file, beside the columns that the reader joins on.
# usage: issue_0014_predict_keep.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

two_clusters 3 2000
awk -F, 'NR == 1 { print "id," $0; next } { print "\"no " NR - 1 ", \"\"é\"\"\"," $0 }' rows.csv >named.csv
cut -d , -f 1,2 rows.csv >xy.csv
"$program" fit --data xy.csv --n-components 2 --out p.json >/dev/null
"$program" fit --data xy.csv --model linreg --target-column b --out q.json >/dev/null
of() { "$program" predict --posterior "$1" --data named.csv "${@:2}" 2>note.txt; }
of p.json >all.csv
of p.json --what labels >labels.csv
of p.json --what responsibilities >r.csv
"$program" score --posterior p.json --data xy.csv --samples --out d.csv
claim "a mixture's columns" test "$(head -n 1 all.csv)" = row,label,probability,log_density
claim "labels are those of --what labels" cmp <(cut -d, -f2 all.csv) labels.csv
claim "log_density is score's" cmp <(cut -d, -f4 all.csv) d.csv
claim "probability is the label's responsibility" bash -c "paste -d, all.csv r.csv | awk -F, 'NR > 1 && \$3 != \$(5 + \$2) { exit 1 }'"
claim "rows count from 1" bash -c "awk -F, 'NR > 1 && \$1 != NR - 1 { exit 1 }' all.csv"
of p.json --keep site,id,kind >kept.csv
claim "kept columns come first" test "$(head -n 1 kept.csv)" = site,id,kind,label,probability,log_density
claim "and are the data's, row by row, over all batches" bash -c \
    "cmp <(sed 1d kept.csv | sed 's/^\([^,]*\),\(\"no.*\"\"\"\),\([a-z]*\),.*/\2 \1 \3/') <(sed 1d named.csv | sed 's/^\(\"no.*\"\"\"\),[^,]*,[^,]*,\([^,]*\),\(.*\)$/\1 \2 \3/')"
claim "with the same numbers behind" cmp <(sed 's/.*,\([^,]*,[^,]*,[^,]*\)$/\1/' kept.csv) <(cut -d, -f2- all.csv)
claim "kept columns are not called unused" refuted grep -q note note.txt
of p.json --keep id >/dev/null
claim "the others are" grep -q 'columns not used: site, kind$' note.txt
of q.json >line.csv
of q.json --what interval >interval.csv
of q.json --what mean >mean.csv
claim "a regression's columns" test "$(head -n 1 line.csv)" = row,mean,sd,lower,upper
claim "its interval is that of --what interval" cmp <(cut -d, -f2,4,5 line.csv) <(cut -d, -f1-3 interval.csv)
claim "sd is the root of the variance" bash -c "paste -d, line.csv mean.csv | awk -F, 'NR > 1 { d = \$3 * \$3 / \$7 - 1; if (d * d > 1e-24) exit 1 }'"
claim "--what with --keep" test "$(of q.json --what mean --keep site | head -n 1)" = site,mean,variance
of p.json --out labels.npy
of p.json --what labels --out what.npy
claim "NPY is as before" cmp labels.npy what.npy
finish

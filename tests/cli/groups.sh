#!/usr/bin/env bash
# groups.sh PROGRAM: mixtures of rows in groups that share their component, from rows to every file that is
# made of the answer; and what is refused.
# shellcheck disable=SC2016,SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

two_clusters 6 40
# Patients of one to four rows, all of one kind; each node has its own.
awk -F, 'NR == 1 { print $0 ",patient,w"; next }
    { row[$3 "," $4] = row[$3 "," $4] $0 "\n" }
    END { for (k in row) { n = split(row[k], r, "\n") - 1
        for (j = 1; j <= n; j++) { if (!left) { g++; left = g % 4 + 1 } print r[j] ",p" g "," 1 + g % 2; left-- } left = 0 } }' \
    rows.csv >all.csv
{ head -n 1 all.csv; tail -n +2 all.csv | sort -t, -k3,3n -k5,5 -s; } >g.csv
cut -d, -f1,2,5 g.csv >xy.csv
fit() { "$program" fit --data xy.csv --group-column patient --n-components 2 "$@"; }
sim() {
    "$program" sim --data g.csv --node-column site --label-column kind --drop w --group-column patient \
        --n-components 2 --topology ring:n=6 "$@"
}
sum_of() { awk -F, -v c="$2" 'NR > 1 { s += $c } END { printf "%.9f", s }' "$1"; }

claim "a fit" fit --out one.json --trace one.csv --tol 0 --rounds 20
claim "the file says what its unit is" grep -q '"unit": "group"' one.json
claim "the bound never falls" rises one.csv
groups=$(cut -d, -f3 xy.csv | tail -n +2 | sort -u | wc -l)
claim "concentrations count groups" python3 -c "
import json; p = json.load(open('one.json')); assert abs(sum(p['weight_concentration']) - 1 - $groups) < 1e-6"
claim "a network that loses 30 % of its messages settles" says 'edge +[0-9]+ settled' \
    sim --loss 0.3 --algorithm edge,cvb --tol 1e-9 --rounds 4000 --out net
claim "at central VB" near net/posterior-edge.json net/posterior-cvb.json 1e-8
claim "which is the fit" near net/posterior-cvb.json one.json 1e-6
claim "the report is there" test -s net/report.html
sums() { sim --algorithm sum --tol 0 --rounds 60 --sum.mask "$1" --dump-phi "$1.npy" >"$1.txt"; }
claim "exact sums of groups" sums off
claim "and with masks" sums simulated
claim "have the same bits" cmp off.npy simulated.npy
claim "threads change nothing" fit --threads 1 --out a.json
claim "at all" bash -c "'$program' fit --data xy.csv --group-column patient --n-components 2 --threads 3 --out b.json >/dev/null &&
    diff <(grep -v seconds a.json) <(grep -v seconds b.json)"
claim "a run is interrupted" sim --algorithm dsvb --tol 0 --rounds 40 --checkpoint ck --every 20 --out part
claim "and resumed" sim --algorithm dsvb --tol 0 --rounds 60 --checkpoint ck --resume ck --out rest
claim "another is not" sim --algorithm dsvb --tol 0 --rounds 60 --out whole
claim "to the same bits" cmp rest/posterior.json whole/posterior.json
for deal in random blocks; do
    claim "groups are dealt, $deal" says 'edge +[0-9]+ settled' "$program" sim --data xy.csv --group-column patient \
        --deal $deal --n-components 2 --topology ring:n=5 --algorithm edge --out dealt-$deal
    claim "and the answer is that of the fit" near dealt-$deal/posterior.json one.json 1e-4
done
for type in diag spherical; do
    claim "$type covariances" fit --covariance-type $type --out $type.json
done
claim "several numbers of components" "$program" fit --data xy.csv --group-column patient --n-components 1..3 --out sweep
claim "sticks" fit --weight-concentration-prior-type dirichlet_process --out sticks.json
claim "single precision" fit --precision float32 --out narrow.json
claim "is close" near narrow.json one.json 1e-3

new=(--posterior one.json --data xy.csv --group-column patient)
claim "predictions" "$program" predict "${new[@]}" --keep patient --out labels.csv
claim "are those of the group" awk -F, 'NR > 1 { if ($1 in l && (l[$1] != $2 || p[$1] != $3)) exit 1; l[$1] = $2; p[$1] = $3 }' labels.csv
claim "of groups" "$program" predict "${new[@]}" --what group-density --out groups.csv
claim "whose density is the sum of their rows'" awk -F, '
    NR == FNR { if (FNR > 1) sum[$1] += $4; next }
    FNR > 1 { d = sum[$1] - $2; n++; if (!($1 in sum) || d > 1e-9 || d < -1e-9) exit 1; delete sum[$1] }
    END { for (g in sum) exit 1; exit !n }' labels.csv groups.csv
claim "with columns of their first row" test "$("$program" predict "${new[@]}" --what group-density --keep patient | cut -d, -f1)" = "$(cut -d, -f1 groups.csv | sed 's/^group$/patient/')"
claim "as an array" "$program" predict "${new[@]}" --what group-density --out groups.npy
claim "densities" "$program" score "${new[@]}" --samples --out d.csv
claim "are those of the table" test "$(sum_of d.csv 1)" = "$(sum_of labels.csv 4)"
awk -F, 'NR == 1 || $3 == "p2" { print }' xy.csv >p2.csv
sed 2d p2.csv >p2-less.csv
claim "the density of a row has those before it in mind" refuted bash -c "
    cmp <('$program' score --posterior one.json --data p2.csv --group-column patient --samples | sed 1,2d) \
        <('$program' score --posterior one.json --data p2-less.csv --group-column patient --samples | sed 1d)"
cut -d, -f1,2 xy.csv >bare.csv
cut -d, -f3 xy.csv >names.csv
claim "groups of a file beside the rows" "$program" fit --data bare.csv --group-file names.csv --n-components 2 --tol 1e-12 --out beside.json
claim "are the same" near beside.json one.json 1e-12
claim "a sample has rows of groups of their own" "$program" sample --posterior one.json --rows 5 --out s.csv

for genesis in init sums; do
    claim "a mesh, genesis $genesis" "$program" up --virtual --data g.csv --node-column site --drop w,kind --group-column patient \
        --n-components 2 --topology ring:n=6 --loss 0.2 --genesis $genesis --tol 1e-9 --record rec-$genesis --out mesh-$genesis
    claim "finds it too" near mesh-$genesis/posterior.json one.json 1e-6
    claim "and is recorded" "$program" replay "$(find "rec-$genesis" -type f | sort | head -n 1)"
done
claim "a genesis" "$program" genesis --data xy.csv --group-column patient --n-components 2 --out g.json
claim "says its unit" grep -q '"unit": "group"' g.json
cat >node.json <<'END'
{"id": 0, "listen": "tcp://127.0.0.1:7999", "insecure": true, "data": "xy.csv", "group_column": "patient", "genesis": "g.json", "neighbours": []}
END
node=${program%/*}/meshbayes-node
if [ -x "$node" ]; then
    claim "a node checks its configuration" says 'groups: column patient' "$node" check --config node.json
    sed 's/"group_column": "patient", //' node.json >bare-node.json
    claim "refused: groups of a node that says of none" says 'group_column.*expected the column of groups' "$node" check --config bare-node.json
    sed 's/"neighbours"/"window": {"rows": 9}, "neighbours"/' node.json >window.json
    claim "refused: a window" says 'window.*cut groups of rows' "$node" check --config window.json
fi

refuse() { # refuse WHAT WORDS COMMAND...: status 2 and one line
    local text=$1 words=$2
    shift 2
    claim "refused: $text" bash -c '! "$@" >o 2>e && [ "$(wc -l <e)" -eq 1 ] && grep -qF -- "$0" e || { cat e; exit 1; }' "$words" "$@"
}
plain() { "$program" fit --data "$1" --group-column patient --n-components 2 "${@:2}"; }
export program
export -f plain
{ cat xy.csv; sed -n 2p xy.csv; } >again.csv
refuse "rows of a group that do not follow each other" "again.csv:$(wc -l <again.csv): group \"$(sed -n 2p xy.csv | cut -d, -f3)\" continues after another one; it began in again.csv:2" \
    bash -c 'plain again.csv'
awk -F, -v OFS=, 'NR == 1 || $5 != "p2" { print; next } n++ { $3 = 9 } { print }' g.csv >split.csv
refuse "a group at two nodes" "its group begins at another node" "$program" sim --data split.csv --node-column site \
    --drop w,kind --group-column patient --topology ring:n=7
awk -F, -v OFS=, 'NR > 1 && $5 == "p2" && n++ { $6 = 7 } { print }' g.csv >weights.csv
refuse "weights that differ in a group" "that of the rows before it in its group" "$program" fit --data weights.csv \
    --drop site,kind --weight-column w --group-column patient
refuse "a column that is not there" 'no column "nobody" (the group column)' "$program" fit --data xy.csv --group-column nobody
refuse "a column in NPY" "an NPY file has no column names" bash -c 'python3 -c "
import struct; h = b\"{'"'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }"'\"; h += b\" \" * (118 - len(h) - 1) + b\"\\n\"
open(\"x.npy\", \"wb\").write(b\"\\x93NUMPY\\x01\\x00\" + struct.pack(\"<H\", len(h)) + h + struct.pack(\"<4d\", 1, 2, 3, 5))" && plain x.npy'
refuse "too few groups" "has fewer rows than" "$program" fit --data bare.csv --group-file <(head -n 9 names.csv)
refuse "both" "exclude each other" "$program" fit --data xy.csv --group-column patient --group-file names.csv
refuse "another model" "model tmm knows no groups of rows" bash -c 'plain xy.csv --model tmm'
refuse "a shared matrix" "--covariance-type: got tied for rows in groups; expected full, diag or spherical" fit --covariance-type tied
refuse "the unit alone" "--group-column is missing" "$program" fit --data bare.csv --gmm.unit group
"$program" fit --data bare.csv --n-components 2 --out bare.json >/dev/null
refuse "groups for a posterior of rows" "was fitted to rows" "$program" predict --posterior bare.json --data xy.csv --group-column patient
refuse "rows for a posterior of groups" "--group-column is missing" "$program" predict --posterior one.json --data xy.csv
refuse "densities of groups of rows alone" "expected labels or responsibilities" "$program" predict --posterior bare.json --data xy.csv --what group-density
refuse "a window" "rows in groups have none" "$program" up --virtual --data g.csv --node-column site --drop w,kind \
    --group-column patient --topology ring:n=6 --window 20
refuse "their comparison" "unit is group in one.json and row in bare.json" "$program" compare one.json bare.json
finish

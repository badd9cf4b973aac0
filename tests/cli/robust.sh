#!/usr/bin/env bash
# robust.sh PROGRAM: robust mixtures from rows to every file that is made of the answer, over networks
# and on a mesh.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

two_clusters 12 30
cut -d, -f1,2 rows.csv >xy.csv
printf '12,-9\n-8,9\n' >>xy.csv
two=(--data xy.csv --n-components 2)
fit() { "$program" fit "${two[@]}" --model tmm "$@"; }

for dof in auto 3; do
    of=(--model tmm --tmm.dof "$dof")
    claim "$dof: says the degrees of freedom" says 'degrees of freedom' fit --tmm.dof $dof --out $dof.json --trace $dof.csv --tol 1e-12
    claim "$dof: the bound never falls" rises $dof.csv
    claim "$dof: twelve nodes that lose 20 % of their messages settle at central VB" says 'edge +[0-9]+ settled' \
        "$program" sim "${two[@]}" "${of[@]}" --topology ring:n=12 --loss 0.2 --algorithm edge,cvb --tol 1e-9 --rounds 9000 --out net-$dof
    claim "$dof: and are its answer" near net-$dof/posterior-edge.json net-$dof/posterior-cvb.json 1e-6
    claim "$dof: which is fit's" near net-$dof/posterior-cvb.json $dof.json 1e-5
    claim "$dof: the report is there" test -s net-$dof/report.html
    claim "$dof: a mesh" "$program" up --virtual "${two[@]}" "${of[@]}" --topology ring:n=6 --loss 0.2 --genesis sums --tol 1e-9 --out mesh-$dof
    claim "$dof: finds it, too" near mesh-$dof/posterior.json $dof.json 1e-5
    claim "$dof: a genesis" "$program" genesis "${two[@]}" "${of[@]}" --out g-$dof.json
    claim "$dof: begins a mesh" "$program" up --virtual "${two[@]}" "${of[@]}" --topology ring:n=6 --genesis g-$dof.json --tol 1e-9 --out given-$dof
    claim "$dof: to the same answer" near given-$dof/posterior.json $dof.json 1e-5
    claim "$dof: the same file again" "$program" export --posterior $dof.json --format json --out again.json
    claim "$dof: to the byte" cmp again.json $dof.json
    claim "$dof: densities" says 'mean log predictive density' "$program" score --posterior $dof.json --data xy.csv
    claim "$dof: labels" "$program" predict --posterior $dof.json --data xy.csv --out labels.csv
    claim "$dof: rows" "$program" sample --posterior $dof.json --rows 5 --out drawn.csv
    claim "$dof: as a prior of more rows" fit --tmm.dof $dof --prior posterior:$dof.json
    claim "$dof: components are merged" says 'components are left' fit --tmm.dof $dof --n-components 5 --prune on --init farthest --n-init 1
    claim "$dof: threads make no difference" fit --tmm.dof $dof --threads 2 --out threads.json --tol 1e-12
    claim "$dof: to the bit" near threads.json $dof.json 1e-300
done
claim "the file has its degrees of freedom" grep -q '"dof_mean"' auto.json
claim "or which were given" grep -q '"dof": "3"' 3.json
claim "parameters are drawn with theirs" says 'scale_matrix.a.a,scale_matrix.b.a,scale_matrix.b.b,dof$' \
    "$program" sample --posterior auto.json --what parameters --rows 2
claim "other degrees of freedom are no prior" says 'dof is 3 there, auto here' fit --prior posterior:3.json
claim "nor compared" says "dof is auto in .* and 3" "$program" compare auto.json 3.json
claim "nor is a mixture of Gaussians" says 'auto.json: field .model. is wrong or missing; expected gmm' \
    "$program" fit "${two[@]}" --prior posterior:auto.json
claim "scikit-learn has no such model" refuted "$program" export --posterior auto.json --out no.npz
claim "nor are other numbers accepted" says 'got "7".*expected auto, 1, 2' fit --tmm.dof 7
claim "nor variances alone" says '--covariance-type: got "diag".*expected full' fit --covariance-type diag
claim "nor on a mixture of Gaussians" says '--tmm.dof belongs to --model tmm, not to --model gmm' \
    "$program" fit "${two[@]}" --tmm.dof 3
python3 -c "import json; d = json.load(open('auto.json')); d['dof_gap'][1] = None; json.dump(d, open('auto.json', 'w'))"
claim "a number that is none is refused" says 'auto.json.*dof_gap' bash -c "'$program' score --posterior auto.json --data xy.csv 2>&1 || true"
finish

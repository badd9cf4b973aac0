#!/usr/bin/env bash
# process.sh PROGRAM: mixtures whose weights are the sticks of a Dirichlet process, from rows to every
# file that is made of the answer.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

two_clusters 12 30
cut -d, -f1,2 rows.csv >xy.csv
two=(--data xy.csv --n-components 3 --weight-concentration-prior-type dirichlet_process)

for model in gmm tmm lca; do
    of=("${two[@]}" --model "$model")
    claim "$model: a fit" "$program" fit "${of[@]}" --n-init 1 --out $model.json --trace $model.csv --tol 1e-12
    claim "$model: its bound never falls" rises $model.csv
    claim "$model: the file says what its weights are" grep -q '"weight_concentration_prior_type": "dirichlet_process"' $model.json
    claim "$model: a network that loses 20 % of its messages settles at central VB" says 'edge +[0-9]+ settled' \
        "$program" sim "${of[@]}" --topology ring:n=12 --loss 0.2 --algorithm edge,cvb --tol 1e-9 --rounds 9000 --out net-$model
    claim "$model: component by component" near net-$model/posterior-edge.json net-$model/posterior-cvb.json 1e-6
    claim "$model: a mesh" "$program" up --virtual "${of[@]}" --topology ring:n=6 --loss 0.2 --genesis sums --tol 1e-9 --out mesh-$model
    claim "$model: writes the same kind" grep -q dirichlet_process mesh-$model/posterior.json
    claim "$model: a genesis" "$program" genesis "${of[@]}" --out g-$model.json
    claim "$model: begins a mesh" "$program" up --virtual "${of[@]}" --topology ring:n=6 --genesis g-$model.json --tol 1e-9 --out given-$model
    claim "$model: the same file again" "$program" export --posterior $model.json --format json --out again.json
    claim "$model: to the byte" cmp again.json $model.json
    claim "$model: densities" says 'mean log predictive density' "$program" score --posterior $model.json --data xy.csv
    claim "$model: rows" "$program" sample --posterior $model.json --rows 5 --out drawn.csv
    claim "$model: parameters" "$program" sample --posterior $model.json --what parameters --rows 5 --out drawn.csv
    claim "$model: as a prior of more rows" "$program" fit "${of[@]}" --prior posterior:$model.json
    claim "$model: components are merged" says 'components are left' \
        "$program" fit "${of[@]}" --n-components 6 --prune on --init farthest --n-init 1
    claim "$model: many components are moved" "$program" fit "${of[@]}" --n-components 7 --seed 3
    "$program" fit --data xy.csv --n-components 3 --model $model --out dirichlet-$model.json >/dev/null
    claim "$model: a Dirichlet distribution is another" says 'weight_concentration_prior_type is dirichlet_process in .* and dirichlet_distribution' \
        "$program" compare $model.json dirichlet-$model.json
    claim "$model: its file does not say so" refuted grep -q weight_concentration_prior_type dirichlet-$model.json
done
claim "other words are refused" says 'expected dirichlet_distribution or dirichlet_process' \
    "$program" fit --data xy.csv --weight-concentration-prior-type pitman_yor
finish

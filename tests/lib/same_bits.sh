#!/usr/bin/env bash
# same_bits.sh CASE PROGRAM SOURCE: runs one case of script/same-bits in the current folder, which is
# empty; SOURCE is the tree that data, networks, the tutorial and the demo are taken from. Without
# arguments it lists the cases. Standard output of the program goes to files *.txt.
# The cases are functions called by name; commas belong to options.
# shellcheck disable=SC2317,SC2054
set -euo pipefail
cases=(tutorial demo mpi resume faults weights linreg npy starts dumps stopping posteriors models paper tools)
if [ $# -eq 0 ]; then
    printf '%s\n' "${cases[@]}"
    exit
fi
program=$2 source=$3
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1

mb() { "$program" "$@" >>said.txt; }
# rows.csv (node, x1, x2, label) at 12 nodes; links.csv and places.csv.
world() {
    mb data synthetic --nodes 12 --rows 25 --seed 4 --out rows.csv
    mb graph generate --topology geometric:n=12,side=2,radius=0.9 --seed 2 --out links.csv --positions places.csv
}
labelled=(--data rows.csv --node-column node --label-column label --network links.csv --n-components 3)

tutorial() {
    mkdir bin
    ln -s "$program" bin/meshbayes
    # A program beside the main one is found there, too.
    [ ! -x "$program-paper" ] || ln -s "$program-paper" bin/meshbayes-paper
    awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' "$source/docs/tutorial.md" >commands.sh
    PATH=$PWD/bin:$PATH bash -euo pipefail commands.sh >said.txt 2>/dev/null
    rm commands.sh
}
demo() { # the commands of script/demo
    mb data split --data "$source/data/ionosphere.csv" --take 340 --nodes 20 --by random --seed 1 --out rows.csv
    mb sim --data rows.csv --node-column node --label-column label \
        --network "$source/data/networks/network20.csv" --positions "$source/data/networks/network20_positions.csv" \
        --n-components 2 --algorithm cvb,noncoop,nsg,dsvb,admm,edge,flow,sum --metrics all \
        --trace out/trace.csv --rounds 3000 --n-init 10 --seed 1 --out out
}
mpi() {
    world
    timeout 120 mpirun -n 2 "$program" sim "${labelled[@]}" --algorithm cvb,noncoop,nsg,dsvb,admm,edge,flow \
        --rounds 40 --tol 0 --seed 3 --metrics all --out out --trace trace.csv --dump-phi phi.npy --dump-at 1,9,40 >said.txt
    timeout 120 mpirun -n 2 "$program" sim "${labelled[@]}" --algorithm dsvb,edge --loss 0.1 --delay 2 --silent 0.1 \
        --n-init 2 --rounds 40 --seed 5 --out faulty >>said.txt
}
resume() {
    world
    local all=(sim "${labelled[@]}" --algorithm cvb,dsvb,admm,edge,flow --tol 0 --seed 7 --metrics all \
        --dump-phi phi.npy --dump-at 1,7 --checkpoint kept --every 20)
    mb "${all[@]}" --rounds 30 --out first --trace first.csv
    mb "${all[@]}" --rounds 60 --resume kept --out out --trace trace.csv
    rm -r kept
}
faults() {
    world
    local all=(sim "${labelled[@]}" --rounds 120 --metrics all)
    mb "${all[@]}" --algorithm nsg,dsvb,edge,flow --loss 0.2 --seed 1 --out loss --trace loss.csv
    mb "${all[@]}" --algorithm nsg,dsvb,edge,flow --loss-directed 0.3 --delay 3 --seed 2 --out delay --trace delay.csv
    mb "${all[@]}" --algorithm nsg,dsvb,edge,flow --silent 0.2 --seed 3 --out silent --trace silent.csv
}
weights() {
    world
    awk -F, 'NR == 1 { print $0 ",weight"; next } { print $0 "," (NR * 7 % 5) / 2 }' rows.csv >weighted.csv
    mb sim --data weighted.csv --node-column node --label-column label --weight-column weight --network links.csv \
        --n-components 3 --algorithm cvb,dsvb,edge --rounds 100 --metrics all --weights laplacian --out out --trace trace.csv
    cut -d, -f 2,3,5 weighted.csv >plain.csv
    mb fit --data plain.csv --weight-column weight --n-components 3 --seed 2 --out fit.json
    "$program" score --posterior fit.json --data plain.csv --weight-column weight --json >score.json
}
linreg() {
    world
    local all=(sim --data rows.csv --node-column node --network links.csv --model linreg --target-column x2)
    mb "${all[@]}" --algorithm cvb,noncoop,dsvb,admm,edge,flow --rounds 100 --out out --trace trace.csv --metrics all
    mb "${all[@]}" --label-column label --algorithm edge --prior.a0 2 --standardize off --intercept off --rounds 100 --out plain
    cut -d, -f 2,3 rows.csv >features.csv
    mb fit --data features.csv --model linreg --target-column x2 --out fit.json
    "$program" predict --posterior fit.json --data features.csv --what interval >interval.csv
    "$program" predict --posterior fit.json --data features.csv --what mean --out mean.npy
    "$program" sample --posterior fit.json --rows 40 --what parameters --seed 2 >draws.csv
}
npy() {
    world
    cut -d, -f 2,3 rows.csv >features.csv
    /usr/bin/python3 -c 'import numpy as np; np.save("rows.npy", np.loadtxt("features.csv", delimiter=",", skiprows=1))'
    local all=(sim --data rows.npy --topology grid:rows=3,cols=4 --n-components 3 --algorithm cvb,edge,flow --rounds 40)
    mb "${all[@]}" --deal blocks --out blocks --dump-phi blocks.npy
    mb "${all[@]}" --deal random --seed 9 --precision float32 --threads 2 --out single
    mb fit --data rows.npy --n-components 3 --precision float32 --out fit.json
}
starts() {
    world
    local all=(sim "${labelled[@]}" --algorithm cvb,noncoop,edge --rounds 60)
    mb "${all[@]}" --init farthest --n-init 3 --seed 1 --out farthest
    mb "${all[@]}" --init kmeans --n-init 4 --seed 2 --standardize off --out kmeans
    mb "${all[@]}" --init random --seed 3 --prior paper --out random --on-domain project
    printf 'x1,x2\n1,3\n4,4\n6,5\n' >centres.csv
    mb "${all[@]}" --init centres:centres.csv --out centres
    cut -d, -f 2,3 rows.csv >features.csv
    mb fit --data features.csv --n-components 4 --n-init 5 --init farthest --seed 3 --trace fit.csv --out fit.json
}
dumps() {
    world
    mb sim "${labelled[@]}" --algorithm cvb,nsg,dsvb,admm,edge,flow --rounds 50 --tol 0 --seed 3 \
        --dump-phi phi.npy --dump-at 1,2,10,50 --phi-order paper --node 7 --out out --weights nearest --positions places.csv
    mb sim "${labelled[@]}" --algorithm dsvb,admm,edge --dsvb.tau 0.3 --admm.rho 2 --edge.kappa 3 --admm.start local --rounds 50 \
        --dump-phi tuned.npy --out tuned
    mb sim --data rows.csv --node-column node --label-column label --topology ring:n=12 --n-components 3 \
        --algorithm incremental,average --rounds 50 --dump-phi ring.npy --out ring
}
stopping() {
    world
    mb sim "${labelled[@]}" --algorithm cvb,edge,flow,admm,nsg --rounds 5000 --seed 2 --out out --trace trace.csv --metrics all
    mb sim "${labelled[@]}" --algorithm cvb,edge --rounds 5000 --seed 2 --loss-directed 0.3 --delay 1 --out lossy
    mb report out
}
posteriors() {
    world
    cut -d, -f 2,3 rows.csv >features.csv
    mb fit --data features.csv --n-components 3 --seed 1 --out fit.json
    mb sim "${labelled[@]}" --algorithm noncoop,edge --rounds 300 --out out
    local what
    for what in labels responsibilities; do
        "$program" predict --posterior fit.json --data features.csv --what "$what" >"$what.csv"
    done
    "$program" score --posterior fit.json --data features.csv --samples --out score.npy >>said.txt
    "$program" score --posterior fit.json --data features.csv --density expected --json >score.json
    "$program" compare fit.json out/posterior-edge.json --json >compare.json
    "$program" sample --posterior fit.json --rows 100 --seed 3 --component-column k >new.csv
    "$program" sample --posterior fit.json --rows 20 --what parameters --seed 3 --out draws.npy >>said.txt
    mb export --posterior fit.json --out mixture.npz
    mb export --posterior fit.json --format json --out again.json
}
# Every form of component, with rows that have gaps, weights or groups, and its predictions.
models() {
    world
    # A tenth of the values is missing, five rows in a row are a group, its weight is 1 to 3.
    awk -F, 'BEGIN { OFS = "," } NR == 1 { print "x1,x2,who,w"; next }
        { print NR % 11 == 3 ? "" : $2, NR % 13 == 5 ? "" : $3, int((NR - 2) / 5), int((NR - 2) / 5) % 3 + 1 }' rows.csv >gaps.csv
    awk -F, '$1 != "" && $2 != ""' gaps.csv >whole.csv
    local data form words columns options=(
        "full" "tied:--covariance-type tied" "diag:--covariance-type diag" "spherical:--covariance-type spherical"
        "robust:--model tmm" "five:--model tmm --tmm.dof 5" "process:--weight-concentration-prior-type dirichlet_process"
        "classes:--model lca" "counts:--model lca --column who:count")
    for data in gaps whole; do
        for form in "${options[@]}"; do
            words=() columns=(--columns x1,x2 --weight-column w)
            [ "$form" = "${form#*:}" ] || read -r -a words <<<"${form#*:}"
            [[ $form != counts* ]] || columns=(--columns x1,x2,who)
            answers "$data-${form%%:*}" $data.csv --missing auto --n-components 3 "${words[@]}" "${columns[@]}"
        done
        for form in full diag; do
            answers "$data-$form-groups" $data.csv --missing auto --columns x1,x2 --group-column who --n-components 3 --covariance-type $form
        done
    done
    mb data split --data gaps.csv --nodes 6 --seed 1 --out dealt.csv
    mb sim --data dealt.csv --missing auto --columns x1,x2 --node-column node --topology ring:n=6 --model tmm --n-components 3 \
        --algorithm edge --rounds 60 --out network
}
answers() { # answers NAME FILE OPTION..: a fit, and its predictions of the rows
    local what groups=()
    mb fit --data "$2" "${@:3}" --seed 2 --out "$1.json"
    [[ $1 != *groups ]] || groups=(--group-column who)
    for what in labels responsibilities; do
        "$program" predict --posterior "$1.json" --data "$2" --missing auto "${groups[@]}" --what "$what" >"$1-$what.csv"
    done
    # The density of rows in groups with matrices and gaps is refused.
    [[ $1 == gaps-full-groups ]] ||
        "$program" score --posterior "$1.json" --data "$2" --missing auto "${groups[@]}" --samples --out "$1-density.npy" >>said.txt
}
paper() {
    mb paper all --quick --runs 1 --threads 1 --data "$source/data" --out out
}
tools() {
    world
    mb graph describe --network links.csv --weights nearest
    "$program" graph describe --topology er:n=20,p=0.3 --seed 3 --json >facts.json
    mb graph convert --network links.csv --positions places.csv --out links.graphml
    mb graph convert --network links.graphml --out back.csv --positions-out back_places.csv
    mb graph generate --topology grid:rows=4,cols=4 --weights laplacian --weights-out laplacian.csv --out grid.csv
    mb data split --data rows.csv --by label:label --proportions "2x0.5,0.3,0.2; 2x0.1,0.1,0.8" --name site --seed 2 --out split.csv
    mb data synthetic --balanced --rows-min 10 --rows-max 30 --nodes 9 --seed 8 --out balanced.csv
    mb data pca "$source/data/ionosphere.csv" --variance 0.9 --keep label --out components.csv
    mb sim --data balanced.csv --node-column node --label-column label --topology ring:n=9 --n-components 3 \
        --algorithm cvb,edge --rounds 50 --out out
}

"$1"

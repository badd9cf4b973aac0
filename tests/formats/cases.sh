# shellcheck shell=bash disable=SC2034,SC2054
# cases.sh - the commands whose files a version leaves for later ones.
run=(sim --data rows.csv --columns a,b --node-column site --network links.csv --n-components 2 --seed 3
    --algorithm cvb,edge --loss 0.1 --tol 1e-9)
fit=(fit --data rows.csv --columns a,b --n-components 2 --n-init 3 --seed 1)
mesh=(up --virtual --data rows.csv --columns a,b --node-column site --network links.csv --n-components 2 --seed 1)
models='gmm --columns a,b --n-components 2
tied --columns a,b --n-components 2 --covariance-type tied
process --columns a,b --n-components 3 --weight-concentration-prior-type dirichlet_process
spherical --columns a,b --n-components 2 --covariance-type spherical
tmm --model tmm --columns a,b --n-components 2
lca --model lca --columns a,b,visits,smokes,job --n-components 2
linreg --model linreg --columns a,visits --target-column b
relevance --model linreg --columns a,visits --target-column b --linreg.relevance on
targets --model linreg --columns a --target-column b,visits
logistic --model glm --columns a,b --target-column smokes
poisson --model glm --glm.link poisson --columns a,b --target-column visits
multinomial --model glm --glm.link multinomial --columns a,b --target-column job'

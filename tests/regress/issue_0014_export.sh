#!/bin/bash
# export writes what scikit-learn's estimators have after fit, and refuses a name that is no archive.
# (The values: tests/reference/check_export.py.)
# usage: issue_0014_export.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

two_clusters 2 30
cut -d , -f 1,2 rows.csv >xy.csv
"$program" fit --data xy.csv --n-components 2 --out p.json >/dev/null
"$program" fit --data xy.csv --model linreg --target-column b --prior.lambda0 0.01 --out q.json >/dev/null
claim "the posterior file knows bound and weight" bash -c "grep -q '\"bound\": -' p.json && grep -q '\"weight_total\": 60.0' p.json"
claim "a mixture" "$program" export --posterior p.json --out p.npz
for name in precisions_ precisions_cholesky_ converged_ n_iter_ lower_bound_ n_features_in_ feature_names_in_ \
    weight_concentration_ mean_precision_ degrees_of_freedom_ weights_ means_ covariances_ covariance_prior_; do
    claim "has $name" grep -qa "$name\\.npy" p.npz
done
claim "a regression" "$program" export --posterior q.json --out q.npz
for name in coef_ intercept_ alpha_ lambda_ sigma_ scores_ n_iter_ X_offset_ X_scale_ n_features_in_ feature_names_in_; do
    claim "has $name" grep -qa "$name\\.npy" q.npz
done
claim "another ending is refused" says 'error: --out: got "p.csv"; expected a name that ends in .npz' \
    "$program" export --posterior p.json --out p.csv
claim "with status 2, and nothing is written" bash -c "! test -e p.csv; '$program' export --posterior p.json --out p.csv 2>/dev/null; test \$? = 2"
finish

#!/usr/bin/env bash
# The attributes for scikit-learn include the options that its methods read: loaded into a default
# BayesianGaussianMixture they describe the same mixture, whatever its covariances and weights.
# check_export.py compares the scores.
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

two_clusters 2 60
cut -d, -f1,2 rows.csv >plain.csv
# has NAME VALUE: an array of that name, and one whose only text is the value: 4 bytes a character, after
# the line of its header.
has() { tr -d '\0' <m.npz >m.txt && grep -aq "$1.npy" m.txt && grep -aq "^$2" m.txt; }
for form in full diag spherical tied; do
    for weights in dirichlet_distribution dirichlet_process; do
        "$program" fit --data plain.csv --n-components 3 --covariance-type $form --weight-concentration-prior-type $weights \
            --out p.json >/dev/null 2>&1
        "$program" export --posterior p.json --out m.npz
        claim "$form: covariance_type" has covariance_type $form
        claim "$form, $weights: weight_concentration_prior_type" has weight_concentration_prior_type $weights
        claim "and n_components" has n_components ""
    done
done
finish

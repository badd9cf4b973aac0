#!/bin/bash
# A header of 100000 columns costs a moment, and covariances that fit nowhere are refused in words.
# usage: issue_0012_wide_header.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

awk 'BEGIN {
    for (i = 1; i <= 100000; i++) printf "feature%d%s", i, i < 100000 ? "," : "\n"
    for (r = 1; r <= 3; r++) for (i = 1; i <= 100000; i++) printf "%.2f%s", (i * r) % 7 + 0.25 * r, i < 100000 ? "," : "\n"
}' >wide.csv
sed '1s/feature99999,/feature17,/' wide.csv >twice.csv
soon() { timeout 6 "$program" "$@"; } # a quadratic search took 12 seconds and more
fits_not="needs [0-9.]+ GB for matrices of D x D numbers, and [0-9.]+ GB can be had here; expected fewer features"

claim "such a file is described soon" soon data describe --data wide.csv
claim "and split" soon data split --data wide.csv --nodes 2 --out halves.csv
claim "and brought to its components" soon data pca wide.csv --out pc.csv
claim "a mixture that fits nowhere is refused soon" says \
    "error: model gmm with D = 100000 features and K = 2 components $fits_not" soon fit --data wide.csv
claim "with status 1" status_is 1 soon fit --data wide.csv
claim "in a network" says "error: model gmm with D = 100000 .* at 2 nodes" soon sim --data halves.csv \
    --node-column node --topology ring:n=2
claim "a regression too" says "error: model linreg with D = 99999 features $fits_not" soon fit --data wide.csv \
    --model linreg --target-column feature3
claim "two columns of one name are found" says \
    'error: twice.csv:1: columns 17 and 99999 are both called "feature17"; expected one each' soon fit --data twice.csv

finish

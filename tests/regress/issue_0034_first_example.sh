#!/usr/bin/env bash
# The first example is one page.
example=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../examples" && pwd)/01_fit_csv.c
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"
claim "01_fit_csv.c has at most 60 lines" test "$(wc -l <"$example")" -le 60
finish

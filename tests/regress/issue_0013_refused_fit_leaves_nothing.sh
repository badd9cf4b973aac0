#!/bin/bash
# A fit whose prior, data or options are refused creates no folder and no trace.
# usage: issue_0013_refused_fit_leaves_nothing.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

printf 'x,y\n1,2\n2,3\n4,1\n5,2\n' >d.csv
printf 'x,y\n0,2\n1e-130,3\n3e-130,1\n2e-130,2\n' >narrow.csv
leaves_nothing() { # leaves_nothing STATUS OPTION..
    local want=$1
    shift
    status_is "$want" "$program" fit --n-components 2 --out nd --trace t.csv "$@" &&
        test ! -e nd && ! compgen -G 't.csv*'
}
claim "a prior of the wrong length" leaves_nothing 2 --data d.csv --prior.mu0 1,2,3
claim "too few degrees of freedom" leaves_nothing 2 --data d.csv --prior.nu0 0.5
claim "a column without a range" leaves_nothing 1 --data narrow.csv
claim "single precision without a common scale" leaves_nothing 2 --data d.csv --precision float32 --standardize off
claim "a fit that is accepted writes both" "$program" fit --data d.csv --n-components 2 --out nd --trace t.csv
claim "its folder" test -s nd/posterior.json
claim "and its trace" test -s t.csv
finish

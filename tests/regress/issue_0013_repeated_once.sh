#!/bin/bash
# The warning about fewer distinct rows than components is printed once, however many initialisations
# are tried.
# usage: issue_0013_repeated_once.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

printf 'x\n1\n1\n1\n2\n2\n1\n' >d.csv
warns_once() { # warns_once COMMAND..
    "$program" "$@" --data d.csv --n-components 3 >/dev/null 2>said.txt
    [ "$(grep -c 'fewer than 3 distinct rows' said.txt)" -eq 1 ] || { cat said.txt; return 1; }
}
claim "fit warns once with one initialisation" warns_once fit
claim "fit warns once with three" warns_once fit --n-init 3
claim "sim warns once with one" warns_once sim --topology ring:n=3 --algorithm cvb,edge --rounds 20
claim "sim warns once with three" warns_once sim --topology ring:n=3 --algorithm cvb,edge --rounds 20 --n-init 3
finish

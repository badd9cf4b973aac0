#!/bin/bash
# Eight components for three clusters crawled and ended as copies without weight, and help said that
# they do no harm.
# usage: issue_0014_superfluous_components.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

"$program" data synthetic --seed 2 --out rows.csv >/dev/null
cut -d, -f2- rows.csv >all.csv
fit() { "$program" fit --data all.csv --label-column label --n-components 8 --n-init 1 --init kmeans "$@"; }
claim "three are left" says '^3 of 8 components are left' fit --prune on --seed 2 --out p.json
claim "help does not call them harmless" refuted says 'no harm' "$program" help fit all
finish

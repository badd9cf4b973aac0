#!/bin/bash
# A gnuplot that is installed but could not be started is not said to be missing.
# usage: issue_0012_gnuplot_memory.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

two_clusters 4 20
"$program" sim --data rows.csv --node-column site --label-column kind --network links.csv --rounds 3 --out run \
    >/dev/null 2>&1
mkdir tools
gnuplot_that() { printf '#!/bin/bash\n%s\n' "$1" >tools/gnuplot && chmod +x tools/gnuplot; }
report() { PATH=$work/tools:$PATH "$program" report run; }

gnuplot_that 'echo "gnuplot: error while loading shared libraries: libx.so.1: failed to map segment" >&2; exit 127'
claim "what the loader says is said" says 'no figures: gnuplot could not be started: gnuplot: error while loading' report
claim "and not that it is missing" refuted says 'not found|install' report
claim "on the page too" refuted grep -q 'was not found' run/report.html
# shellcheck disable=SC2016 # for the other shell
gnuplot_that 'kill -9 $$'
claim "one that is killed is said to be" says 'no figures: gnuplot was terminated by signal 9' report
claim "the report is written without figures" status_is 0 report
claim "one that is missing is said to be missing" says 'gnuplot was not found' env PATH=/nowhere "$program" report run

finish

#!/usr/bin/env bash
# issue_0034_own_units.sh MESHBAYES - what sets a component apart is said in the column's own unit and in
# standard deviations, never in per cent: degrees and positions have no zero that a ratio could start at.
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

# deviations of +-1 about 100 and 104, and about 20 and 28: as many above as below, so that the means are exact
awk 'BEGIN { print "long,temp"; for (j = 0; j < 400; j++) { k = j % 2
    print 100 + 4 * k + (int(j / 2) % 2 ? 1 : -1) "," 20 + 8 * k + (int(j / 4) % 2 ? 1 : -1) } }' >rows.csv
"$program" fit --data rows.csv --n-components 2 --out two >two.txt
page=two/report.html
line() { sed -n "s/.*<b>$1<\/b>: \(<b>.*\)<\/li>/\1/p" "$page" | sed 's/<[^>]*>//g; s/&nbsp;/ /g'; }
said() { # said COMPONENT SIDE: by 8 of sd 1 and by 4 of sd 1, within what a prior of a row or two moves
    line "$1" | tee /dev/stderr | awk -v side="$2" -F'[ ()]+' '{ exit !($1 == "temp" && $2 == side && $4 > 7.8 && $4 < 8.2 &&
        $5 > 7.2 && $5 < 8.2) }'
}
claim "the lower component" said 0 lower
claim "the higher one" said 1 higher
claim "the position, too" grep -qE '<b>long</b> higher by (4\.[01]|3\.9)[0-9]* \([0-9.]+&nbsp;sd\)' "$page"
claim "nothing in per cent" refuted grep -qE '</b> [0-9.]+(&nbsp;%| times as high)' "$page"
claim "what sd means stands there" grep -q 'sd: standard deviations within components' "$page"
finish

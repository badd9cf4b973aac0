#!/usr/bin/env bash
# issue_0034_paper_page_keeps.sh MESHBAYES - `paper NAME` into a folder that has other experiments keeps
# their sections on its page.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

paper() { "$program" paper "$@" --quick --runs 1 --protocols paper --out all >said.txt; }
sections() { grep -o '<section id="[a-z-]*"' all/report.html | cut -d'"' -f2 | tr '\n' ' '; }
paper unequal
cp all/unequal/result.json first.json
paper network
claim "both are on the page, in the order of the paper" test "$(sections)" = 'network unequal words '
claim "both have figures" test "$(grep -c '<h3>Numbers at the end</h3>' all/report.html)" -eq 2
claim "links to both" grep -q '<a href="#network">.*<a href="#unequal">' all/report.html
claim "the other's files stay" cmp first.json all/unequal/result.json
claim "nothing else was run" test "$(find all -mindepth 1 -maxdepth 1 -type d | wc -l)" -eq 2
paper network --seed 7
claim "runs of another seed are not shown as of this one" grep -q 'skipped: its runs in this folder have other settings' all/report.html
claim "and stay" cmp first.json all/unequal/result.json
claim "which the terminal leaves out" refuted grep -q unequal said.txt
finish

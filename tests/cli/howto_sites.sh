#!/bin/bash
# The commands of docs/howto/sites.md do what the page says.
# usage: howto_sites.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

cp "$top"/examples/site_?.csv .
meshbayes() { "$program" "$@"; }
# shellcheck disable=SC2016 # marks of Markdown, not commands
sed -n '/^```sh$/,/^```$/p' "$top/docs/howto/sites.md" | grep -v '^```' >commands.txt
claim "the page has commands" test "$(wc -l <commands.txt)" = 4
while IFS= read -r line; do
    claim "$line" eval "$line"
done <commands.txt
claim "the nodes are the files" test "$(cut -d , -f 2 result/nodes.csv | tr '\n' ' ')" = 'node site_1 site_2 site_3 site_4 site_5 '
claim "whose rows are theirs" test "$(cut -d , -f 3 result/nodes.csv | tr '\n' ' ')" = 'rows 60 30 80 20 50 '
claim "each links to all others" test "$(tail -n +2 result/edges.csv | wc -l)" = 10
claim "every row has a label" test "$(tail -n +2 labels.csv | wc -l)" = 30

finish

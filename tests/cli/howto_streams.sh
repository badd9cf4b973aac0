#!/bin/bash
# The commands of docs/howto/streams.md do what the page says.
# usage: howto_streams.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

cp "$top/examples/readings.csv" .
meshbayes() { "$program" "$@"; }
# shellcheck disable=SC2016 # marks of Markdown, not commands
sed -n '/^```sh$/,/^```$/p' "$top/docs/howto/streams.md" | grep -v '^```' >commands.txt
claim "the page has commands" test "$(wc -l <commands.txt)" = 7
while IFS= read -r line; do
    claim "$line" eval "$line"
done <commands.txt
claim "all rows were learnt, those of the third day twice" \
    grep -q "\"rows\": $(($(wc -l <readings.csv) + $(wc -l <day3.csv) - 2))" posterior.json
claim "those of earlier days weigh less" below "$(value posterior.json weight_total)" "$(($(wc -l <readings.csv) + $(wc -l <day3.csv) - 3))"
claim "the window has the newest" grep -q '"rows": 50$' window.json

finish

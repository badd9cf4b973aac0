#!/bin/bash
# The commands of docs/howto/topics.md do what the page says.
# usage: howto_topics.sh PROGRAM
# shellcheck disable=SC2016
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

meshbayes() { "$program" "$@"; }
sed -n '/^```sh$/,/^```$/p' "$top/docs/howto/topics.md" | grep -v '^```' >commands.txt
claim "the page has commands" test "$(wc -l <commands.txt)" = 7
while IFS= read -r line; do
    claim "${line:0:100}" eval "$line"
done <commands.txt
claim "a topic is of invoices" grep -Eq '"[123]: invoice, amount, paid' one/answer.json
claim "one of passwords" grep -Eq '"[123]: password, login, reset' one/answer.json
claim "and one of deliveries" grep -Eq '"[123]: delivery, parcel, late' one/answer.json
claim "the report shows their words" grep -q 'courier' one/report.html
claim "iterations are counted" grep -q '"capped": 0' one/answer.json
claim "a line of shares for each message, which sum to 1" awk -F, 'FNR > 1 && ($1 + $2 + $3 - 1)^2 > 1e-20 { exit 1 } END { exit FNR != 301 }' shares.csv
claim "words are easier to guess than among 16" awk '/^perplexity/ && $2 > 3 && $2 < 14 { found = 1 } END { exit !found }' score.txt
claim "the bytes of a message are stated" grep -q 'a message has 51 numbers, 408 bytes' plan.txt
claim "the network has the answer of one machine" near net/posterior.json one/posterior.json 1e-6

finish

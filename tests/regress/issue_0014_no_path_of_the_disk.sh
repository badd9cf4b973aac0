#!/usr/bin/env bash
# No file of an output folder names a folder of the user's disk; relative paths stay as given.
# usage: issue_0014_no_path_of_the_disk.sh PROGRAM
# The functions are called through `claim`.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

two_clusters 4 12
secret="$PWD/secret place"
mkdir -p "$secret" near
cp rows.csv links.csv "$secret"
cp rows.csv near/rows.csv
claim "a run with absolute paths" "$program" sim --data "$secret/rows.csv" --node-column site \
    --label-column kind --network "$secret/links.csv" --n-components 2 --algorithm cvb,edge \
    --rounds 15 --checkpoint "$secret/saved" --trace "$secret/trace.csv" --out "$secret/out"
says_nothing() { ! grep -rlaF -e "secret place" -e "$PWD" "$1"; }
claim "names no folder of the disk" says_nothing "$secret/out"
config() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["options"][sys.argv[2]])' "$1/config.json" "$2"; }
claim "but the file" test "$(config "$secret/out" data)" = rows.csv
claim "and the network" test "$(config "$secret/out" network)" = links.csv
claim "it can be resumed with the same options" "$program" sim --data "$secret/rows.csv" \
    --node-column site --label-column kind --network "$secret/links.csv" --n-components 2 \
    --algorithm cvb,edge --rounds 15 --resume "$secret/saved" --trace "$secret/trace.csv" \
    --out "$secret/again"
claim "and names no folder, either" says_nothing "$secret/again"
claim "the report of such a folder can be made again" "$program" report "$secret/out"
claim "without a path" says_nothing "$secret/out"
claim "a relative path" "$program" fit --data near/rows.csv --label-column kind \
    --n-components 2 --out rel
claim "stays as it was given" test "$(config rel data)" = near/rows.csv
finish

#!/usr/bin/env bash
# A reader that has read enough (| head) ends the program without a word, with the status of a program
# that SIGPIPE ends: help, listings, tables and CSV on standard output. A full disk stays an error.
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"
set -o pipefail

two_clusters 4 100
"$program" fit --data rows.csv --columns a,b --n-components 2 --out fitted >/dev/null 2>&1

# unread COMMAND..: its standard output is a pipe whose reading end is closed from the start.
unread() {
    local status=0
    { sleep 0.1 && "$@" 2>said.txt; } | true || status=$?
    if [ "$status" -eq 141 ] && [ ! -s said.txt ]; then return; fi
    echo "status $status"
    cat said.txt
    return 1
}
full() { "$@" >/dev/full 2>said.txt; }
refused() { status_is 1 full "$@" && grep -qE 'error: .*(be written|cannot write)' said.txt && [ "$(wc -l <said.txt)" -eq 1 ]; }

for command in "help" "help fit" "help fit all" "--version" "help edge" "data describe --data rows.csv" "graph describe --network links.csv" \
    "graph describe --network links.csv --json" \
    "predict --model fitted/posterior.json --data rows.csv --out /dev/stdout" \
    "data synthetic --nodes 3 --rows 50 --out /dev/stdout"; do
    read -ra words <<<"$command"
    "$program" "${words[@]}" >/dev/null 2>said.txt || continue
    [ ! -s said.txt ] || continue # notes are no business of this test
    claim "$command: a closed pipe ends it silently" unread "$program" "${words[@]}"
    claim "$command: a full disk is an error" refused "$program" "${words[@]}"
done
claim "several commands were tried" test "$claims_passed" -ge 16
# shellcheck disable=SC2016 # another shell expands them
claim "a run completes its files" bash -c '"$1" fit --data rows.csv --columns a,b --n-components 2 --out unread | true
    [ -s unread/posterior.json ] && cmp unread/posterior.json fitted/posterior.json' - "$program"
finish

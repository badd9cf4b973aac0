#!/usr/bin/env bash
# fit_checkpoint.sh PROGRAM: a fit that is killed at any moment goes on to the files of one that was
# not, through initialisations, moves, merges and numbers of components; what it can not go on from is
# refused in one line. LONG=1 kills each fit 20 times instead of 4.
# The functions are called through `claim`.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"
deaths=$([ "${LONG:-0}" = 1 ] && echo 20 || echo 4)

# Four clusters that overlap, so that initialisations differ.
awk 'function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307179586 * rand()) }
    BEGIN { srand(7); print "a,b"
        for (i = 0; i < 1500; i++) { k = int(4 * rand()); s = 1 + k / 2
            printf "%.6f,%.6f\n", 4 * (k % 2) + s * normal(), 4 * int(k / 2) + s * normal() } }' >ab.csv

whole() { rm -rf a && "$program" fit "$@" --out a >a.txt; }
unhurried() { # FILE: without seconds, and what the summary says of the table that has some
    case $1 in
    */components.csv) cut -d, -f1-9 "$1" ;;
    *) lasting "$1" | sed -e '/"components.csv": {/,/}/d' ;;
    esac
}
same_files() { # of the folders a and b
    local file bad=0
    for file in a/*.csv a/posterior.json a/summary.json; do
        diff <(unhurried "$file") <(unhurried "b/${file#a/}") >/dev/null || { echo "$file differs"; bad=1; }
    done
    [ -s a/posterior.json ] && return "$bad"
}
# killed OPTIONS...: the fit b, killed after times that are drawn up to the time it takes, until it has
# died often enough with something to go on from; then it is left to end. One that ends before begins
# again, with less time.
killed() {
    local tries=0 on=0 pid status most began=${EPOCHREALTIME/./}
    rm -rf kept b
    "$program" fit "$@" --out b --checkpoint kept --every 10 >b.txt 2>&1
    most=$(((${EPOCHREALTIME/./} - began) / 1000))
    rm -rf kept b
    while ((tries++ < 400)); do
        status=0
        "$program" fit "$@" --threads $((1 + tries % 2)) --out b --checkpoint kept --every 10 --resume kept >b.txt 2>&1 &
        pid=$!
        if ((on < deaths)); then
            sleep "$(awk -v most="$most" -v part=$RANDOM 'BEGIN { print most * part / 32768e3 }')"
            kill -9 "$pid" 2>/dev/null || true
        fi
        wait "$pid" 2>/dev/null || status=$?
        if [ "$status" -eq 0 ]; then
            ((on < deaths)) || { echo "killed $on times in $tries tries"; return 0; }
            on=0 most=$((most * 4 / 5 + 1))
            rm -rf kept b
        elif [ "$status" -ne 137 ]; then
            echo "status $status"
            cat b.txt
            return 1
        elif holds_checkpoint kept; then
            on=$((on + 1))
        else
            most=$((most * 5 / 4 + 1))
        fi
    done
    echo "not over after 400 tries"
    return 1
}
goes_on() { # goes_on NAME OPTIONS...
    local name=$1
    shift
    claim "$name: without interruption" whole "$@"
    claim "$name: killed again and again, it ends" killed "$@"
    [ "${LONG:-0}" = 0 ] || tail -n 1 .claim
    claim "$name: with the same bits in every file" same_files
}
goes_on "initialisations and moves" --data ab.csv --n-components 5 --rounds 40
goes_on "merges" --data ab.csv --n-components 8 --n-init 2 --prune on --tol 1e-4
goes_on "numbers of components" --data ab.csv --n-components auto --n-init 2 --rounds 60
goes_on "plain steps" --data ab.csv --n-components 3 --n-init 1 --accelerate off --rounds 150

finish

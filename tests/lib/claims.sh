# shellcheck shell=bash disable=SC2034
# claims.sh - what command-line tests share: one line a claim, a closing line that counts them, a
# folder that goes away. Sourced with the program's path in $1.
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

claims_passed=0 claims_failed=0
claim() { # claim TEXT COMMAND...: the command must succeed
    local text=$1
    shift
    if "$@" >"$work/.claim" 2>&1; then
        printf 'ok    %s\n' "$text"
        claims_passed=$((claims_passed + 1))
    else
        printf 'FAIL  %s\n' "$text"
        sed 's/^/      /' "$work/.claim" | tail -n 5
        claims_failed=$((claims_failed + 1))
    fi
}
refuted() { ! "$@"; }
# pipe_has WORDS: grep in a pipe, which reads all of it: a program whose reader ends early fails of that.
pipe_has() { grep "$@" >"$work/.found"; }
status_is() { # status_is WANT COMMAND...
    local want=$1 got=0
    shift
    "$@" || got=$?
    [ "$got" -eq "$want" ] || { printf 'exit status %s, expected %s\n' "$got" "$want"; return 1; }
}
says() { # says PATTERN COMMAND...: on its standard output or error; its status does not matter
    local word=$1
    shift
    "$@" >said.txt 2>&1 || true 
    grep -qE -e "$word" said.txt || { cat said.txt; return 1; }
}
# lasting FILE: without seconds, and without what summary.json says of config.json, which holds the
# options: these may differ where results may not.
lasting() { LC_ALL=C sed -e '/"seconds"/d' -e '/"config.json": {/,/}/d' "$1"; }
# holds_checkpoint DIR [NAMES]: one to go on from; one that is being written is none yet.
holds_checkpoint() { [ -n "$(find "$1" -mindepth 1 -maxdepth 1 -name "${2:-*}" ! -name '*.tmp' 2>/dev/null)" ]; }
finish() {
    printf '%s passed, %s failed\n' "$claims_passed" "$claims_failed"
    [ "$claims_failed" -eq 0 ]
}

# two_clusters NODES ROWS: rows.csv with columns a,b,site,kind; links.csv, a ring with a chord.
two_clusters() {
    awk -v nodes="$1" -v rows="$2" 'BEGIN {
        print "a,b,site,kind"; s = 17
        for (i = 1; i <= nodes; i++) for (j = 1; j <= rows; j++) {
            for (k = 0; k < 4; k++) { s = (s * 16807) % 2147483647; u[k] = s / 2147483647 }
            c = u[0] < 0.2 + 0.6 * i / nodes
            printf "%.6f,%.6f,%d,%s\n", 4 * c + u[1] + u[2] - 1, u[2] - 2 * u[3] - 3 * c, i, c ? "up" : "down"
        } }' >rows.csv
    awk -v nodes="$1" 'BEGIN { print "i,j"; for (i = 1; i < nodes; i++) print i "," i + 1
        print nodes ",1"; if (nodes > 4) print "2," nodes - 1 }' >links.csv
}
# value FILE KEY: the first number or word under that key of a JSON file.
value() { sed -n "s/.*\"$2\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}$/\1/p" "$1" | head -n 1; }
# below NUMBER MOST
below() { awk -v x="$1" -v most="$2" 'BEGIN { exit !(x != "" && x + 0 <= most) }'; }
is() { [ "$1" = "$2" ] || { echo "$1, expected $2"; return 1; }; }
# kl FILE FILE: nats of the first posterior about the second. near FILE FILE MOST
kl() { "$program" compare "$1" "$2" | sed -n 's/^KL(first.* \([-0-9.e+]*\) nats/\1/p'; }
near() { awk -v kl="$(kl "$1" "$2")" -v most="$3" 'BEGIN { exit !(kl != "" && kl < most) }'; }
# close_to FILE FILE LIMIT: largest difference of a parameter of two posteriors, relative to max(1, |.|).
close_to() {
    "$program" compare "$1" "$2" --json |
        awk -v limit="$3" '/"largest_difference"/ { gsub(/[^-+0-9.eE]/, "", $2); x = $2 + 0; seen = 1 }
            END { print "apart by " x; exit !(seen && x <= limit) }'
}
# rises TRACE: the bound of each round, to rounding.
rises() { awk -F, '$2 == "bound" { if (n++ && $4 < b - 1e-9 * (b < 0 ? -b : b)) exit 1; b = $4 } END { exit !(n > 5) }' "$1"; }
# levels FILE WORDS: of a posterior's target.
levels() { tr -d '\n ' <"$1" | pipe_has "\"levels\":\[$2\]"; }

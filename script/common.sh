# shellcheck shell=bash
# common.sh - what the scripts share; sourced, after `set -euo pipefail`.
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cores=$(nproc 2>/dev/null || echo 2)
# Debian's own interpreter: another python3 on PATH may lack numpy. Used by the scripts that source this.
# shellcheck disable=SC2034
python=/usr/bin/python3

say() { printf '%s\n' "$*"; }

# configure_and_build PRESET [cmake arguments...]
configure_and_build() {
    local preset=$1
    shift
    (cd "$top" && cmake --preset "$preset" "$@" >/dev/null && cmake --build "build/$preset" -j "$cores")
}

# gate NAME COMMAND...: runs it, keeps going when it fails, notes the seconds.
gate_names=() gate_seconds=() gate_results=()
gate() {
    local name=$1 began=$SECONDS result=ok
    shift
    say "" "=== $name"
    "$@" || result=FAILED
    gate_names+=("$name")
    gate_seconds+=($((SECONDS - began)))
    gate_results+=("$result")
}

# A table of the gates; returns 1 when one failed.
gate_summary() {
    local k bad=0
    say ""
    for k in "${!gate_names[@]}"; do
        printf '%-58s %6s s  %s\n' "${gate_names[k]}" "${gate_seconds[k]}" "${gate_results[k]}"
        [ "${gate_results[k]}" = ok ] || bad=1
    done
    printf '%-58s %6s s\n' "all gates" "$SECONDS"
    return "$bad"
}

# tally LOG: adds the passes and failures a log reports to `passed` and `failed`: the closing lines
# of cmocka programs and "N passed, M failed" of scripts.
passed=0 failed=0
tally() {
    local counts
    counts=$(awk '
        /\[  PASSED  \] [0-9]+ test/ { for (i = 1; i < NF; i++) if ($i == "]") p += $(i + 1) }
        /\[  FAILED  \] [0-9]+ test/ { for (i = 1; i < NF; i++) if ($i == "]") f += $(i + 1) }
        /^([0-9]+: )?[0-9]+ passed, [0-9]+ failed/ { p += $(NF - 3); f += $(NF - 1) }
        END { print p + 0, f + 0 }' "$1")
    passed=$((passed + ${counts% *}))
    failed=$((failed + ${counts#* }))
}

# logged COMMAND...: shows the output and counts it; a command that fails without saying how many
# of its tests failed counts as one failure.
logged() {
    local log status=0 before=$failed
    log=$(mktemp)
    "$@" 2>&1 | tee "$log" || status=1
    tally "$log"
    rm -f "$log"
    if [ "$status" -ne 0 ] && [ "$failed" -eq "$before" ]; then
        failed=$((failed + 1))
    fi
    return "$status"
}

#!/usr/bin/env bash
# tutorial.sh PROGRAM: the tutorial and the README as a user types them. Every sh block of a page runs in
# one folder, every python block when there is a python3; each line of the text block behind one must be in its output, with
# any blanks for blanks and anything for "...".
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"
mkdir bin session
ln -s "$program" bin/meshbayes
export PATH=$work/bin:$PATH

# block N KIND: the N-th fenced block, when it is of that kind.
kinds() { sed -n 's/^```\([a-z]\{1,\}\)$/\1/p' "$1"; }
block() { awk -v want="$2" '/^```[a-z]+$/ { n++; on = n == want; next } /^```$/ { on = 0 } on' "$1"; }
run_block() { # run_block FILE KIND
    case $2 in
    sh) (cd session && bash -euo pipefail "$1") >output.txt 2>&1 || { cat output.txt && return 1; } ;;
    python) (cd session && /usr/bin/python3 "$1") >output.txt 2>&1 || { cat output.txt && return 1; } ;;
    esac
}
has_line() { # has_line LINE: in output.txt
    local pattern
    # shellcheck disable=SC2001
    pattern=$(sed 's/[][\\.*^$+?(){}|]/\\&/g; s/\\\.\\\.\\\./.*/g; s/[[:blank:]]\{1,\}/[[:blank:]]+/g' <<<"$1")
    grep -qE -- "^$pattern\$" output.txt || { cat output.txt && return 1; }
}

# follow PAGE: runs it from top to bottom.
follow() {
    local n=0 kind line skipped=0 title
    for kind in $(kinds "$1"); do
        n=$((n + 1))
        block "$1" "$n" >"$work/block.txt"
        title=$(head -n 1 "$work/block.txt")
        case $kind in
        sh | python)
            skipped=0
            if [ "$kind" = python ] && [ ! -x /usr/bin/python3 ]; then
                skipped=1
                continue
            fi
            claim "$kind: ${title:0:70}" run_block "$work/block.txt" "$kind"
            ;;
        text)
            [ "$skipped" -eq 0 ] || continue
            while IFS= read -r line; do
                claim "  prints: $line" has_line "$line"
            done <"$work/block.txt"
            ;;
        *) claim "block $n is of a known kind, not $kind" false ;;
        esac
    done
}

follow "$top/docs/tutorial.md"
claim "the tutorial has commands and outputs" test "$claims_passed" -ge 30
before=$claims_passed
rm -rf session && mkdir session
follow "$top/README.md"
claim "the README has commands and outputs" test "$claims_passed" -ge $((before + 5))
printf 'a  1.5 (x)\n' >output.txt
claim "a line that is not there is missed" refuted has_line "a 1.6 (x)"
claim "blanks and dots match" has_line "a 1... (x)"
finish

#!/usr/bin/env bash
# storm_reduces.sh PROGRAM: of a storm that fails script/storm prints the command that runs it again, and a schedule
# from which all was removed that does not matter. The failures are planted: a program that fails on some schedules.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

# shellcheck disable=SC2016 # the planted script expands it
plant() { # plant CONDITION: the program, but `up` fails where CONDITION holds
    printf '#!/usr/bin/env bash\nif [ "$1" = up ] && %s; then\n    echo planted >&2\n    exit 3\nfi\nexec "%s" "$@"\n' \
        "$1" "$program" >planted
    chmod +x planted
}
storm() { # storm SEED: status, told
    status=0
    MB_PROGRAM=$PWD/planted "$top/script/storm" 1 --from "$1" --small --keep kept --jobs 1 >told 2>&1 || status=$?
}
events() { sed -n 's/^ *| [0-9.]*,\([a-z]*\),.*/\1/p' told | tr '\n' ' '; }

plant 'grep -q ,oneway, storm.csv'
storm 1
claim "a storm that fails: status 1" [ "$status" = 1 ]
claim "the complaint is told" grep -q 'up: status 3: planted' told
claim "and the command" grep -qF 'again: script/storm 1 --from 1 --small' told
claim "of five events one is left" [ "$(events)" = "oneway " ]
claim "of its faults none" grep -q "reduced, .*'speed': '1', 'wire': 'float64', 'genesis': 'genesis.json'" told
# shellcheck disable=SC2016
claim "the reduced storm is in its folder, and fails" bash -c 'cd kept/seed-1-reduced &&
    eval "$(sed -n "s/^ *or: cd [^ ]* && //p" ../../told | head -n 1)" >/dev/null 2>&1; [ $? = 3 ]'

plant 'grep -q ,kill, storm.csv && grep -q ,start, storm.csv && [[ " $* " == *" --loss "* ]]'
storm 13
claim "events that fail only together stay" [ "$(events)" = "kill start " ]
claim "a fault that matters stays, another one goes" \
    bash -c "grep -q \"reduced, .*'loss': 0\\.[0-9]*, 'duplicate': 0, \" told"
finish

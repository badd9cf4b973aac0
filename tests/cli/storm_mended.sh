#!/usr/bin/env bash
# storm_mended.sh PROGRAM: small storms that failed once (tests/storm/mended.csv) hold all invariants. Those with lies,
# which need another program, are run by script/cibuild.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

while IFS=, read -r seed of _ cause; do
    case $of in
    plain) kind=() ;;
    rows) kind=(--rows) ;;
    *) continue ;;
    esac
    claim "storm $seed holds: $cause" env MB_PROGRAM="$program" \
        "$top/script/storm" 1 --from "$seed" --small "${kind[@]}" --no-reduce --keep "kept-$seed" --jobs 1 </dev/null
done < <(tail -n +2 "$top/tests/storm/mended.csv")
claim "a clock that went back while its node was paused loses that time: storm 30135 holds" \
    env MB_PROGRAM="$program" "$top/script/storm" 1 --from 30135 --no-reduce --keep kept-30135 --jobs 1
claim "there were storms" [ "$claims_passed" -gt 10 ]
finish

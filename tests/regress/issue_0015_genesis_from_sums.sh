#!/bin/bash
# `up --genesis sums` was accepted, but no node ever got a genesis: every run ended unsettled.
# usage: issue_0015_genesis_from_sums.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

two_clusters 6 30
up=("$program" up --virtual --data rows.csv --node-column site --network links.csv --time 120s --genesis sums)
claim "a mixture settles" status_is 0 "${up[@]}" --drop kind --n-components 2
claim "under loss, delay and own speeds" status_is 0 "${up[@]}" --drop kind --n-components 2 --loss .3 \
    --delay 1ms..50ms --speed 1..3
claim "with float16 differences" status_is 0 "${up[@]}" --drop kind --n-components 2 --wire float16
claim "with the weak prior" status_is 0 "${up[@]}" --drop kind --n-components 2 --prior weak
claim "a regression settles" status_is 0 "${up[@]}" --drop kind --model linreg --target-column b
finish

#!/usr/bin/env bash
# cc.sh ARGUMENT...: musl-gcc as a compiler that lacks two of our options and warns of what ours does
# not: what the newest one, or one for another machine, may do.
set -euo pipefail
for argument in "$@"; do
    case $argument in
    -fno-semantic-interposition)
        echo "cc: error: unsupported option '$argument'" >&2
        exit 1
        ;;
    -Wcast-qual) echo "cc: warning: unknown warning option '$argument'" >&2 ;;
    esac
done
exec musl-gcc "$@" -Wstack-usage=64

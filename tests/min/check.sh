#!/usr/bin/env bash
# check.sh LIBRARY.a: the library alone has no stdio, threads or LAPACK in it, runs without malloc,
# and is this large.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
library=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nm -u "$library" | awk 'NF == 2 { print $2 }' | sort -u >"$work/needed"
grep -q '^exp$' "$work/needed" || { echo "min: nm shows nothing of $library"; exit 1; }
if grep -E '^(f?printf|v?s?n?printf|__.*printf_chk|f(open|close|read|write|puts|putc|flush)|puts|putchar|std(in|out|err)|pthread_.*|MPI_.*|[ds](gemm|potrf|syev).*_?|cblas_.*)$' "$work/needed"; then
    echo "min: the library needs what it must not"
    exit 1
fi
for name in no_malloc no_malloc_node; do
    gcc -std=c11 -D_POSIX_C_SOURCE=200809L -Os -Wall -Wextra -Werror -I"$top/include" -I"$top/src" "$top/tests/min/$name.c" "$library" -lm \
        -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc -Wl,--gc-sections -o "$work/$name"
    "$work/$name"
done
# A node of examples/ needs nothing but the library, libm and sockets.
gcc -std=c11 -Os -Wall -Wextra -Werror -I"$top/include" "$top/examples/06_udp_node.c" "$library" -lm -Wl,--gc-sections -o "$work/udp_node"
bash "$top/tests/udp.sh" "$work/udp_node" >"$work/udp.txt"
diff "$top/examples/06_udp_node.txt" "$work/udp.txt"
size -t "$library" | awk 'END { printf "the library alone: %d bytes of code and constants, %d of data\n", $1, $2 + $3 }'
size "$work/no_malloc" | awk 'END { printf "a program that runs EDGE on mixtures with it: %d bytes\n", $1 }'

#!/usr/bin/env bash
# size.sh FOLDER [MOST]: builds the preset min with -DMB_KERNELS=plain in FOLDER and prints what a
# program that runs mesh nodes takes of it; fails when its machine code (the section .text) is above
# MOST bytes, 131072 if not given.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$1 most=${2:-131072}

(cd "$top" && cmake --preset min -B "$folder" -DMB_KERNELS=plain >/dev/null && cmake --build "$folder" -j "$(nproc)" >/dev/null)
bash "$top/tests/min/check.sh" "$folder/libmeshbayes.a"
if nm "$folder/libmeshbayes.a" | grep -E 'mb_kernel_avx|by_instruction'; then
    echo "size: MB_KERNELS=plain has code for special instructions in it"
    exit 1
fi
gcc -std=c11 -D_POSIX_C_SOURCE=200809L -Os -I"$top/include" "$top/tests/min/no_malloc_node.c" "$folder/libmeshbayes.a" -lm \
    -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc -Wl,--gc-sections -o "$folder/node"
size -A "$folder/node" | awk -v most="$most" '
    $1 == ".text" { code = $2 }
    $1 == ".rodata" || $1 ~ /^\.data/ { constants += $2 }
    $1 ~ /^\.eh_frame/ { unwind += $2 }
    END {
        printf "a mesh node, MB_KERNELS=plain: %d bytes of code (at most %d), %d of constants, %d of unwind tables\n",
               code, most, constants, unwind
        exit !(code > 0 && code <= most)
    }'

#!/usr/bin/env bash
# size.sh FOLDER [MOST]: builds the preset min with -DMB_KERNELS=plain in FOLDER, once with the model
# that the node runs alone and once with every model, and prints what a program that runs mesh nodes
# takes of it; fails when the machine code of the first (the section .text) is above MOST bytes,
# 131072 if not given.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$1 most=${2:-131072}

# measure WHICH MODELS MOST
measure() {
    (cd "$top" && cmake --preset min -B "$folder/$1" -DMB_KERNELS=plain -DMB_MODELS="$2" >/dev/null && cmake --build "$folder/$1" -j "$(nproc)" >/dev/null)
    gcc -std=c11 -D_POSIX_C_SOURCE=200809L -Os -I"$top/include" "$top/tests/min/no_malloc_node.c" "$folder/$1/libmeshbayes.a" -lm \
        -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc -Wl,--gc-sections -o "$folder/$1/node"
    size -A "$folder/$1/node" | awk -v models="$2" -v most="$3" '
        $1 == ".text" { code = $2 }
        $1 == ".rodata" || $1 ~ /^\.data/ { constants += $2 }
        $1 ~ /^\.eh_frame/ { unwind += $2 }
        END {
            printf "a mesh node, MB_KERNELS=plain, MB_MODELS=%s: %d bytes of code%s, %d of constants, %d of unwind tables\n",
                   models, code, most ? " (at most " most ")" : "", constants, unwind
            exit !(code > 0 && (!most || code <= most))
        }'
}

measure one gmm "$most"
measure all all ""
bash "$top/tests/min/check.sh" "$folder/all/libmeshbayes.a"
if nm "$folder/all/libmeshbayes.a" | grep -E 'mb_kernel_avx|by_instruction'; then
    echo "size: MB_KERNELS=plain has code for special instructions in it"
    exit 1
fi
if (cd "$top" && cmake --preset min -B "$folder/none" -DMB_MODELS=gnn) >"$folder/refused" 2>&1; then
    echo "size: MB_MODELS took the name of no model"
    exit 1
fi
grep -q 'MB_MODELS: got gnn' "$folder/refused"

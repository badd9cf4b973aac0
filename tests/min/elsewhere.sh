#!/usr/bin/env bash
# elsewhere.sh FOLDER: builds the library without JSON and zlib in FOLDER, for another C library (musl) by a
# compiler that knows fewer options and more warnings than ours (cc.sh), and runs a program of it.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$1
flags=$folder/CMakeFiles/meshbayes_lib.dir/flags.make

mkdir -p "$folder"
if ! { CCACHE_COMPILERCHECK=content cmake -S "$top" -B "$folder" -DCMAKE_C_COMPILER="$top/tests/min/cc.sh" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O0 -DMB_CLI=OFF -DMB_JSON=OFF -DMB_ZLIB=OFF -DMB_EXPAT=OFF -DMB_METIS=OFF -DMB_MPI=OFF \
    -DMB_TESTS=OFF -DMB_BENCH=OFF -DMB_EXAMPLES=OFF &&
    CCACHE_COMPILERCHECK=content cmake --build "$folder" -j "$(nproc)"; } >"$folder/build.log" 2>&1; then
    tail -n 20 "$folder/build.log"
    exit 1
fi
if grep -E -e '-fno-semantic-interposition|-Wcast-qual|-Werror' "$flags" || ! grep -q -e -Wvla "$flags"; then
    echo "elsewhere: options that this compiler lacks were used, or warnings were errors, or all were left out"
    exit 1
fi
grep -q 'warning: stack usage' "$folder/build.log" || { echo "elsewhere: this compiler warned of nothing"; exit 1; }
musl-gcc -std=c11 -static -I"$top/include" "$top/tests/consumer/main.c" "$folder/libmeshbayes.a" -o "$folder/consumer"
"$folder/consumer" | tee "$folder/consumer.txt"
grep -qx 'mean 2: 3.375' "$folder/consumer.txt"

#!/usr/bin/env bash
# lint.sh - what reviewers should not have to look for: long functions, what library code must not call,
# unfinished work, format. Who needs whom is checked by circles.py. Usage: lint.sh [DIR] | lint.sh --self-test
set -euo pipefail

words=$(cd "$(dirname "$0")" && pwd)/words.sh # prose, file names in comments, their columns
MAX_FUNCTION=40

check_lengths() {
    local file
    find src app daemon experiments include tests bench examples wasm -name '*.c' -o -name '*.h' | sort | while IFS= read -r file; do
        awk -v max="$MAX_FUNCTION" -v file="$file" '
            /^\{$/ { start = NR }
            /^\}/ && start {
                if (NR - start + 1 > max)
                    printf "%s:%d: function of %d lines, at most %d\n", file, start, NR - start + 1, max
                start = 0
            }' "$file"
    done
}

# A test links what it tests.
check_sources() {
    grep -rnE '^[[:blank:]]*#[[:blank:]]*include ".*\.c"' src app daemon experiments tests bench examples wasm --include='*.c' --include='*.h' --include='*.cc' |
        sed 's/$/   <- link it, do not include it/' || true
}

check_calls() {
    grep -nE '(^|[^_[:alnum:]])(v?f?printf|f?puts|putchar|exit|abort|getenv|time|clock_gettime|rand|srand)[[:space:]]*\(' \
        -r src --include='*.c' --include='*.h' |
        grep -vE '^src/data/[^:]*:[0-9]+:.*vfprintf' |
        grep -vE ':[0-9]+:[[:space:]]*(/?\*|//)' |
        sed 's/$/   <- library code neither prints, exits, reads the clock nor the environment/' || true
}

# The name of a model is a literal in its own files only: elsewhere models are found by the list.
check_models() {
    local file name
    grep -lE '^const mb_kind mb_kind_' -r src --include='*.c' | while IFS= read -r file; do
        name=$(sed -n 's/^const mb_kind mb_kind_[a-z]* = {\.name = \("[a-z]*"\),.*/\1/p' "$file")
        [[ -z $name ]] || grep -rnF "$name" src app daemon experiments --include='*.c' --include='*.h' |
            grep -v "^$(dirname "$file")/$(tr -d '"' <<<"$name")" | sed 's/$/   <- a model found by its name/'
    done
}

check_words() {
    grep -rnwE 'TODO|FIXME|XXX|HACK' src app daemon experiments include tests bench examples wasm script docs \
        --include='*' --exclude=lint.sh 2>/dev/null | sed 's/$/   <- unfinished/' || true
}

# A shell with pipefail takes the death of the writer for "not found".
check_pipes() {
    grep -rnE '\| *grep -[a-zA-Z]*q' script tests --include='*' --exclude=lint.sh |
        grep -v 'bash -c' | sed 's/$/   <- use pipe_has (tests\/lib\/claims.sh), which reads all of its pipe/' || true
}

check_format() {
    local formatter
    formatter=$(command -v clang-format-14 || command -v clang-format || true)
    if [[ -z $formatter ]]; then
        echo "clang-format is missing: script/bootstrap installs it"
        return
    fi
    find src app daemon experiments include tests bench examples wasm \( -name '*.c' -o -name '*.h' \) -print0 |
        xargs -0 -r "$formatter" --dry-run 2>&1 | grep 'warning:' || true
}

lint() {
    check_lengths
    check_sources
    check_calls
    check_models
    check_words
    check_pipes
    check_format
    bash "$words" .
}

# Plants one offence of each kind and asks for exactly those.
self_test() {
    local found want failures=0
    dir=$(mktemp -d) # not local: the trap runs after this function
    trap 'rm -rf "$dir"' EXIT
    cp .clang-format "$dir"
    mkdir -p "$dir"/{src/base,app,daemon,experiments,include,tests,bench,examples,wasm,script,docs}
    cd "$dir"
    [[ -z $(lint) ]] || { echo "an empty tree has offences" && lint && failures=1; }
    { printf 'int f(void)\n{\n' && for _ in $(seq 39); do echo "    g();"; done && echo "}"; } >app/f.c
    printf 'void f(void)\n{\n    printf("x");\n}\n' >src/base/print.c
    printf '/* %s: later */\n' TODO >app/todo.c
    printf 'int   x;\n' >include/x.h
    printf '#include "../app/f.c"\n' >tests/t.c
    printf 'readelf -d x | grep %s y\n' -qF >script/pipe
    mkdir src/own && printf 'const mb_kind mb_kind_own = {.name = "own", .title = "t"};\n' >src/own/own_kind.c
    printf 'int own(void)\n{\n    return is("own");\n}\n' >app/own.c
    found=$(lint)
    for want in 'app/f.c:2: function of 41' 'print.c:3:.*neither prints' 'app/own.c:3:.*found by its name' \
        'app/todo.c:1:.*unfinished' 'include/x.h:1.*clang-format' 'tests/t.c:1:.*link it' 'script/pipe:1:.*use pipe_has'; do
        grep -q "$want" <<<"$found" || { echo "not found: $want" && failures=1; }
    done
    ((failures == 0)) && echo "lint finds what it looks for"
    return "$failures"
}

if [[ ${1:-} == --self-test ]]; then
    cd "$(dirname "$0")/.."
    self_test
    bash "$words" --self-test
    exit
fi
cd "${1:-$(dirname "$0")/..}"
offences=$(lint)
if [[ -n $offences ]]; then
    printf '%s\n' "$offences"
    exit 1
fi
echo "lint: nothing found"

#!/usr/bin/env bash
# lint.sh - what reviewers should not have to look for: long functions, include directions, what library
# code must not call, unfinished work, format. Usage: lint.sh [DIR] | lint.sh --self-test
set -euo pipefail

words=$(cd "$(dirname "$0")" && pwd)/words.sh # prose, file names in comments, their columns
MAX_FUNCTION=40

# Which layers a layer may include; a layer always may include itself.
may_include() {
    case $1 in
    base) echo "" ;;
    num) echo "base" ;;
    expfam) echo "base num" ;;
    kernel) echo "base" ;;
    model) echo "base num expfam kernel" ;;
    tied | tmm | lca | linreg) echo "base num expfam kernel model" ;;
    mixture) echo "base expfam kernel model" ;;
    groups) echo "base num expfam kernel model mixture" ;;
    glm) echo "base num expfam kernel model linreg" ;;
    graph) echo "base num" ;;
    io) echo "base" ;;
    rows) echo "base io" ;;
    transport) echo "base graph" ;;
    network) echo "base num graph transport" ;;
    network/file) echo "base num graph transport network io" ;;
    fit/file) echo "$(may_include fit) fit io" ;;
    algo) echo "base num expfam graph transport" ;;
    core | observe) echo "base num expfam model graph transport algo core" ;;
    start) echo "base num expfam kernel model graph transport algo core" ;;
    posterior) echo "base num expfam model observe" ;;
    posterior_file) echo "base num io expfam model posterior" ;;
    checkpoint) echo "base io model graph transport algo core" ;;
    fit) echo "base num expfam model graph transport algo core start observe network posterior" ;;
    genesis) echo "$(may_include fit) fit" ;;
    mesh) echo "$(may_include genesis) genesis" ;;
    genesis_file) echo "$(may_include mesh) mesh io posterior_file" ;;
    peer_file) echo "base io genesis mesh" ;;
    record) echo "$(may_include mesh) mesh io" ;;
    virtual) echo "base io graph genesis mesh" ;; # of a node only its header
    esac
}

# The rooms of the program: which of them a room may include, besides itself, app.h and the library.
room_may_include() {
    case $1 in
    app | app/sim | app/sweep) echo "answer base fit genesis page data network posterior report runs sim sweep" ;; # sweep: runs of sim
    app/fit) echo "answer base sim sweep" ;;
    app/answer) echo "base data report sim" ;;
    app/runs) echo "base sim" ;;
    app/base) echo "" ;;
    app/plan | app/genesis) echo "base sim" ;;
    app/up) echo "answer base genesis sim" ;;
    app/page | app/data | app/network | app/posterior | app/top) echo "base" ;;
    app/report) echo "base page" ;;
    app/figures) echo "base page report" ;; # declared in report/parts.h
    experiments*) echo "base page report data network" ;;
    daemon) echo "base page" ;;
    esac
}

check_rooms() {
    local file room header allowed
    for file in app/*.[ch] app/*/*.[ch] daemon/*.[ch] experiments/*.[ch] experiments/*/*.[ch]; do
        [[ -e $file ]] || continue
        room=$(dirname "$file")
        # help.c tells of all commands and main.c starts them; the others of app know no room but base.
        allowed=" base "
        [[ $room == app && $file != app/main.c && $file != app/help.c ]] || allowed=" ${room##*/} $(room_may_include "$room") "
        while IFS= read -r header; do
            case $header in
            app.h | meshbayes/* | rows/*) continue ;;
            */*) [[ $allowed == *" ${header%%/*} "* ]] || echo "$file: $room must not include $header" ;;
            *) [[ $room == experiments* || $room == daemon ]] || echo "$file: say the room of $header" ;;
            esac
        done < <(sed -n 's/^#include "\([^"]*\)".*/\1/p' "$file")
    done
}

layer_of_header() {
    case $1 in
    meshbayes/base.h | meshbayes/column.h | meshbayes/opt.h | meshbayes/pool.h) echo base ;;
    meshbayes/json.h) echo io ;;
    meshbayes/kind.h | meshbayes/models/*.h) echo model ;;
    meshbayes/file.h | meshbayes/table.h | meshbayes/data.h) echo io ;;
    meshbayes/run.h) echo core ;;
    meshbayes/mpi.h) echo transport ;;
    meshbayes/genesis.h) echo genesis ;;
    meshbayes/peer.h) echo mesh ;;
    meshbayes/*.h) basename "$1" .h ;;
    */*) echo "${1%%/*}" ;;
    *) echo "" ;;
    esac
}

check_lengths() {
    local file
    find src app daemon experiments include tests bench examples -name '*.c' -o -name '*.h' | sort | while IFS= read -r file; do
        awk -v max="$MAX_FUNCTION" -v file="$file" '
            /^\{$/ { start = NR }
            /^\}/ && start {
                if (NR - start + 1 > max)
                    printf "%s:%d: function of %d lines, at most %d\n", file, start, NR - start + 1, max
                start = 0
            }' "$file"
    done
}

check_includes() {
    local file layer header from allowed
    for file in src/*/*.[ch]; do
        [[ -e $file ]] || continue
        layer=$(basename "$(dirname "$file")")
        [[ $file != src/*/file_* || $layer == checkpoint ]] || layer=$layer/file
        allowed=" $layer $(may_include "$layer") "
        while IFS= read -r header; do
            from=$(layer_of_header "$header")
            [[ $allowed == *" $from "* ]] || echo "$file: layer $layer must not include $header"
        done < <(sed -n 's/^#include "\([^"]*\)".*/\1/p' "$file")
    done
}

# A test links what it tests.
check_sources() {
    grep -rnE '^[[:blank:]]*#[[:blank:]]*include ".*\.c"' src app daemon experiments tests bench examples --include='*.c' --include='*.h' --include='*.cc' |
        sed 's/$/   <- link it, do not include it/' || true
}

check_calls() {
    grep -nE '(^|[^_[:alnum:]])(v?f?printf|f?puts|putchar|exit|abort|getenv|time|clock_gettime|rand|srand)[[:space:]]*\(' \
        -r src --include='*.c' --include='*.h' |
        grep -vE '^src/io/[^:]*:[0-9]+:.*vfprintf' |
        grep -vE ':[0-9]+:[[:space:]]*(/?\*|//)' |
        sed 's/$/   <- library code neither prints, exits, reads the clock nor the environment/' || true
}

# The name of a model is a literal in its own folder only: elsewhere models are found by the list.
check_models() {
    local file name
    grep -lE '^const mb_kind mb_kind_' -r src --include='*.c' | while IFS= read -r file; do
        name=$(sed -n 's/^const mb_kind mb_kind_[a-z]* = {\.name = \("[a-z]*"\),.*/\1/p' "$file")
        [[ -z $name ]] || grep -rnF "$name" src app daemon experiments --include='*.c' --include='*.h' |
            grep -v "^$(dirname "$file")/" | sed 's/$/   <- a model found by its name/'
    done
}

check_words() {
    grep -rnwE 'TODO|FIXME|XXX|HACK' src app daemon experiments include tests bench examples script docs \
        --include='*' --exclude=lint.sh 2>/dev/null | sed 's/$/   <- unfinished/' || true
}

check_format() {
    local formatter
    formatter=$(command -v clang-format-14 || command -v clang-format || true)
    if [[ -z $formatter ]]; then
        echo "clang-format is missing: script/bootstrap installs it"
        return
    fi
    find src app daemon experiments include tests bench examples \( -name '*.c' -o -name '*.h' \) -print0 |
        xargs -0 -r "$formatter" --dry-run 2>&1 | grep 'warning:' || true
}

lint() {
    check_lengths
    check_includes
    check_rooms
    check_sources
    check_calls
    check_models
    check_words
    check_format
    bash "$words" .
}

# Plants one offence of each kind and asks for exactly those.
self_test() {
    local found want failures=0
    dir=$(mktemp -d) # not local: the trap runs after this function
    trap 'rm -rf "$dir"' EXIT
    cp .clang-format "$dir"
    mkdir -p "$dir"/{src/algo,src/base,src/io,src/network,app/page,daemon,experiments,include,tests,bench,examples,script,docs}
    cd "$dir"
    [[ -z $(lint) ]] || { echo "an empty tree has offences" && lint && failures=1; }
    { printf 'int f(void)\n{\n' && for _ in $(seq 39); do echo "    g();"; done && echo "}"; } >app/f.c
    printf '#include "meshbayes/model.h"\n' >src/algo/a.c
    printf '#include "meshbayes/table.h"\n' | tee src/network/n.c >src/network/file_n.c
    printf 'void f(void)\n{\n    printf("x");\n}\n' >src/base/print.c
    printf '/* %s: later */\n' TODO >app/todo.c
    printf 'int   x;\n' >include/x.h
    printf '#include "../app/f.c"\n' >tests/t.c
    mkdir src/own && printf 'const mb_kind mb_kind_own = {.name = "own", .title = "t"};\n' >src/own/own_kind.c
    printf 'int own(void)\n{\n    return is("own");\n}\n' >app/own.c
    printf '#include "report/parts.h"\n' >app/page/p.c
    printf '#include "sim/sim.h"\n' >experiments/e.c
    found=$(lint)
    for want in 'app/f.c:2: function of 41' 'algo must not include meshbayes/model.h' \
        'network/n.c: layer network must not include meshbayes/table.h' \
        'print.c:3:.*neither prints' 'app/own.c:3:.*found by its name' 'app/todo.c:1:.*unfinished' 'include/x.h:1.*clang-format' \
        'p.c: app/page must not include report/parts.h' 'e.c: experiments must not include sim/sim.h' \
        'tests/t.c:1:.*link it'; do
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

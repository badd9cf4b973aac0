# shellcheck shell=bash
# common.sh - what the scripts share; sourced, after `set -euo pipefail`.
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cores=$(nproc 2>/dev/null || echo 2)
# Debian's own interpreter: another python3 on PATH may lack numpy. Used by the scripts that source this.
# shellcheck disable=SC2034
python=/usr/bin/python3
# Tests say python3, hundreds of times: a launcher of that name that looks for a version first takes longer
# to begin than most of them.
if [ -x "$python" ] && [ "$(command -v python3)" != "$python" ]; then
    mkdir -p "$top/build/bin" && ln -sf "$python" "$top/build/bin/python3" && PATH=$top/build/bin:$PATH
fi

# Builds share what they compile alike where ccache is installed: CMake reads this when it configures
# a folder for the first time. A path of the build folder in debug information is no other object.
if command -v ccache >/dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER=ccache CCACHE_NOHASHDIR=1
fi

say() { printf '%s\n' "$*"; }

# alone NAME COMMAND...: no two at once of the same name: gates beside each other share build folders.
alone() {
    mkdir -p "$top/build"
    (flock 9 && "${@:2}" 9>&-) 9>"$top/build/$1.lock"
}

# configure_and_build PRESET [cmake arguments...]
configure_and_build() { alone "$1" configure_and_build_alone "$@"; }
configure_and_build_alone() (
    cd "$top" && cmake --preset "$1" "${@:2}" >/dev/null && cmake --build "build/$1" -j "$cores"
)
# configure_and_make PRESET "cmake arguments" TARGET...: these targets alone.
configure_and_make() { alone "$1" configure_and_make_alone "$@"; }
configure_and_make_alone() (
    # shellcheck disable=SC2086 # words
    cd "$top" && cmake --preset "$1" $2 >/dev/null && cmake --build "build/$1" -j "$cores" --target "${@:3}"
)

# shared_library BUILD FILE [flags...]: the shared library of the objects that a build has linked statically.
shared_library() {
    local build=$1 file=$2 flags
    shift 2
    read -ra flags <<<"$(sed -n 's/^Libs:.*-lmeshbayes//p' "$build/meshbayes.pc")"
    cc -shared -o "$file" "$@" -Wl,--whole-archive "$build/libmeshbayes.a" -Wl,--no-whole-archive "${flags[@]}" \
        "-Wl,--version-script=$build/exports.map"
}

# release_library FOLDER: libmeshbayes.so of the release program, for bindings, in an empty folder.
release_library() {
    configure_and_make release "" meshbayes >/dev/null
    rm -rf "$1"
    mkdir -p "$1"
    shared_library "$top/build/release" "$1/libmeshbayes.so" -Wl,-soname,libmeshbayes.so
}

# code_of LANGUAGE FILE: the blocks of code of a page, as they are read.
code_of() { awk -v fence="\`\`\`$1" '$0 == fence { code = 1; next } /^```/ { code = 0 } code' "$2"; }

# commit_of WORD: its hash; ends the script with status 2 where it names no commit.
commit_of() {
    git -C "$top" rev-parse --verify --quiet "$1^{commit}" || {
        say "${0##*/}: got $1; expected a commit" >&2
        exit 2
    }
}

# build_plain SOURCE BUILD: the programs alone.
build_plain() {
    mkdir -p "$2"
    if ! { cmake -S "$1" -B "$2" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=gcc -DMB_TESTS=OFF -DMB_BENCH=OFF \
        -DMB_EXAMPLES=OFF && cmake --build "$2" -j "$cores"; } >"$2/build.log" 2>&1; then
        tail -n 20 "$2/build.log" >&2
        return 1
    fi
}

# build_commit HASH FOLDER: its sources in FOLDER/source, its programs in FOLDER/build, once.
build_commit() {
    [ ! -e "$2/built" ] || return 0
    rm -rf "${2:?}/source"
    mkdir -p "$2/source"
    git -C "$top" archive "$1" | tar -x -C "$2/source"
    build_plain "$2/source" "$2/build"
    touch "$2/built"
}

# gate NAME COMMAND...: runs it, keeps going when it fails, notes the seconds, and those of the
# processors (user and system), and what one that fails said of it. With `only` set: the gates whose
# name has that in it.
gate_names=() gate_seconds=() gate_work=() gate_results=() gate_lasts=()
gate() {
    local name=$1 began=$SECONDS result=ok before log out
    wanted "$name" || return 0
    shift
    say "" "=== $name"
    work_done
    before=$work
    log=$(mktemp)
    exec {out}> >({ tee "$log"; touch "$log.end"; } <&0 &)
    "$@" >&"$out" 2>&1 || result=FAILED
    exec {out}>&-
    work_done
    gate_copied "$log.end"
    gate_note "$name" $((SECONDS - began)) $((work - before)) "$result" "$log"
    rm -f "$log" "$log.end"
}
# Until the copy of what a gate said is whole. The copier is no child of this shell, which would wait for
# it in `wait`; a process that a gate left behind may hold it open.
gate_copied() {
    local k
    for k in {1..50}; do
        if [ -e "$1" ]; then return 0; fi
        sleep .1
    done
    say "a process of this gate still runs"
}
wanted() { [[ $1 == *"${only:-}"* ]]; }
gate_note() {
    gate_names+=("$1")
    gate_seconds+=("$2")
    gate_work+=("$3")
    gate_results+=("$4")
    gate_lasts+=("$([ "$4" = ok ] || gate_failures "$5")")
}
gate_failures() { # of a log: lines that tell of failures, and the last ones
    { grep -aE 'FAIL|[Ee]rror|ERROR|not ok' "$1" | head -n 20; tail -n 25 "$1"; } | cut -c 1-300
}
# work: seconds of user and system that this shell has waited for. `times` in a substitution would be
# those of another shell.
work=0
work_done() {
    local file
    file=$(mktemp)
    times >"$file"
    work=$(awk -F '[ms ]+' 'NR == 2 { printf "%d", 60 * $1 + $2 + 60 * $3 + $4 + 0.5 }' "$file")
    rm -f "$file"
}

# gates_beside NAME COMMAND NAME COMMAND...: gates of which none measures time, as many at once as there are
# processors, begun in this order; what one prints comes when it ends, whole. Beside others the seconds of
# a gate are more than it needs alone; those of work are its own.
gates_beside() {
    local logs names=() k=0
    local -A running=()
    logs=$(mktemp -d)
    while [ $# -gt 0 ]; do
        if wanted "$1"; then
            [ "${#running[@]}" -lt "$cores" ] || gate_beside_ends
            say "begins: $1" # who ends a run from outside sees what did not end
            names[k]=$1
            gate_apart "$2" "$logs/$k" &
            running[$!]=$k
            k=$((k + 1))
        fi
        shift 2
    done
    while [ "${#running[@]}" -gt 0 ]; do gate_beside_ends; done
    rm -r "$logs"
}
# gate_apart COMMAND LOG: in a shell of its own; LOG.end says how it ended.
gate_apart() {
    local began=$SECONDS result=ok
    passed=0 failed=0
    "$1" >"$2" 2>&1 || result=FAILED
    work_done
    echo "$((SECONDS - began)) $work $result $passed $failed" >"$2.end"
}
# Waits for one of those that run. One that a signal ended may be forgotten before it is waited for.
gate_beside_ends() {
    local at pid ended='' seconds=0 job_work=0 result=FAILED more_passed=0 more_failed=1
    while [ -z "${ended:-}" ]; do
        for pid in "${!running[@]}"; do kill -0 "$pid" 2>/dev/null || ended=$pid; done
        [ -n "${ended:-}" ] || wait -n -p ended "${!running[@]}" 2>/dev/null || true
    done
    at=${running[$ended]}
    unset "running[$ended]"
    say "" "=== ${names[at]}"
    cat "$logs/$at"
    [ ! -e "$logs/$at.end" ] || read -r seconds job_work result more_passed more_failed <"$logs/$at.end"
    passed=$((passed + more_passed)) failed=$((failed + more_failed))
    gate_note "${names[at]}" "$seconds" "$job_work" "$result" "$logs/$at"
}

# What gates that failed said of it, and a table of the gates; returns 1 when one failed.
gate_summary() {
    local k bad=0
    for k in "${!gate_names[@]}"; do
        [ "${gate_results[k]}" = ok ] || say "" "=== failed: ${gate_names[k]}" "${gate_lasts[k]}"
    done
    say ""
    for k in "${!gate_names[@]}"; do
        printf '%-58s %6s s %6s s of work  %s\n' "${gate_names[k]}" "${gate_seconds[k]}" "${gate_work[k]}" "${gate_results[k]}"
        [ "${gate_results[k]}" = ok ] || bad=1
    done
    printf '%-58s %6s s\n' "all gates" "$SECONDS"
    return "$bad"
}

# tally LOG: adds the passes and failures a log reports to `passed` and `failed`: the closing lines
# of cmocka programs and "N passed, M failed" of scripts.
passed=0 failed=0
tally() {
    local counts
    counts=$(awk '
        /\[  PASSED  \] [0-9]+ test/ { for (i = 1; i < NF; i++) if ($i == "]") p += $(i + 1) }
        /\[  FAILED  \] [0-9]+ test/ { for (i = 1; i < NF; i++) if ($i == "]") f += $(i + 1) }
        /^([0-9]+: )?[0-9]+ passed, [0-9]+ failed/ { p += $(NF - 3); f += $(NF - 1) }
        END { print p + 0, f + 0 }' "$1")
    passed=$((passed + ${counts% *}))
    failed=$((failed + ${counts#* }))
}

# logged COMMAND...: shows the output and counts it; a command that fails without saying how many
# of its tests failed counts as one failure.
logged() {
    local log status=0 before=$failed
    log=$(mktemp)
    "$@" 2>&1 | tee "$log" || status=1
    tally "$log"
    rm -f "$log"
    if [ "$status" -ne 0 ] && [ "$failed" -eq "$before" ]; then
        failed=$((failed + 1))
    fi
    return "$status"
}

# Scripts of a few commands (tests/cli), which every build runs: an expression.
# shellcheck disable=SC2034
few_commands='fit|sim_behaviour|lca|glm|robust|up'

# not_known BUILD FILE...: those scripts of the command line that ctest does not run in a build folder.
not_known() {
    local build=$1 known file
    shift
    known=$(ctest --test-dir "$build" -N) || return 1
    for file in "$@"; do
        grep -qE ": cli_$(basename "$file" .sh)\$" <<<"$known" || say "$file"
    done
}

# each_logged COMMAND FILE...: as logged, COMMAND FILE for each file, as many at a time as there are
# processors, the largest files first because they take longest.
each_logged() {
    local command=$1 logs file status=0
    shift
    logs=$(mktemp -d)
    # shellcheck disable=SC2012
    while IFS= read -r file; do
        while [ "$(jobs -rp | wc -l)" -ge "$cores" ]; do wait -n || true; done
        (
            code=0
            # mpirun would read the rest of the list of files.
            "$command" "$file" </dev/null >"$logs/$(basename "$file")" 2>&1 || code=$?
            echo "$code" >"$logs/$(basename "$file").status"
        ) &
    done < <(ls -S "$@")
    wait
    for file in "$@"; do
        logged said_before "$logs/$(basename "$file")" || status=1
    done
    rm -r "$logs"
    return "$status"
}
said_before() { # said_before LOG: what a command said and its status, once more
    cat "$1"
    return "$(cat "$1.status")"
}

# needs_another_debian: ends the script with status 2 where none can be made.
needs_another_debian() {
    if [ "$(id -u)" -ne 0 ]; then
        say "${0##*/}: got user $(id -un); expected root, who may make another Debian and enter it" >&2
        exit 2
    fi
    command -v mmdebstrap >/dev/null || {
        say "${0##*/}: there is no mmdebstrap; please install the package mmdebstrap" >&2
        exit 2
    }
}
# another_debian ROOT ARCHITECTURES PACKAGE...: made once; a folder that was not finished is none.
another_debian() {
    local root=$1 architectures=$2
    [ ! -e "$root" ] || return 0
    shift 2
    rm -rf "$root.part"
    mkdir -p "$top/build"
    (IFS=, && mmdebstrap --variant=apt --architectures="$architectures" --include="$*" bookworm "$root.part") &&
        mkdir "$root.part/source" && mv "$root.part" "$root"
}
# within_debian ROOT COMMAND...: in that Debian, this tree at /source. What is mounted is seen by the command
# alone and ends with it.
within_debian() {
    # shellcheck disable=SC2016
    unshare --mount sh -c 'root=$1 top=$2 && shift 2 && mount --bind "$top" "$root/source" && mount -t proc proc "$root/proc" &&
        mount --rbind /dev "$root/dev" && exec chroot "$root" env -i HOME=/root PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 MB_SMALL=1 \
            sh -c "cd /source && exec \"\$@\"" - "$@"' - "$1" "$top" "${@:2}"
}

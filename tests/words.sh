#!/usr/bin/env bash
# words.sh - the prose of comments, texts of the program and documents, and identifiers: no word of
# tests/words.txt, no file that does not exist, no comment of a header beyond the line length.
# Usage: words.sh [DIR] | words.sh --self-test
# shellcheck disable=SC2046,SC2016 # names of files have no blanks; no expansion in planted text
set -euo pipefail

list=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/words.txt
MAX_COLUMN=100

# Files whose words are checked. Not here: pages that programs write (docs/reproduction.md).
treated() {
    find README.md CONTRIBUTING.md VERSIONING.md CHANGELOG.md docs data include src app daemon experiments tests \
        examples bench wasm -type f \( -name '*.md' -o -name '*.[ch1]' \) ! -path docs/reproduction.md \
        2>/dev/null | sort
}

# Files in whose comments and pages file names are checked. Decisions are history and not checked.
sources() {
    find src app daemon experiments include examples bench wasm README.md CONTRIBUTING.md docs -type f \
        \( -name '*.md' -o -name '*.[ch]' \) ! -path 'docs/adr/*' 2>/dev/null | sort
}

# FILE.. -> "FILE:LINE:TEXT" for each comment (strings=1: and each string) of C code and each
# paragraph of a page; code blocks and `code` (code=1: only those) are left out.
prose() {
    local strings=$1 code=$2
    shift 2
    (($#)) || return 0
    awk -v strings="$strings" -v code="$code" '
        function flush() {
            if (text != "") print file ":" at ":" text
            text = ""
        }
        function add(more) {
            if (text == "") at = FNR
            sub(/^[ *]+/, "", more)
            text = text (text == "" ? "" : " ") more
        }
        function c_line(line,  token, end) {
            while (line != "") {
                if (inside) {
                    end = index(line, "*/")
                    add(end ? substr(line, 1, end - 1) : line)
                    if (!end) return
                    inside = 0
                    flush()
                    line = substr(line, end + 2)
                }
                if (!match(line, /\/\*|"([^"\\]|\\.)*"|\047([^\047\\]|\\.)+\047/)) return
                token = substr(line, RSTART, RLENGTH)
                line = substr(line, RSTART + RLENGTH)
                if (token == "/*") inside = 1
                else if (strings && token ~ /^"/) { add(token); flush() }
            }
        }
        FNR == 1 { flush(); inside = fence = 0; file = FILENAME; page = file !~ /\.[ch]$/ }
        !page { c_line($0); next }
        /^```/ { fence = !fence; flush(); next }
        fence || /^    / { next }
        /^$/ || /^[|#-]/ { flush() }
        /^$/ { next }
        {
            if (!code) gsub(/`[^`]*`/, "``")
            add($0)
        }
        END { flush() }' "$@"
}

check_words() {
    local pattern instead line
    prose 1 0 $(treated) >"$1/prose"
    while IFS= read -r line; do
        [[ $line == [#=]* ]] && continue
        pattern=${line%%  *}
        instead=${line#*  }
        instead=${instead#"${instead%%[! ]*}"}
        { grep -noiP -- "$pattern" "$1/prose" || true; } | while IFS=: read -r at found; do
            echo "$(sed -n "${at}s/^\([^:]*:[0-9]*\):.*/\1/p" "$1/prose"): \"$found\"; write: $instead"
        done
    done <"$list"
}

# Lines "= WORD  INSTEAD" of the list: no part of an identifier, between underscores, is this word.
check_identifiers() {
    local line word instead
    while IFS= read -r line; do
        [[ $line == '= '* ]] || continue
        line=${line#= }
        word=${line%%  *}
        instead=${line#*  }
        awk -v word="$word" -v instead="${instead#"${instead%%[! ]*}"}" '
            FNR == 1 { comment = 0 }
            {
                text = $0
                gsub(/"([^"\\]|\\.)*"/, "", text)
                if (comment && !sub(/^.*\*\//, "", text)) next
                comment = 0
                while (match(text, /\/\*/)) {
                    rest = substr(text, RSTART)
                    text = substr(text, 1, RSTART - 1)
                    if (!sub(/^\/\*.*\*\//, " ", rest)) {
                        comment = 1
                        break
                    }
                    text = text rest
                }
                text = tolower(text)
                gsub(/[^a-z0-9_]+/, " ", text)
                gsub(/_/, "  ", text)
                if (index(" " text " ", " " word " "))
                    print FILENAME ":" FNR ": identifier with \"" word "\"; write: " instead
            }' $(treated | grep '^\(src\|app\|daemon\|include\|experiments\)/.*\.[ch]$') /dev/null
    done <"$list"
}

# Names with placeholders (NAME, FILE, NNNN) are no files; system headers stand in brackets.
check_files() {
    find . -path ./build -prune -o -path ./.git -prune -o -type f -print >"$1/files"
    prose 0 1 $(sources) |
        { grep -oP '^[^:]*:[0-9]*:|(?<![\w<./*-])[\w./-]*\w\.(c|h|md|sh|py)(?!\.?[\w*(])' || true; } |
        awk '
            FNR == NR {
                for (path = $0; sub(/^[^\/]*\//, "", path);) known[path] = 1
                next
            }
            /:$/ { at = $0; next }
            /NAME|FILE|NNNN/ { next }
            { sub(/^.*\.\.\//, "") }
            !($0 in known) { print at " no file is called " $0 }' "$1/files" -
}

check_columns() {
    awk -v max="$MAX_COLUMN" 'length($0) > max { print FILENAME ":" FNR ": " length($0) " columns, at most " max }' \
        $(treated | grep '\.h$') /dev/null
}

words() {
    local scratch
    scratch=$(mktemp -d)
    check_words "$scratch"
    check_identifiers
    check_files "$scratch"
    check_columns
    rm -rf "$scratch"
}

# Plants one offence of each kind and asks for exactly those.
self_test() {
    local found want failures=0
    dir=$(mktemp -d) # not local: the trap runs after this function
    trap 'rm -rf "$dir"' EXIT
    cd "$dir"
    mkdir -p docs/adr src/base include/meshbayes app
    printf 'One can-\nnot do it, see `src/base/x.c`.\n\n```\nit can not\n```\n' >README.md
    printf '/* fine: NAME.c, src/base/x.c */\n' >src/base/x.c
    printf '/* as docs/old.md says */\n' >docs/adr/0001-a.md
    found=$(words)
    [[ -z $found ]] || { echo "false alarms:" && echo "$found" && failures=1; }
    printf 'Nodes can\nnot wait: the run\ngoes on.\n' >docs/a.md
    printf 'int x; /* the stop\n        * rule, see gone.h */\n' >include/meshbayes/opt.h
    printf '/* %095d */\n' 1 >include/meshbayes/num.h
    printf 'const char *s = "what is no number"; /* asked */\nint n_asked; /* x */ int taskeds;\n' >app/cli.c
    found=$(words)
    for want in 'docs/a.md:1: "can not"; write: cannot$' 'docs/a.md:1: "goes on"' 'opt.h:1: "stop rule"' \
        'opt.h:1: no file is called gone.h' 'num.h:1: 101 columns' 'app/cli.c:1: "is no number"' \
        'app/cli.c:2: identifier with "asked"'; do
        grep -q "$want" <<<"$found" || { echo "not found: $want" && failures=1; }
    done
    (($(wc -l <<<"$found") == 7)) || { echo "more than what was planted:" && echo "$found" && failures=1; }
    ((failures == 0)) && echo "words finds what it looks for"
    return "$failures"
}

if [[ ${1:-} == --self-test ]]; then
    self_test
    exit
fi
cd "${1:-$(dirname "$0")/..}"
words

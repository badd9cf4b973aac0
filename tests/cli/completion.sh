#!/usr/bin/env bash
# completion.sh PROGRAM: completion in bash offers what the program's help names.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"
# shellcheck source=../../completions/meshbayes.bash
. "$top/completions/meshbayes.bash"

offers() { # offers WORDS WORD...: completing the last of WORD.. offers exactly these
    local want=$1
    shift
    COMP_WORDS=("$program" "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _meshbayes || true
    [ "${COMPREPLY[*]}" = "$want" ] || { echo "offered: ${COMPREPLY[*]}"; return 1; }
}
every_option() { # of sim, in the order of its page
    offers "$("$program" help sim all | sed -n 's/^  \(--[a-z][a-z0-9.-]*\).*/\1/p' |
        awk '!known[$0]++' | tr '\n' ' ' | sed 's/ $//')" sim ''
}
claim "commands" offers "predict plan paper" p
claim "topics of help" offers "graph" help gr
claim "pages of a command" offers "all" help fit a
claim "its models" offers "gmm glm" help fit g
claim "verbs" offers "synthetic split" data s
claim "options" offers "--on-domain" sim --on
claim "all options of a command" every_option
claim "options of a verb" offers "--weights-out --weights" graph generate --weig
claim "words that an option accepts" offers "freeze project stop" sim --on-domain ''
claim "the beginning of one" offers "project" sim --on-domain p
claim "behind an equals sign" offers "project" sim --on-domain = p
claim "no words that stand for a file" offers "" fit --data ''
claim "those beside a file" offers "kmeans kmeans++" fit --init k
finish

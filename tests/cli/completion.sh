#!/usr/bin/env bash
# completion.sh PROGRAM: completion in bash, zsh and fish offers what the program's help names.
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
# As they are installed: the files for zsh and fish find those for bash.
installed() {
    local name
    mkdir -p share/bash-completion/completions share/zsh/functions share/fish/completions.d
    for name in meshbayes meshbayes-node; do
        cp "$top/completions/$name.bash" "share/bash-completion/completions/$name"
        cp "$top/completions/meshbayes.zsh" "share/zsh/functions/_$name"
        cp "$top/completions/meshbayes.fish" "share/fish/completions.d/$name.fish"
    done
}
offered_by() { # offered_by SHELL LINE
    PATH=$(dirname "$program"):$PATH
    case $1 in
    zsh) timeout 60 zsh -f "$top/tests/lib/offers.zsh" "$work/share/zsh/functions" "$2" ;;
    fish) HOME=$work timeout 60 fish --no-config "$top/tests/lib/offers.fish" "$work/share/fish/completions.d" "$2" ;;
    esac
}
# Exactly these, in any order.
shell_offers() { # shell_offers SHELL WORDS LINE
    local found
    found=$(offered_by "$1" "$3" | sort -u | tr '\n' ' ')
    [ "$found" = "$(tr ' ' '\n' <<<"$2" | sort -u | tr '\n' ' ')" ] || { echo "offered: $found"; return 1; }
}
every_option_by() { shell_offers "$1" "$(bash "$top/completions/meshbayes.bash" "$program" fit --)" 'meshbayes fit --'; }

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
installed
touch seven.csv
for shell in zsh fish; do
    command -v $shell >/dev/null || { echo "left out: no $shell (script/bootstrap packages)"; continue; }
    claim "$shell: commands" shell_offers $shell "predict plan paper" 'meshbayes p'
    claim "$shell: verbs" shell_offers $shell "synthetic split" 'meshbayes data s'
    claim "$shell: all options of a command" every_option_by $shell
    claim "$shell: words that an option accepts" shell_offers $shell "freeze project stop" 'meshbayes sim --on-domain '
    claim "$shell: behind an equals sign" shell_offers $shell "--on-domain=project" 'meshbayes sim --on-domain=p'
    claim "$shell: files where an option accepts them" shell_offers $shell "seven.csv" 'meshbayes fit --data sev'
    [ ! -x "$(dirname "$program")/meshbayes-node" ] || {
        claim "$shell: verbs of a node" shell_offers $shell "refuse replay reset" 'meshbayes-node re'
        claim "$shell: their options" shell_offers $shell "--config --id" 'meshbayes-node refuse --'
    }
done
finish

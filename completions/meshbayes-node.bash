# shellcheck shell=bash
# Completion of meshbayes-node in bash: verbs and their options, read from `meshbayes-node --help` each time; bash
# completes files where an option accepts them.
_meshbayes_node() {
    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words

    if [ "$COMP_CWORD" -eq 1 ]; then
        words="$("$program" --help 2>/dev/null | sed -n 's/^meshbayes node \([a-z]*\): .*/\1/p') --help --version"
    else
        words=$("$program" --help 2>/dev/null | awk -v verb="${COMP_WORDS[1]}:" -v before="$before" '
            /^meshbayes node / { on = $3 == verb }
            on && /^  --/ { words = words " " $1; value = value || $1 == before }
            END { if (!value) print words }')
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
# Another shell runs this file and reads what it prints.
if [ "${BASH_SOURCE[0]}" = "$0" ]; then
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _meshbayes_node
    [ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
else
    complete -o default -F _meshbayes_node meshbayes-node
fi

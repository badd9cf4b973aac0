# shellcheck shell=bash
# Completion of meshbayes in bash: commands, options and the words that options accept, read from
# `meshbayes help COMMAND all` each time, so that they are those of the program that is installed.

# Options of a command's help page, one a line with what it accepts: "--init kmeans|farthest|..".
_meshbayes_options() {
    "$1" help "$2" all 2>/dev/null | sed -n 's/^  \(--[a-z][a-z0-9.-]*\)/\1/p' |
        awk '!known[$1]++'
}

_meshbayes() {
    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[1]:-} choices option

    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ] || { [ "$COMP_CWORD" -eq 2 ] && [ "$command" = help ]; }; then
        mapfile -t COMPREPLY < <(compgen -W "$("$program" help 2>/dev/null | sed -n \
            '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p') --help --version" -- "$word")
        return
    fi
    if [ "$COMP_CWORD" -eq 3 ] && [ "$command" = help ]; then
        mapfile -t COMPREPLY < <(compgen -W "all $("$program" help "$before" 2>/dev/null | sed -n \
            's/^Those of one model: meshbayes help [a-z]* //p' | tr -d ,)" -- "$word")
        return
    fi
    if [ "$COMP_CWORD" -eq 2 ] && [ "${word#-}" = "$word" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$("$program" help "$command" 2>/dev/null |
            sed -n "s/^meshbayes $command \([a-z]*\): .*/\1/p")" -- "$word")
        [ ${#COMPREPLY[@]} -eq 0 ] || return
    fi
    option=$before choices=
    if [ "$word" = = ]; then
        word=
    elif [ "$before" = = ]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if [ "${option#--}" != "$option" ]; then
        choices=$(_meshbayes_options "$program" "$command" | sed -n "s/^$option //p" | head -n 1)
    fi
    case $choices in
    '')
        mapfile -t COMPREPLY < <(compgen -W "$(_meshbayes_options "$program" "$command" |
            cut -d ' ' -f 1)" -- "$word")
        ;;
    *[a-z]*\|* | [a-z]*) # words; those in capitals stand for what the user writes
        mapfile -t COMPREPLY < <(compgen -W "$(tr '|' '\n' <<<"$choices" |
            grep -v '[A-Z]')" -- "$word")
        ;;
    esac
}
# Another shell runs this file and reads what it prints; its words are not split at "=".
if [ "${BASH_SOURCE[0]}" = "$0" ]; then
    COMP_WORDS=("$@") beginning=
    if [[ ${!#} == --*=* ]]; then
        beginning=${!#}
        COMP_WORDS=("${@:1:$#-1}" "${beginning%%=*}" "=" "${beginning#*=}")
        beginning=${beginning%%=*}=
    fi
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _meshbayes
    [ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]/#/$beginning}"
else
    complete -o default -F _meshbayes meshbayes
fi

# shellcheck shell=bash
# Completion of meshbayes-node in bash: verbs, their option, and files for its value.
_meshbayes_node() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}

    COMPREPLY=()
    case $before in
    run | check | reset) mapfile -t COMPREPLY < <(compgen -W --config -- "$word") ;;
    refuse | without) mapfile -t COMPREPLY < <(compgen -W '--config --id' -- "$word") ;;
    keygen) mapfile -t COMPREPLY < <(compgen -W --out -- "$word") ;;
    --config | --out) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    *) [ "$COMP_CWORD" -ne 1 ] || mapfile -t COMPREPLY < <(compgen -W 'run check keygen reset refuse without --help --version' -- "$word") ;;
    esac
}
complete -o filenames -F _meshbayes_node meshbayes-node

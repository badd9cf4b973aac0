# Completion in fish: the words that the file for bash prints, or files where it prints none. Either program's package
# has this file under its own name.
set -g __meshbayes_bash (status dirname)/../../bash-completion/completions

function __meshbayes_words
    set -l words (commandline --cut-at-cursor --tokenize --current-process)
    set -l last (commandline --cut-at-cursor --current-token)
    bash $__meshbayes_bash/(basename $words[1]) $words "$last" 2>/dev/null
end

complete --command (basename (status filename) .fish) --condition 'test -n "$(__meshbayes_words)"' --no-files --arguments '(__meshbayes_words)'

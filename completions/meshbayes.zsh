#compdef meshbayes meshbayes-node
# Completion in zsh: the words that the file for bash prints, or files where it prints none. Either program's package
# has this file under its own name.
local words_of=${functions_source[$0]:A:h}/../../bash-completion/completions/${words[1]:t} found
found=(${(f)"$(bash $words_of "${(@)words[1,CURRENT]}" 2>/dev/null)"})
if ((${#found})); then compadd -- $found; else _files; fi

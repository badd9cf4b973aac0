# offers.fish FOLDER LINE: what fish with the completions of FOLDER offers for LINE, one word a line.
set --prepend fish_complete_path $argv[1]
complete --do-complete $argv[2] | cut -f 1

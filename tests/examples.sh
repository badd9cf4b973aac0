#!/usr/bin/env bash
# examples.sh FOLDER: runs the programs of examples/ that were built in FOLDER and compares what they
# print with the text beside their source; the C code of docs/howto is that of the examples.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$(cd "$1" && pwd)
# shellcheck source=lib/claims.sh
. "$top/tests/lib/claims.sh" "$folder/none"

prints() { # prints NAME [ARGUMENT...]: the text of examples/NAME.txt
    "$folder/example_$1" "${@:2}" >out.txt && diff "$top/examples/$1.txt" out.txt
}

# Each ```c block of a page occurs word for word in the example. Prints how many blocks there are.
blocks_are_in() { # blocks_are_in PAGE EXAMPLE
    local code block="" line inside=0 count=0
    code=$(cat "$2" && echo end)
    while IFS= read -r line; do
        case $inside$line in
        '0```c') inside=1 block="" ;;
        '1```')
            inside=0 count=$((count + 1))
            [[ $code == *"$block"* ]] || { printf 'not in %s:\n%s' "$2" "$block" && return 1; }
            ;;
        1*) block+=$line$'\n' ;;
        esac
    done <"$1"
    [ "$inside" -eq 0 ] && [ "$count" -gt 0 ]
}
# What a page shows as printed is what the example prints.
output_is() { # output_is PAGE TEXT
    # shellcheck disable=SC2016
    sed -n '/^```text$/,/^```$/p' "$1" | grep -v '^```' >shown.txt && diff "$2" shown.txt
}
short() { [ "$(wc -l <"$top/examples/02_own_model.c")" -le 120 ]; }
finds_a_change() {
    sed 's/phi_star\[l\]/phi_star[0]/' "$top/examples/03_own_algorithm.c" >changed.c
    refuted blocks_are_in "$top/docs/howto/own-algorithm.md" changed.c
}

echo a,b,c,d >four.csv && echo 1,2,3,4 >>four.csv
claim "01_fit_csv prints its text" prints 01_fit_csv "$top/examples/readings.csv" 3 ring:n=10
claim "02_own_model prints its text" prints 02_own_model
claim "08_own_family prints its text" prints 08_own_family
claim "09_bind prints its text" prints 09_bind
claim "03_own_algorithm prints its text" prints 03_own_algorithm "$top/examples/readings.csv"
claim "04_sites prints its text" prints 04_sites 3 "$top"/examples/site_?.csv
claim "05_two_nodes prints its text" prints 05_two_nodes
udp_nodes() { bash "$top/tests/udp.sh" "$folder/example_06_udp_node" >out.txt && diff "$top/examples/06_udp_node.txt" out.txt; }
claim "three processes of 06_udp_node print its text" udp_nodes
claim "an address without a port is refused" says 'got "nowhere"; expected HOST:PORT' "$folder/example_06_udp_node" 0 20000 1 nowhere
claim "what it needs is said" says 'usage: 06_udp_node' "$folder/example_06_udp_node" 0
claim "a file that is missing is named" status_is 1 "$folder/example_01_fit_csv" nowhere.csv 3 ring:n=10
claim "so is one of other columns" says "got 4 columns; expected 2" "$folder/example_04_sites" 3 "$top/examples/site_1.csv" four.csv
for pair in fit-a-csv:01_fit_csv own-model:02_own_model own-family:08_own_family own-algorithm:03_own_algorithm sites:04_sites embed:05_two_nodes udp:06_udp_node bind:09_bind; do
    page=$top/docs/howto/${pair%:*}.md example=$top/examples/${pair#*:}
    claim "the code of $(basename "$page") is that of the example" blocks_are_in "$page" "$example.c"
    claim "the output in $(basename "$page") is that of the example" output_is "$page" "$example.txt"
done
claim "a mixture of your own takes at most 120 lines" short
claim "a page that differs from its example is found" finds_a_change
for source in "$top"/examples/*.c; do
    name=$(basename "$source" .c)
    claim "$name is tested and has a page" grep -q ":$name" "$top/tests/examples.sh"
done
finish

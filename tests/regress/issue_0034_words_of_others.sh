#!/usr/bin/env bash
# Words that other programs and papers use are taken, or lead to the option of that meaning.
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

two_clusters 4 60
cut -d, -f1,2 rows.csv >plain.csv
nearest() { says "--$1 is not an option here; the nearest is --$2\$" "$program" fit --data plain.csv "--$1" 2; }
while read -r word option; do
    claim "--$word leads to --$option" nearest "$word" "$option"
done <<'W'
target target-column
link glm.link
k n-components
n_clusters n-components
n_components n-components
components n-components
max_iter rounds
iterations rounds
random_state seed
covariance covariance-type
sample_weight weight-column
delimiter separator
output out
n_jobs threads
rouns rounds
W
claim "an option that is misspelt leads to its own" nearest sed seed
fit() { "$program" fit --n-components 2 "$@"; }
claim "a lone file name is --data" fit plain.csv
claim "also before options" says 'lower bound' "$program" fit plain.csv --n-components 2
claim "not beside --data" says '"plain.csv" is not expected here' fit --data plain.csv plain.csv
claim "nor is a word that is not a file" says '"stray" is not expected here' fit stray
claim "nor a second file" says '"rows.csv" is not expected here' fit plain.csv rows.csv
fit --data plain.csv --init kmeans++ --out one >/dev/null
fit --data plain.csv --init k-means++ --out two >/dev/null
means() { grep -A 12 '"means' "$1/posterior.json"; }
claim "--init k-means++ is kmeans++" cmp <(means one) <(means two)
sim() { "$program" sim --data rows.csv --columns a,b --node-column site --network links.csv --n-components 2 --rounds 20 "$@"; }
claim "--algorithm takes the paper's names" says '^dsvb ' sim --algorithm dSVB,nsg-dVB
claim "of both" grep -q '^nsg ' said.txt
claim "--algorithm all runs every one that needs no ring" says '^edge ' sim --algorithm all
claim "which are eight at least" test "$(grep -cE '^(cvb|noncoop|nsg|dsvb|admm|edge|flow|tree|average) ' said.txt)" -ge 8
claim "twice is twice under any name" says 'dsvb is named twice' sim --algorithm dsvb,dSVB

# Codes of answers, 0 to 4, which are counts unless declared.
awk 'BEGIN { print "q1,q2,q3"; s = 5; for (i = 0; i < 200; i++) { for (k = 0; k < 3; k++) { s = s * 16807 % 2147483647
    printf "%d%s", (s % 3) + 2 * (i % 2), k < 2 ? "," : "\n" } } }' >codes.csv
claim "a note says how codes become categories" says "note: kinds of columns: q1:count,q2:count,q3:count \(--column '\*:category' makes codes" fit --data codes.csv --model lca
kinds() { # kinds COLUMNS: those of the posterior, as its file has them
    "$program" fit --data codes.csv --model lca --n-components 2 --column "$1" --out codes >/dev/null 2>&1
    sed -nE 's/^ *"(category|count)",?$/\1/p' codes/posterior.json | tr '\n' ' '
}
claim "as it says" test "$(kinds '*:category')" = 'category category category '
claim "with a count among them" test "$(kinds 'q2:count,*:category')" = 'category count category '
claim "in any order" test "$(kinds '*:category,q2:count')" = 'category count category '
claim "a name twice is still refused" says '"q2" is there twice' fit --data codes.csv --model lca --column 'q2:count,*:category,q2:flag'
finish

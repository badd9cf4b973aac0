#!/bin/bash
# Bad rows of documents are one line each; rare terms and terms that are new become one.
# usage: lda.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

awk 'BEGIN { print "doc,term,count"; for (d = 0; d < 20; d++) for (v = 0; v < 6; v++) print d ",t" v "," (d + v) % 4 * (6 - v) }' >docs.csv
of=(--group-column doc --model lda --n-components 2)

# refused TEXT FILE [OPTION ..]: fit says one line with this text.
refused() {
    local text=$1 file=$2
    shift 2
    if "$program" fit --data "$file" "${of[@]}" "$@" >out.txt 2>err.txt; then
        return 1
    fi
    grep -v ': note: ' err.txt >said.txt
    test "$(wc -l <said.txt)" = 1 && grep -q -- "$text" said.txt
}

sed '5s/.*/0,t3,-2/' docs.csv >negative.csv
claim "a negative count" refused 'negative.csv.*count.*-2.*a whole number from 0' negative.csv
sed '5s/.*/0,t3,1.5/' docs.csv >half.csv
claim "a count that is not whole" refused 'half.csv.*count.*1.5.*a whole number from 0' half.csv
awk -F, '{ print $0 "," (NR == 1 ? "more" : NR % 5) }' docs.csv >three.csv
claim "a column more" refused 'got 3 columns; expected the 2 of model lda: category, count' three.csv
awk -F, '{ print $1 "," $3 "," $2 }' docs.csv >turned.csv
claim "counts before terms" refused 'turned.csv: column "term": got a category; expected a count.*in this order' turned.csv
printf 'doc,term,count\nx,3,2\nx,12000,1\n' >codes.csv
claim "a number of a term that is too large" refused 'codes.csv:3: column "term": got 12000; expected .* 0 to 9999' codes.csv
claim "which is a word where that is said" "$program" fit --data codes.csv "${of[@]}" --column term:category --out codes
claim "no topic" refused 'n-components' docs.csv --n-components 0
cut -d, -f1,2 docs.csv >bare.csv
claim "no counts" refused 'got 1 columns; expected the 2 of model lda' bare.csv
claim "terms that a column has not" refused 'column "term": got category "t2"; expected t0, t1' docs.csv --column 'term:category(t0|t1),count:count'

claim "a fit" "$program" fit --data docs.csv "${of[@]}" --out all
claim "one of four terms" "$program" fit --data docs.csv "${of[@]}" --lda.vocabulary 4 --out few
claim "says so" grep -q 'of 6 terms the 4 most frequent remain (--lda.vocabulary)' few/summary.json
claim "the others are the last term" grep -q '"(other)"' few/posterior.json
sed 's/,t0,/,(other),/' docs.csv >known.csv
claim "a term of that name is among them" "$program" fit --data known.csv "${of[@]}" --lda.vocabulary 4 --out known
claim "once" test "$(grep -c '"(other)"' known/posterior.json)" = 1
printf 'doc,term,count\nnew,t0,3\nnew,unheard,2\n' >new.csv
predict() { "$program" predict --posterior "$1/posterior.json" --data new.csv --group-column doc --what topics; }
claim "which a new term is, too" predict few
# shellcheck disable=SC2016
claim "and which is refused without it" bash -c '! "$0" predict --posterior all/posterior.json --data new.csv --group-column doc --what topics 2>err.txt' "$program"
# shellcheck disable=SC2016
claim "help names the shares" bash -c '"$0" help predict | grep -q "|topics$"' "$program"
claim "with file and line" grep -q 'new.csv:3: column "term": got category "unheard"' err.txt

awk -F, 'NR == 1 { print "node," $0; next } { print (NR % 2 ? "a" : "b") "," $0 }' docs.csv >split.csv
if "$program" sim --data split.csv --node-column node "${of[@]}" --topology complete:n=2 >out.txt 2>err.txt; then
    claim "a document at two nodes is refused" false
fi
claim "a document at two nodes" grep -q 'group' err.txt
"$program" up --virtual --data docs.csv "${of[@]}" --lda.vocabulary 4 --topology ring:n=3 --until 30s --out mesh >out.txt 2>&1 || true
claim "nodes have the terms that remain" grep -q '"(other)"' mesh/posterior.json
claim "an earlier posterior is a prior" "$program" fit --data docs.csv "${of[@]}" --prior posterior:all/posterior.json --out again
claim "of other rows" "$program" fit --update all/posterior.json --data docs.csv --group-column doc --out more
claim "parameters are drawn" "$program" sample --posterior all/posterior.json --rows 3 --what parameters --out draws.csv
claim "and words of a document" "$program" sample --posterior all/posterior.json --rows 50 --out words.csv
claim "attributes of scikit-learn's class" "$program" export --posterior all/posterior.json --format sklearn --out lda.npz
awk -F, 'NR == 1 || $3 = 1' OFS=, docs.csv >ones.csv
"$program" fit --data ones.csv "${of[@]}" --out ones.json >out.txt 2>err.txt
claim "a row for each word, all counts 1, is no reason to warn" refuted grep -q 'is constant' err.txt
claim "a plan without data states the bytes: 20 topics of the 3,000 terms" says \
    'a message has 60020 numbers, 480160 bytes' "$program" plan --model lda --features 3000 --lda.vocabulary 0 \
    --n-components 20 --topology ring:n=4 --measure 0.01
claim "of the 2,000 that are kept, and one of the others" says 'a message has 40040 numbers, 320320 bytes' \
    "$program" plan --model lda --features 3000 --n-components 20 --topology ring:n=4 --measure 0.01

finish

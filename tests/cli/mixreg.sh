#!/usr/bin/env bash
# mixreg.sh PROGRAM: mixtures of regressions, from rows to every file that is made of the answer.
# shellcheck disable=SC2016,SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

# Three lines, rows in turn, at six nodes.
awk 'BEGIN { srand(3); print "node,u,v,y"
    for (j = 0; j < 420; j++) { u = 4 * rand() - 2; v = 4 * rand() - 2; k = j % 3
        m = k == 0 ? 5 + 2 * u - v : k == 1 ? -2 - u + v : .5 * u + 2 * v
        printf "n%d,%.6f,%.6f,%.6f\n", j % 6, u, v, m + .5 * (rand() + rand() - 1) } }' >rows.csv
of=(--model mixreg --n-components 3 --target-column y)
fit() { "$program" fit --data rows.csv --drop node "${of[@]}" "$@"; }
sim() { "$program" sim --data rows.csv --node-column node "${of[@]}" --topology ring:n=6 "$@"; }

claim "a fit settles" says 'settled' fit --out one.json --trace one.csv --tol 1e-12
claim "the bound never falls" rises one.csv
claim "the table has a line of each component" says '^ +2 +0\.3[0-9]* .* (4\.9|5\.0)[0-9]* ± .* (1\.9|2\.0)[0-9]* ± ' fit
claim "and says what stands beside it" says '±: standard deviation of the posterior' fit
claim "a network that loses 30 % of its messages settles" says 'edge +[0-9]+ settled' \
    sim --loss 0.3 --algorithm edge,cvb --tol 1e-9 --rounds 4000 --out net
claim "at central VB, which is the fit" near net/posterior-edge.json one.json 1e-6
claim "a run is interrupted" sim --algorithm edge --tol 0 --rounds 20 --checkpoint ck --every 10 --out part
claim "and resumed" sim --algorithm edge --tol 0 --rounds 30 --checkpoint ck --resume ck --out rest
claim "another is not" sim --algorithm edge --tol 0 --rounds 30 --out whole
claim "to the same bits" cmp rest/posterior.json whole/posterior.json
claim "nodes of a mesh agree" "$program" up --virtual --data rows.csv --node-column node "${of[@]}" --topology ring:n=6 \
    --until settled --out up
claim "on the same answer" near up/posterior.json one.json 1e-4
claim "a genesis" "$program" genesis --data rows.csv --drop node "${of[@]}" --out genesis.json
claim "has K rows with their target, and that these are no lines" [ "$(tr -d ' \n' <genesis.json | grep -o '"start":\[[^a-z]*\]' | grep -o '[0-9]\.[0-9]*' | wc -l)" = 12 ]
claim "an update knows both batches" says '840 rows in all' fit --update one.json --out more.json
table() { "$@" | grep -v '^lower bound'; }
claim "a formula's answer is that of the options" diff <(table "$program" fit --data rows.csv --model mixreg --n-components 3 \
    --formula 'y ~ u + v') <(table fit)

new=(--posterior one.json --data rows.csv)
claim "predictions" "$program" predict "${new[@]}" --out table.csv
claim "are of a regression" is "$(head -n 1 table.csv)" row,mean,sd,lower,upper
claim "whose intervals contain nine rows in ten and more" awk -F, 'NR == FNR { l[FNR] = $4; h[FNR] = $5; next }
    FNR > 1 { n += $4 >= l[FNR] && $4 <= h[FNR] } END { exit !(n > .9 * 420 && n < 420) }' table.csv rows.csv
cut -d, -f2,3 rows.csv >inputs.csv
claim "of rows without their target, too" "$program" predict --posterior one.json --data inputs.csv --out inputs_table.csv
claim "the same" cmp table.csv inputs_table.csv
claim "labels" "$program" predict "${new[@]}" --what labels --out labels.csv
claim "are the lines that rows were drawn from" awk 'FNR > 1 { n[(FNR - 2) % 3, $1]++; if (n[(FNR - 2) % 3, $1] > most[(FNR - 2) % 3])
    most[(FNR - 2) % 3] = n[(FNR - 2) % 3, $1] } END { exit !(most[0] + most[1] + most[2] > .9 * 420) }' labels.csv
claim "refused: labels of rows without a target" bash -c '! "$@" 2>e && grep -q "are missing: y" e' - \
    "$program" predict --posterior one.json --data inputs.csv --what labels
claim "a score" says 'density -[0-9.]+ nats a row' "$program" score "${new[@]}"
claim "samples of the parameters" "$program" sample --posterior one.json --what parameters --rows 2 --out drawn.csv
claim "say whose they are" is "$(head -n 1 drawn.csv)" draw,component,weight,intercept,coef.u,coef.v,noise_variance
claim "refused: samples of rows" bash -c '! "$@" 2>e && grep -q "no distribution of its inputs" e' - \
    "$program" sample --posterior one.json --rows 2
claim "a comparison has the distance of the lines" says 'distance_in_scales' "$program" compare one.json net/posterior-edge.json
claim "an export" "$program" export --posterior one.json --format arrays --out one.npz

# Parabola and line: k-means of the rows alone ends elsewhere.
awk 'function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand()) }
    BEGIN { srand(2); print "x,y"; for (j = 0; j < 200; j++) { x = 10 * rand()
        printf "%.6f,%.6f\n", x, (j % 2 ? 5 * x : 15 + 10 * x - x * x) + 3 * normal() } }' >curves.csv
claim "rows that k-means does not tell apart are found by lines through few of them" says 'noise: sd [23]\.[0-9]+, [23]\.' \
    "$program" fit --data curves.csv --model mixreg --formula 'y ~ x + I(x^2)'
awk -F, -v OFS=, 'NR == 1 { print "node,x,square,y"; next } { print "n" NR % 5, $1, $1 * $1, $2 }' curves.csv >squares.csv
of=(--model mixreg --n-components 2 --target-column y)
shop() { "$program" up --virtual --data squares.csv --node-column node "${of[@]}" --topology ring:n=5 --until settled "$@"; }
claim "one machine finds them" "$program" fit --data squares.csv --drop node "${of[@]}" --out squares.json
claim "so does a genesis, by lines" "$program" genesis --data squares.csv --drop node "${of[@]}" --out lines.json
claim "with which nodes are at the same answer" shop --genesis lines.json --out lines
claim "to 1e-6" near lines/posterior.json squares.json 1e-6
claim "and nodes themselves, of their sample" shop --seed 1 --out own
claim "but for the prior, which is of the sample, too" near own/posterior.json squares.json 1e-2
claim "a network that began with lines writes them" says 'settled' "$program" sim --data squares.csv --node-column node "${of[@]}" \
    --topology ring:n=5 --n-init 2 --write-genesis written.json --out begun
claim "for nodes" shop --genesis written.json --out read
claim "that are at its answer" near read/posterior.json begun/posterior.json 1e-6
printf 'u,v,y\n1,,3\n2,1,4\n' >gap.csv
claim "refused: gaps" bash -c '! "$@" 2>e && grep -q "column \"v\"" e' - "$program" fit --data gap.csv --model mixreg
# Weights beside which the noise is lost in double precision.
printf 'a,b,y,w\n-0.7,0,0,1e15\n0.3,1.1,0,1e15\n0.3,0.2,-2,1e15\n' >heavy.csv
claim "a fit that ends outside the domain" bash -c '"$@" >failed; test $? = 3' - "$program" fit --data heavy.csv --model mixreg \
    --target-column y --weight-column w --rounds 5
claim "has no lower bound" grep -q '^no lower bound after .*: failed$' failed

# The commands of docs/howto/segments.md.
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
meshbayes() { "$program" "$@"; }
sed -n '/^```sh$/,/^```$/p' "$top/docs/howto/segments.md" | grep -v '^```' >commands.txt
claim "the page has commands" test "$(wc -l <commands.txt)" = 6
while IFS= read -r line; do
    claim "${line:0:100}" eval "$line"
done <commands.txt
claim "three segments are best" grep -q '"n_components": 3' compared/posterior.json
claim "the shops have the segments of one machine" near shops/posterior.json segments/posterior.json 1e-6
finish

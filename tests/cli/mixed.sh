#!/usr/bin/env bash
# mixed.sh PROGRAM: regression with effects that vary by group, from rows to every file that is made of the
# answer; and what is said of groups.
# shellcheck disable=SC2016,SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

# Twelve sites with their own line each, two a node; "beds" is of the site.
awk 'BEGIN { srand(4); print "node,site,a,b,beds,y"
    for (g = 0; g < 12; g++) { m = 3 * rand(); s = rand(); h = int(100 * rand())
        for (j = 0; j < 8 + g % 5; j++) { a = 4 * rand(); b = rand()
            printf "n%d,s%d,%.6f,%.6f,%d,%.6f\n", int(g / 2), g, a, b, h, 40 + m + s * a - b + .3 * (rand() - rand()) } } }' >rows.csv
of=(--model mixed --target-column y --group-column site --mixed.varying a)
fit() { "$program" fit --data rows.csv --drop node,beds "${of[@]}" "$@"; }
sim() { "$program" sim --data rows.csv --node-column node --drop beds "${of[@]}" --topology ring:n=6 "$@"; }

claim "a fit settles" says 'settled' fit --out one.json --trace one.csv --tol 1e-12
claim "the bound never falls" rises one.csv
claim "the file says which inputs vary" grep -q '"varying"' one.json
claim "its arrays" "$program" export --posterior one.json --format arrays --out one.npz
claim "say so, too" is varyingnumber "$(python3 -c "import zipfile
kinds = zipfile.ZipFile('one.npz').read('kinds.npy')
print(kinds[kinds.index(b'\n') + 1:].decode('utf-32-le').replace('\0', ''))")"
claim "and how many groups there are" is "$(value one.json group_degrees_of_freedom)" 15.0
claim "a network that loses 30 % of its messages settles" says 'edge +[0-9]+ settled' \
    sim --loss 0.3 --algorithm edge,cvb --tol 1e-9 --rounds 4000 --out net
claim "at central VB, which is the fit" near net/posterior-edge.json one.json 1e-6
claim "one column names the node and the group" says 'edge +[0-9]+ settled' "$program" sim --data rows.csv --node-column site \
    --drop node,beds "${of[@]}" --topology ring:n=12 --algorithm edge,cvb --tol 1e-9 --rounds 4000 --out each
claim "each node a group: the fit" near each/posterior-edge.json one.json 1e-6
claim "the report has the groups of all nodes, by name" [ "$(grep -cE '>s[0-9]+</th><td class="n">' net/report.html)" = 12 ]
claim "with the interval of a further one" grep -q 'a new group</i></th><td></td><td></td><td class="n pm">.*&nbsp;to' net/report.html
claim "the posterior file has the effects of none" refuted grep -q '"s1"' net/posterior.json
claim "a run is interrupted" sim --algorithm edge --tol 0 --rounds 40 --checkpoint ck --every 20 --out part
claim "and resumed" sim --algorithm edge --tol 0 --rounds 60 --checkpoint ck --resume ck --out rest
claim "another is not" sim --algorithm edge --tol 0 --rounds 60 --out whole
claim "to the same bits" cmp rest/posterior.json whole/posterior.json
claim "nodes of a mesh agree" says 'groups: sd' "$program" up --virtual --data rows.csv --node-column node --drop beds \
    "${of[@]}" --topology ring:n=6 --until settled --out up
printf '%s\n' time,event,a,b 5,kill,n5, >gone.csv
claim "without a node that is gone" "$program" up --virtual --data rows.csv --node-column node --drop beds "${of[@]}" --topology ring:n=6 \
    --schedule gone.csv --until settled --out gone
claim "its groups are gone, too, and the others have their names" [ "$(grep -o '>s[0-9]*</th><td class="n">' gone/report.html | tr -dc '0-9\n' | paste -sd ' ')" = "0 1 2 3 4 5 6 7 8 9" ]
claim "a genesis" "$program" genesis --data rows.csv --drop node,beds "${of[@]}" --out genesis.json
claim "says which inputs vary" grep -q '"varying"' genesis.json
claim "an update" fit --update one.json --out more.json
claim "has the groups of both" is "$(value more.json group_degrees_of_freedom)" 27.0
again() { "$program" fit --update "$1" --data "${3-rows.csv}" --out "$2"; }
claim "an update without its group" again one.json own.json
claim "takes the column of the file's options" close_to own.json more.json 0
"$program" fit --data rows.csv --model mixed --formula 'y ~ a + b + (1 + a | site)' --out by_formula.json >/dev/null
sed '/^  "options": {/,/^  }/{/group-column/d}' by_formula.json >no_options.json
claim "and that of its formula" again no_options.json from_formula.json
claim "which has as many groups" is "$(value from_formula.json group_degrees_of_freedom)" 27.0
sed '1s/site/place/' rows.csv >elsewhere.csv
claim "a batch without that column is refused" says 'elsewhere.csv: .*"site"' again one.json none.json elsewhere.csv
claim "samples of the parameters" "$program" sample --posterior one.json --what parameters --rows 3 --out drawn.csv
claim "name the effects that vary" is "$(head -n 1 drawn.csv)" \
    'draw,intercept,coef.a,coef.b,group_covariance.(intercept).(intercept),group_covariance.a.(intercept),group_covariance.a.a,noise_precision'

small() { # small NOISE
    awk -v noise="$1" 'function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand()) }
        BEGIN { srand(5); print "site,x,z,y"; for (g = 0; g < 12; g++) { u = normal(); v = normal() / 2
            for (j = 0; j < 5 + g * 7 % 55; j++) { x = normal(); z = normal()
                printf "s%d,%.17g,%.17g,%.17g\n", g, x, z, 1 + (1 + v) * x - z + u + noise * normal() } } }' >small.csv
}
for noise in 1e-2 1e-4 1e-8; do
    small $noise
    claim "groups far apart beside noise of $noise settle" says ': settled' \
        "$program" fit --data small.csv --model mixed --target-column y --group-column site --mixed.varying x --rounds 200
done

new=(--posterior one.json --data rows.csv)
claim "a known group" "$program" predict "${new[@]}" --group-column site --what interval --out known.csv
awk -F, -v OFS=, 'FNR > 1 && FNR % 3 == 0 { $6 = "" } { print }' rows.csv >some.csv
claim "new rows of a known group have an empty target" "$program" predict --posterior one.json --data some.csv --group-column site \
    --what interval --out some_known.csv
claim "which others of the group explain" awk -F, 'FNR == 1 || FNR % 3 { next } { w[FILENAME] += $3 - $2; if (FILENAME == "known.csv") m[FNR] = $1
    else e = e > ($1 - m[FNR]) ^ 2 ? e : ($1 - m[FNR]) ^ 2 } END { exit !(w["some_known.csv"] < 1.5 * w["known.csv"] && e > 0 && e < 1) }' \
    known.csv some_known.csv
sed '3s/,[^,]*$/,/' rows.csv >one_less.csv
awk 'NR == 3' known.csv >third.csv
claim "a row alone is predicted as if its target were there" bash -c '"$0" predict --posterior one.json --data one_less.csv \
    --group-column site --what interval --out less.csv && awk -F, "NR == FNR { m = \$1; next } FNR == 3 { exit !((\$1 - m) ^ 2 < 1e-16) }" third.csv less.csv' "$program"
cut -d, -f1-5 rows.csv >inputs.csv
claim "a new group" "$program" predict --posterior one.json --data inputs.csv --group-column site --what interval --out new.csv
claim "whose intervals are wider" awk -F, 'FNR > 1 { w[FILENAME] += $3 - $2 } END { exit !(w["known.csv"] < .7 * w["new.csv"]) }' known.csv new.csv
claim "densities of groups" "$program" predict "${new[@]}" --group-column site --what group-density --out groups.csv
claim "one each" is "$(wc -l <groups.csv)" 13

refuse() { # refuse WHAT WORDS COMMAND...: one line
    local text=$1 words=$2
    shift 2
    claim "refused: $text" bash -c '! "$@" >o 2>e && grep -qE -- "$0" e || { cat e; exit 1; }' "$words" "$@"
}
refuse "densities without a target" 'column "y": .* the cell is missing' "$program" predict --posterior one.json --data some.csv \
    --group-column site --what group-density --out x.csv
sed '3s/^\(n0,s0\),[^,]*/\1,/' rows.csv >gap.csv
refuse "an empty input" 'column "a": .* the cell is missing' "$program" predict --posterior one.json --data gap.csv --group-column site --out x.csv
by_formula=("$program" fit --data rows.csv --model mixed --formula)
claim "a formula says target, group and what varies" "${by_formula[@]}" 'y ~ a + b + (1 + a | site)' --tol 1e-12 --out formula.json
table() { "$@" | grep -v '^lower bound'; }
claim "and its answer is that of the options" diff <(table "${by_formula[@]}" 'y ~ a + b + (1 + a | site)') <(table fit)
claim "an input that varies is not common, too" [ "$(table "${by_formula[@]}" 'y ~ a + b + (1 + a | site)' | grep -cE '^(a|b) ')" = 2 ]
refuse "an intercept that does not vary" 'the intercept varies, too; expected \(1 \+ ' "${by_formula[@]}" 'y ~ a + (0 + a | site)'
refuse "products that vary" 'expected single columns before the \|' "${by_formula[@]}" 'y ~ a * b + (1 + a:b | site)'
refuse "effects that vary about none" 'expected among the terms, too: \+ a' "${by_formula[@]}" 'y ~ (1 + a | site)'
refuse "beside other terms" 'expected among the terms, too: \+ a' "${by_formula[@]}" 'y ~ b + (1 + a | site)'
claim "with a caret" grep -qE '^ {15}\^$' e
refuse "what varies, without inputs" 'mixed.varying: got "a", and there are no inputs' \
    "$program" fit --data rows.csv --model mixed --columns y --target-column y --group-column site --mixed.varying a
refuse "a group of another model" 'glm has no effects that vary by group; expected --model mixed, or the column as a category: \+ site' \
    "$program" fit --data rows.csv --model glm --formula 'y ~ a + (1 | site)'
refuse "another group than the option's" '--group-column: got node; expected site' "${by_formula[@]}" 'y ~ a + (1 | site)' --group-column node

claim "an input that is constant within groups is named" says 'warning: "beds" has one value in each group' \
    "$program" fit --data rows.csv --drop node "${of[@]}" --out beds.json
claim "nodes with one group are told of" says 'shows its neighbours, in effect, the effects of its group' \
    "$program" sim --data rows.csv --node-column site --drop node,beds --model mixed --target-column y --topology ring:n=12 --rounds 1 --out alone
claim "in the report, too" grep -q 'in effect, the effects of its group' alone/report.html
claim "and in the help of the option" says 'a node with one group shows' "$program" help sim mixed
claim "without a folder, too" says '12 nodes have one group \("s0"\): such' \
    "$program" sim --data rows.csv --node-column site --drop node,beds --model mixed --target-column y --topology ring:n=12 --rounds 1
awk -F, '$1 != "n0" || $2 == "s0"' rows.csv >alone.csv
claim "one node of six" says '1 node has one group \("n0"\)' "$program" sim --data alone.csv --node-column node --drop beds "${of[@]}" \
    --topology ring:n=6 --rounds 1
claim "nodes with two are not" refuted says 'shows its neighbours' sim --algorithm edge --rounds 1
refuse "an input that is none" '--mixed.varying: no input "c"; expected some of a .. b' \
    "$program" fit --data rows.csv --drop node,beds --model mixed --target-column y --group-column site --mixed.varying c --out x.json
refuse "nothing that varies" 'no effect varies by group' \
    "$program" fit --data rows.csv --drop node,beds --model mixed --target-column y --group-column site --intercept off --out x.json
claim "an answer in which only the intercept varies" "$program" fit --data rows.csv --drop node,beds --model mixed \
    --target-column y --group-column site --out plain.json
refuse "as prior where an input varies, too" \
    'plain.json: the effect of "a" is common to all groups there, varies by group here; --mixed.varying declares it' \
    "$program" fit --data rows.csv --drop node,beds "${of[@]}" --prior posterior:plain.json --out x.json
refuse "the other way round" 'one.json: the effect of "a" varies by group there, is common to all groups here; --mixed.varying' \
    "$program" fit --data rows.csv --drop node,beds --model mixed --target-column y --group-column site --prior posterior:one.json --out x.json
sed '3s/^n0/n1/' rows.csv >split.csv
refuse "a group at two nodes" 'its group begins at another node' "$program" sim --data split.csv --node-column node --drop beds \
    "${of[@]}" --topology ring:n=6 --out x
finish

#!/usr/bin/env bash
# fit.sh PROGRAM: `meshbayes fit` is `sim` with one node; its trace, its files, what it says.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

two_clusters 6 30
cut -d, -f1,2,4 rows.csv >xyk.csv
# shellcheck disable=SC2120
fit() { "$program" fit --data xyk.csv --label-column kind --n-components 2 "$@"; }
without_meta() { sed '/"options": {/,/}/d' "$1" | grep -vE '"(algorithm|of|file|seconds|rounds)"'; }
same_numbers() { diff <(without_meta "$1") <(without_meta "$2"); }

claim "fit ends with status 0" fit --out p.json
claim "--out FILE.json writes that file and nothing beside it" test "$(find . -newer xyk.csv -name '*p.json*' | wc -l)" = 1
"$program" sim --data xyk.csv --label-column kind --n-components 2 --algorithm cvb --topology complete:n=1 --out sim >/dev/null
fit --n-init 1 --accelerate off --out plain.json >/dev/null
claim "without extrapolated steps the posterior is that of sim with one node" same_numbers plain.json sim/posterior.json
fit --n-init 1 --out p.json >/dev/null
claim "a file says that steps were extrapolated" grep -q '"accelerated": true' p.json
claim "and only then" bash -c '! grep -q accelerated plain.json sim/posterior.json sim/summary.json'
sed 's/"accelerated": true/"accelerated": 3/' p.json >number.json
claim "or it is refused" says 'number.json: field "accelerated" is wrong or missing; expected true or false$' \
    "$program" predict --posterior number.json --data xyk.csv
fit --n-init 1 --tol 0 --rounds 20 --out p0.json >/dev/null
claim "without a tolerance they are not" bash -c '! grep -q accelerated p0.json'
claim "a folder has the report and the posterior" fit --out folder
claim "folder/posterior.json is the same posterior" same_numbers p.json folder/posterior.json
claim "folder/report.html" test -s folder/report.html
claim "folder/config.json says which command" grep -q '"command": "fit"' folder/config.json
claim "folder/config.json has no option that fit has not" bash -c '! grep -q "\"loss\"" folder/config.json'

claim "the trace has two bounds a round" fit --trace t.csv --rounds 30 --tol 0
claim "of every round" test "$(grep -c ',lower_bound_sklearn,nats,' t.csv)" = 30
claim "and nothing else" test "$(wc -l <t.csv)" = 61
rises() { # each bound is at least the one before; rounding of a sum of about 600 is allowed
    awk -F, 'NR > 1 { if (NR > 2 && $4 < last - 1e-9) { print NR ": " $4 " after " last; exit 1 } last = $4 }' t.csv
}
claim "the two bounds rise in turn" rises
fit --n-components 5 --n-init 1 --trace t.csv >/dev/null
claim "with extrapolated steps, too" rises
rounds() { "$program" fit --data xyk.csv --label-column kind --n-components 5 --n-init 1 --json "$@" | sed -n 's/^ *"rounds": \([0-9]*\),/\1/p'; }
claim "a row of the trace is a pass" test "$(grep -c ',bound,' t.csv)" = "$(rounds)"
claim "which take fewer rounds" test "$(rounds)" -lt "$(rounds --accelerate off)"
claim "the summary shows bound, rounds, verdict, weights and means" says \
    'lower bound -[0-9.]+ nats after [0-9]+ rounds in .* s: settled' fit
claim "a line for each component, numbered from 0" test "$(fit | grep -oE '^ +[01] +0\.[0-9]{3} ' | tr -s ' ' | cut -d ' ' -f 2 | xargs)" = "0 1"
claim "labels are judged" says 'accuracy [0-9.]+ %' fit
claim "with a trace too" says 'accuracy [0-9.]+ %' fit --rounds 9 --trace judged.csv
claim "a run that stops at --rounds is not called settled" says ' s: moving' fit --rounds 2
claim "--json prints the summary" says '"bound": -' fit --json
bound() { "$program" fit --data xyk.csv --label-column kind --n-components 4 --json "$@" | sed -n 's/^ *"bound": \([-0-9.e]*\).*/\1/p'; }
not_worse() { awk -v one="$(bound --n-init 1)" -v many="$(bound --n-init 10)" -v all="$(bound)" 'BEGIN { exit !(many >= one && all >= many) }'; }
starts() { "$program" fit --data xyk.csv --label-column kind "$@"; }
claim "auto makes ten initialisations of few rows" says '^10 of 10 initialisations reached this bound: a safe answer$' starts --n-components 2 --init farthest
claim "one alone is not counted" refuted says 'initialisations' starts --n-components 2 --n-init 1
claim "one of many is called uncertain" says \
    '^1 of 40 initialisations reached this bound: another run may find a better answer; raise --n-init$' \
    starts --n-components 6 --init random --rounds 5 --seed 1 --n-init 40 --accelerate off
claim "what moves found is not called agreement" says \
    '^[1-9][0-9]* of [2-9][0-9][0-9] moves from the best of 10 initialisations \(components split, merged or redrawn\) improved it; another --seed may find a better answer$' \
    starts --n-components 6 --init random --rounds 5 --seed 1
# Two clusters that nothing connects: the posterior does not move after the first rounds.
awk 'BEGIN { print "a,b"; for (k = 0; k < 40; k++) print k % 7 + (k % 2) * 1000 "," k % 5 }' >apart.csv
awk 'BEGIN { # 620 rows of one cluster in 240 columns, of sums of uniform numbers
    srand(4)
    for (j = 0; j < 620; j++)
        for (d = 0; d < 240; d++)
            printf "%.3f%s", rand() + rand() + rand() + rand() - 2, d < 239 ? "," : "\n"
}' >wide.csv
wide() { "$program" fit --data wide.csv --header none "$@" --json | sed -n 's/^ *"bound": \(.*\),$/\1/p' | head -n 1; }
claim "one cluster of more columns than describe its parts has one of three components" \
    awk -v three="$(wide --n-components 3)" -v one="$(wide --n-components 1)" 'BEGIN { exit !(three < one && three > one - 20) }'
apart() { "$program" fit --data apart.csv --n-components 2 --n-init 1 --rounds "$1"; }
never_elsewhere() {
    for rounds in 1 2 3 4 5 6 7 8 9 10 11 12; do
        if apart "$rounds" 2>&1 | pipe_has -E "elsewhere|stationary"; then return 1; fi
    done
}
claim "a fit that is cut short is never called still at a wrong point" never_elsewhere
claim "one that stands still is settled in the fourth round" says 'after 4 rounds in .*: settled$' apart 12
claim "half an initialisation: status 2" status_is 2 fit --n-init 2.5
claim "neither more starts nor moves give a worse bound" not_worse
claim "the same seed gives the same file" bash -c "'$program' fit --data xyk.csv --label-column kind --n-components 3 --seed 4 --out a.json && \
    '$program' fit --data xyk.csv --label-column kind --n-components 3 --seed 4 --threads 2 --out b.json && cmp a.json b.json"
awk -F, 'NR == 1 { print $0 ",n" } NR > 1 { print $0 ",2" }' xyk.csv >twice.csv
(cat xyk.csv && tail -n +2 xyk.csv) >doubled.csv
one_bound() { "$program" fit --label-column kind --init centres:c.csv --json "$@" | sed -n 's/^ *"bound": \([-0-9.e]*\).*/\1/p'; }
printf 'a,b\n0,0\n4,-4\n' >c.csv
weights_count() { awk -v a="$(one_bound --data twice.csv --weight-column n)" -v b="$(one_bound --data doubled.csv)" \
    'BEGIN { d = a - b; exit !(a < 0 && d * d < 1e-12) }'; }
claim "weight 2 is the row twice" weights_count
claim "without a file: status 2" status_is 2 "$program" fit --n-components 2
claim "an option of sim that fit has not: status 2" status_is 2 fit --topology ring:n=4
claim "help fit all" says 'lower_bound_sklearn' "$program" help fit all
claim "help fit shows the most used options" test "$("$program" help fit | grep -c '^  --')" -le 24
claim "and where all are" says '^All options: meshbayes help fit all$' "$program" help fit
claim "and those of one model" says 'of one model: meshbayes help fit gmm' "$program" help fit
claim "help fit tmm has its options" says '^  --tmm.dof' "$program" help fit tmm
claim "and not those of another model" refuted says '^  --glm.link' "$program" help fit tmm
claim "nor those of all models" refuted says '^  --seed' "$program" help fit tmm
claim "a page that there is not is named" says 'error: "nothing" is not a page about fit' "$program" help fit nothing
claim "what happens without an option stands as default" says '^      default: the mean of the rows; unit' \
    "$program" help fit gmm
finish

#!/bin/bash
# The commands of docs/howto/sequences.md do what the page says; sequences that are none are refused.
# usage: howto_sequences.sh PROGRAM
# shellcheck disable=SC2016
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

meshbayes() { "$program" "$@"; }
sed -n '/^```sh$/,/^```$/p' "$top/docs/howto/sequences.md" | grep -v '^```' >commands.txt
claim "the page has commands" test "$(wc -l <commands.txt)" = 9
while IFS= read -r line; do
    claim "${line:0:100}" eval "$line"
done <commands.txt
claim "the change and the two rates are those of the page" python3 -c 'import csv, json
p = json.load(open("coal/posterior.json"))
assert [round(m[0], 1) for m in p["count_means"]] == [.9, 3.1] and p["model"] == "hmm"
path = {r["year"]: r["state"] for r in csv.DictReader(open("states.csv"))}
assert [y for y in path if path[y] == "1"] == [str(y) for y in range(1851, 1892)]
old = {r["year"]: float(r["r1"]) for r in csv.DictReader(open("smoothed.csv"))}
assert round(old["1890"], 2) == .60 and round(old["1892"], 2) == .16'
claim "an interval is that of the two states" python3 -c 'import csv, json, math
p, rows = json.load(open("coal/posterior.json")), list(csv.DictReader(open("next.csv")))
A, m, first = p["transitions"], [x[0] for x in p["count_means"]], rows[0]
w = (float(first["mean"]) - m[1]) / (m[0] - m[1])
cdf = lambda x: sum(a * math.erfc((c - x) / math.sqrt(2 * c)) / 2 for a, c in zip((w, 1 - w), m))
low = float(first["lower"])  # no count is below 0
assert (abs(cdf(low) - .025) < 1e-9 or low == 0 < .025 < cdf(0)) and abs(cdf(float(first["upper"])) - .975) < 1e-9'
claim "forecasts go to the mean of the states that last" python3 -c 'import csv, json
p, rows = json.load(open("coal/posterior.json")), list(csv.DictReader(open("next.csv")))
A, m = p["transitions"], [x[0] for x in p["count_means"]]
assert [r["step"] for r in rows] == ["1", "2", "3"] and {r["group"] for r in rows} == {"coal"}
mean = [float(r["mean"]) for r in rows]
stay = A[0][0] + A[1][1] - 1
assert abs((mean[2] - mean[1]) - stay * (mean[1] - mean[0])) < 1e-12 and mean[0] < mean[2] < m[1]
assert all(float(r["lower"]) < float(r["mean"]) < float(r["upper"]) for r in rows)'
claim "three machines settle where one does" python3 -c 'import json
r = json.load(open("net/summary.json"))
assert json.load(open("net/posterior.json"))["verdict"] == "settled"'

claim "the report has the states of all machines over time" [ "$(grep -c 'aria-label="states over time"' net/report.html)" = 12 ]
claim "and where rows have no value" python3 -c 'import json, re
a = json.load(open("net/answer.json"))["sequences"]
assert a["count"] == 12 and a["column"] == "load" and [s["rows"] for s in a["shown"]] == [80] * 12
assert all([g == (t % 17 == 5) for t, g in enumerate(s["gaps"])] == [True] * 80 and set(s["states"]) <= {0, 1} for s in a["shown"])'

fit() { "$program" fit --model hmm "$@"; }
claim "one machine" fit --data machines.csv --group-column machine --out one.json
claim "the prior gives each of the two states half of the range of all rows" python3 -c 'import csv, json, statistics
x = [float(r["load"]) for r in csv.DictReader(open("machines.csv")) if r["load"]]
p = json.load(open("one.json"))["prior"]
assert all(abs(4 * w[0][0] / statistics.variance(x) - 1) < 1e-9 for w in p["w_inverse"]) and p["mean_precision"] == [.01, .01]'
claim "the network has its answer" near net/posterior.json one.json 1e-6
claim "bindings of rows to steps are lines of groups" test \
    "$("$program" predict --posterior one.json --data machines.csv --group-column machine --what forecast --steps 5 | wc -l)" = 61
claim "nodes have it, too, with gaps" "$program" up --data machines.csv --group-column machine --model hmm --topology ring:n=3 \
    --virtual --genesis init --out up
claim "and agree" near up/posterior.json one.json 1e-5
head -n 481 machines.csv >first.csv
{ head -n 1 machines.csv && tail -n +482 machines.csv; } >second.csv
claim "half of the machines" fit --data first.csv --group-column machine --out half.json
claim "then the others" "$program" fit --update half.json --data second.csv --group-column machine --out both.json
claim "an update comes close to all at once" near both.json one.json 0.1
claim "a checkpoint" fit --data machines.csv --group-column machine --checkpoint stored --every 2 --out cut.json
claim "resumed" fit --data machines.csv --group-column machine --checkpoint stored --resume stored --out resumed.json
claim "to the bit" close_to resumed.json one.json 0
claim "rows are drawn" "$program" sample --posterior one.json --rows 50 --out drawn.csv
claim "compared with itself" says 'KL\(first \|\| second\) +0 nats' "$program" compare one.json one.json

printf 'g,x\na,1\nb,2\nc,3\nc,4\nd,9\n' >short.csv
claim "a sequence of one row is one" says 'settled' fit --data short.csv --group-column g --n-components 1 --out short.json
claim "and a line says so" says 'warning: 3 of 4 groups have one row \(the first is "a"\): it says nothing of how rows follow each other$' \
    fit --data short.csv --group-column g --n-components 1 --out short.json
printf 'g,node,x\na,1,1\na,2,2\nb,2,3\n' >split.csv
claim "a sequence over two nodes is refused in one line" \
    says 'split.csv:3: its group begins at another node; expected all rows of a group at one$' \
    "$program" sim --model hmm --data split.csv --group-column g --node-column node --out no
printf 'g,x\na,1\nb,2\na,3\n' >again.csv
claim "a sequence that comes again is refused" says 'again.csv:4: group "a" continues after another one' \
    fit --data again.csv --group-column g --out no.json
printf 'g,when,x\na,9,1\na,10,2\nb,1,2\nb,3,1\nb,2,2\n' >back.csv
claim "time that goes back is refused" says \
    'back.csv:6: column "when": got "2" after "3" in the same group; expected ascending times, each group sorted by them' \
    fit --data back.csv --group-column g --time-column when --out no.json
printf 'when,x\n2026-01-09,1\n2026-01-10,2\n2026-01-10,1\n2025-12-31,2\n' >days.csv
claim "of days, too" says 'days.csv:5: column "when": got "2025-12-31" after "2026-01-10"' \
    fit --data days.csv --time-column when --out no.json
claim "time of rows alone" says 'time-column: got "when" of rows that are in no groups; expected --group-column beside it' \
    "$program" fit --data days.csv --time-column when --out no.json
claim "states ahead sum to one" test "$("$program" predict --posterior one.json --data machines.csv --group-column machine \
    --what states-ahead --steps 2 | awk -F, 'NR > 1 { n += ($2 + $3 > .999999 && $2 + $3 < 1.000001) } END { print n }')" = 24
claim "a form of matrices without matrices" says 'covariance-type: got diag; expected it with --emission gaussian only' \
    fit --data machines.csv --group-column machine --emission student --covariance-type diag --out no.json
claim "steps of no forecast" says 'steps: got 3; expected it with --what forecast only' \
    "$program" predict --posterior one.json --data machines.csv --group-column machine --what states --steps 3
claim "what it does not predict" says 'got "mean", which model hmm does not predict; expected labels or .* or forecast' \
    "$program" predict --posterior one.json --data machines.csv --group-column machine --what mean

claim "columns that are declared counts" fit --data coal.csv --time-column year --emission columns --column disasters:count --out counts.json
claim "are what poisson is short for" near coal/posterior.json counts.json 1e-12
claim "a declaration beside it may say the same" fit --data coal.csv --time-column year --emission poisson \
    --column disasters:count --out counts.json
claim "which changes nothing" near coal/posterior.json counts.json 1e-12
claim "but not another kind" says 'column: got number for column 1; expected count, as the emission is poisson' \
    fit --data coal.csv --time-column year --emission poisson --column disasters:number --out no.json
claim "nor of what is no count" says ':3: column "disasters": got .5; expected a count: a whole number from 0 up' \
    fit --data <(sed '3s/,.*/,.5/' coal.csv) --time-column year --emission poisson --out no.json
claim "categorical makes all columns categories" fit --data coal.csv --time-column year --emission categorical --out levels.json
claim "with a level for each number" python3 -c 'import json
p = json.load(open("levels.json"))
assert p["emission"] == "columns" and len(p["shares"][0]) == 7'
claim "whose forecast has no numbers" is "$("$program" predict --posterior levels.json --data coal.csv --time-column year \
    --what forecast | tail -n 1)" coal,1,,,,

says_no_repeats() { "$@" >said.txt 2>&1 && ! grep 'distinct rows' said.txt; }
# One cell far out, in a file of its own; the states are 6 apart.
awk 'BEGIN { srand(3); print "machine,x"; for (i = 0; i < 200; i++) print int(i / 50) "," (i == 70 ? 5000 : 6 * (int(i / 25) % 2) + rand()) }' >far.csv
claim "Student states bear a row far out" says 'settled' "$program" fit --data far.csv --group-column machine --model hmm --emission student \
    --n-components 2 --out far.json
claim "their forecasts have an interval about the mean" awk -F, 'NR > 1 { bad += !($5 <= $3 && $3 <= $6) } END { exit bad || NR < 3 }' <("$program" predict \
    --posterior far.json --data far.csv --group-column machine --what forecast --steps 2 | sed 's/,inf/,1e300/g; s/,-inf/,-1e300/g')
awk 'BEGIN { srand(5); print "x,y"; for (i = 0; i < 120; i++) { x = i % 20; print x "," (i % 2 ? 3 * x : 50 - x) } }' >twenty.csv
claim "few distinct rows are enough for lines" says_no_repeats "$program" fit --data twenty.csv --model mixreg --target-column y --n-components 2 --out twenty.json

finish

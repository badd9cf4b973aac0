#!/usr/bin/env bash
# Fits of a flag or a category say how well they predict it: accuracy, log loss and confusion, on the
# terminal, in answer.json and in the report, which shows calibration of two levels; score and predict
# say the same of rows that have the target. All are what predict's probabilities give.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

awk 'BEGIN { srand(6); print "a,b,w,flag,kind"
    for (j = 0; j < 400; j++) { a = rand(); b = 3 * rand(); u = rand(); v = rand()
        print a "," b "," 1 + j % 3 "," (u < 1/(1 + exp(2 - 5 * a)) ? "yes" : "no") "," \
            (v < a / 2 ? "oak" : v < a / 2 + b / 6 ? "elm" : "ash") } }' >rows.csv
compared() { # compared TARGET LINK
    "$program" fit --model glm --glm.link "$2" --target-column "$1" --columns a,b --weight-column w --data rows.csv --out "$1" >"$1.txt"
    "$program" predict --posterior "$1/posterior.json" --data rows.csv --what probabilities >"$1.csv"
    "$program" score --posterior "$1/posterior.json" --data rows.csv --weight-column w >score.txt
    "$program" predict --posterior "$1/posterior.json" --data rows.csv --out p.csv >predicted.txt
    python3 - "$1" <<'END'
import csv, json, math, sys
of = sys.argv[1]
rows, a = list(csv.DictReader(open('rows.csv'))), json.load(open(of + '/answer.json'))
p = [[float(x) for x in r] for r in list(csv.reader(open(of + '.csv')))[1:]]
level, y, w = a['levels'], [a['levels'].index(r[of]) for r in rows], [float(r['w']) for r in rows]
near = lambda x, y: abs(x - y) <= 1e-7 * max(1, abs(y))
confusion = [[0] * len(level) for _ in level]
for o, q, v in zip(y, p, w):
    confusion[o][q.index(max(q))] += v
assert a['confusion'] == confusion, (a['confusion'], confusion)
accuracy = sum(confusion[k][k] for k in range(len(level))) / sum(w)
loss = -sum(v * math.log(q[o]) for o, q, v in zip(y, p, w)) / sum(w)
assert near(a['accuracy'], accuracy) and near(a['log_loss'], loss)
line = f"accuracy {100 * accuracy:.1f} %, log loss {loss:.4f} nats a row\n"
for file in (of + '.txt', 'score.txt'):
    assert line in open(file).read(), (file, line)
alone = sum(q.index(max(q)) == o for o, q in zip(y, p)) / len(y)
assert f'accuracy {100 * alone:.1f} %' in open('predicted.txt').read()
if len(level) == 2:
    assert len(a['calibration']) == 10
    for k, (mean, share, low, high, n) in enumerate(a['calibration']):
        own = [(q[1], o, v) for o, q, v in zip(y, p, w) if int(10 * q[1]) == k]
        assert near(n, sum(v for *_, v in own))
        if not own:
            assert mean is share is low is high is None
            continue
        assert near(mean, sum(q * v for q, _, v in own) / n) and near(share, sum(o * v for _, o, v in own) / n)
        z = 1.959963984540054          # the ends of Wilson's interval: (share - end)^2 = z^2 end (1 - end)/n
        for end in low, high:
            assert abs((share - end) ** 2 - z * z * end * (1 - end) / n) < 1e-9
else:
    assert 'calibration' not in a
END
}
claim "a flag of two words" compared flag logistic
claim "a category" compared kind multinomial
claim "the confusion has the words" says '^observed .* no +yes$' cat flag.txt
claim "and the report" grep -q '<h3>Levels predicted and observed</h3>' kind/report.html
if command -v gnuplot >/dev/null; then
    claim "which shows calibration" test -s flag/figures/calibration.svg -a -s flag/figures/calibration-rows.svg
    claim "of two levels only" test ! -e kind/figures/calibration.svg
fi
claim "0 and 1 have it too" says '^  1 +[0-9]+ +[0-9]+$' "$program" fit --model glm --target-column flag --columns a,b \
    --data <(sed 's/yes/1/; s/,no/,0/' rows.csv)
claim "no line of it among the predictions" refuted says 'accuracy' "$program" predict --posterior flag/posterior.json --data rows.csv
claim "none without the target" refuted says 'accuracy' "$program" predict --posterior flag/posterior.json \
    --data <(cut -d, -f1,2 rows.csv) --out p.csv
claim "JSON stays JSON" python3 -c 'import json, subprocess, sys
json.loads(subprocess.check_output([sys.argv[1], "score", "--json", "--posterior", "flag/posterior.json", "--data", "rows.csv"]))' "$program"
finish

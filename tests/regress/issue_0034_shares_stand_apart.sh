#!/usr/bin/env bash
# issue_0034_shares_stand_apart.sh MESHBAYES - a share p has the standard deviation sqrt(p(1-p)): latent
# classes that differ in shares are described by them, and the columns that separate them come first.
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

awk 'BEGIN { srand(4); print "deck,sex,age,saved"; for (j = 0; j < 600; j++) { k = j % 2
    print (rand() < (k ? .2 : .4) ? "1st" : "3rd") "," (rand() < (k ? .02 : .85) ? "female" : "male") "," \
        (rand() < (k ? .95 : .85) ? "adult" : "child") "," (rand() < (k ? .1 : .9) ? "yes" : "no") } }' >rows.csv
"$program" fit --data rows.csv --model lca --n-components 2 --out two >two.txt 2>&1
described() { # by the columns whose means differ by a standard deviation, largest first, as answer.json has them
    python3 - <<'EOF'
import json, math, re
a, page = json.load(open('two/answer.json')), open('two/report.html').read()
items = re.findall(r'</span><b>(\d)</b>: (.*?)</li>', page)
assert len(items) == 2, items
w, m = a['weight'], a['mean']
for k, text in items:
    k = int(k)
    score = {}
    for d, name in enumerate(a['columns']):
        inside = sum(w[j] * m[j][d] * (1 - m[j][d]) for j in range(2)) / sum(w)
        score[name] = abs(m[0][d] - m[1][d]) / math.sqrt(inside)
    want = [n for n in sorted(score, key=score.get, reverse=True) if score[n] >= 1][:3]
    said = re.findall(r'<b>(.*?)</b> ([\d.]+) \(the others: ([\d.]+)\)', text)
    assert len(want) == 3 and sorted(n for n, *_ in said) == sorted(want), (want, text)
    for n, own, rest in said:
        d = a['columns'].index(n)
        assert abs(float(own) - m[k][d]) < 6e-4 and abs(float(rest) - m[1 - k][d]) < 6e-4, (n, own, rest)
EOF
}
claim "shares that differ are named with both values" described
claim "no column is said not to differ" refuted grep -q 'no column differs' two/report.html
finish

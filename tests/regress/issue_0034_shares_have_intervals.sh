#!/usr/bin/env bash
# issue_0034_shares_have_intervals.sh MESHBAYES - shares of latent classes have 95 % intervals, those of their Dirichlet
# distribution, in the report and in answer.json; numbers and counts have none there.
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

awk 'BEGIN { srand(4); print "colour,yes,size"; for (j = 0; j < 300; j++) { k = j % 2; u = rand()
    print (u < (k ? .7 : .1) ? "red" : u < .8 ? "blue" : "green") "," (rand() < (k ? .9 : .2) ? 1 : 0) "," 6 * k + rand() } }' >two.csv
"$program" fit --data two.csv --model lca --n-components 2 --out two >two.txt
integrals() { # the density of each share, integrated up to the ends of its interval
    /usr/bin/python3 - <<'PY'
import json
import numpy as np
a, p = json.load(open('two/answer.json')), json.load(open('two/posterior.json'))
alpha = np.array(p['share_concentration'])
print(alpha.shape, a['columns'])
for k in range(2):
    levels = {'colour=blue': (alpha[k][0], sum(alpha[k][1:3])), 'colour=green': (alpha[k][1], alpha[k][0] + alpha[k][2]),
              'colour=red': (alpha[k][2], alpha[k][0] + alpha[k][1]), 'yes': (alpha[k][4], alpha[k][3])}
    for c, name in enumerate(a['columns']):
        low, high = a['low'][k][c], a['high'][k][c]
        if name == 'size':
            assert low is None and high is None, (low, high)
            continue
        s, t = levels[name]
        r = np.linspace(-40, 40, 400001)
        x = 1 / (1 + np.exp(-r))
        f = np.exp(s * np.log(x) + t * np.log1p(-x) - (s * np.log(s / (s + t)) + t * np.log(t / (s + t))))
        F = np.cumsum((f[1:] + f[:-1]) / 2)
        got = [np.interp(np.log(v / (1 - v)), r[1:], F / F[-1]) for v in (low, high)]
        assert abs(got[0] - .025) < 1e-4 and abs(got[1] - .975) < 1e-4, (name, got)
PY
}
claim "they hold 95 % of the Dirichlet distribution" integrals
claim "the report has them" grep -qE '<td class="n pm">0\.[0-9]+ \(0\.[0-9]+&nbsp;to&nbsp;0\.[0-9]+\)</td>' two/report.html
claim "and says what they are" grep -q 'In brackets: the 95&nbsp;% interval of a share' two/report.html
claim "the terminal says where they are" grep -qx '95 % intervals of shares: in the report' two.txt
claim "numbers have their spread" grep -qE '[0-9] &plusmn;&nbsp;0\.[0-9]+</td>' two/report.html
finish

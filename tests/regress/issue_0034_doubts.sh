#!/usr/bin/env bash
# issue_0034_doubts.sh MESHBAYES - a fit says what speaks against its answer: a component that few rows describe,
# with the best answer without one, and one component that has the higher bound.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

/usr/bin/python3 - <<'EOF'
import numpy as np
g = np.random.default_rng(1)
def save(name, x): np.savetxt(f'{name}.csv', x, delimiter=',', comments='', fmt='%.17g',
    header=','.join(f'x{d + 1}' for d in range(x.shape[1])))
save('few', np.r_[g.normal(size=(150, 4)), 30 + .1 * g.normal(size=(5, 4))])
save('tight', np.r_[g.normal(size=(150, 4)), 30 + .1 * g.normal(size=(20, 4))])
save('noise', g.normal(size=(400, 16)))
save('clear', np.r_[g.normal(size=(150, 3)), 8 + g.normal(size=(150, 3))])
EOF
number() { sed -nE "s/.*$1 (-?[0-9]+\.[0-9]+) nats.*/\1/p" "$2" | head -n 1; }
equal() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a - b < 2e-3 && b - a < 2e-3) }'; }

"$program" fit --data few.csv --n-components 2 --out few >few.txt
claim "a component of five rows is named" grep -q '^component 1 has 5.0 expected rows, fewer than two a column (8);' few.txt
claim "and that no answer without was found" grep -q 'answers without: none found$' few.txt
claim "the report says so" grep -q 'component 1 has 5.0 expected rows' few/report.html
claim "and answer.json" python3 -c 'import json; d = json.load(open("few/answer.json"))["doubts"]; assert len(d) == 1 and "5.0 expected rows" in d[0]'
share() { # as said, of the posterior's and the prior's scatter matrices
    "$program" fit --data tight.csv --n-components 2 --out tight.json >tight.txt
    /usr/bin/python3 - <<'EOF'
import json, re
import numpy as np
p = json.load(open('tight.json'))
share = max(np.trace(np.linalg.solve(np.array(a), np.array(b))) / 4 for a, b in zip(p['w_inverse'], p['prior']['w_inverse']))
said = re.search(r"^(\d+) % of the expected precision of component 1 are the prior's; answers", open('tight.txt').read(), re.M)
assert said and abs(int(said[1]) - 100 * share) <= .5 and share > .5, (said, share)
EOF
}
claim "the prior's share of a precision is named" share
for model in full diag spherical tied; do
    "$program" fit --data noise.csv --n-components 3 --covariance-type "$model" >three.txt
    "$program" fit --data noise.csv --n-components 1 --covariance-type "$model" >one.txt
    claim "$model: one component has the higher bound, that of --n-components 1" \
        equal "$(number 'one component has the higher lower bound,' three.txt)" "$(number 'lower bound' one.txt)"
done
claim "clear clusters have no doubts" refuted says 'expected rows, fewer|higher lower bound|precision of comp' \
    "$program" fit --data clear.csv --n-components 2 --out clear
claim "their list is empty" python3 -c 'import json; assert json.load(open("clear/answer.json"))["doubts"] == []'
"$program" fit --data clear.csv --n-components 4 >four.txt
claim "components without rows are said to hold none" grep -q '^2 components hold no rows' four.txt
claim "and are no doubt" refuted grep -q 'expected rows' four.txt
finish

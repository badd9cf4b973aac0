#!/usr/bin/env bash
# issue_0034_claims_of_failed_runs.sh MESHBAYES - a claim of the paper does not hold by runs that all
# failed, nor by a protocol that was not run.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

"$program" paper admm-rho --quick --runs 1 --out failed >failed.txt
held() { # held FILE CLAIM WORD
    python3 - "$@" <<'EOF'
import json, sys
said = [c for c in json.load(open(sys.argv[1]))['claims'] if sys.argv[2] in c['claim']]
assert len(said) == 1 and said[0]['holds'] == sys.argv[3], said
EOF
}
failed() { # the run at rho = 4 of which the claim says that it is safe
    python3 - <<'EOF'
import json
n = [n for n in json.load(open('failed/admm-rho/result.json'))['rows'] if n['algorithm'] == 'admm rho=4' and n['quantity'] == 'failed']
assert len(n) == 1 and n[0]['failed'] == n[0]['runs'] == 1, n
EOF
}
claim "the only run of a claim fails" failed
claim "and the claim is not decided" held failed/admm-rho/result.json 'larger rho is safer' 'not decided'
claim "for a reason" says 'Not decided: every run of admm rho=4 failed' cat failed.txt
claim "the page does not call it held" refuted grep -q 'tag good' failed/report.html
"$program" paper admm-evolution --quick --runs 1 --protocols ours --out ours >ours.txt
claim "without its protocol no claim is decided" held ours/admm-evolution/result.json 'very stable' 'not decided'
claim "nor has it numbers" says 'Not decided: no run of admm under protocol paper' cat ours.txt
"$program" paper dsvb-evolution --quick --runs 1 --out sound >sound.txt
claim "a claim of sound runs holds" held sound/dsvb-evolution/result.json 'leaves nsg-dVB far' yes
finish

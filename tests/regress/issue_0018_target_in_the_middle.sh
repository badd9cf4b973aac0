#!/usr/bin/env bash
# A target that is not the last column of an NPY file: `fit` maps such files, and refused to move it.
# usage: issue_0018_target_in_the_middle.sh PROGRAM
# shellcheck disable=SC2317
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

/usr/bin/python3 - <<'END'
import numpy as np
x = np.random.default_rng(1).standard_normal((500, 3))
np.save('middle.npy', x)
np.save('last.npy', x[:, [0, 2, 1]])
END
answer() { grep -A 5 '"coef"' "$1" | tr -d ' \n'; }
same_answer() { [ -n "$(answer a.json)" ] && [ "$(answer a.json)" = "$(answer b.json)" ]; }
claim "a target in the middle is fitted" "$program" fit --data middle.npy --model linreg --target-column x2 --out a.json
claim "and so is the last" "$program" fit --data last.npy --model linreg --out b.json
claim "with the same coefficients" same_answer
claim "blocks of a network stay as they are" says 'expected the last column' "$program" sim --data middle.npy --model linreg \
    --target-column x2 --deal blocks --topology ring:n=4 --out net
finish

#!/usr/bin/env bash
# issue_0034_long_keys.sh MESHBAYES - figures with seven and more names show each of them inside the picture, below the
# axis, and no two in the same place: nine classes of a fit, eight algorithms of a simulation.
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"
command -v gnuplot >/dev/null || { echo "no gnuplot: skipped"; exit 0; }

# nine clusters far from each other on three columns
/usr/bin/python3 - <<'PY' >nine.csv
import numpy as np
g = np.random.default_rng(3)
centre = 8 * g.normal(size=(9, 3))
print('a,b,c,kind')
for j in range(900):
    print(*('%.3f' % v for v in centre[j % 9] + g.normal(size=3)), f'class-{j % 9}-of-nine', sep=',')
PY
"$program" fit --data nine.csv --label-column kind --n-components 9 --out fit >/dev/null
"$program" sim --data nine.csv --label-column kind --topology ring:n=4 --n-components 2..3 --n-init 1 --algorithm noncoop,nsg,dsvb,admm,edge,flow,tree,average --rounds 30 \
    --out sim >/dev/null 2>&1 || [ $? -eq 3 ]

# gnuplot gives every curve with a name a group with that title, in which its entry of the key is the first text; a
# character of this font is at least 6 units wide.
inside() { # inside FIGURE.svg COUNT LABEL: below the label of the horizontal axis
    python3 - "$@" <<'PY'
import re, sys
text = open(sys.argv[1], encoding="utf-8").read()
width, height = (float(v) for v in re.search(r'viewBox="0 0 (\d+) (\d+)"', text).groups())
key = [(float(x), float(y), re.sub("<[^>]*>", "", name).strip()) for x, y, name in re.findall(
    r'_plot_\d+" ><title>[^<]+</title>.*?translate\(([-\d.]+),([-\d.]+)\)[^>]*>\s*<text>(.*?)</text>', text, re.S)]
axis = float(re.search(r'translate\([-\d.]+,([\d.]+)\)[^>]*>\s*<text>(<[^>]*>)*' + re.escape(sys.argv[3]) + '<', text).group(1))
assert len(key) == int(sys.argv[2]), key
for x, y, name in key:
    assert 20 < x and x + 6 * len(name) <= width and axis + 12 < y < height, (x, y, name)
for i, (x, y, name) in enumerate(key):
    for u, v, other in key[:i]:
        assert abs(y - v) > 12 or abs(x - u) > 6 * len(name if x < u else other) + 10, (name, other)
PY
}
claim "nine classes of rows" inside fit/figures/data-labels.svg 9 a
claim "nine components" inside fit/figures/data-components.svg 9 a
claim "their profiles" inside fit/figures/profile-means.svg 9 "sd from the mean of all rows"
claim "eight algorithms against bytes" inside sim/figures/bound-bytes.svg 8 "bytes sent, all links"
claim "the same over the numbers of components" inside sim/figures/components.svg 8 "components K"
finish

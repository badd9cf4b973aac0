#!/usr/bin/env python3
"""docs/figure.py [FOLDER]: docs/figure.svg from the report of script/demo (demo-report/): EDGE's network and
the disagreement of every algorithm, side by side."""
import pathlib
import re
import sys

top = pathlib.Path(__file__).resolve().parent.parent
figures = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else top / "demo-report") / "figures"
GAP = 20


def panel(name):
    svg = re.search(r'<svg[^>]*viewBox="0 0 ([\d.]+) ([\d.]+)"[^>]*>(.*)</svg>',
                    (figures / name).read_text(encoding="utf-8"), re.S)
    return float(svg[1]), float(svg[2]), svg[3]


panels = [panel("network-edge.svg"), panel("agreement-rounds.svg")]
width = sum(w for w, _, _ in panels) + GAP
height = max(h for _, h, _ in panels)
out = [f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 {width:g} {height:g}" '
       f'width="{width:g}" role="img" aria-label="Left: the network of the demo, each node coloured by its distance from the '
       'mean after EDGE. Right: disagreement between the nodes against rounds, for every algorithm.">',
       '<rect width="100%" height="100%" fill="#fff"/>']
x = 0
for w, h, body in panels:
    out.append(f'<svg x="{x:g}" y="{(height - h) / 2:g}" width="{w:g}" height="{h:g}" viewBox="0 0 {w:g} {h:g}">{body}</svg>')
    x += w + GAP
(top / "docs" / "figure.svg").write_text("\n".join(out + ["</svg>", ""]), encoding="utf-8")

#!/usr/bin/env python3
"""Writes tests/report/fixture: an output folder as `meshbayes sim` writes it, with invented but
plausible numbers (20 nodes, all algorithms, flow failed). usage: make_fixture.py DIR"""

import json
import math
import os
import random
import sys

NODES, COMPONENTS, ROWS = 20, 3, 300
TIMES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
WEIGHT = [0.5, 0.3, 0.2]
MEAN = [(0.6, 0.1), (-0.4, 0.9), (0.1, -1.1)]
COV = [(0.09, 0.02, 0.06), (0.12, -0.05, 0.09), (0.05, 0.0, 0.14)]
BOUND = -1843.27184
# name, title, rounds, disagreement, moved, KL to cVB, bound minus cVB's, relative node spread, bytes a round
RUNS = [
    ("cvb", "centralised variational Bayes", 61, 0.0, 3.1e-9, 2e-13, 0.0, 0.0, 0),
    ("noncoop", "every node on its own", 212, 0.42, 3.8, 6.1e3, -512.4, 0.35, 0),
    ("nsg", "gradient averaging (nsg-dVB)", 1000, 0.031, 0.27, 391.0, -12.9, 0.10, 61440),
    ("dsvb", "stochastic natural gradient (dSVB)", 1000, 8.4e-3, 0.06, 6.05, -0.71, 0.04, 61440),
    ("admm", "alternating multipliers (dVB-ADMM)", 487, 6.6e-8, 8.2e-7, 3e-9, 1.2e-9, 1e-4, 61440),
    ("edge", "edge-wise averaging (EDGE)", 231, 3.4e-9, 2.6e-8, 4e-12, -2.7e-10, 1e-5, 61440),
    ("flow", "flow averaging (FLOW)", 77, None, None, None, None, None, None),
]
FEATURES = ["wind_east (m/s)", "it's `y`", "c3"]
LABEL = ["good", "bad", "a<b & c"]  # of each component
CLASSES = sorted(LABEL)
rng = random.Random(7)


def write(folder, name, lines):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")


def network(folder):
    xy = []
    while len(xy) < NODES:  # no two nodes on top of each other
        place = (3 * rng.random(), 2.4 * rng.random())
        if all(math.dist(place, other) > 0.35 for other in xy):
            xy.append(place)
    links = {(i, j) for i in range(NODES) for j in range(i) if math.dist(xy[i], xy[j]) < 0.8}
    for i in range(1, NODES):  # connected: everyone to the nearest earlier node
        links.add((i, min(range(i), key=lambda j: math.dist(xy[i], xy[j]))))
    degree = [sum(i in link for link in links) for i in range(NODES)]
    write(folder, "network.csv", ["node,x,y,degree"] +
          [f"{i + 1},{x:.6g},{y:.6g},{d}" for i, ((x, y), d) in enumerate(zip(xy, degree))])
    write(folder, "edges.csv", ["i,j"] + [f"{j + 1},{i + 1}" for i, j in sorted(links)])
    return {"nodes": NODES, "edges": len(links), "deg_min": min(degree),
            "deg_mean": sum(degree) / NODES, "deg_max": max(degree), "diameter": 7,
            "algebraic_connectivity": 0.2143, "lambda2": 0.9517, "hops": 6, "weights": "metropolis",
            "positions": "topology"}


def verdict(name, failed, stopped, apart, moved):
    if failed or name == "noncoop":  # two of its nodes are outside
        return "failed"
    if max(apart, moved) <= 1e-6:
        return "settled"
    return "moving" if stopped == "rounds" else "elsewhere"


def algorithms():
    out = []
    for name, title, rounds, apart, moved, kl, gap, _, sent in RUNS:
        failed = apart is None
        stopped = "rounds" if rounds == 1000 or failed else "tol"
        one = {"name": name, "title": title, "rounds": rounds,
               "stopped": stopped, "verdict": verdict(name, failed, stopped, apart, moved),
               "attempt": 0, "attempts": 1, "status": "failed" if failed else "ok",
               "error": "node 17, round 77, component 2: natural parameter outside its domain"
               if failed else None}
        if not failed:
            truth = 5.15 + kl
            one.update(outside=2 if name == "noncoop" else 0, frozen=3 if name == "admm" else 0,
                       projected=0, disagreement=apart, moved=moved, bound=BOUND + gap,
                       bound_local=BOUND + gap / 3, accuracy=max(.35, .957 - kl / 1e3 * .02),
                       nmi=max(.02, .842 - kl / 1e3 * .05), ari=max(.01, .871 - kl / 1e3 * .05),
                       kl_cvb={"mean": kl, "sd": kl / 4, "max": 2.2 * kl},
                       kl_truth={"mean": truth, "sd": kl / 4, "max": truth + kl},
                       frames=sent // 560 * rounds, bytes=sent * rounds,
                       start_bytes=0 if name == "cvb" else 48160, seconds=rounds * 4.1e-4,
                       posterior=f"posterior-{name}.json")
        out.append(one)
    return out


def nodes(folder):
    lines = ["algorithm,node,rows,disagreement,kl_cvb,kl_truth,bound,outside,frozen,projected"]
    for name, _, _, apart, _, kl, gap, _, _ in RUNS:
        if apart is None:
            continue
        if name == "cvb":
            lines.append(f"cvb,all,{ROWS},0,{kl:.9g},5.15,{BOUND},0,0,0")
            continue
        for i in range(NODES):
            off = name == "noncoop" and i in (4, 16)
            value = apart * 10 ** (-1.6 * rng.random())
            cells = ",," if off else f"{kl * (0.5 + rng.random()):.9g},{5.15 + kl:.9g},{BOUND + gap:.9g}"
            lines.append(f"{name},{i + 1},15,{value:.9g},{cells},{int(off)},{3 * int(off)},0")
    write(folder, "nodes.csv", lines)


def course(t, rounds, start, end):
    """From start to end, straight on a logarithmic axis of rounds, with a slow beginning."""
    part = min(1.0, math.log(t) / math.log(rounds)) ** 1.6 if rounds > 1 else 1.0
    return start * (end / start) ** part


def trace(folder):
    lines = ["algorithm,t,metric,unit,mean,sd,min,max,outside,total"]
    for name, _, rounds, apart, _, kl, gap, _, sent in RUNS:
        if apart is None:
            continue
        for t in [t for t in TIMES if t < rounds] + [rounds]:
            value = course(t, rounds, 900.0, kl)
            quiet = 1 if name == "edge" else 0
            bound = BOUND + gap - course(t, rounds, 2600.0, max(abs(gap), 1e-6))
            spread = 0 if name == "cvb" else course(t, rounds, 0.5, apart)
            lines.append(f"{name},{t},kl_cvb,nats,{value:.6g},{value / 4:.6g},{value / 3:.6g},{2.2 * value:.6g},0,")
            lines.append(f"{name},{t},kl_truth,nats,{value + 5.15:.6g},{value / 4:.6g},{value / 3 + 5.15:.6g},{2.2 * value + 5.15:.6g},0,")
            lines.append(f"{name},{t},bound,nats,{bound + 9:.9g},9.1,{bound - 12:.9g},{bound + 11:.9g},0,")
            lines.append(f"{name},{t},bound_mean,nats,{bound:.9g},0,{bound:.9g},{bound:.9g},0,{bound:.9g}")
            lines.append(f"{name},{t},disagreement,,{spread / 2:.6g},{spread / 5:.6g},{spread / 9:.6g},{spread:.6g},0,")
            total = sent * (t - quiet)
            nodes = 1 if name == "cvb" else NODES
            each = total / nodes
            lines.append(f"{name},{t},bytes,bytes,{each:.9g},0,{each:.9g},{each:.9g},0,{total}")
    write(folder, "trace.csv", lines)


def draw(k):
    sxx, sxy, syy = COV[k]
    l11 = math.sqrt(sxx)
    l21 = sxy / l11
    u, v = rng.gauss(0, 1), rng.gauss(0, 1)
    return MEAN[k][0] + l11 * u, MEAN[k][1] + l21 * u + math.sqrt(syy - l21 * l21) * v


def answer(folder, table):
    """What edge found; the components lie on the diagonal of the third, constant column."""
    wide = [[sxx, sxy, syy, 0, 0, 0] for sxx, sxy, syy in COV]
    plane = [[.36 * a + .96 * b + .64 * c, .48 * a + .28 * b - .48 * c, .64 * a - .96 * b + .36 * c]
             for a, b, c in COV]
    write(folder, "answer.json", [json.dumps({
        "algorithm": "edge", "initialisations": 10, "at_best": 4, "part": "component",
        "columns": FEATURES, "names": None, "count": COMPONENTS, "weight": WEIGHT,
        "rows": [w * ROWS for w in WEIGHT], "mean": [[x, y, 7] for x, y in MEAN],
        "sd": [[a ** .5, c ** .5, 0] for a, _, c in COV], "low": None, "high": None, "note": None,
        "classes": CLASSES, "table": table, "target": None, "r2": None, "rmse": None, "column_sd": None,
        "view": {"columns": FEATURES, "mean": [[x, y, 7] for x, y in MEAN], "cov": wide,
                 "pca_share": [.6, .4], "pca_cov": plane,
                 "pca_mean": [[.6 * x + .8 * y, .8 * x - .6 * y] for x, y in MEAN]},
        "revealed": {"rows": COMPONENTS, "covariance": True}}, indent=1)])


def view(folder):
    rows = ["x,y,component,label,z,w,pc1,pc2"]
    table = [[0] * COMPONENTS for _ in range(COMPONENTS)]
    for _ in range(ROWS):
        k = rng.choices(range(COMPONENTS), WEIGHT)[0]
        x, y = draw(k)
        found = k if rng.random() < .96 else rng.randrange(COMPONENTS)
        table[found][CLASSES.index(LABEL[k])] += 1
        rows.append(f"{x:.6g},{y:.6g},{found},{LABEL[k]},7,,{.6 * x + .8 * y:.6g},{.8 * x - .6 * y:.6g}")
    write(folder, "view_rows.csv", rows)
    answer(folder, table)
    lines = ["algorithm,node,component,weight,mx,my,sxx,sxy,syy,of"]
    for name, *_, spread, _ in RUNS:
        if spread is None:
            continue
        for node in ["mean"] + ([] if name == "cvb" else [str(i + 1) for i in range(NODES)]):
            size = 0 if node == "mean" else spread
            for k in range(COMPONENTS):
                off = [size * rng.gauss(0, .6) for _ in range(2)]
                grow = math.exp(size * rng.gauss(0, 1))
                sxx, sxy, syy = [c * grow for c in COV[k]]
                lines.append(f"{name},{node},{k},{WEIGHT[k]},{MEAN[k][0] + off[0]:.6g},"
                             f"{MEAN[k][1] + off[1]:.6g},{sxx:.5g},{sxy:.5g},{syy:.5g},"
                             f"{'mean' if node == 'mean' else 'node'}")
    write(folder, "view_shapes.csv", lines)


def main(folder):
    os.makedirs(folder, exist_ok=True)
    summary = {
        "meshbayes": "0.1.0", "seed": 1,
        "data": {"file": "data/sites.csv", "rows": ROWS, "features": FEATURES,
                 "nodes": NODES, "weight_total": float(ROWS), "constant": ["c3"],
                 "labels": CLASSES},
        "network": network(folder),
        "prior": {"name": "empirical", "warning": None, "revealed":
                  "every node knows the mean and the covariance of the columns of all rows"},
        "faults": {"loss": 0.0, "loss_directed": 0.0, "silent": 0.0, "delay": 0},
        "algorithms": algorithms(), "view": {"columns": FEATURES},
        "trace": "trace.csv",
        "warnings": ["column \"c3\" is constant: its scale is 1"]}
    config = {"version": "0.1.0", "command": "sim",
              "options": {"data": "data/sites.csv", "topology": "geometric:n=20,side=3,radius=0.8",
                          "n-components": "3", "algorithm": "cvb,noncoop,nsg,dsvb,admm,edge,flow",
                          "weights": "metropolis", "rounds": "1000", "tol": "1e-08", "metrics": "all",
                          "edge.kappa": "auto", "edge.eta": "auto", "edge.alpha": "0.95"},
              "resolved": {"edge.kappa": "4", "edge.eta": "0.4", "agreed_origin": [0.5, 1.25, 7.0],
                           "agreed_scale": [0.5, 1.0, 1.0], "hops": 6}}
    for name, value in (("summary.json", summary), ("config.json", config)):
        write(folder, name, [json.dumps(value, indent=2)])
    nodes(folder)
    trace(folder)
    view(folder)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])

"""check_runs.py PROGRAM: `sim --runs R` against R single runs: every line of runs.csv is a run by itself,
bands.csv are numpy's quartiles of their traces, reach.csv follows from them by its definition."""
import csv
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

PROGRAM, RUNS, SEED, ROUNDS = os.path.abspath(sys.argv[1]), 5, 3, 150
ALGORITHMS = ["cvb", "edge", "dsvb"]


def write_data(path):
    rng = np.random.default_rng(4)
    kind = rng.integers(0, 3, 300)
    rows = np.array([[0, 0], [4, 1], [1, 5]])[kind] + rng.normal(size=(300, 2))
    with open(path, "w") as f:
        f.write("a,b,kind\n")
        f.writelines(f"{x:.5f},{y:.5f},{'uvw'[k]}\n" for (x, y), k in zip(rows, kind))


def sim(folder, seed, *more):
    command = [PROGRAM, "sim", "--data", "rows.csv", "--label-column", "kind", "--topology", "ring:n=6",
               "--n-components", "3", "--algorithm", ",".join(ALGORITHMS), "--rounds", str(ROUNDS),
               "--seed", str(seed), "--loss", "0.2", "--out", folder, *more]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def table(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


def traces(folder):
    """(algorithm, metric) -> {t: line}"""
    found = {}
    for line in table(folder + "/trace.csv"):
        found.setdefault((line["algorithm"], line["metric"]), {})[int(line["t"])] = line
    return found


def value(line):
    return float(line["total"] or line["mean"])


def held(series, t):
    """The value in round t; a run that has ended holds its last one."""
    return value(series[max(s for s in series if s <= t)])


def is_close(a, b, what):
    assert abs(a - b) <= 1e-12 * max(1, abs(b)), (what, a, b)


def check_bands(single):
    seen = 0
    for line in table("many/bands.csv"):
        t, key = int(line["t"]), (line["algorithm"], line["metric"])
        x = [held(s[key], t) for s in single]
        for name, q in (("q25", .25), ("median", .5), ("q75", .75)):
            is_close(float(line[name]), np.quantile(x, q), (key, t, name))
        assert int(line["runs"]) == RUNS
        seen += 1
    assert seen > 500, seen


def reached(trace, algorithm, level, truth):
    """First round of the last stretch at the level, to the end; None."""
    since = None
    for t, line in sorted(trace[algorithm, "kl_cvb" if level == "1 nat" else "kl_truth"].items()):
        near = line["outside"] == "0" and (float(line["mean"]) < 1 if level == "1 nat" else
                                           abs(float(line["mean"]) - truth) <= .01 * truth and
                                           float(line["sd"]) <= .01 * truth)
        since = (since or t) if near else None
    return since


def check_reach(single):
    lines = table("many/reach.csv")
    assert [(x["algorithm"], x["level"]) for x in lines] == [(a, k) for a in ALGORITHMS for k in ("1 nat", "1 %")]
    some = 0
    for line in lines:
        found = {"rounds": [], "bytes": [], "frames": []}
        for trace in single:
            cvb = trace["cvb", "kl_truth"]
            truth = float(cvb[max(cvb)]["mean"])  # settled, so that of the reference to many digits
            t = reached(trace, line["algorithm"], line["level"], truth)
            if t is None:
                continue
            found["rounds"].append(t)
            for name in ("bytes", "frames"):
                found[name].append(value(trace[line["algorithm"], name][t]))
        assert int(line["reached"]) == len(found["rounds"]) and int(line["runs"]) == RUNS, line
        some += len(found["rounds"])
        for name, x in found.items():
            for at, q in (("q25", .25), ("median", .5), ("q75", .75)):
                cell = line[f"{name}_{at}"]
                assert bool(cell) == bool(x), line
                if x:
                    is_close(float(cell), np.quantile(x, q), (line["algorithm"], line["level"], name))
    assert some > 15, some


def check_lines():
    lines = table("many/runs.csv")
    assert len(lines) == RUNS * len(ALGORITHMS)
    for line in lines:
        with open(f"one{line['seed']}/summary.json") as f:
            one = {a["name"]: a for a in json.load(f)["algorithms"]}[line["algorithm"]]
        assert line["verdict"] == one["verdict"] and int(line["rounds"]) == one["rounds"], (line, one)
        for name in ("bound", "disagreement", "moved", "accuracy", "nmi", "ari", "frames", "bytes"):
            is_close(float(line[name]), one[name], (line["algorithm"], line["seed"], name))
    assert len({x["disagreement"] for x in lines if x["algorithm"] == "edge"}) == RUNS, "two runs are the same"


def main():
    write_data("rows.csv")
    said = sim("many", SEED, "--runs", str(RUNS))
    assert "first of 5 runs, seeds 3 to 7" in said, said
    for seed in range(SEED, SEED + RUNS):
        sim(f"one{seed}", seed, "--metrics", "all")
    single = [traces(f"one{seed}") for seed in range(SEED, SEED + RUNS)]
    check_bands(single)
    check_reach(single)
    check_lines()
    sim("again", SEED, "--runs", str(RUNS), "--threads", "3")
    for name in ("runs.csv", "bands.csv", "reach.csv", "posterior-edge.json", "trace.csv"):
        with open("many/" + name, "rb") as a, open("again/" + name, "rb") as b:
            assert a.read() == b.read(), name + " depends on threads"
    with open("many/summary.json") as f:
        summary = json.load(f)
    assert summary["runs"]["count"] == RUNS and summary["runs"]["first_seed"] == SEED
    assert {"runs.csv", "bands.csv", "reach.csv"} <= set(summary["files"])
    print("runs: the runs, their quartiles and what they reached agree with single runs")


with tempfile.TemporaryDirectory() as place:
    os.chdir(place)
    main()

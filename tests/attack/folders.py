#!/usr/bin/env python3
"""folders.py PROGRAM [--quick] [--seed S]: output folders that two runs write at once, that a killed run
leaves, and runs that signals or full files end.

Every case is drawn by a seeded generator. After it the folder must be whole (the list of summary.json
agrees, every file is of one run) or `report` must refuse it in one line; a run after it must succeed,
leave a whole folder and no temporary; a resumed run must have the bits of one that was never
interrupted. The last line counts the cases that held and those that did not."""
import argparse
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zlib

CASES = {"killed": (250, 16), "two": (120, 6), "signalled": (80, 5), "resumed": (40, 2), "limited": (60, 5)}
DRAWN = 0.25 # share of the cases in which there is a gnuplot, which takes most of the time
NODES, ROWS = 10, 30
NET = ["--data", "rows.csv", "--node-column", "site", "--network", "links.csv", "--n-components", "2"]
OURS = {"summary.json", "report.html", "figures", ".lock"}
BITS = ["posterior.json", "posteriors.npy", "nodes.csv", "trace.csv", "network.csv", "edges.csv"]


class Broken(Exception):
    """What a case found."""


def need(holds, *words):
    if not holds:
        raise Broken(" ".join(str(w) for w in words))


def write_inputs(rng):
    with open("rows.csv", "w", encoding="ascii") as f:
        f.write("a,b,site\n")
        for i in range(NODES * ROWS):
            c = 4 * (rng.random() < 0.5)
            f.write(f"{rng.gauss(c, 1):.4f},{rng.gauss(-c, 1):.4f},{i % NODES}\n")
    with open("links.csv", "w", encoding="ascii") as f:
        f.write("i,j\n" + "".join(f"{i},{(i + 1) % NODES}\n" for i in range(NODES)))


class Bench:
    def __init__(self, program, rng):
        self.program, self.rng, self.env = program, rng, dict(os.environ, OMP_NUM_THREADS="1")
        if rng.random() > DRAWN:
            self.env["PATH"] = "/nowhere"

    def start(self, words, limit=None):
        def ready():
            signal.signal(signal.SIGINT, signal.SIG_DFL) # a shell may have it ignored
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        return subprocess.Popen([self.program] + words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=self.env, preexec_fn=ready)

    def run(self, words, limit=None):
        run = self.start(words, limit)
        out, err = run.communicate(timeout=60)
        return run.returncode, out, err

    def sim(self, out, seed, rounds=60, more=()):
        return ["sim"] + NET + ["--out", out, "--seed", str(seed), "--rounds", str(rounds), "--metrics", "bytes,bound",
                                "--tol", "0"] + (list(more) or ["--algorithm", "edge"])

    def finished(self, words):
        """The command runs to its end with status 0; what it took."""
        began = time.monotonic()
        status, _, err = self.run(words)
        need(status == 0, "status", status, "of", " ".join(words), err)
        return time.monotonic() - began

    def examine(self, out):
        """A folder after whatever happened: its seed when it is whole, None when report refuses it."""
        at = os.path.join(out, "summary.json")
        status, _, err = self.run(["report", out])
        if status:
            need(status == 1 and len([x for x in err.splitlines() if "error" in x]) == 1, "report:", status, err)
            return None
        with open(at, encoding="utf-8") as f:
            summary = json.load(f)
        for name, entry in summary["files"].items():
            with open(os.path.join(out, name), "rb") as f:
                content = f.read()
            need(entry == {"bytes": len(content), "crc32": f"{zlib.crc32(content):08x}"}, name, "is not as listed")
        with open(os.path.join(out, "config.json"), encoding="utf-8") as f:
            need(int(json.load(f)["options"]["seed"]) == summary["seed"], "config.json is of another run")
        with open(os.path.join(out, "posterior.json"), encoding="utf-8") as f:
            posterior = json.load(f)
        record = summary["algorithms"][0]
        need(posterior["seed"] == summary["seed"], "posterior.json is of another run")
        need(posterior["rounds"] == record["rounds"], "posterior.json is of another round")
        with open(os.path.join(out, "report.html"), encoding="utf-8") as f:
            need(f"seed {summary['seed']}." in f.read(), "report.html is of another run")
        return summary["seed"]

    def recovers(self, out, seed):
        """A run into the folder makes it whole, and nothing is left of others."""
        self.finished(self.sim(out, seed))
        need(self.examine(out) == seed, "the folder is not of the last run")
        with open(os.path.join(out, "summary.json"), encoding="utf-8") as f:
            left = set(os.listdir(out)) - set(json.load(f)["files"]) - OURS
        need(not left, "left behind:", sorted(left))
        figures = os.path.join(out, "figures")
        left = [n for n in (os.listdir(figures) if os.path.isdir(figures) else []) if not re.fullmatch(r"[a-z-]+\.(svg|png)", n)]
        need(not left, "left behind in figures:", left)


def fresh(bench, seed):
    shutil.rmtree("out", ignore_errors=True)
    return bench.finished(bench.sim("out", seed))


def killed(bench, rng):
    """kill -9 at a random moment of a second run into a folder."""
    spent = fresh(bench, 1)
    run = bench.start(bench.sim("out", 2))
    time.sleep(rng.random() * 1.1 * spent)
    run.kill()
    run.communicate()
    seed = bench.examine("out")
    need(seed in (None, 1, 2), "seed", seed)
    bench.recovers("out", 3)
    return "refused" if seed is None else "whole"


def two(bench, rng):
    """Two writers at once; one may be report."""
    spent = fresh(bench, 1)
    runs = [bench.start(bench.sim("out", 2, rng.choice([60, 400])))]
    time.sleep(rng.random() * 0.6 * spent)
    second = rng.choice([3, None])
    runs.append(bench.start(bench.sim("out", second) if second else ["report", "out"]))
    ends = []
    for run in runs:
        _, err = run.communicate(timeout=60)
        ends.append(run.returncode)
        need(run.returncode in (0, 1), "status", run.returncode, err)
        need(run.returncode == 0 or "is writing into this folder" in err or "not found: the run" in err, err)
    need(0 in ends, "both were refused")
    seed = bench.examine("out")
    wrote = [s for s, end in zip((2, second), ends) if s and end == 0]  # a report may have refused the run
    need(seed in (wrote or [1]), "the folder is of", seed, "and the two ended with", ends)
    bench.recovers("out", 4)
    return "one refused" if 1 in ends else "one after the other"


def signalled(bench, rng):
    """INT or TERM, once or twice, at a random moment, in sim or fit, with one or two algorithms or several starts."""
    fresh(bench, 1)
    number, times = rng.choice([signal.SIGINT, signal.SIGTERM]), rng.choice([1, 1, 2])
    more = rng.choice([["--algorithm", "edge"], ["--algorithm", "edge", "--n-init", "3"],
                       ["--algorithm", "cvb"], ["--algorithm", "edge", "--metrics", "all"]])
    run = bench.start(bench.sim("out", 2, 10**8, more))
    time.sleep(0.02 + rng.random() * 0.4)
    for _ in range(times):
        run.send_signal(number)
        time.sleep(rng.random() * 0.05)
    _, err = run.communicate(timeout=60)
    need(run.returncode in (128 + number, -number), "status", run.returncode, err)
    seed = bench.examine("out")
    if times == 1:
        need(seed in (1, 2), "one signal leaves a folder that is refused")
        need(seed == 1 or "was interrupted by" in err, err)
        need(not [n for n in os.listdir("out") if ".tmp-" in n or n.startswith(".report-")], "left:", os.listdir("out"))
    bench.recovers("out", 3)
    return "refused" if seed is None else "interrupted" if seed == 2 else "old"


def resumed(bench, rng):
    """Signals and kills at random moments until the run is done: the bits of one that was never interrupted."""
    more = ["--algorithm", "edge", "--delay", "2", "--loss", "0.1", "--tol", rng.choice(["0", "1e-14"])]
    words = bench.sim("out", rng.randrange(1, 9), 4000, more)
    shutil.rmtree("out", ignore_errors=True)
    spent = bench.finished(words)
    whole = {name: open(os.path.join("out", name), "rb").read() for name in BITS}
    for folder in ("out", "kept"):
        shutil.rmtree(folder, ignore_errors=True)
    words += ["--checkpoint", "kept", "--resume", "kept", "--every", str(rng.choice([7, 50, 100000]))]
    for times in range(40):
        run = bench.start(words)
        time.sleep((0.1 + 0.5 * rng.random()) * spent if times < 39 else 60)
        run.send_signal(rng.choice([signal.SIGINT, signal.SIGTERM, signal.SIGINT, signal.SIGKILL]))
        _, err = run.communicate(timeout=60)
        need(run.returncode in (0, 130, 143, -2, -15, -9), "status", run.returncode, err)
        if run.returncode == 0:
            break
        if times > 8: # it goes on often enough
            bench.finished(words)
            break
    for name, content in whole.items():
        need(open(os.path.join("out", name), "rb").read() == content, name, "has other bits after", times, "interruptions")
    return "interrupted" if times else "not interrupted"


def limited(bench, rng):
    """A limit on the size of files, any of them."""
    fresh(bench, 1)
    status, _, err = bench.run(bench.sim("out", 2, rng.choice([30, 300])), rng.choice([0, 100, 1000, 3000, 10000, 10**6])
                               + rng.randrange(200))
    need(status in (0, 1), "status", status, err)
    need(status == 0 or ("File too large" in err and err.count("error:") == 1), err)
    need(not [n for n in os.listdir("out") if ".tmp-" in n or n.startswith(".report-")], "left:", os.listdir("out"))
    need(bench.examine("out") in ((2,) if status == 0 else (None, 1, 2)), "whose folder?")
    bench.recovers("out", 3)
    return "failed" if status else "passed"


def main():
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("program")
    words.add_argument("--quick", action="store_true")
    words.add_argument("--seed", type=int, default=12)
    given = words.parse_args()
    program, home = os.path.abspath(given.program), os.getcwd()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        write_inputs(random.Random(1))
        for name, counts in CASES.items():
            ends, bad = {}, 0
            for k in range(counts[given.quick]):
                rng = random.Random(f"{given.seed} {name} {k}")
                try:
                    end = globals()[name](Bench(program, rng), rng)
                    ends[end] = ends.get(end, 0) + 1
                    passed += 1
                except (Broken, OSError, ValueError, KeyError, subprocess.TimeoutExpired) as why:
                    print(f"FAIL  {name} {k}: {type(why).__name__}: {str(why).strip()[:400]}")
                    bad += 1
            failed += bad
            print(f"{'FAIL' if bad else 'ok  '}  {name}: {counts[given.quick]} cases, {bad} failed; "
                  + ", ".join(f"{n} {end}" for end, n in sorted(ends.items())), flush=True)
        os.chdir(home)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

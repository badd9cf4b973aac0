#!/usr/bin/env python3
"""checkpoint.py PROGRAM SHIM: whatever call fails while a run goes on and is saved, it can go on
afterwards.

A run with checkpoints goes on while the k-th call of a kind to the system fails (see shim.c), once
alone and once with every later one. Claims, for each of these runs:
  - it ends by itself with status 0 or 1; status 1: one line on standard error says why;
  - a run after it, with nothing failing, goes on from what is left and ends with the bits of a run
    that was never interrupted.
The last line counts the runs that held and those that did not."""
import os
import shutil
import sys
import tempfile

from run import KINDS, NET, Bench

RUNS = 15  # of one kind, about
SIM = ["sim", "--data", "rows.csv", "--node-column", "node", "--label-column", "label",
       "--n-components", "2", "--network", "links.csv", "--algorithm", "cvb,edge", "--seed", "3",
       "--loss", "0.2", "--delay", "2", "--threads", "1", "--tol", "0"]
ON = SIM + ["--rounds", "12", "--dump-phi", "out.npy", "--checkpoint", "kept", "--resume", "kept",
            "--every", "3"]
DUMPS = ["out-cvb.npy", "out-edge.npy"]


def content(path):
    with open(path, "rb") as f:
        return f.read()


def start_again(kept):
    for name in DUMPS:
        if os.path.exists(name):
            os.remove(name)
    shutil.rmtree("kept", ignore_errors=True)
    shutil.copytree(kept, "kept")


def offence(bench, got, want):
    """What is wrong after a run, or None."""
    status, _, err = got
    lines = [line for line in err.splitlines() if ": warning: " not in line]
    if status not in (0, 1):
        return f"status {status}: {err.strip()[-200:]}"
    if len(lines) != status:
        return f"status {status}, {len(lines)} lines on standard error: {lines}"
    if not status and [content(name) for name in DUMPS] != want:
        return "status 0, but other bits"
    status, _, err = bench.run(ON)
    if status != 0:
        return f"it can not go on: {err.strip()[-300:]}"
    if [content(name) for name in DUMPS] != want:
        return "it goes on with other bits"
    return None


def calls_of(bench, kind):
    start_again("before")
    bench.run(ON, kind)
    return int(content("count"))


def check(bench, kind, want):
    count, bad, tried, failed = calls_of(bench, kind), [], 0, 0
    for stays in (0, 1):
        for k in range(1, count + 1, max(1, count // RUNS)):
            start_again("before")
            got = bench.run(ON, kind, k, stays)
            what = offence(bench, got, want)
            tried += 1
            failed += got[0] == 1
            if what:
                bad.append(f"{kind} {k}{' and later' if stays else ''}: {what}")
    bench.report(kind, count, tried, failed, bad)


def main():
    program, shim = map(os.path.abspath, sys.argv[1:3])
    bench = Bench(program, shim)
    home = os.getcwd()
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        with open("links.csv", "w", encoding="ascii") as f:
            f.write("i,j\n" + NET)
        status, _, err = bench.run(["data", "synthetic", "--nodes", "3", "--rows", "8", "--out", "rows.csv"])
        assert status == 0, err
        status, _, err = bench.run(SIM + ["--rounds", "12", "--dump-phi", "out.npy"])
        assert status == 0, err
        want = [content(name) for name in DUMPS]
        status, _, err = bench.run(SIM + ["--rounds", "5", "--checkpoint", "before", "--every", "3"])
        assert status == 0, err
        for kind in KINDS:
            check(bench, kind, want)
        os.chdir(home)
    print(f"{bench.held} passed, {bench.broken} failed")
    return 1 if bench.broken or not bench.held else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""circles.py BUILD: files of the library and the program that need each other, by the linker's own
symbols: a file needs those that define what its object leaves undefined. A circle of files can only
be read, tested and moved together. Prints each with two of the names that close it; status 1 when there
is one. circles.py --self-test plants one and asks for it."""
import collections
import os
import subprocess
import sys
import tempfile


def objects(build):
    """Source file -> object, of the targets that src, app, daemon and experiments are built into."""
    found = {}
    for target in os.listdir(os.path.join(build, "CMakeFiles")):
        if target not in ("meshbayes_lib.dir", "meshbayes_app.dir", "meshbayes.dir", "meshbayes_paper.dir", "meshbayes-paper.dir", "meshbayes-node.dir"):
            continue
        top = os.path.join(build, "CMakeFiles", target)
        for where, _, names in os.walk(top):
            for name in names:
                if name.endswith(".c.o"):
                    path = os.path.join(where, name)
                    source = os.path.relpath(path, top)[:-2]
                    # An object of a file that is gone may still lie there.
                    if os.path.exists(os.path.join(os.path.dirname(build), "..", source)):
                        found[source] = path
    return found


def names_of(paths):
    """Object -> what it defines for others, and what it leaves undefined."""
    said = subprocess.run(["nm", "-A", "-g", "-P", *paths], capture_output=True, text=True, check=True).stdout
    found = {path: (set(), set()) for path in paths}
    for line in said.splitlines():
        path, _, symbol = line.partition(": ")
        name, kind = symbol.split()[:2]
        found[path][kind in "Uw"].add(name)
    return found


def graph(files):
    """File -> {file that it needs: one of the names}."""
    found = names_of(list(files.values()))
    names = {source: found[path] for source, path in files.items()}
    home = {name: source for source, (defined, _) in names.items() for name in defined}
    edges = collections.defaultdict(dict)
    for source, (_, wanted) in names.items():
        for name in sorted(wanted):
            if home.get(name, source) != source:
                edges[source].setdefault(home[name], name)
    return edges


def circles(edges):
    """The strongly connected components of more than one file (Tarjan, without recursion)."""
    index, low, stack, on, found = {}, {}, [], set(), []
    for root in sorted(edges):
        if root in index:
            continue
        work = [(root, iter(sorted(edges[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on.add(root)
        while work:
            node, rest = work[-1]
            for after in rest:
                if after not in index:
                    index[after] = low[after] = len(index)
                    stack.append(after)
                    on.add(after)
                    work.append((after, iter(sorted(edges.get(after, {})))))
                    break
                if after in on:
                    low[node] = min(low[node], index[after])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    part, stack = stack[at:], stack[:at]
                    on -= set(part)
                    if len(part) > 1:
                        found.append(sorted(part))
    return found


def show(part, edges):
    print("circle of %d files: %s" % (len(part), " ".join(part)))
    for source in part:
        for other, name in sorted(edges[source].items()):
            if other in part:
                print("  %s needs %s for %s" % (source, other, name))


def check(build):
    files = objects(os.path.abspath(build))
    if not files:
        print("circles: no objects in %s" % build)
        return 1
    edges = graph(files)
    found = circles(edges)
    for part in found:
        show(part, edges)
    print("circles: %d among %d files" % (len(found), len(files)))
    return 1 if found else 0


def self_test():
    texts = {"a.c": "int b(void); int a(void); int a(void) { return b(); }",
             "b.c": "int c(void); int b(void); int b(void) { return c(); }",
             "c.c": "int a(void); int c(void); int c(void) { return a(); }",
             "d.c": "int a(void); int d(void); int d(void) { return a(); }"}
    with tempfile.TemporaryDirectory() as folder:
        files = {}
        for name, text in texts.items():
            path = os.path.join(folder, name)
            with open(path, "w", encoding="ascii") as file:
                file.write(text + "\n")
            subprocess.run(["cc", "-c", path, "-o", path + ".o"], check=True)
            files[name] = path + ".o"
        planted = circles(graph(files))
        del files["c.c"]
        without = circles(graph(files))
    good = planted == [["a.c", "b.c", "c.c"]] and not without
    print("%d passed, %d failed" % (good, not good))
    return 0 if good else 1


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(self_test() if sys.argv[1] == "--self-test" else check(sys.argv[1]))

#!/usr/bin/env python3
"""circles.py BUILD: files and folders of the library and the programs that need each other, by the
linker's own symbols: a file needs those that define what its object leaves undefined. A circle can only
be read, tested and moved together. Prints each with the names that close it, and each need that is not
in the table MAY_NEED; status 1 when there is one. circles.py --self-test plants some and asks for them."""
import collections
import os
import subprocess
import sys
import tempfile

# Which folders a folder may need, the bottom first. "F/file_": the files of F that read or write files,
# which a small node is built without.
MAY_NEED = {
    "src/base": "",
    "src/num": "base",
    "src/expfam": "base num",
    "src/kernel": "base",
    "src/data": "base",
    "src/formula": "base data model",
    "src/transport": "base",
    "src/network": "base num transport src/network/file_",  # through file.h, which has what is used in its place
    "src/network/file_": "base num transport network data",
    "src/algo": "base num expfam",
    "src/start": "base num kernel transport network",
    "src/model": "base num expfam kernel",
    "src/core": "base num expfam transport algo model",
    "src/checkpoint": "base data transport core",
    "src/posterior": "base num expfam formula model core",
    "src/posterior/file_": "base num expfam model data formula posterior",
    "src/fit": "base num expfam formula transport network algo start model core posterior",
    "src/fit/file_": "base transport data start fit",
    "src/mesh": "base num expfam algo start model core posterior fit",
    "src/mesh/file_": "base expfam network algo model data posterior mesh",
    "src/bind": "base num expfam network algo formula model core posterior fit",
    "src/bind/file_": "base data posterior src/posterior/file_ bind",
    "src/virtual": "base algo model data mesh src/mesh/file_",
    "app/base": "",
    "app/data": "base",
    "app/posterior": "base",
    "app/report": "base",
    "app/run": "base data report",
    "app/up": "base run",
    "app": "base data posterior report run up",
    "experiments": "app/base app/data app/report",
    "daemon": "app/base",
}


def objects(build):
    """Source file -> object, of the targets that src, app, daemon and experiments are built into."""
    found = {}
    for target in os.listdir(os.path.join(build, "CMakeFiles")):
        if target not in ("meshbayes_lib.dir", "meshbayes_mpi.dir", "meshbayes_app.dir", "meshbayes.dir", "meshbayes_paper.dir", "meshbayes-paper.dir", "meshbayes-node.dir"):
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


def folder_of(source):
    """The row of MAY_NEED: the folder, or the files of it that read or write files."""
    folder, name = os.path.split(source)
    files = folder + "/file_"
    return files if name.startswith("file_") and files in MAY_NEED else folder


def folders(edges):
    """The same between folders: folder -> {folder that it needs: one of the names}."""
    found = collections.defaultdict(dict)
    for source, needs in edges.items():
        for other, name in needs.items():
            if os.path.dirname(other) != os.path.dirname(source):
                found[os.path.dirname(source)].setdefault(os.path.dirname(other), "%s (%s)" % (name, source))
    return found


def not_allowed(edges):
    """Needs that are not in the table: (file, other file, name). The programs may need all of src."""
    for source, needs in sorted(edges.items()):
        row = folder_of(source)
        top = row.split("/")[0]
        allowed = {row, *(name if "/" in name else "%s/%s" % (top, name) for name in MAY_NEED.get(row, "").split())}
        for other, name in sorted(needs.items()):
            if top != "src" and other.startswith("src/"):
                continue
            found = os.path.dirname(other) if row.endswith("/file_") or top != "src" else folder_of(other)
            if found not in allowed:
                yield source, other, name


def show(part, edges):
    print("circle of %d: %s" % (len(part), " ".join(part)))
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
    above = folders(edges)
    found = 0
    for needs in edges, above:
        for part in circles(needs):
            show(part, needs)
            found += 1
    for need in not_allowed(edges):
        print("%s needs %s for %s, which MAY_NEED does not allow" % need)
        found += 1
    print("circles: %d found among %d files in %d folders" % (found, len(files), len({*map(os.path.dirname, files)})))
    return 1 if found else 0


def compiled(folder, texts):
    """Source file -> object."""
    files = {}
    for name, text in texts.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as file:
            file.write(text + "\n")
        subprocess.run(["cc", "-c", path, "-o", path + ".o"], check=True)
        files[name] = path + ".o"
    return files


def needs(own, *others):
    """A file that defines one function and calls others."""
    return "".join("int %s(void); " % name for name in (own, *others)) + \
        "int %s(void) { return 0%s; }" % (own, "".join(" + %s()" % name for name in others))


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        files = compiled(folder, {
            "a.c": needs("a", "b"), "b.c": needs("b", "c"), "c.c": needs("c", "a"), "d.c": needs("d", "a")})
        planted = circles(graph(files))
        del files["c.c"]
        without = circles(graph(files))
        between = graph(compiled(folder, {
            "src/num/a.c": needs("na", "file"), "src/num/b.c": needs("nb"), "src/base/c.c": needs("bc", "nb"),
            "src/fit/file_d.c": needs("file", "bc"), "src/fit/e.c": needs("e", "file"), "app/base/f.c": needs("f", "e", "g"),
            "app/run/g.c": needs("g", "e")}))
    rows = [(source, other) for source, other, _ in not_allowed(between)]
    wrong = [("app/base/f.c", "app/run/g.c"), ("src/base/c.c", "src/num/b.c"), ("src/fit/e.c", "src/fit/file_d.c"),
             ("src/num/a.c", "src/fit/file_d.c")]
    good = [planted == [["a.c", "b.c", "c.c"]], not without,
            circles(folders(between)) == [["src/base", "src/fit", "src/num"]], not circles(between), rows == wrong]
    print("%d passed, %d failed" % (good.count(True), good.count(False)))
    return 0 if all(good) else 1


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(self_test() if sys.argv[1] == "--self-test" else check(sys.argv[1]))

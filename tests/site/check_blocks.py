#!/usr/bin/env python3
"""check_blocks.py BUILD LIBRARY [R_LIBRARY]: every block of code of the pages is run: by the test that the table RUN names, or here,
from top to bottom, where each line of the text behind a block must be in what it printed; or a line above it, `<!-- not
run: REASON -->`, says why not. Every page is reached from docs/index.md. BUILD has the programs, LIBRARY is libmeshbayes.so,
R_LIBRARY the folder of the R package: without it blocks of R are left out, and that is said."""
import contextlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests" / "reference"))

from harness import Claims  # noqa: E402  after the path

# Test: the pages whose blocks of these languages it runs, or compares with files that are built and run. The test names the page.
RUN = {
    "tests/cli/tutorial.sh": {"docs/tutorial.md": "sh python text", "README.md": "sh text"},
    "python/tests/check_docs.py": {"docs/howto/python.md": "python text", "docs/howto/python-gallery.md": "python text"},
    "tests/examples.sh": {f"docs/howto/{page}.md": "c text" for page in
                          ("fit-a-csv", "own-model", "own-family", "own-algorithm", "sites", "embed", "udp", "bind")},
    "tests/cli/shipped_networks.sh": {"data/networks/README.md": "indented"},
    "tests/cli/mixreg.sh": {"docs/howto/segments.md": "sh"},
    "tests/cli/private.sh": {"docs/howto/privacy.md": "sh"},
    "script/r": {"docs/howto/r.md": "r"},
    "script/octave": {"docs/howto/octave.md": "octave"},
    "tests/package.sh": {"docs/howto/deploy.md": "json"},
    **{f"tests/cli/howto_{page}.sh": {f"docs/howto/{page}.md": "sh text"} for page in
       ("factors", "hospitals", "sequences", "series", "sites", "streams", "survival", "topics")},
}
# Pages that are run here.
HERE = ("docs/from/scikit-learn.md", "docs/from/mclust.md", "docs/from/bayespy.md", "docs/from/nvflare.md", "docs/howto/formulas.md",
        "docs/howto/networks.md", "docs/howto/cluster.md", "docs/howto/deploy.md", "docs/formats.md")
# Pages whose indented blocks are equations.
EQUATIONS = ("docs/math.md", "docs/protocol.md")
NOT_RUN = re.compile(r"^\s*<!-- not run: \S.* -->$")
CODE = re.compile(r"^\s*(\$ |#!|sudo |meshbayes|mpirun|cmake |cc |gcc |make |curl |ssh |script/|pip |import |library\(|git |apt)")


class Block:
    """language: of a fence, "indented" without one. mark: why it is not run."""

    def __init__(self, line, language, text, mark):
        self.line, self.language, self.text, self.mark = line, language, text, mark


def blocks_of(text):
    """Those of a page, in their order."""
    lines, found, last, n = text.split("\n"), [], "", 0
    while n < len(lines):
        fence = re.match(r"^( *)```(\w*)$", lines[n])
        if fence:
            end = next(k for k in range(n + 1, len(lines)) if lines[k].strip() == "```")
            inside, language = lines[n + 1:end], fence[2] or "none"
            end += 1
        elif re.match(r"^ {4}", lines[n]) and (n == 0 or not lines[n - 1].strip()):
            end = n
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            inside, language = [line[4:] for line in lines[n:end]], "indented"
        else:
            last = lines[n] if lines[n].strip() else last
            n += 1
            continue
        found.append(Block(n + 1, language, "\n".join(inside).rstrip("\n") + "\n", last if NOT_RUN.match(last) else None))
        last, n = "", end
    return found


def pages():
    names = [str(p.relative_to(TOP)) for p in (*sorted(TOP.glob("*.md")), *sorted(TOP.glob("data/**/*.md")), TOP / "python" / "README.md",
                                               *sorted((TOP / "docs").rglob("*.md")))]
    return {name: blocks_of((TOP / name).read_text()) for name in names}


def runner(name, block):
    """Who runs it, None: nobody, and no line says why."""
    if block.mark:
        return "marked"
    for test, of in RUN.items():
        if block.language in of.get(name, "").split():
            return test
    if name in HERE and block.language in ("sh", "python", "r", "text") or block.text.startswith("library("):
        return "here"
    if name in EQUATIONS and block.language == "indented" and not any(map(CODE.match, block.text.split("\n"))):
        return "equation"
    return "python/tests/check_docs.py" if name == "README.md" and block.text.startswith("import ") else None


def nobody(found):
    return [f"{name}:{block.line} ({block.language})" for name, blocks in found.items() for block in blocks if not runner(name, block)]


def not_named(table):
    """Tests of the table that do not name their page, by its file or the part of it that is no folder and no ending."""
    return [f"{test}: {page}" for test, of in table.items() for page in of
            if not (TOP / test).is_file() or pathlib.Path(page).stem not in (TOP / test).read_text()]


def unreached(docs):
    """Pages without a chain of links from index.md; a link to a folder is one to all in it."""
    seen, rest = set(), [docs / "index.md"]
    while rest:
        file = rest.pop()
        if file in seen or file.suffix != ".md" or not file.is_file():
            continue
        seen.add(file)
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", file.read_text()):
            to = (file.parent / link).resolve()
            rest += to.glob("*.md") if to.is_dir() else [to]
    return sorted(str(p.relative_to(docs)) for p in docs.rglob("*.md") if p not in seen)


def has_line(output, line):
    """Anything for "...", any blanks for blanks."""
    pattern = ".*".join(r"\s+".join(map(re.escape, part.split(" "))) for part in re.sub(" +", " ", line.strip()).split("..."))
    return re.search(rf"^\s*{pattern}\s*$", output, re.M) is not None


class Session:
    """A folder in which the blocks of a page run one after the other."""

    def __init__(self, build, folder, r_library):
        self.folder, self.names = folder, {}
        self.environment = {**os.environ, "PATH": f"{build}:{os.environ['PATH']}", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
        if r_library:
            self.environment["R_LIBS"] = r_library

    def program(self, *command, given=None):
        done = subprocess.run(command, cwd=self.folder, env=self.environment, input=given, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=120)
        return done.returncode == 0, done.stdout

    def sh(self, text):
        return self.program("bash", "-euo", "pipefail", "-c", text)

    def r(self, text):
        """The objects and packages of the blocks before are there."""
        before = 'if (file.exists("session.RData")) { load("session.RData"); ' \
                 'for (p in rev(packages_)) suppressMessages(library(p, character.only = TRUE)) }\n'
        after = 'packages_ <- (.packages()); save.image("session.RData")\n'
        (pathlib.Path(self.folder) / "block.R").write_text(before + text + after)
        return self.program("Rscript", "--vanilla", "block.R")

    def python(self, text):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out), contextlib.chdir(self.folder):
            try:
                exec(compile(text, "block", "exec"), self.names)
            except Exception as why:
                return False, f"{out.getvalue()}{type(why).__name__}: {why}"
        return True, out.getvalue()


def prepared(session):
    """Files that pages take for granted: rows, the same in parts, a posterior."""
    folder = pathlib.Path(session.folder)
    for file in (TOP / "examples").glob("*.csv"):
        shutil.copy(file, folder)
    shutil.copy(folder / "readings.csv", folder / "sample.csv")
    shutil.copy(folder / "readings.csv", folder / "rows.csv")
    rows = numpy.loadtxt(folder / "rows.csv", delimiter=",", skiprows=1)
    numpy.save(folder / "rows.npy", rows)
    for k, part in enumerate(numpy.array_split(rows, 4)):
        numpy.save(folder / f"part-{k}.npy", part)
    session.sh("meshbayes fit --data rows.csv --n-components 2 --out posterior.json")


def follow(claims, name, blocks, build, r_library):
    """Runs the blocks of a page that are run here."""
    if not any(runner(name, block) == "here" for block in blocks):
        return
    with tempfile.TemporaryDirectory() as folder:
        session, output = Session(build, folder, r_library), ""
        prepared(session)
        for block in blocks:
            if runner(name, block) != "here":
                continue
            if block.language == "text":
                missing = [line for line in block.text.splitlines() if line.strip() and not has_line(output, line)]
                claims.check(not missing, f"{name}:{block.line} is what the block before prints {missing}{output[:1000] if missing else ''}")
            elif language_of(block) == "r" and not r_library:
                claims.note(f"{name}:{block.line}: without the package for R a block is left out")
                return
            else:
                good, output = getattr(session, language_of(block))(block.text)
                claims.check(good, f"{name}:{block.line} runs{'' if good else ': ' + output[-1500:]}")


def language_of(block):
    return "r" if block.text.startswith("library(") else block.language


def finds_what_it_looks_for(claims):
    page = "text\n\n```sh\necho a\n```\n\n<!-- not run: it takes a week -->\n\n```sh\necho b\n```\n\n    meshbayes fit\n\n```text\na  b\n```\n"
    blocks = blocks_of(page)
    claims.check([b.language for b in blocks] == ["sh", "sh", "indented", "text"], "blocks of a page are found")
    claims.check(nobody({"docs/math.md": blocks}) == ["docs/math.md:3 (sh)", "docs/math.md:13 (indented)", "docs/math.md:15 (text)"],
                 "a block that nobody runs is found, a mark with a reason is one, and a command is no equation")
    claims.check(not_named({"tests/lint.sh": {"docs/tutorial.md": "sh"}}) == ["tests/lint.sh: docs/tutorial.md"],
                 "a test that does not name its page is found")
    with tempfile.TemporaryDirectory() as folder:
        docs = pathlib.Path(folder).resolve()
        for name, text in {"index": "[a](a.md#x)", "a": "[of a folder](adr/)", "b": "[a](a.md)", "adr/1": ""}.items():
            (docs / name).parent.mkdir(exist_ok=True)
            (docs / f"{name}.md").write_text(text)
        claims.check(unreached(docs) == ["b.md"], "a page that nothing leads to is found")
    claims.check(has_line("x\n a   b 7 c\n", "a b ... c") and not has_line("a b d\n", "a b"), "a line that is not there is missed")


def main():
    claims, (build, library), found = Claims(), map(os.path.abspath, sys.argv[1:3]), pages()
    os.environ["MESHBAYES_LIBRARY"], r_library = library, os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else None
    os.environ["MPLBACKEND"] = "Agg"
    sys.path.insert(0, str(TOP / "python" / "src"))
    finds_what_it_looks_for(claims)
    kinds = [runner(name, block) for name, blocks in found.items() for block in blocks]
    claims.note(f"{len(kinds)} blocks: {kinds.count('marked')} say why they are not run, {kinds.count('equation')} are equations, "
                f"{kinds.count('here')} are of pages that are run here, the others of pages that tests run")
    for text, wrong in (("each block is run, or says why not", nobody(found)), ("tests name the pages that they run", not_named(RUN)),
                        ("docs/index.md leads to every page", unreached(TOP / "docs"))):
        claims.check(not wrong, f"{text} {', '.join(wrong)}")
    for name, blocks in found.items():
        follow(claims, name, blocks, build, r_library)
    return claims.finish()


sys.exit(main())

#!/usr/bin/env python3
"""docs/site/make.py: what Sphinx reads, in build/site/source: links to the pages as they are, and pages of what stands
elsewhere: the reference of Python and R, the gallery, the decisions, the network in the browser."""
import html
import pathlib
import re
import shutil
import subprocess

top = pathlib.Path(__file__).resolve().parents[2]
build = top / "build" / "site"
source = build / "source"


def write(name, text):
    file = source / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def title(text):
    return f"{text}\n{'=' * len(text)}\n\n"


def toctree(names, *options):
    return ".. toctree::\n" + "".join(f"   :{option}\n" for option in options) + "\n" + "".join(f"   {n}\n" for n in names) + "\n"


def raw(text):
    """HTML as it is, in a page of reStructuredText."""
    return ".. raw:: html\n\n" + "".join(f"   {line}\n" for line in text.splitlines()) + "\n"


def links():
    """The tree as it is: pages and the sources that they link."""
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    for entry in top.iterdir():
        if entry.name != "build" and not entry.name.startswith("."):
            (source / entry.name).symlink_to(entry)


def gallery():
    """A script for each section of the page, which sphinx-gallery runs and draws."""
    page = (top / "docs" / "howto" / "python-gallery.md").read_text()
    sections = re.findall(r"^## (.*?)\n+```python\n(.*?)^```\n.*?^!\[(.*?)\]\((.*?)\)$", page, re.M | re.S)
    write("gallery_source/README.txt", title("Gallery") +
          "Python in ten lines. Each example stands alone; the same lines are the page :doc:`/docs/howto/python-gallery`.\n")
    for heading, code, caption, picture in sections:
        write(f"gallery_source/{pathlib.Path(picture).stem}.py", f'"""\n{title(heading)}{caption}.\n"""\n{code}')
    if len(sections) != page.count("\n## "):
        raise SystemExit(f"docs/howto/python-gallery.md: {len(sections)} examples of {page.count(chr(10) + '## ')} sections")


def python_reference():
    """Each public name of the package, estimators on a page of their own."""
    import meshbayes
    estimators = list(meshbayes._ESTIMATORS)
    others = [name for name in meshbayes.__all__ if name not in estimators and name != "__version__"]

    def entries(names):
        text = ""
        for name in sorted(names, key=str.lower):
            of = getattr(meshbayes, name)
            kind = "autoclass" if isinstance(of, type) else "autofunction"
            members = kind == "autoclass" and not hasattr(of, "_fields")  # a named tuple's text has its fields
            text += f".. {kind}:: meshbayes.{name}\n" + ("   :members:\n" if members else "") + "\n"
        return text
    write("reference/python.rst", title("Python") + "How to use them: :doc:`/docs/howto/python`. Estimators of scikit-learn's "
          "kind: :doc:`python-estimators`.\n\n.. py:module:: meshbayes\n\n" + entries(others))
    write("reference/python-estimators.rst", title("Python: estimators") + ".. py:currentmodule:: meshbayes\n\n" + entries(estimators))


def c_reference():
    """A page a header."""
    headers = {"meshbayes": "C: meshbayes.h, for programs", "bind": "C: bind.h, for bindings of other languages",
               "extend": "C: extend.h, for models, families, algorithms and transports", "mpi": "C: mpi.h, for programs under MPI"}
    for header, words in headers.items():
        write(f"reference/c-{header}.rst", f".. _{header}_8h:\n\n" + title(words) + f".. doxygenfile:: meshbayes/{header}.h\n   :project: meshbayes\n")
    if {file.stem for file in (top / "include" / "meshbayes").glob("*.h")} != set(headers):
        raise SystemExit("include/meshbayes has a header that the site lacks")
    return [f"reference/c-{header}" for header in headers]


def r_reference():
    """Its pages of help, as R converts them, and its vignette, which R runs."""
    pages = []
    for file in sorted((top / "r" / "meshbayes" / "man").glob("*.Rd")):
        body = subprocess.run(["Rscript", "--vanilla", "-e", f'tools::Rd2HTML("{file}")'],
                              check=True, capture_output=True, text=True).stdout
        body = re.search(r"<h2[^>]*>(.*?)</h2>(.*)</div>\s*</body>", body, re.S)
        pages.append((file.stem, html.unescape(re.sub("<.*?>", "", body[1])), body[2]))
    alias = {name: stem for stem, _, _ in pages
             for name in re.findall(r"\\alias\{(.*?)\}", (top / "r" / "meshbayes" / "man" / f"{stem}.Rd").read_text())}

    def link(found):
        to = alias.get(found[1])
        return f'<a href="{to}.html">{found[2]}</a>' if to else found[2]
    for stem, words, body in pages:
        body = re.sub(r'<a href="[^"]*?([^/"]+)\.html">(.*?)</a>', link, body, flags=re.S)
        write(f"reference/r/{stem}.rst", title(f"R: {words}") + raw(body))
    return [f"reference/r/{stem}" for stem, _, _ in pages]


def vignette():
    """What R says of its code today."""
    file, out = top / "r" / "meshbayes" / "vignettes" / "meshbayes.Rmd", source / "reference" / "r"
    subprocess.run(["Rscript", "--vanilla", "-e", f'knitr::knit("{file}", "vignette.md", quiet = TRUE)'], check=True, cwd=out, capture_output=True)
    text = (out / "vignette.md").read_text()
    head = re.match(r"---\n.*?^title: \"(.*?)\".*?^---\n", text, re.M | re.S)
    (out / "vignette.md").write_text(f"# R: {head[1]}\n{text[head.end():]}")


def commands():
    """The manual pages, which have every option of every command."""
    for name in ("meshbayes", "meshbayes-node"):
        body = subprocess.run(["pandoc", "-f", "man", "-t", "rst", "--wrap=none", top / "docs" / "man" / f"{name}.1"],
                              check=True, capture_output=True, text=True).stdout
        # pandoc takes a star for the beginning of italics, and leaves out the blank behind an option.
        body = re.sub(r"^(\*\*-.*?\*\*)\\ \*", r"\1 *", body.replace("(*:", r"(\*:"), flags=re.M)
        write(f"reference/{name}.rst", title(f"The program {name}").replace("=", "#") + body)


def decisions():
    """The list of the decisions, by the first line of each."""
    names = sorted(file.stem for file in (top / "docs" / "adr").glob("*.md"))
    write("decisions.rst", title("Decisions") + "One page each: context, decision, consequences.\n\n" +
          toctree([f"docs/adr/{name}" for name in names], "maxdepth: 1"))


def browser():
    """The network in the browser, where it was built: one file, beside the pages."""
    shutil.rmtree(build / "extra", ignore_errors=True)
    (build / "extra").mkdir(parents=True)
    page = top / "build" / "wasm" / "meshbayes.html"
    if page.exists():
        shutil.copy(page, build / "extra" / "live.html")
        return raw('<iframe class="live" src="live.html" title="A network of nodes, live in this page" loading="lazy"></iframe>\n'
                   '<p><a href="live.html">The same, on a page of its own</a></p>')
    return "A network of nodes, live in this page, stands here when ``script/wasm`` has built it (``build/wasm/meshbayes.html``).\n\n"


def main():
    links()
    gallery()
    python_reference()
    c_pages, r_pages = c_reference(), r_reference()
    vignette()
    commands()
    decisions()
    front = (top / "docs" / "site" / "front.rst").read_text()
    parts = {"LIVE": browser(), "C": "\n   ".join(c_pages), "R": "\n   ".join(r_pages)}
    write("index.rst", re.sub(r"^( *)@(\w+)@\n", lambda m: m[1] + parts[m[2]] + "\n", front, flags=re.M))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Checks that DIR/report.html is well formed, whole and self-contained, and its figures sound.
usage: check_page.py DIR [--figures=N] [--without=ID,..] [TEXT ...]
N figures are drawn, the page has these sections and no others, in their order, and every TEXT."""

import glob
import os
import re
import sys
import xml.etree.ElementTree as xml
from html.parser import HTMLParser

import crowded

VOID = {"meta", "br", "img", "link", "hr", "input", "wbr"}
SECTIONS = ["answer", "verdict", "kl-cvb", "kl-truth", "bound", "agreement", "network", "contours",
            "cost", "algorithms", "settings", "words"]
SVG = "{http://www.w3.org/2000/svg}"


class Page(HTMLParser):
    """Collects ids, references and drawings; complains about tags that do not nest."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.refs, self.problems, self.drawings = [], [], [], [], 0

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.drawings += tag == "svg"
        if tag in ("script", "link", "img", "iframe", "object", "embed"):
            self.problems.append(f"<{tag}> is in the page")
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            if name in ("href", "xlink:href", "src"):
                if not value.startswith("#"):
                    self.problems.append(f"{name}={value} leaves the page")
                self.refs.append(value[1:])
            if name.startswith("on"):
                self.problems.append(f"a script in {name}")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> at {self.getpos()} closes nothing")


def page_problems(text, wanted, without):
    page = Page()
    page.feed(text)
    page.close()
    problems = page.problems
    if page.open:
        problems.append(f"never closed: {page.open}")
    problems += [f"id {i} twice" for i in set(page.ids) if page.ids.count(i) > 1]
    problems += [f"reference to #{r}, which is nowhere" for r in set(page.refs) - set(page.ids)]
    sections = re.findall(r'<section(?: class="[^"]*")? id="([^"]*)"', text)
    expected = [s for s in SECTIONS if s not in without]
    if [s for s in sections if s != "warnings"] != expected:
        problems.append(f"sections {sections}, expected {expected}")
    if re.search(r'[>"](/[a-z]+){2,}/[^<"]*', text):
        problems.append("a path of this disk")
    if re.search(r"https?:|@import|url\((?!#)", text):
        problems.append("an address outside the page")
    for what in ("nan", "inf", "(null)"):
        if re.search(rf">\s*-?{re.escape(what)}\s*<", text):
            problems.append(f"the page prints {what}")
    if wanted is not None and page.drawings != wanted:
        problems.append(f"{page.drawings} figures, expected {wanted}")
    return problems, page.drawings


def main(folder, *words):
    wanted = None
    if words and words[0].startswith("--figures="):
        wanted, words = int(words[0].split("=")[1]), words[1:]
    without = []
    if words and words[0].startswith("--without="):
        without, words = words[0].split("=")[1].split(","), words[1:]
    with open(os.path.join(folder, "report.html"), encoding="utf-8") as page:
        text = page.read()
    problems, drawings = page_problems(text, wanted, without)
    problems += [f"\"{word}\" is not in the page" for word in words if word not in text]
    files = glob.glob(os.path.join(folder, "figures", "*.svg"))
    if len(files) < drawings:
        problems.append(f"{len(files)} files in figures/, {drawings} figures in the page")
    for file in files:
        root = xml.parse(file).getroot()
        if root.tag != SVG + "svg" or "viewBox" not in root.attrib or not root.findall(f".//{SVG}path"):
            problems.append(f"{file}: no drawing")
        problems += crowded.problems(file)
    for problem in problems:
        print(f"  {problem}", file=sys.stderr)
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

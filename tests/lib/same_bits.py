#!/usr/bin/env python3
"""same_bits.py FOLDER FOLDER: compares every number of two output folders to the bit.

Files *.json, *.csv, *.npy, *.npz, the table cells of *.html and the words of *.txt that are
numbers. Texts, `seconds`, file names and pictures are aside; a file that one folder lacks is a
difference. Prints how many numbers were compared, or the first that differs and status 1.
same_bits.py --self-test plants differences of each kind and asks for them.
"""
import csv
import html.parser
import io
import json
import math
import os
import struct
import sys
import tempfile
import zipfile

import numpy as np


class Seconds:
    """Stands for a number that may differ."""


def number(text):
    """What a word says as a number: exact, so that 1 and 1.0 are the same but 1e-17 counts."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return None


def bits(value):
    if isinstance(value, int) and abs(value) > 2**53:
        return value
    value = float(value)
    return "nan" if math.isnan(value) else struct.pack("<d", value)


def of_json(data):
    def walk(value, path):
        if isinstance(value, dict):
            for key in sorted(value):
                if "seconds" not in key:
                    yield from walk(value[key], path + "." + key)
        elif isinstance(value, list):
            for k, entry in enumerate(value):
                yield from walk(entry, "%s[%d]" % (path, k))
        elif isinstance(value, (int, float)) or value is None:
            yield path, "null" if value is None else bits(value), value

    value = json.loads(data)
    if isinstance(value, dict):
        value.pop("files", None)  # sizes and check sums of files: also of their texts
    return walk(value, "")


def of_csv(data):
    skip = set()
    for line, cells in enumerate(csv.reader(io.StringIO(data.decode()))):
        if line == 0:
            skip = {k for k, cell in enumerate(cells) if "seconds" in cell}
        if "seconds" in cells:
            continue
        for k, cell in enumerate(cells):
            value = number(cell)
            if value is not None and k not in skip:
                yield "line %d, column %d" % (line + 1, k + 1), bits(value), cell


def of_npy(data):
    array = np.load(io.BytesIO(data), allow_pickle=False)
    yield "the type", array.dtype.str, array.dtype.str
    yield "the shape", array.shape, array.shape
    if array.dtype.kind in "US":
        return
    raw = array.reshape(-1)
    width = raw.dtype.itemsize
    block = raw.tobytes()
    for k in range(raw.size):
        yield "entry %d" % k, block[k * width : (k + 1) * width], raw[k]


def of_npz(data):
    with zipfile.ZipFile(io.BytesIO(data)) as members:
        for name in sorted(members.namelist()):
            for where, value, shown in of_npy(members.read(name)):
                yield "%s: %s" % (name, where), value, shown


def of_text(data):
    timed = False
    for line, words in enumerate(row.split() for row in data.decode().splitlines()):
        if not words:
            timed = False
        elif words[-1] == "seconds":
            timed = True
        elif timed:
            words = words[:-1]
        if '"seconds":' in words:
            continue
        words = [word.strip(",;:()%") for word in words]
        for word, after in zip(words, words[1:] + [""]):
            value = number(word)
            if value is not None and after != "s":
                yield "line %d" % (line + 1), bits(value), word


class Tables(html.parser.HTMLParser):
    """The cells of the tables of a page, without those below a head that says seconds."""

    def __init__(self):
        super().__init__()
        self.cells, self.heads, self.text, self.column = [], [], None, 0

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.heads = []
        elif tag == "tr":
            self.column = 0
        elif tag in ("td", "th"):
            self.text = ""

    def handle_data(self, data):
        if self.text is not None:
            self.text += data

    def handle_endtag(self, tag):
        if tag == "th" and self.column == len(self.heads):
            self.heads.append(self.text)
        if tag == "td":
            head = self.heads[self.column] if self.column < len(self.heads) else ""
            if head != "seconds":
                self.cells.append(self.text)
        if tag in ("td", "th"):
            self.column += 1
            self.text = None


def of_html(data):
    page = Tables()
    page.feed(data.decode())
    numbers = 0  # cells with texts may come and go
    for cell in page.cells:
        value = number(cell.replace("\u2212", "-").strip())
        if value is not None:
            numbers += 1
            yield "number %d of the tables (%s)" % (numbers, cell), bits(value), cell


READERS = {".json": of_json, ".csv": of_csv, ".npy": of_npy, ".npz": of_npz, ".txt": of_text, ".html": of_html}


def files(folder):
    found = {}
    for where, _, names in os.walk(folder):
        for name in names:
            if os.path.splitext(name)[1] in READERS:
                path = os.path.join(where, name)
                found[os.path.relpath(path, folder)] = path
    return found


def compare(one, other):
    """How many numbers are the same, and the first that is not (or None)."""
    left, right = files(one), files(other)
    count = 0
    for name in sorted(set(left) | set(right)):
        if name not in left or name not in right:
            return count, "%s: only in %s" % (name, one if name in left else other)
        reader = READERS[os.path.splitext(name)[1]]
        with open(left[name], "rb") as a, open(right[name], "rb") as b:
            first, second = reader(a.read()), reader(b.read())
        for left_entry in first:
            right_entry = next(second, None)
            if right_entry is None:
                return count, "%s: %s: %s, and nothing" % (name, left_entry[0], left_entry[2])
            if left_entry[:2] != right_entry[:2]:
                return count, "%s: %s: %s, and %s: %s" % (name, left_entry[0], left_entry[2], right_entry[0], right_entry[2])
            count += 1
        more = next(second, None)
        if more is not None:
            return count, "%s: nothing, and %s: %s" % (name, more[0], more[2])
    return count, None


def self_test():
    def write(folder, name, data):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)

    def array(values):
        data = io.BytesIO()
        np.save(data, np.array(values))
        return data.getvalue()

    def packed(values):
        data = io.BytesIO()
        np.savez(data, a=np.array(values))
        return data.getvalue()

    near = float(np.nextafter(1.5, 2))
    same = [
        ("a.json", b'{"x": 1.5, "seconds": 3, "w": "up"}', b'{"seconds": 4, "x": 1.50, "w": "down"}'),
        ("a.csv", b"name,x,seconds\nup,1.5,3\n", b"word,x,seconds\ndown,1.50,4\n"),
        ("a.txt", b'{\n"x": 1,\n"seconds": 3\n', b'{\n"y": 1,\n"seconds": 4\n'),
        ("a.txt", b"7 rounds in 0.01 s: settled", b"7 steps in 0.03 s: settled"),
        ("a.txt", b"x 1.5 seconds\nedge 7 0.13\n", b"y 1.5 seconds\nedge 7 0.14\n"),
        ("a.html", b"<table><tr><th>x</th><th>seconds</th></tr><tr><td>1.5</td><td>2</td></tr></table>",
         b"<table><tr><th>y</th><th>seconds</th></tr><tr><td>1.5</td><td>3</td></tr></table>"),
    ]
    different = [
        ("b.json", b'{"x": [1.5]}', b'{"x": [%r]}' % near),
        ("b.json", b'{"x": 1}', b'{"y": 1}'),
        ("b.json", b'{"x": null}', b'{"x": 0}'),
        ("b.csv", b"x\n1.5\n", b"x\n%r\n" % near),
        ("b.csv", b"x\n1\n", b"x\n1\n1\n"),
        ("b.csv", b"x\n0\n", b"x\n-0.0\n"),
        ("b.npy", array([1.0, 1.5]), array([1.0, near])),
        ("b.npy", array([1.0, 1.5]), array([[1.0, 1.5]])),
        ("b.npz", packed([1.5]), packed([near])),
        ("b.txt", b"edge 94.8 %\n", b"edge 94.9 %\n"),
        ("b.html", b"<table><tr><td>1.5</td></tr></table>", b"<table><tr><td>1.6</td></tr></table>"),
        ("b.npy", array([1.0]), None),
    ]
    failed = 0
    for name, one, other in same + different:
        with tempfile.TemporaryDirectory() as left, tempfile.TemporaryDirectory() as right:
            write(left, name, one)
            if other is not None:
                write(right, name, other)
            found = compare(left, right)[1]
            if (found is not None) != name.startswith("b"):
                print("%s: %r and %r: %s" % (name, one, other, found))
                failed += 1
    print("%d passed, %d failed" % (len(same + different) - failed, failed))
    return 1 if failed else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    count, difference = compare(sys.argv[1], sys.argv[2])
    if difference:
        print(difference)
        return 1
    print("%d numbers" % count)
    return 0 if count else 1


if __name__ == "__main__":
    sys.exit(main())

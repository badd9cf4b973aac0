#!/usr/bin/env python3
"""docs/figure.py [PROGRAM]: docs/figure.png, the report of the network in README.md with lost messages: its first
sections as a browser shows them, in two columns, without the list of sections and the rows by true class. Needs chromium."""
import collections
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

top = pathlib.Path(__file__).resolve().parent.parent
program = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else top / "build" / "release" / "meshbayes").resolve()
WIDTH, HEIGHT = 1280, 1084
STYLE = ("<style>body{display:grid;grid-template-columns:1fr 1fr}main{margin:0;min-width:0}.lead{margin-bottom:1em}"
         "nav,.panel:nth-child(2),#pairs+figure figcaption{display:none}section h3:first-child{margin-top:0}</style>")


def run(*command):
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def pixels(png):
    """The rows of a PNG of 3 or 4 bytes a pixel, without alpha."""
    size = 4 if png[25] == 6 else 3
    packed, at = b"", 8
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        packed += png[at + 8:at + 8 + length] if kind == b"IDAT" else b""
        at += length + 12
    data, before, rows = zlib.decompress(packed), bytes(WIDTH * size), []
    for start in range(0, len(data), WIDTH * size + 1):
        row, rule = bytearray(data[start + 1:start + 1 + WIDTH * size]), data[start]
        for i in range(len(row)):
            a, b, c = (row[i - size], before[i], before[i - size]) if i >= size else (0, before[i], 0)
            paeth = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            row[i] = (row[i] + (0, a, b, (a + b) // 2, paeth)[rule]) & 255
        before = row
        rows.append([bytes(row[i:i + 3]) for i in range(0, len(row), size)])
    return rows


def with_palette(rows):
    """A PNG of one byte a pixel: the 200 most frequent colours, and the nearest of them for every other."""
    count = collections.Counter(colour for row in rows for colour in row)
    colours = [colour for colour, _ in count.most_common(200)]
    nearest = {colour: min(range(len(colours)), key=lambda i: sum((x - y) ** 2 for x, y in zip(colours[i], colour)))
               for colour in count}
    body = b"".join(b"\0" + bytes(nearest[colour] for colour in row) for row in rows)
    parts = [(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 3, 0, 0, 0)), (b"PLTE", b"".join(colours)),
             (b"IDAT", zlib.compress(body, 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content)) for kind, content in parts)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    run(program, *"data synthetic --nodes 20 --rows 60 --seed 1 --out rows.csv".split())
    run(program, *"graph generate --topology geometric:n=20,side=2.4,radius=0.9 --seed 1 --out links.csv".split())
    run(program, *("sim --data rows.csv --node-column node --label-column label --network links.csv --n-components 3 "
                   "--algorithm cvb,edge --loss 0.3 --metrics all --seed 1 --out result").split())
    page = (folder / "result" / "report.html").read_text(encoding="utf-8")
    answer, rest = page.split('<h3 id="pairs">', 1)
    data = rest.split("<h3>What the network revealed</h3>", 1)[0]
    (folder / "page.html").write_text(
        f'{answer.replace("</head>", STYLE + "</head>")}</section></main><main><section><h3 id="pairs">{data}</section></main></body></html>',
        encoding="utf-8")
    run("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={WIDTH},{HEIGHT}",
        f"--screenshot={folder}/page.png", f"file://{folder}/page.html")
    (top / "docs" / "figure.png").write_bytes(with_palette(pixels((folder / "page.png").read_bytes())))

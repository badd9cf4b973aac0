#!/usr/bin/env python3
"""Names texts of gnuplot's SVG files that cover one another or leave the picture.
usage: crowded.py FILE.svg ..; exits 1 if there are any. Widths are those of DejaVu Sans, to 5 %."""

import re
import sys
import xml.etree.ElementTree as xml

SVG = "{http://www.w3.org/2000/svg}"
NARROW, WIDE = "iljftI1.,:;'|!()[] -", "mwMW%@"
GAP = 4  # texts on one line stand this far apart, of a picture 400 wide


def width(text, size):
    return size * sum(0.38 if c in NARROW and not c.isdigit() else 0.95 if c in WIDE else 0.61 for c in text)


def texts(group):
    """(text, width) of a <g>: raised digits are smaller."""
    spans = [(s.text or "", float(s.get("font-size", "nan"))) for s in group.iter(SVG + "tspan")]
    size = float(group.get("font-size"))
    return "".join(t for t, _ in spans), sum(width(t, s if s == s else size) for t, s in spans)


def boxes(root):
    for group in root.iter(SVG + "g"):
        place = re.match(r"translate\(([-\d.]+),([-\d.]+)\)( rotate\(-?\d+)?", group.get("transform", ""))
        if not place or group.get("font-size") is None:
            continue
        text, wide = texts(group)
        if not text.strip():
            continue
        x, y, size = float(place[1]), float(place[2]), float(group.get("font-size"))
        start = {"start": 0, "middle": -wide / 2, "end": -wide}[group.get("text-anchor", "start")]
        if place[3]:  # upwards
            yield text, (x - 0.75 * size, y - start - wide, x + 0.2 * size, y - start)
        else:
            yield text, (x + start, y - 0.75 * size, x + start + wide, y + 0.2 * size)


def problems(path):
    root = xml.parse(path).getroot()
    _, _, right, bottom = map(float, root.get("viewBox").split())
    found, seen = [], []
    for text, box in boxes(root):
        if box[0] < -3 or box[1] < -3 or box[2] > right + 3 or box[3] > bottom + 3:
            found.append(f"{path}: \"{text}\" leaves the picture")
        for other, b in seen:
            if min(box[2], b[2]) - max(box[0], b[0]) > -GAP and min(box[3], b[3]) - max(box[1], b[1]) > 2:
                found.append(f"{path}: \"{text}\" covers \"{other}\"")
        seen.append((text, box))
    return found


if __name__ == "__main__":
    FOUND = [p for path in sys.argv[1:] for p in problems(path)]
    print(*FOUND, sep="\n", end="\n" if FOUND else "")
    sys.exit(bool(FOUND))

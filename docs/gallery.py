#!/usr/bin/env python3
"""docs/gallery.py LIBRARY [FOLDER]: the pictures of docs/howto/python-gallery.md, by the lines above each of them, where the
page has them or in FOLDER. LIBRARY: libmeshbayes.so. Needs matplotlib and scikit-learn."""
import os
import pathlib
import re
import sys

docs = pathlib.Path(__file__).resolve().parent
page = docs / "howto" / "python-gallery.md"
os.environ["MESHBAYES_LIBRARY"] = os.path.abspath(sys.argv[1])
os.environ["MPLBACKEND"] = "Agg"
sys.path.insert(0, str(docs.parent / "python" / "src"))

from matplotlib import pyplot  # noqa: E402  after the path

LOOKS = {"figure.figsize": (5, 3), "figure.dpi": 80, "font.size": 9, "axes.spines.top": False, "axes.spines.right": False}
for code, picture in re.findall(r"^```python\n(.*?)^```\n.*?^!\[.*?\]\((.*?)\)$", page.read_text(), re.M | re.S):
    file = pathlib.Path(sys.argv[2]) / os.path.basename(picture) if len(sys.argv) > 2 else page.parent / picture
    file.parent.mkdir(exist_ok=True)
    with pyplot.rc_context(LOOKS):
        exec(compile(code, str(file), "exec"), {})
        pyplot.savefig(file, bbox_inches="tight", metadata={"Software": None})
        pyplot.close("all")

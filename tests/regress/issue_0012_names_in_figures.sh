#!/usr/bin/env bash
# issue_0012_names_in_figures.sh PROGRAM: node ids, labels and column names stand in the figures and on the
# page as they are, whatever they are: 's-Hertogenbosch is a city.
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

# Rows, links and, in names.json, the texts that figures must show, a control character as a blank.
/usr/bin/python3 - <<'END'
import csv, json, random
random.seed(1)
ids = ["'s-Hertogenbosch", "a'b'c", "'", "''", "back\\slash\\n\\101", "\\", "`touch owned`", '"hi" it\'s', "new\nline",
       "{/=60 big} ^up_down", "@at &amp; &~x{y} ~til", "<b>&lt;</b>", "%s $HOME #0", "é~{ü}", "=cmd|' /C'!A0", "a,b", "EOD",
       "'1{2}\\3"]
columns = ["x'1{^2}_a `touch owned`", 'y"\\n\t&~<@']
labels = ["it's{^up_}\"\\1", "l`touch owned`"]  # of 14 characters at most, which a key shows whole
with open("rows.csv", "w", newline="", encoding="utf-8") as f:
    rows = csv.writer(f, lineterminator="\n")
    rows.writerow(columns + ["site", "kind"])
    for id in ids:
        for j in range(12):
            c = j % 2
            rows.writerow(["%.4f" % random.gauss(4 * c, 1), "%.4f" % random.gauss(-4 * c, 1), id, labels[c]])
with open("links.csv", "w", newline="", encoding="utf-8") as f:
    rows = csv.writer(f, lineterminator="\n")
    rows.writerow(["i", "j"])
    rows.writerows([id, ids[i - 1]] for i, id in enumerate(ids))
# Two columns of nodes, so that every name has room: long ones beside short ones.
by_length = sorted(ids, key=len)
with open("places.csv", "w", newline="", encoding="utf-8") as f:
    rows = csv.writer(f, lineterminator="\n")
    rows.writerow(["node", "x", "y"])
    for k, (short, long) in enumerate(zip(by_length, reversed(by_length[len(ids) // 2:]))):
        rows.writerow([short, 0, k])
        rows.writerow([long, 8, k])
blank = [t.replace("\n", " ").replace("\t", " ") for t in ids + columns + labels]
json.dump({"network-edge": blank[:len(ids)], "data-labels": blank[len(ids):],
           "contours-edge": blank[len(ids):-2]}, open("names.json", "w"))
END
folder="o'u\`t {1}_2"
hostile() {
    "$program" sim --data rows.csv --node-column site --label-column kind --network links.csv --positions places.csv --rounds 30 --algorithm edge \
        --out "$folder" 2>err.txt
}
claim "a network of hostile names runs, into a folder of such a name" hostile
claim "without a complaint but for its verdict" refuted grep -v "edge: moving" err.txt
mv "$folder" out
if ! command -v gnuplot >/dev/null; then
    echo "gnuplot is needed"
    exit 1
fi
shown() { # shown FIGURE: its file is XML and has each of these texts
    /usr/bin/python3 - "$1" <<'END'
import json, sys, xml.etree.ElementTree as tree
svg = tree.parse(f"out/figures/{sys.argv[1]}.svg")
texts = ["".join(t.itertext()).split() for t in svg.iter("{http://www.w3.org/2000/svg}text")]
for want in json.load(open("names.json"))[sys.argv[1]]:
    if want.split() not in texts:
        sys.exit(f"{want!r} is not among {texts}")
END
}
for figure in network-edge data-labels contours-edge; do
    claim "the names in $figure" shown "$figure"
done
claim "the page is UTF-8" iconv -f UTF-8 -t UTF-8 out/report.html
claim "and has the column's name" grep -qF "x'1{^2}_a \`touch owned\`" out/report.html
claim "no name was a command" test -z "$(find . -name 'owned*')"
claim "ids are in the files as they are" grep -qxE "'s-Hertogenbosch,.*" out/network.csv
finish

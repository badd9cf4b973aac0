#!/usr/bin/env bash
# issue_0012_one_run_a_folder.sh PROGRAM: the files of an output folder are of one run, or the folder
# says that they are not: a list in summary.json, one writer at a time, nothing left of killed ones.
# shellcheck disable=SC2054 # commas belong to options
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

two_clusters 6 20
sim() {
    "$program" sim --data rows.csv --node-column site --label-column kind --network links.csv --rounds 20 --tol 0 \
        --metrics all --algorithm cvb,edge "$@" >/dev/null
}

list_agrees() {
    /usr/bin/python3 - "$1" <<'END'
import json, os, sys, zlib
folder = sys.argv[1]
listed = json.load(open(folder + "/summary.json"))["files"]
for name, entry in listed.items():
    content = open(f"{folder}/{name}", "rb").read()
    assert entry == {"bytes": len(content), "crc32": f"{zlib.crc32(content):08x}"}, name
left = set(os.listdir(folder)) - set(listed) - {"summary.json", "report.html", "figures", ".lock"}
assert not left, left
END
}
sim --out a
claim "summary.json lists every file with its size and CRC-32" list_agrees a
sim --out a/ --trace a/mine.csv --dump-phi a/phi.npy
claim "those that options name, too" list_agrees a
claim "and report takes the folder" "$program" report a

refuses() { # refuses FILE WORDS: status 1, one line that names both, no new page
    rm -f b/report.html
    says "b/$1: $2" "$program" report b && status_is 1 "$program" report b >/dev/null 2>&1 &&
        [ "$(wc -l <said.txt)" -eq 1 ] && [ ! -e b/report.html ]
}
changed() { # changed COMMAND..: of a fresh copy
    rm -rf b
    cp -r a b
    "$@"
}
changed rm b/nodes.csv
claim "a listed file that is missing is named" refuses nodes.csv "is missing, but summary.json lists it"
sim --out c --seed 4 --dump-phi c/phi.npy --trace c/mine.csv
changed cp c/posterior-edge.json b/posterior-edge.json
truncate -s "$(stat -c %s a/posterior-edge.json)" b/posterior-edge.json
cmp -s a/posterior-edge.json b/posterior-edge.json && echo "the two runs are the same"
claim "one of another run with the same size" refuses posterior-edge.json "has the CRC-32 .*, but summary.json says"
changed cp rows.csv b/edges.csv
claim "one of another size" refuses edges.csv "has [0-9]* bytes, but summary.json says"
changed rm b/summary.json
claim "a folder without a summary" refuses summary.json "not found: the run into this folder did not end"
without_list() {
    /usr/bin/python3 -c "import json; s = json.load(open('b/summary.json')); s.pop('files', 0); json.dump(s, open('b/summary.json', 'w'))"
}
changed without_list
claim "one without a list, of an older version, is taken as it is" "$program" report b
claim "and the page says so" grep -q "has no list of its files" b/report.html

# A run that can not write its files to the end: nothing says that the folder is of the old one.
changed rm b/posteriors-edge.npy
mkdir b/posteriors-edge.npy
claim "a run whose files can not be written fails" status_is 1 sim --out b --seed 9 2>/dev/null
claim "and its folder is refused" refuses summary.json "not found: the run"
claim "no page of the old run is left" test ! -e b/report.html
claim "nor a figure" test -z "$(find b/figures -name '*.svg')"

# One writer at a time.
busy() { # a run that has its folder until it is killed
    timeout 120 "$program" sim --data rows.csv --node-column site --label-column kind --network links.csv \
        --algorithm edge --tol 0 --rounds 1000000000 --out b >/dev/null 2>&1 &
    busy=$!
    for _ in $(seq 300); do
        pid=$(pgrep -P "$busy") && [ -e b/.lock ] && break
        sleep 0.1
    done
    sleep 0.3
}
rm -rf b
busy
claim "a second writer is refused and told whose folder it is" \
    says "^meshbayes sim: error: b: process $pid is writing into this folder" sim --out b
claim "with status 1" status_is 1 sim --out b 2>/dev/null
claim "report, too" says "^meshbayes report: error: b: process $pid is writing" "$program" report b
touch "b/trace.csv.tmp-$pid"
mkdir b/.report-x1y2z3 "b/.report-$pid-x1y2z3" b/figures
touch b/.report-x1y2z3/figures.gp "b/figures/bound-rounds.svg.tmp-$pid" "p.json.tmp-$pid" b/notes.tmp-mine "q.json.tmp-$pid" "b/x.tmp-$$"
kill -9 "$pid"
wait "$busy" 2>/dev/null || true
claim "a killed run leaves the folder to the next one" sim --out b
claim "which is whole" "$program" report b
claim "and holds nothing that the killed one had begun" \
    test "$(find b -name '.report-*' -o -name '*.tmp-*' | sort | tr '\n' ' ')" = "b/notes.tmp-mine b/x.tmp-$$ "
"$program" fit --data rows.csv --label-column kind --n-components 2 --out p.json >/dev/null
claim "a file's own temporaries go as well" test ! -e "p.json.tmp-$pid"
claim "and no other's" test -e "q.json.tmp-$pid"
finish

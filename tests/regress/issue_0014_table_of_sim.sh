#!/bin/bash
# The table that `sim` prints is at most 100 columns wide, in a terminal and in a pipe, shows a
# divergence below rounding as 0, and says how many initialisations agree and when an answer has not
# settled.
# usage: issue_0014_table_of_sim.sh PROGRAM
# shellcheck disable=SC2317
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

two_clusters 6 60
sim() {
    "$program" sim --data rows.csv --node-column site --label-column kind --network links.csv \
        --n-components 2 "$@" 2>/dev/null
}
within() { awk -v most="$1" 'length > most { print; bad = 1 } END { exit bad }' "$2"; }
# column NAME FILE: the cells of edge's line below this heading, which ends where they end.
column() {
    awk -v name="$1" '/ rounds verdict / { end = index($0, name) + length(name) - 1; at = index($0, name) }
        /^edge/ && end { print substr($0, at, length(name)); exit }' "$2" | tr -d ' '
}

sim --algorithm cvb,noncoop,dsvb,edge,average,flow --metrics all --rounds 3000 --n-init 3 >all.txt
claim "all metrics fit into 100 columns" within 100 all.txt
claim "the first columns are in the known order" \
    grep -q '^ *rounds verdict  *lower bound  *apart  *moved KL to cVB KL to true accuracy ' all.txt
claim "a divergence below rounding is 0" test "$(column 'KL to cVB' all.txt)" = 0.0e+00
# shellcheck disable=SC2016 # fields of awk
claim "one above it is not" awk '/^noncoop/ { exit !($7 > 1e-6) }' all.txt
claim "sim says how many of its initialisations agree" \
    grep -Eq '^[1-3] of 3 initialisations reached this bound' all.txt
sim --algorithm edge --rounds 20 >few.txt
claim "few columns leave room for all" grep -q ' events outside MB sent seconds$' few.txt
claim "one initialisation is not counted" refuted grep -q 'initialisations reached' few.txt

"$program" data synthetic --nodes 8 --rows 60 --seed 1 --out eight.csv >/dev/null
keep() { "${@:2}" >"$1"; } # keep FILE COMMAND ..
in_terminal() { # in_terminal WIDTH OPTION ..: through a terminal of this width, or 0: a pipe
    /usr/bin/python3 - "$program" "$@" <<'END'
import fcntl, os, pty, struct, subprocess, sys, termios
program, width, options = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
words = [program, "sim", "--data", "eight.csv", "--node-column", "node", "--label-column", "label", "--topology", "ring:n=8",
         "--n-components", "3", "--algorithm", "cvb,edge,tree", "--metrics", "all"] + options
if not width:
    sys.exit(subprocess.run(words, stderr=subprocess.DEVNULL).returncode)
own, end = pty.openpty()
fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
run = subprocess.Popen(words, stdout=end, stderr=subprocess.DEVNULL)
os.close(end)
said = b""
while True:
    try:
        part = os.read(own, 65536)
    except OSError:  # the other end is closed
        break
    if not part:
        break
    said += part
sys.stdout.write(said.decode().replace("\r\n", "\n"))
sys.exit(run.wait())
END
}
claim "a run in a terminal" keep narrow.txt in_terminal 100
claim "no line is longer than 100 characters" test "$(LC_ALL=C.UTF-8 awk 'length > 100' narrow.txt | wc -l)" = 0
claim "every algorithm has a line" test "$(grep -c '^edge ' narrow.txt)" = 1
claim "a run in a narrower one" keep eighty.txt in_terminal 80
claim "has no line of more than 80 characters" test "$(LC_ALL=C.UTF-8 awk 'length > 80' eighty.txt | wc -l)" = 0
claim "and the columns that matter" grep -qE '^ +rounds verdict .* apart .* KL to cVB .* accuracy' eighty.txt
claim "a run into a pipe" keep wide.txt in_terminal 0
claim "is one table" test "$(grep -c '^edge ' wide.txt)" = 1
claim "with the columns that matter" grep -qE '^ +rounds verdict .* apart .* KL to cVB .* accuracy' wide.txt
claim "the KL of a settled run is 0" grep -qE '^tree +[0-9]+ settled +-[0-9.]+ +[0-9.e-]+ +[0-9.e-]+ +0.0e\+00 ' wide.txt
claim "a settled answer has no warning" refuted grep -q "not settled" wide.txt
claim "a run of few rounds" keep short.txt in_terminal 0 --rounds 5
claim "says that its answer has not settled" grep -q "moving: this answer has not settled" short.txt
finish

#!/usr/bin/env bash
# issue_0014_table_fits_terminal.sh PROGRAM: what sim prints fits a terminal of 100 columns, and a pipe gets the
# same table; divergences below rounding are 0; an answer that has not settled says so.
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

"$program" data synthetic --nodes 8 --rows 60 --seed 1 --out rows.csv >/dev/null
keep() { "${@:2}" >"$1"; } # keep FILE COMMAND ..
sim() { # sim WIDTH OPTION ..: through a terminal of this width, or 0: a pipe
    /usr/bin/python3 - "$program" "$@" <<'END'
import fcntl, os, pty, struct, subprocess, sys, termios
program, width, options = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
words = [program, "sim", "--data", "rows.csv", "--node-column", "node", "--label-column", "label", "--topology", "ring:n=8",
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
claim "a run in a terminal" keep narrow.txt sim 100
claim "no line is longer than 100 characters" test "$(LC_ALL=C.UTF-8 awk 'length > 100' narrow.txt | wc -l)" = 0
claim "every algorithm has a line" test "$(grep -c '^edge ' narrow.txt)" = 1
claim "a run in a narrower one" keep eighty.txt sim 80
claim "has no line of more than 80 characters" test "$(LC_ALL=C.UTF-8 awk 'length > 80' eighty.txt | wc -l)" = 0
claim "and the columns that matter" grep -qE '^ +rounds verdict .* apart .* KL to cVB .* accuracy' eighty.txt
claim "a run into a pipe" keep wide.txt sim 0
claim "is one table" test "$(grep -c '^edge ' wide.txt)" = 1
claim "with the columns that matter" grep -qE '^ +rounds verdict .* apart .* KL to cVB .* accuracy' wide.txt
claim "the KL of a settled run is 0" grep -qE '^tree +[0-9]+ settled +-[0-9.]+ +[0-9.e-]+ +[0-9.e-]+ +0.0e\+00 ' wide.txt
claim "a settled answer has no warning" refuted grep -q "not settled" wide.txt
claim "a run of few rounds" keep few.txt sim 0 --rounds 5
claim "says that its answer has not settled" grep -q "moving: this answer has not settled" few.txt
finish

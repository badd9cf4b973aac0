#!/bin/bash
# Help lines were cut for 96 columns in a terminal of 80, metrics and defaults for none.
# usage: issue_0014_help_fits_terminal.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

# help WIDTH WORD: through a terminal of this width
help() {
    /usr/bin/python3 - "$program" "$@" <<'END'
import fcntl, os, pty, struct, subprocess, sys, termios
program, width, word = sys.argv[1], int(sys.argv[2]), sys.argv[3]
own, end = pty.openpty()
fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
run = subprocess.Popen([program, "help", word], stdout=end, stderr=subprocess.DEVNULL)
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
# Names of options with their values, titles of algorithms and examples stay in one piece.
long() { grep -vE '^  ?[- ]|^--|\\$' "$2" | LC_ALL=C.UTF-8 awk -v most="$1" 'length > most'; }
for word in sim fit edge cvb empirical; do
    help 80 "$word" >eighty.txt
    "$program" help "$word" >piped.txt
    claim "help $word is wrapped at 80 columns of a terminal" test -z "$(long 80 eighty.txt)"
    claim "and at 96 in a file" test -z "$(long 96 piped.txt)"
    claim "with the same words" cmp <(tr -s ' \n' '\n' <eighty.txt) <(tr -s ' \n' '\n' <piped.txt)
done
claim "values of options too" test -z "$("$program" help sim all | grep -E '^      (default|unit|accepted|scikit-learn): ' | awk 'length > 96')"
claim "metrics too" test -z "$("$program" help sim all | sed -n '/^Metrics/,$p' | awk 'length > 96')"
claim "a file of labels is explained without its neighbour" \
    grep -q 'CSV or NPY of one column: the true class' <("$program" help fit all)
finish

#!/usr/bin/env bash
# issue_0012_signals.sh PROGRAM: SIGINT and SIGTERM end a run after its round with all its files, a file
# that grows too large and a reader that goes away end it in words, and nothing is left half-written.
# shellcheck disable=SC2054 # commas belong to options
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

# after SECONDS SIGNALS COMMAND..: its exit status when it is sent these, one behind the other, after so
# many seconds of processor time (on a busy machine it may not have begun after as many of the clock); a
# shell in the background would have it ignore SIGINT. 128 + n when a signal killed it, as in a shell.
cat >after.py <<'END'
import os, signal, subprocess, sys, time
def used(run):
    with open(f"/proc/{run.pid}/stat") as stat:
        return sum(map(int, stat.read().rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")
def usual():
    signal.signal(signal.SIGINT, signal.SIG_DFL)
with open("said.txt", "w") as said:
    run = subprocess.Popen(sys.argv[3:], stdout=subprocess.DEVNULL, stderr=said, preexec_fn=usual)
    began = time.monotonic()
    while run.poll() is None and used(run) < float(sys.argv[1]) and time.monotonic() < began + 60:
        time.sleep(0.01)
    for number in sys.argv[2].split(","):
        run.send_signal(int(number))
        time.sleep(0.02)
    try:
        status = run.wait(60)
    except subprocess.TimeoutExpired:
        run.kill()
        status = 99
sys.exit(128 - status if status < 0 else status)
END
after() { /usr/bin/python3 after.py "$@"; }

two_clusters 6 40
rows=(--data rows.csv --label-column kind)
net=("${rows[@]}" --node-column site --network links.csv --tol 0)
endless=("$program" sim "${net[@]}" --rounds 1000000000 --metrics bytes --algorithm)

claim "SIGINT ends a run with status 130" status_is 130 after 0.4 2 "${endless[@]}" noncoop --out a
claim "in one line that names the round" grep -qE '^meshbayes sim: warning: noncoop was interrupted by SIGINT after round [0-9]+$' said.txt
claim "with all its files" "$program" report a
claim "a posterior among them" test -s a/posterior.json
rounds() { grep -oE '"rounds": [0-9]+' "$1" | grep -oE '[0-9]+'; }
claim "of the last line of the trace" test "$(rounds a/summary.json)" = "$(tail -n 1 a/trace.csv | cut -d, -f1)"
claim "SIGTERM with 143" status_is 143 after 0.4 15 "${endless[@]}" noncoop,edge --out b
claim "and runs no other algorithm" grep -qE 'after round [0-9]+; not run: edge$' said.txt
claim "of which the summary says nothing" test "$(grep -c '"name": "edge"' b/summary.json)" = 0
claim "the files keep the names they would have" test -s b/posterior-noncoop.json
claim "report takes that folder" "$program" report b
claim "nothing is left of either" test -z "$(find . -name "*.tmp-*" -o -name ".report-*")"
claim "a second signal ends at once" status_is 130 after 0.3 2,2 "${endless[@]}" noncoop --out a
claim "fit ends as sim does" status_is 143 after 0.4 15 "$program" fit "${rows[@]}" --n-components 9 --n-init 1 --tol 0 --rounds 1000000000 --out f.json
claim "with its posterior" test -s f.json
claim "the search for a start leaves nothing" status_is 130 after 0.4 2 "${endless[@]}" noncoop --n-init 2 --out c
claim "and says so" grep -q 'ended by SIGINT before the first round: nothing is written' said.txt
claim "but its folder" test -z "$(ls c)"

# Checkpoints: what goes on from an interruption has the bits of a run that was never interrupted.
kept=("$program" sim "${rows[@]}" --node-column site --network links.csv --rounds 30000 --every 1000 --seed 5
    --algorithm edge --tol 1e-15 --metrics bytes,disagreement --loss 0.2 --delay 2 --dump-at 7,29000)
same() {
    local file
    for file in posterior.json posteriors.npy nodes.csv trace.csv phi.npy; do
        cmp "whole/$file" "parts/$file" || return 1
    done
}
"${kept[@]}" --out whole --dump-phi whole/phi.npy >/dev/null
# The time a session is given grows, so that slow builds get there, too.
goes_on() {
    local status times=0 seconds
    for _ in $(seq 60); do
        status=0
        seconds=$(awk -v part=$RANDOM -v times=$times 'BEGIN { print 0.1 + 0.3 * part / 32768 * 1.2 ^ times }')
        after "$seconds" "$1" "${kept[@]}" --out parts --dump-phi parts/phi.npy --checkpoint kept --resume kept || status=$?
        [ "$status" -ne 0 ] || break
        [ "$status" -eq "$2" ] || { echo "status $status"; cat said.txt; return 1; }
        times=$((times + 1))
    done
    echo "interrupted $times times"
    [ "$times" -ge 1 ] && same
}
claim "an interrupted run goes on with the bits of one that was not" goes_on 2 130
rm -rf kept parts
claim "by SIGTERM, too" goes_on 15 143

# A limit on the size of a file.
limited() { (ulimit -f 1 && "$@"); }
claim "a file that grows too large ends the run in words" says 'error: .*/trace.csv: cannot write: File too large' \
    limited "$program" sim "${net[@]}" --rounds 300 --algorithm edge --metrics all --out d
claim "with status 1" status_is 1 limited "$program" sim "${net[@]}" --rounds 300 --algorithm edge --metrics all --out d
claim "without half a file" test -z "$(ls d)"

# A reader that goes away.
piped() { "$program" data synthetic --nodes 30 --rows 400 --out /dev/stdout 2>said.txt | head -n 1 >/dev/null; }
gone() {
    local status=0
    piped || status=$?
    [ "$status" -eq 141 ] && [ ! -s said.txt ]
}
claim "a reader that goes away ends it without a word, as SIGPIPE does" gone
finish

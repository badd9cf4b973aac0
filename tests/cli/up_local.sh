#!/usr/bin/env bash
# up_local.sh PROGRAM: the nodes of a mesh as processes: the answer, deaths, the end, what is refused.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

two_clusters 5 30
cut -d, -f1-3 rows.csv >table.csv && mv table.csv rows.csv
port=$((7700 + $$ % 270 * 10)) # below are those of tests/daemon and python/tests
up=("$program" up --data rows.csv --node-column site --network links.csv --n-components 2 --base-port "$port")

# The processes of this test: their working folders are below this one.
processes() {
    local p
    for p in /proc/[0-9]*; do
        case $(readlink "$p/cwd" 2>/dev/null) in "$work"/*) echo "${p##*/}" ;; esac
    done
}
none_left() { [ -z "$(processes)" ] || { processes; return 1; }; }
waits_for() { # waits_for COMMAND...: at most 30 s until it succeeds
    local end=$((SECONDS + 30))
    while [ "$SECONDS" -lt "$end" ]; do
        "$@" && return
        sleep .1
    done
    return 1
}

claim "five processes settle: status 0" status_is 0 "${up[@]}" --time 120s --out net
claim "none is left" none_left
claim "one centralised step over all rows moves nothing" below "$(value net/summary.json moved)" 1e-6
claim "all nodes agree" below "$(value net/summary.json disagreement)" 1e-6
every_node() {
    local node
    for node in 1 2 3 4 5; do
        [ "$(value "net/nodes/$node/status.json" verdict)" = settled ] || return 1
        [ "$(stat -c %a "net/nodes/$node/node.key")" = 600 ] || return 1
        [ "$(wc -l <"net/nodes/$node/rows.csv")" -eq 31 ] || return 1
        "$program" compare net/posterior.json "net/nodes/$node/posterior.json" >/dev/null || return 1
    done
}
claim "every node has its key, its rows, its status and its posterior" every_node
claim "the folder of a node has no path to another folder" refuted grep -qE '"(data|key|state|status|genesis)": "(/|\.\.|unix:/)' \
    net/nodes/1/node.json
claim "the report has the figures of time" grep -q 'id="life"' net/report.html
claim "and can be made again" "$program" report net

# Cells without a value go to the nodes, categories too.
awk -F, -v OFS=, 'NR == 1 { print $0, "job"; next } { $4 = NR % 2 ? "clerk" : "nurse"; if (NR % 7 == 0) $1 = ""; if (NR % 5 == 0) $4 = "" } 1' rows.csv >holes.csv
lca=("$program" up --data holes.csv --node-column site --network links.csv --model lca --n-components 2 --genesis init --base-port "$port")
claim "nodes whose rows have gaps settle" status_is 0 "${lca[@]}" --time 120s --out holes
claim "and agree" below "$(value holes/summary.json disagreement)" 1e-6
claim "what is missing is written as such" grep -q ',nan$' holes/nodes/1/rows.csv

# A second of life in which one is killed, then the end by a signal.
"${up[@]}" --until 10min --out storm >storm.txt 2>&1 &
running=$!
settled() { [ "$("$program" top "$1" --once --json 2>/dev/null | grep -c '"verdict": "settled"')" -eq 5 ]; }
claim "top sees all settle" waits_for settled storm
killed=$(cat storm/nodes/3/pid)
kill -9 "$killed"
came_back() { [ -s storm/nodes/3/pid ] && [ "$(cat storm/nodes/3/pid)" != "$killed" ]; }
claim "a process that is killed comes back" waits_for came_back
claim "and all settle again" waits_for settled storm
claim "the table of top has a line for every node" says '^5 nodes, 5 settled, 0 down' "$program" top storm --once
claim "whose lines fit" bash -c "'$program' top storm --once | awk 'length > 99 { exit 1 }'"
cat >failed.py <<'EOF'
import http.server, json
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        said = {'node': 'n9', 'verdict': 'failed', 'message': 'another node has this id', 'tick': 3, 'rows': 4,
                'bytes_sent': 0, 'frames_sent': 0, 'frozen': 0, 'n_nodes': 1, 'bound': None, 'disagreement': None,
                'neighbours': [], 'audit': {'state': 'no \x1b[2J audit'}}
        text = json.dumps(said).encode()
        self.send_response(200)
        self.send_header('Content-Length', str(len(text)))
        self.end_headers()
        self.wfile.write(text)
    def log_message(self, *a):
        pass
http.server.HTTPServer(('127.0.0.1', 7409), Page).serve_forever()
EOF
python3 failed.py &
page=$!
waits_for bash -c "'$program' top http://127.0.0.1:7409 --once | grep -q failed"
claim "top says why a node has failed" says '^n9: another node has this id$' "$program" top storm http://127.0.0.1:7409 --once
claim "and shows no control characters of a status" bash -c "! '$program' top http://127.0.0.1:7409 --once | grep -q \$'\\033'"
kill $page
claim "a node without a process is down" says '^unix:gone +down' "$program" top storm unix:gone --once
began=$(date +%s)
kill -TERM "$running"
status=0
wait "$running" || status=$?
claim "SIGTERM ends it: status 143" test "$status" -eq 143
claim "nodes that had settled are settled" grep -q "^settled after" storm.txt
claim "within 5 s" test $(($(date +%s) - began)) -le 5
claim "no process is left" none_left
claim "the death is in events.csv" grep -q ',died,3,,signal 9' storm/events.csv
claim "what it had is written" below "$(value storm/summary.json moved)" 1e-6

# One that fails for good: the others, which are fewer than min_nodes then, end with the answer of their rows.
break_node() { rm "$1/nodes/3/rows.csv"; kill -9 "$(cat "$1/nodes/3/pid")"; }
"${up[@]}" --until 10min --out fewer >fewer.txt 2>fewer.err &
running=$!
claim "five settle" waits_for settled fewer
break_node fewer
others_rest() { [ "$("$program" top fewer --once --json 2>/dev/null | grep -c 'rests with fewer than min_nodes nodes')" -eq 4 ]; }
claim "four rest where the fifth has failed" waits_for others_rest
sleep 2 # up looks twice
kill -TERM "$running"
status=0
wait "$running" || status=$?
claim "SIGTERM then ends what has settled: status 143" test "$status" -eq 143
claim "it says that a node failed" grep -q '1 node failed: ' fewer.err
claim "the answer is that of the rows of the four" below "$(value fewer/summary.json moved)" 1e-6
claim "who have settled" grep -q "^settled after" fewer.txt

# Where it fails before there is a genesis block: the fifth node is stopped as soon as it begins.
all_wait() { [ "$("$program" top none --once --json 2>/dev/null | grep -c 'waits for min_nodes nodes')" -eq 4 ]; }
"${up[@]}" --time 120s --out none >none.txt 2>none.err &
running=$!
until [ -s none/nodes/5/pid ]; do :; done
kill -STOP "$(cat none/nodes/5/pid)"
claim "four wait for the fifth" waits_for all_wait
sleep 5 # up, which waits for an answer of the fifth, has seen it too
break_node none
kill -CONT "$(cat none/nodes/5/pid)"
status=0
wait "$running" || status=$?
claim "one line says that there is no answer: status 1" test "$status" -eq 1
claim "and why" grep -q '^meshbayes up: error: node 3 has failed, and no genesis block is drawn without it: .*rows.csv' none.err

"${up[@]}" --until 10min --out cut >/dev/null 2>&1 &
running=$!
all_there() { [ "$(processes | wc -l)" -ge 5 ]; }
waits_for all_there
kill -9 "$running"
claim "kill -9 of up leaves none either" waits_for none_left
wait "$running" 2>/dev/null || true

# Weights, tolerance and options of the algorithm reach the nodes. Weight 2 is the row twice: the same
# block, once with weights and once with the rows written out.
awk -F, 'NR == 1 { print $0 ",w"; next } { print $0 "," 1 + NR % 2 }' rows.csv >weighted.csv
awk -F, 'NR == 1 || NR % 2 == 0 { print; next } { print; print }' rows.csv >twice.csv
"$program" genesis --data rows.csv --columns a,b --n-components 2 --out block.json >/dev/null
own=(--network links.csv --node-column site --n-components 2 --genesis block.json --base-port "$port" --time 120s)
claim "rows with weights, and the options of the algorithm" status_is 0 "$program" up --data weighted.csv --weight-column w \
    "${own[@]}" --tol 1e-7 --edge.kappa 5 --edge.eta 0.25 --checkpoint-ticks 0 --record flight --record-limit 50kB --out weighted
claim "one centralised step over the weighted rows moves nothing" below "$(value weighted/summary.json moved)" 1e-6
"$program" up --virtual --data twice.csv "${own[@]::8}" --out twice >/dev/null
apart() { "$program" compare weighted/posterior.json twice/posterior.json --json | tr -d ' ,' | sed -n 's/.*kl.*:\(.*\)/\1/p' | sort -g | tail -n 1; }
claim "weight 2 is the row twice" below "$(apart)" 1e-6
every_config() {
    local word
    for word in '"weight_column": "w"' '"kappa": 5' '"eta": 0.25' '"record_limit": 50000'; do
        grep -q -- "$word" weighted/nodes/2/node.json || { echo "no $word"; return 1; }
    done
    below "$(value weighted/nodes/2/node.json tol)" 1.001e-7 || return 1
    refuted grep -q '"state"' weighted/nodes/2/node.json && head -n 1 weighted/nodes/2/rows.csv | pipe_has -x 'a,b,w'
}
claim "its node.json says so" every_config
claim "a recorder begins a new part at half of its limit" test -s flight/node-2.mbr.1
claim "and its record replays" "$program" replay flight/node-2.mbr
claim "checkpoints are written after whole ticks" status_is 2 "${up[@]}" --checkpoint-ticks 2.5

# A release: each node adds its noise to masked sums, and what up writes follows from their answer alone.
awk 'BEGIN { print "a,y"; s = 17; for (j = 0; j < 900; j++) {
    for (k = 0; k < 2; k++) { s = (s * 16807) % 2147483647; u[k] = s / 2147483647 }
    printf "%.7f,%.7f\n", u[0], u[0] / 2 + u[1] / 4 } }' >line.csv
printf 'column,low,high\na,0,1\ny,0,1\n' >bounds.csv
private=("$program" up --data line.csv --model linreg --target-column y --topology ring:n=4 --algorithm sum --bounds bounds.csv
    --privacy 'epsilon=8,delta=1e-5' --base-port "$port")
booked() { grep -c '"mu"' line.csv.ledger.json; }
awk -F, 'NR == 1 { print $0 ",site"; next } { print $0 "," NR % 4 + 1 }' line.csv >sites.csv
claim "a node without rows is refused before anything is booked" says 'node 5 has no rows' "${private[@]:0:2}" --data sites.csv --node-column site \
    --network links.csv "${private[@]:4:4}" "${private[@]:10}" --ledger none.json
claim "which leaves no ledger" refuted ls none.json
claim "nodes release sums with noise: status 0" status_is 0 "${private[@]}" --time 120s --out private
claim "the release of all rows is booked once" is "$(booked)" 1
claim "the answer of all nodes is that of up" bash -c "for n in 1 2 3 4; do '$program' compare private/posterior.json private/nodes/\$n/posterior.json --json |
    grep -q '\"largest_difference\": 0.0' || exit 1; done"
claim "which is near the truth, and knows the noise" awk -v x="$(sed -n '/"coef"/{n;p;q;}' private/posterior.json)" 'BEGIN { exit !(x > .4 && x < .6) }'
claim "it says what it promises" is "$(value private/posterior.json neighbours), $(value private/posterior.json noise), $(value private/posterior.json mask)" \
    "one row replaced, random, on"
claim "so do summary and report" bash -c "grep -q '\"privacy\": {' private/summary.json && grep -q '<h2>What it promises' private/report.html"
claim "where no step of one machine was made, and nothing counted, no number says so" bash -c "grep -q '\"moved\": null' private/summary.json &&
    ! grep -q least_bits private/summary.json && ! grep -q 'sum.mask' private/config.json"
no_rows() { # of the folder but for those of the nodes: no value of a row, no hash, no figure of rows
    local file
    tail -n +2 line.csv | tr ',' '\n' | sort -u >values.txt
    while IFS= read -r file; do
        refuted grep -qFf values.txt "$file" || { echo "$file has a row"; return 1; }
    done < <(find private -type f -not -path '*/nodes/*')
    is "$(value private/posterior.json hash)" 0000000000000000 && refuted ls private/view_* && refuted grep -q 'observed against' private/report.html
}
claim "no row is outside the folders of the nodes" no_rows
claim "which are their owner's" is "$(stat -c %a private/nodes/1) $(stat -c %a private/nodes/1/rows.csv)" "700 600"
cp -r private/nodes/1/state/release before
claim "beyond the budget a release is refused: status 2" status_is 2 "${private[@]}" --out private
claim "which books nothing, and leaves what nodes have released" bash -c "cmp before private/nodes/1/state/release && [ $(booked) = 1 ]"
claim "so does what a node has released by another ledger" says 'private/nodes/1/rows.csv.ledger.json: with this one 2 releases' \
    "${private[@]}" --ledger lost.json --out private
claim "which books nothing either" bash -c "! ls lost.json 2>&1 && cmp before private/nodes/1/state/release && ! ls private/nodes/1/rows.next.csv 2>&1"
claim "a run without an answer in time says that it has spent its epsilon" says 'the release is booked all the same: meshbayes-node run' \
    "${private[@]}" --privacy.budget 30 --time 20ms --out early
claim "the ledger counts it" is "$(booked)" 2

"${private[@]:0:10}" --base-port "$port" --out open >/dev/null
claim "a folder of a run without it becomes its owner's, with checkpoints, which have rows" \
    bash -c "'${private[0]}' \"\$@\" >/dev/null && [ \$(stat -c %a open/nodes) = 700 ] && [ -s open/nodes/1/state/checkpoint ]" - "${private[@]:1}" \
    --ledger open.json --out open

claim "a folder of another network is refused" status_is 2 "${up[@]}" --out net --topology ring:n=4 --deal blocks
mkdir -p other/nodes/elsewhere
claim "a folder with other nodes is refused" says 'other/nodes/elsewhere is no node of this network' "${up[@]}" --out other
claim "a node that does not start is one line with its reason" bash -c "
    mkdir busy; /usr/bin/python3 -c 'import socket, time
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind((\"127.0.0.1\", $port + 2)); s.listen(); print(\"\", flush=True); time.sleep(60)' >busy/on & holder=\$!
    for k in \$(seq 100); do [ -s busy/on ] && break; sleep .1; done
    '$program' up --data rows.csv --node-column site --network links.csv --n-components 2 --base-port $port --time 20s >out.txt 2>err.txt; status=\$?
    kill \$holder
    [ \$status -eq 1 ] && [ \$(wc -l <err.txt) -eq 1 ] && grep -q 'port $((port + 2)) of node 3 cannot be used' err.txt"
claim "too little time: status 4" status_is 4 "${up[@]}" --time 50ms
claim "without --out nothing remains" test -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'meshbayes-up-*' -newer net/summary.json)"
finish

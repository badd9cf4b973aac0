#!/usr/bin/env bash
# mqtt.sh [FOLDER]: rows that a sensor publishes by MQTT become rows of a node, through standard input.
# Starts a broker of its own on loopback, publishes examples/site_1.csv line by line, and asks the node for
# its answer. Says "skipped" where mosquitto is not installed. Needs curl; MESHBAYES_BIN as in 07_five_sites.sh.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PATH=${MESHBAYES_BIN:+$MESHBAYES_BIN:}$PATH:/usr/sbin
out=${1:-mqtt}
port=${PORT:-$((28000 + $$ % 2000 * 2))}
for program in mosquitto mosquitto_sub mosquitto_pub; do
    command -v "$program" >/dev/null || { echo "skipped: no $program (Debian: mosquitto, mosquitto-clients)" && exit 0; }
done
running=()
trap '[ ${#running[@]} -eq 0 ] || kill "${running[@]}" 2>/dev/null || true' EXIT
mkdir "$out"

mosquitto -p "$port" >"$out/broker.log" 2>&1 &
running+=($!)
printf '%s\n' temperature,humidity 12.2,60.3 13,58 11,63 18.4,48 19,50 17,47 24,66 25,63 23,68.1 >"$out/study.csv"
meshbayes genesis --data "$out/study.csv" --n-components 3 --out "$out/genesis.json" >/dev/null
cat >"$out/node.json" <<END
{"id": 1, "listen": "tcp://127.0.0.1:$((port + 1))", "insecure": true, "data": "-", "genesis": "genesis.json",
 "status": "unix:status", "neighbours": []}
END

# The line of names comes first, then a row for each message.
mkfifo "$out/rows"
{ echo temperature,humidity && exec mosquitto_sub -p "$port" -t sensors/1; } >"$out/rows" &
running+=($!)
meshbayes-node run --config "$out/node.json" <"$out/rows" 2>"$out/log" &
running+=($!)

ask() { curl -s --max-time 5 --unix-socket "$out/status" "http://localhost/$1"; }
rows() { ask status | grep -oE '"rows": *[0-9]+' | head -n 1 | grep -oE '[0-9]+$' || echo 0; }
want=$(($(wc -l <"$here/site_1.csv") - 1))
# A message is lost when the subscriber is not there yet: the first ones are published until a row has come.
for ((k = 0; k < 100; k++)); do
    mosquitto_pub -p "$port" -t sensors/1 -m "$(sed -n 2p "$here/site_1.csv")" 2>/dev/null || true
    [ "$(rows)" -eq 0 ] || break
    sleep 0.2
done
first=$(rows)
tail -n +3 "$here/site_1.csv" | mosquitto_pub -p "$port" -t sensors/1 -l
for ((k = 0; k < 100; k++)); do
    [ "$(rows)" -lt $((first + want - 1)) ] || break
    sleep 0.2
done
sleep 1
ask posterior >"$out/posterior.json"
[ "$(rows)" -ge "$want" ] && grep -q '"means"' "$out/posterior.json"
echo "the node has the $want rows that were published, and a posterior"

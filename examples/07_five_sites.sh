#!/usr/bin/env bash
# 07_five_sites.sh [FOLDER]: five hospitals in a ring, each a folder and a process of meshbayes-node,
# have one posterior, and no row leaves its folder: everything that is sent passes through a relay
# (07_relay.py) that stores it, and the stored bytes are searched for the rows and their sums.
# What a neighbour can compute from messages all the same (sums for each component, weighted
# by responsibility) is said in docs/howto/deploy.md.
# To be able to read what is sent, the nodes run without encryption here; docs/howto/deploy.md has keys.
# The programs are looked for in $MESHBAYES_BIN, then on PATH. Needs python3 and curl.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PATH=${MESHBAYES_BIN:+$MESHBAYES_BIN:}$PATH
out=${1:-five-sites}
port=${PORT:-$((22000 + $$ % 300 * 20))} # ten ports from here on: of nodes, then of links
running=()
trap '[ ${#running[@]} -eq 0 ] || kill "${running[@]}" 2>/dev/null || true' EXIT

mkdir "$out"
# What all hospitals are given: units, prior and centres, from figures of an earlier study. No row of
# any hospital is in it.
printf '%s\n' temperature,humidity 12.2,60.3 13,58 11,63 18.4,48 19,50 17,47 24,66 25,63 23,68.1 >"$out/study.csv"
meshbayes genesis --data "$out/study.csv" --n-components 3 --out "$out/genesis.json" >/dev/null

# A ring: a hospital is linked to the ones before and after it. Of two neighbours the one with the
# larger id connects, here to the relay, which connects to the other.
links=()
for id in 1 2 3 4 5; do
    folder=$out/hospital-$id
    before=$((id == 1 ? 5 : id - 1)) after=$((id == 5 ? 1 : id + 1))
    mkdir "$folder"
    cp "$here/site_$id.csv" "$folder/rows.csv"
    cp "$out/genesis.json" "$folder"
    neighbours=()
    for other in $before $after; do
        if [ "$other" -lt "$id" ]; then
            neighbours+=("{\"id\": $other, \"address\": \"tcp://127.0.0.1:$((port + 5 + ${#links[@]}))\"}")
            links+=("$((port + 5 + ${#links[@]})):$((port + other - 1))")
        else
            neighbours+=("{\"id\": $other}")
        fi
    done
    cat >"$folder/node.json" <<END
{
  "id": $id, "name": "hospital-$id",
  "listen": "tcp://127.0.0.1:$((port + id - 1))", "insecure": true,
  "data": "rows.csv", "genesis": "genesis.json", "state": "state", "status": "unix:status",
  "neighbours": [${neighbours[0]}, ${neighbours[1]}]
}
END
done

python3 "$here/07_relay.py" record "$out/sent" "${links[@]}" &
running+=($!)
for id in 1 2 3 4 5; do
    meshbayes-node run --config "$out/hospital-$id/node.json" 2>"$out/hospital-$id/log" &
    running+=($!)
done

# Settled with all five: two that have found each other first settle as two.
ask() { curl -s --max-time 5 --unix-socket "$out/hospital-$1/status" "http://localhost/$2"; }
settled() {
    local id said
    for id in 1 2 3 4 5; do
        said=$(ask "$id" status) && grep -q '"verdict": *"settled"' <<<"$said" &&
            grep -Eq '"n_nodes": *(5(,|$)|5\.0000|4\.9999)' <<<"$said" || return 1
    done
}
began=$SECONDS
until settled; do
    [ $((SECONDS - began)) -lt "${SECONDS_MOST:-60}" ] || { echo "not settled after ${SECONDS_MOST:-60} s" >&2; exit 1; }
    sleep 0.5
done
for id in 1 2 3 4 5; do ask "$id" posterior >"$out/hospital-$id/posterior.json"; done
kill "${running[@]}"
wait "${running[@]}" || true
running=()

for id in 2 3 4 5; do
    meshbayes compare --json "$out/hospital-1/posterior.json" "$out/hospital-$id/posterior.json" >"$out/compare-$id.json"
done
python3 - "$out" <<'END'
import json, sys
post = json.load(open(f'{sys.argv[1]}/hospital-1/posterior.json'))
for weight, mean in sorted(zip(post['weights'], post['means']), key=lambda one: one[1]):
    print('weight %.3f, %s' % (weight, ', '.join('%s %.2f' % pair for pair in zip(post['features'], mean))))
far = max(json.load(open(f'{sys.argv[1]}/compare-{i}.json'))['largest_difference'] for i in (2, 3, 4, 5))
print('five hospitals settled; the same posterior within 1e-6:', 'yes' if far < 1e-6 else f'no, {far}')
END
python3 "$here/07_relay.py" search "$out/sent" "$out/genesis.json" "$out"/hospital-?/rows.csv

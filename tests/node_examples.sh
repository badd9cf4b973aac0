#!/usr/bin/env bash
# node_examples.sh PROGRAM: the examples of meshbayes-node, which is beside PROGRAM: five sites whose rows
# are not sent, and rows from MQTT.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=lib/claims.sh
. "$top/tests/lib/claims.sh"
export MESHBAYES_BIN
MESHBAYES_BIN=$(dirname "$program")

five_sites() { "$top/examples/07_five_sites.sh" five-sites >five.txt; }
search() { python3 "$top/examples/07_relay.py" search five-sites/sent five-sites/genesis.json five-sites/hospital-?/rows.csv >found.txt; }
# A row of hospital 4, in the units of the genesis, among the bytes of a connection.
planted() {
    python3 - <<'END'
import json, struct
g = json.load(open('five-sites/genesis.json'))
x = float(open('five-sites/hospital-4/rows.csv').read().split()[5].split(',')[1])
open('five-sites/sent/1-there', 'ab').write(struct.pack('<d', (x - g['origin'][1]) / g['scale'][1]))
END
    status_is 1 search && grep 'hospital-4/rows.csv: row 5 humidity, units of the genesis' found.txt
}
# That of all rows in one place.
same_as_fit() {
    "$program" fit --data "$top/examples/site_1.csv,$top/examples/site_2.csv,$top/examples/site_3.csv,$top/examples/site_4.csv,$top/examples/site_5.csv" \
        --n-components 3 --out fit && python3 - <<'END'
import json
fit, mesh = (sorted(json.load(open(f))['means']) for f in ('fit/posterior.json', 'five-sites/hospital-3/posterior.json'))
assert all(abs(a - b) < .05 for x, y in zip(fit, mesh) for a, b in zip(x, y)), (fit, mesh)
END
}
claim "five sites settle, and none of their rows is found in what was sent" five_sites
claim "they have one posterior" grep -q 'the same posterior within 1e-6: yes' five.txt
claim "it is that of all rows; another prior moves it less than 0.05" same_as_fit
claim "a row that was sent would be found" planted
if command -v mosquitto >/dev/null || [ -x /usr/sbin/mosquitto ]; then
    claim "rows from MQTT" says 'has the 60 rows' "$top/examples/mqtt.sh" mqtt
else
    claim "rows from MQTT: skipped" says '^skipped' "$top/examples/mqtt.sh" mqtt
fi
finish

#!/usr/bin/env bash
# paper.sh PROGRAM: `meshbayes paper`: what it writes, that no class reaches inference, and that a
# killed run goes on with the same bits.
# The functions are called through `claim`.
# shellcheck disable=SC2317
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"
mkdir none data
cp "$top/data/ionosphere.csv" data
paper() { "$program" paper "$@" --data none; }

# the command
for name in network dsvb-tau dsvb-evolution dsvb-values dsvb-contour admm-rho admm-evolution unequal sizes \
    atmosphere ionosphere coil20; do
    claim "list has $name" says "^$name " paper list
done
claim "an unknown experiment is wrong use" status_is 2 paper nothing --out x
claim "no run is wrong use" status_is 2 paper network --runs 0 --out x
claim "an unknown protocol is wrong use" status_is 2 paper network --protocols mine --out x
skipped() { paper coil20 --quick --out skipped >said.txt && grep -q '^coil20 *skipped: meshbayes paper fetch coil20' said.txt; }
claim "an experiment without its data is skipped with how to get them, status 0" skipped
claim "the page says so too" grep -q 'skipped: meshbayes paper fetch coil20' skipped/report.html

# all of them
all() { # in a new folder; an experiment may use the runs of another one
    local file
    "$program" paper all --quick --runs 1 --out all --data data >said.txt
    grep -o 'all/[a-z0-9-]*/result.json$' said.txt >files.txt
    is "$(wc -l <files.txt)" 10 || return 1
    while read -r file; do
        test -s "$file" -a -s "${file%result.json}data.csv" || { echo "$file"; return 1; }
    done <files.txt
}
claim "all experiments whose data are there run from one command" all

# data that ship are found from any folder; ./data comes first, --data before it
mkdir bare bare/own local local/data
echo broken >local/data/ionosphere.csv
echo broken >bare/own/ionosphere.csv
from() { (cd "$1" && "$program" paper ionosphere --quick --runs 1 --protocols paper --out out "${@:2}"); }
claim "what ships is found" says '^ionosphere *out/ionosphere/result.json' from bare
claim "the networks that ship too" says '^networks: 3 of /.*/networks;' from bare --networks networks
claim "the folder data comes first" says 'error: data/ionosphere.csv' from local
claim "and --data before it" says 'error: own/ionosphere.csv' from bare --data own

# other networks
mkdir nets few apart empty
links() { echo i,j && for k in $(seq "$1"); do echo "$k,$((k + 1))"; done; } # a path
links 19 >nets/network20.csv
links 18 >few/network20.csv
links 18 | grep -v '^9,' >apart/network20.csv
echo 19,20 >>apart/network20.csv
ionosphere() { "$program" paper ionosphere --quick --runs 1 --protocols paper --data data "$@"; }
moved() { # and not in a folder whose results are of another network
    ionosphere --out ours >said.txt && ! grep -q '^networks:' said.txt || return 1
    cp ours/ionosphere/result.json first.json
    ionosphere --out ours --networks nets >said.txt && grep -q '^networks: 1 of nets' said.txt || return 1
    grep -q 'On a network of --networks' ours/report.html && ! cmp -s first.json ours/ionosphere/result.json
}
claim "an experiment runs on a network of the user's" moved
edited() { # WHAT FILE: results of what a file held before are not used again
    ionosphere --out edited --networks nets --data changed >said.txt
    cp edited/ionosphere/result.json before.json
    cp "$2" before.csv
    "$1" <before.csv >"$2"
    ionosphere --out edited --networks nets --data changed >said.txt
    ! cmp -s before.json edited/ionosphere/result.json || return 1
    cp before.csv "$2"
    ionosphere --out edited --networks nets --data changed >said.txt
    cmp before.json edited/ionosphere/result.json
}
cp -r data changed
ring() { cat && echo 20,1; }
moved_cell() { sed '2s/^[^,]*,[^,]*,[^,]*/1,0,-0.5/'; }
claim "a network edited in place makes its results void" edited ring nets/network20.csv
claim "data edited in place make their results void" edited moved_cell changed/ionosphere.csv
claim "a network of another size is refused" says 'few/network20.csv: got links of 19 nodes; expected 20' \
    ionosphere --out no --networks few
claim "a network in pieces is refused" says "error: .*(connected|pieces|components)" ionosphere --out no --networks apart
claim "a folder without networks is wrong use" says 'no networkN.csv' ionosphere --out no --networks empty

# what one writes
evolution() { paper dsvb-evolution --quick --runs 2 --seed 1 "$@"; }
claim "an experiment runs" evolution --out first --reproduction first.md
for file in data.csv result.json parts/paper-0-0.csv parts/ours-0-1.csv; do
    claim "$file is there" test -s "first/dsvb-evolution/$file"
done
json() { # json CODE: python on the dictionary r of result.json
    python3 -c "import json, sys; r = json.load(open(sys.argv[1])); $1" "${2:-first/dsvb-evolution/result.json}"
}
claim "result.json has the agreed fields" json \
    'assert r["seed"] == 1 and r["version"]; [(x["protocol"], x["algorithm"], x["quantity"], x["mean"], x["sd"], x["runs"], x["failed"]) for x in r["rows"]]'
claim "every number names a protocol that ran" json 'assert {x["protocol"] for x in r["rows"]} == {"paper", "ours"}'
sent() { # every node sends one frame a round: the same number of bytes each
    awk -F, '$1 == "paper" && $2 == "dsvb" && $3 == "bytes" && $5 { n++; each = $6 / $5
        if (n > 1 && (each < .999999 * first || each > 1.000001 * first)) bad = 1
        first = each } END { exit !(n > 5 && first > 0 && !bad) }' first/dsvb-evolution/data.csv
}
claim "bytes are counted in every round noted" sent
claim "the page has no outside reference" refuted grep -Eq '(src|href)="[^#]|https?:' first/report.html
claim "the markdown names the experiment" grep -q 'dsvb-evolution' first.md
sound() { # tags nest, ids are unique, references lead somewhere
    python3 - "$top/tests/report" first/report.html <<'PY'
import sys
sys.path.insert(0, sys.argv[1])
from check_page import Page
page = Page()
page.feed(open(sys.argv[2], encoding="utf-8").read())
page.close()
wrong = page.problems + [f"never closed {t}" for t in page.open]
wrong += [f"id {i} twice" for i in set(page.ids) if page.ids.count(i) > 1]
wrong += [f"no #{r}" for r in set(page.refs) - set(page.ids)]
print("\n".join(wrong))
sys.exit(bool(wrong))
PY
}
claim "the page is well formed" sound
if command -v gnuplot >/dev/null; then
    claim "figures as SVG" test -s first/dsvb-evolution/figures/dsvb-evolution-mean-paper.svg
    claim "figures as PNG" test -s first/dsvb-evolution/figures/dsvb-evolution-mean-paper.png
    claim "figures in the page" grep -q '<svg' first/report.html
fi
browser=$(command -v chromium || command -v chromium-browser || true)
if [ -n "$browser" ]; then
    opens() { # chromium's own complaints about buses and GPUs are not the page's
        "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/chromium" --enable-logging=stderr \
            --virtual-time-budget=2000 --dump-dom "file://$work/first/report.html" >dom.html 2>log.txt &&
            grep -q 'dsvb-evolution' dom.html && refuted grep -E 'CONSOLE|net_error' log.txt
    }
    claim "the page opens in Chromium without errors" opens
fi

# the same bits
same() { diff -r "first/dsvb-evolution/parts" "$1/dsvb-evolution/parts" && cmp first/dsvb-evolution/data.csv "$1/dsvb-evolution/data.csv" && cmp first/dsvb-evolution/result.json "$1/dsvb-evolution/result.json"; }
evolution --out serial --threads 1 >/dev/null
claim "one thread gives the same bits" same serial
killed() { # killed at four moments, then run to its end
    local pause
    for pause in 0.05 0.2 0.4 0.8; do
        (exec "$program" paper dsvb-evolution --quick --runs 2 --seed 1 --data none --out killed) >/dev/null 2>&1 &
        sleep "$pause"
        kill -KILL $! 2>/dev/null || true
        wait $! 2>/dev/null || true
    done
    # A gnuplot that lost its parent may still write: what it leaves is swept by the next start.
    for _ in $(seq 100); do
        pgrep -x gnuplot >/dev/null || break
        sleep 0.1
    done
    evolution --out killed >/dev/null && same killed
}
claim "killed and started again it gives the same bits" killed
no_rest() { [ -z "$(find killed -name '*.tmp*' -o -name '.report-*')" ] || { find killed -name '*.tmp*' -o -name '.report-*'; return 1; }; }
claim "nothing half-written is left" no_rest
before=$(stat -c %Y%s first/dsvb-evolution/parts/paper-0-0.csv)
evolution --out first >/dev/null
claim "finished runs are used again" is "$(stat -c %Y%s first/dsvb-evolution/parts/paper-0-0.csv)" "$before"

# no class reaches inference, except under `published`, which the paper's printed numbers need
prints() { grep -h ',fingerprint,' "$@" | cut -d, -f1,2,5; }
ionosphere() { (cd "$work" && "$program" paper ionosphere --quick --runs 2 --data data --protocols paper,published,ours "$@" >/dev/null); }
ionosphere --out true
ionosphere --out mixed --shuffle-labels
evolution --out blind --shuffle-labels >/dev/null
keep() { is "$(prints "mixed/ionosphere/parts/$1"*.csv)" "$(prints "true/ionosphere/parts/$1"*.csv)"; }
claim "there are fingerprints" test "$(prints true/ionosphere/parts/paper-*.csv | wc -l)" -eq 10
claim "shuffled classes change what is judged" refuted cmp -s true/ionosphere/data.csv mixed/ionosphere/data.csv
claim "ionosphere, protocol paper: posteriors keep their bits under shuffled classes" keep paper
claim "ionosphere, protocol ours: the same" keep ours
claim "protocol published uses the classes" refuted keep published
claim "synthetic, protocols paper and ours: posteriors keep their bits" \
    is "$(prints blind/dsvb-evolution/parts/*.csv)" "$(prints first/dsvb-evolution/parts/*.csv)"
finish

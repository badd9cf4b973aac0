#!/usr/bin/env bash
# sim_behaviour.sh PROGRAM: what scripts rely on in `meshbayes sim`: options, files, exit statuses.
# The functions are called through `claim`.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

two_clusters 6 15
columns=(--node-column site --label-column kind)
bare() { "$program" sim --rounds 20 --tol 0 "$@"; }
sim() { bare --data rows.csv "${columns[@]}" --network links.csv --n-components 2 "$@"; }
dump_is() { # dump_is FILE COMMAND...: the command dumps the same bytes as FILE
    local file=$1
    shift
    "$@" --dump-phi other.npy && cmp "$file" other.npy
}
refused() { # refused WORD COMMAND...: fails with one line that has WORD
    local word=$1
    shift
    { refuted "$@" >said.txt 2>&1 && grep -q -e "$word" said.txt; } || { cat said.txt; return 1; }
}

# options
claim "a run ends with status 0" sim --dump-phi phi.npy
claim "--opt=value is --opt value" dump_is phi.npy sim --n-components=2 --algorithm=edge
claim "the documented defaults are the defaults" dump_is phi.npy sim --algorithm edge --weights metropolis \
    --init kmeans --on-domain freeze --standardize on --n-init 1 --prior.alpha0 0.5 --prior.beta0 1 \
    --prior empirical --prior.nu0 2 --send all --edge.kappa auto --edge.eta auto --edge.alpha 0.95 --phi-order paper
claim "nodes that send changes alone settle, too" status_is 0 sim --rounds 20000 --tol 3e-7 --send changes --require-settled
awk 'BEGIN { print "a,b"; s = 17
    for (i = 0; i < 1500; i++) {
        for (k = 0; k < 4; k++) { s = (s * 16807) % 2147483647; u[k] = s / 2147483647 }
        printf "%.6f,%.6f\n", 30 * (i % 3 == 1) + u[0] + u[1], 30 * (i % 3 == 2) + u[2] + u[3]
    } }' >distant.csv
sent() { # sent NETWORK OPTIONS...: rounds until it settles, and bytes
    rm -rf sent
    "$program" sim --data distant.csv --n-components 3 --topology "$@" --require-settled --out sent >sent.txt &&
        echo "$(value sent/summary.json rounds) $(value sent/summary.json bytes)"
}
saves() { # saves NETWORK OPTIONS...: five times fewer bytes, in up to 1.6 times the rounds
    echo "$(sent "$@") $(sent "$@" --send changes)" |
        tee /dev/stderr | awk '{ exit !($1 > 0 && $3 > 0 && $3 <= 1.6 * $1 && 5 * $4 <= $2) }'
}
claim "on a ring that is fast they save bytes, not rounds" saves ring:n=30
claim "on a star, too" saves star:n=50 --deal random
claim "where a tenth of the messages is lost, too" saves star:n=50 --deal random --loss-directed 0.1
claim "exact sums settle where messages are lost" status_is 0 sim --algorithm sum --loss 0.3 --rounds 20000 --tol 3e-7 \
    --require-settled --out sums
claim "and say how exact they are" grep -Eq '"least_bits": (3[6-9]|[4-9][0-9])' sums/summary.json
claim "and what they dropped" grep -Eq '"old": [1-9]' sums/summary.json
claim "in the report, too" grep -Eq 'SUM: messages of other passes, dropped: [1-9]' sums/report.html
claim "which says what moving the rows costs" grep -Eq 'The network sent <b>.*</b> .SUM.; moving all rows to one place costs <b>' \
    sums/report.html
printf 'column,low,high\na,-5,9\nb,-9,5\n' >ends.csv
claim "a start of sums alone inside stated bounds settles" status_is 0 sim --algorithm sum --sum.mask simulated \
    --init ranges --bounds ends.csv --rounds 20000 --tol 3e-7 --require-settled --out sums-alone
same_start() { # masks that cancel change no bit of the start, nor of the answer
    sim --algorithm sum --sum.mask simulated --init ranges --bounds ends.csv --rounds 60 --dump-phi masked.npy &&
        sim --algorithm sum --init ranges --bounds ends.csv --rounds 60 --dump-phi open.npy && cmp masked.npy open.npy
}
claim "with the bits of one whose sums are not masked" same_start
claim "no row was shown" pipe_has '"rows": 0,' < <(grep -A 1 '"revealed": {' sums-alone/answer.json)
claim "nor least and largest values" refuted grep -q 'standard deviation, range' sums-alone/summary.json
claim "which the default start does" grep -q 'standard deviation, range' <(sim --json)
awk -F, 'BEGIN { OFS = "," } { print $0, (NR > 1 ? 0.1 : "k") }' rows.csv >constant.csv
inside() { # inside LOW HIGH OPTIONS...: with a column that is constant and stated to be between these
    { cat ends.csv && echo "k,$1,$2"; } >three.csv
    shift 2
    sim --data constant.csv --algorithm sum --init ranges --bounds three.csv --rounds 20000 --tol 3e-7 \
        --require-settled "$@" 2>&1
}
claim "a constant column inside stated bounds is named" pipe_has 'column "k" is constant (0.1)' < <(inside 0 1)
claim "and settles" status_is 0 inside 0 1
claim "however far out its bounds are" status_is 0 inside -1e100 1e100
claim "which cost its sums no digits" pipe_has '"least_bits": [4-9][0-9],' < <(inside -1e100 1e100 --json)
shape_of() { head -c 128 "$1" | tr -d '\0' | grep -ao "'shape': ([0-9, ]*)"; }
claim "messages of chosen rounds go to a file" sim --algorithm edge --dump-messages heard.npy --dump-at 2,5
claim "one row for each directed link and round" pipe_has "'shape': (2, " < <(shape_of heard.npy)
claim "values may start with a minus" sim --prior.mu0 -1,-2.5 --dump-phi minus.npy
claim "the prior mean matters" refuted cmp phi.npy minus.npy
seed_matters() {
    local seed
    for seed in 1 2 3 4 5; do
        sim --seed "$seed" --dump-phi seed.npy && { cmp -s seed.npy phi.npy || return 0; }
    done
    return 1
}
claim "the seed draws the centres: one of five differs" seed_matters
claim "wrong use exits 2" status_is 2 sim --no-such-option 1
claim "a value out of range exits 2" status_is 2 sim --rounds 0
claim "a missing file is an error that names it" refused nowhere.csv sim --data nowhere.csv

# single precision
close() { # close A.npy B.npy: the same to 1e-6 of the largest number, but not the same bits
    /usr/bin/python3 - "$1" "$2" <<'PYTHON'
import struct, sys
def numbers(path):
    raw = open(path, 'rb').read()
    at = 10 + struct.unpack('<H', raw[8:10])[0]
    return struct.unpack(f'<{(len(raw) - at) // 8}d', raw[at:])
a, b = (numbers(p) for p in sys.argv[1:])
worst = max(abs(x - y) for x, y in zip(a, b)) / max(map(abs, a))
sys.exit(f'{worst:.1e} apart' if not 0 < worst <= 1e-6 or len(a) != len(b) else 0)
PYTHON
}
claim "rows in single precision" sim --precision float32 --dump-phi single.npy
claim "give the posterior within 1e-6" close phi.npy single.npy
claim "single precision needs the common scale" refused "precision.*float64" sim --precision float32 --standardize off

# labels and columns
cut -d, -f1-3 rows.csv >unlabelled.csv
claim "labels never reach inference" dump_is phi.npy bare --data unlabelled.csv --node-column site \
    --network links.csv --n-components 2
sed 's/$/\r/' rows.csv >crlf.csv
claim "CRLF line ends change nothing" dump_is phi.npy sim --data crlf.csv
awk -F, 'NR == 1 { print $0 ",n" } NR > 1 { print $0 ",1" }' rows.csv >ones.csv
claim "row weights of 1 change nothing" dump_is phi.npy sim --data ones.csv --weight-column n
awk -F, 'NR == 1 { print $0 ",flat" } NR > 1 { print $0 ",3.5" }' rows.csv >flat.csv
claim "a constant column is a warning" says "warning.*flat" sim --data flat.csv
claim "a run that warned ends with status 0" sim --data flat.csv
(cat links.csv && echo "6,7") >seven.csv
claim "a node without rows takes part" sim --network seven.csv --dump-phi seven.npy
cut -d, -f1,2 rows.csv >xy.csv
dealt() { bare --data xy.csv --topology ring:n=5 "$@"; }
claim "rows are dealt to nodes without a node column" dealt --seed 1 --dump-phi dealt.npy
claim "the same seed deals the same way" dump_is dealt.npy dealt --seed 1
claim "another seed deals another way" refuted dump_is dealt.npy dealt --seed 2

# networks
(cat links.csv && echo "8,9") >parts.csv
claim "a disconnected network is refused, its parts named" refused "8.*9" sim --network parts.csv
claim "admm is refused on a lossy network, with the reason" refused "admm.*\(message\|loss\|lossy\)" \
    sim --algorithm admm --loss 0.1
claim "admm runs on a reliable network" sim --algorithm admm

# files
claim "an output folder is made" sim --algorithm edge,dsvb --metrics all --out out --trace trace.csv
for file in config.json summary.json posterior-edge.json posterior-dsvb.json posteriors-edge.npy \
    network.csv edges.csv nodes.csv report.html; do
    claim "out/$file is there" test -s "out/$file"
done
claim "no temporary file is left" is "$(find out -name '*tmp*' | wc -l)" 0
claim "with several algorithms the trace names them" \
    grep -q '^algorithm,t,metric,unit,mean,sd,min,max,outside,total$' trace.csv
claim "a trace has every round" is "$(grep -c '^edge,[0-9]*,bound,' trace.csv)" 20
claim "the report has no outside reference" refuted grep -Eq '(src|href)="https?:' out/report.html
claim "the report has figures" grep -q '<svg' out/report.html
echo keep >out/mine.txt
before=$(cksum <out/config.json)
claim "an existing folder is reused" sim --algorithm edge,dsvb --metrics all --out out --seed 9
claim "other files in it stay" grep -qx keep out/mine.txt
claim "its own files are replaced" test "$before" != "$(cksum <out/config.json)"
claim "one algorithm: plain names" sim --out single
claim "posterior.json" test -s single/posterior.json
claim "a folder has the metrics that the report draws" is \
    "$(sed -n '2,$p' single/trace.csv | cut -d, -f2 | sort -u | tr '\n' ' ')" \
    "bound_mean bytes disagreement frames kl_cvb kl_truth "
claim "--node writes a node's posterior" sim --node 4 --out node4
claim "and says whose it is" grep -q '"of": "4"' node4/posterior.json
claim "--json prints the summary" says '"algorithms"' sim --json
# But for the verdict of a run without a stop rule.
quiet() { sim --rounds 2000 >/dev/null 2>said.txt && refuted grep -v "warning: edge: moving" said.txt; }
claim "no progress line off a terminal" quiet
echo plain >plainfile
claim "an output folder that is a file is an error" status_is 1 sim --out plainfile
full_disk() { [ ! -e /dev/full ] || refuted sim >/dev/full; }
claim "standard output on a full disk is an error" full_disk
printf 'a,b\n1.2,1.7\n' >one.csv
claim "a mean outside the domain has no centralised step" says 'from the mean, of which there is no centralised step$' \
    "$program" sim --data one.csv --model fa --prior.a0 1e-300 --n-components 1 --topology path:n=2 --algorithm average --rounds 5

# help
claim "help" "$program" help
claim "help sim all lists the options of algorithms" says "edge.alpha" "$program" help sim all
finish

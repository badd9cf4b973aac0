#!/usr/bin/env bash
# structural.sh PROGRAM: structural time series, from rows to every file that is made of the answer.
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

# The yearly flow of the Nile at Aswan, 1871 to 1970, 10^8 cubic metres (Durbin and Koopman 2012; R's Nile).
tr ' ' '\n' >nile.csv <<'END'
flow 1120 1160 963 1210 1160 1160 813 1230 1370 1140 995 935 1110 994 1020 960 1180 799 958 1140 1100 1210 1150 1250 1260
1220 1030 1100 774 840 874 694 940 833 701 916 692 1020 1050 969 831 726 456 824 702 1120 1100 832 764 821 768 845 864 862
698 845 744 796 1040 759 781 865 845 944 984 897 822 1010 771 676 649 846 812 742 801 1040 860 874 848 890 744 749 838 1050
918 986 797 923 975 815 1020 906 901 1170 912 746 919 718 714 740
END
of=(--model structural --target-column y)
claim "a fit settles" says 'settled' "$program" fit --data nile.csv --model structural --target-column flow --out nile.json
claim "and says that the file is one series" grep -q 'each file is taken as one group' said.txt
near_by() { awk -v a="$1" -v b="$2" -v r="$3" 'BEGIN { exit !(a > b * (1 - r) && a < b * (1 + r)) }'; }
claim "at the noise of StructTS" near_by "$(value nile.json noise_variance)" 15099 0.02
claim "and its level" near_by "$(value nile.json level_variance)" 1469 0.02

# Twelve series of 80 rows, a tenth of them gaps, two a node; the level moves by 1/3 of the noise.
awk 'BEGIN { srand(5); print "node,site,x,y"; for (g = 0; g < 12; g++) { m = 40 * rand()
    for (j = 0; j < 80; j++) { m += rand() + rand() - rand() - rand(); x = rand(); y = m + 2 * x + 3 * (rand() + rand() - rand() - rand())
        printf "n%d,s%d,%.6f,%s\n", int(g / 2), g, x, rand() < .1 ? "" : sprintf("%.6f", y) } } }' >rows.csv
of+=(--group-column site)
fit() { "$program" fit --data rows.csv --drop node,x "${of[@]}" "$@"; }
fit_with_inputs() { "$program" fit --data rows.csv --drop node "${of[@]}" "$@"; }
sim() { "$program" sim --data rows.csv --node-column node --drop x "${of[@]}" --topology ring:n=6 "$@"; }

claim "series with gaps settle" says 'settled' fit --out one.json --trace one.csv --tol 1e-12
claim "the bound never falls" rises one.csv
claim "a network that sums is at the fit" says 'sum +[0-9]+ settled' sim --algorithm sum --tol 1e-9 --rounds 4000 --out net
claim "to 1e-6" near net/posterior.json one.json 1e-6
claim "nodes that meet neighbours alone are, too" says 'edge +[0-9]+ settled' sim --algorithm edge --tol 1e-9 --rounds 6000 --out edge
claim "to 1e-4" near edge/posterior.json one.json 1e-4
claim "a run is interrupted" sim --algorithm sum --tol 0 --rounds 40 --checkpoint ck --every 20 --out part
claim "and resumed" sim --algorithm sum --tol 0 --rounds 60 --checkpoint ck --resume ck --out rest
claim "another is not" sim --algorithm sum --tol 0 --rounds 60 --out whole
claim "to the same bits" cmp rest/posterior.json whole/posterior.json
claim "nodes of a mesh agree" says 'settled' "$program" up --virtual --data rows.csv --node-column node --drop x \
    "${of[@]}" --topology ring:n=6 --algorithm sum --until settled --out up
claim "on the fit, but for a prior that they made of a sample" near up/posterior.json one.json 1e-2
claim "inputs have coefficients of each series" says 'settled' "$program" fit --data rows.csv --drop node "${of[@]}" --out x.json
claim "so less is left" awk -v a="$(value x.json noise_variance)" -v b="$(value one.json noise_variance)" 'BEGIN { exit !(a < b) }'
claim "a slope and a season are found" says 'season' fit --structural.trend on --structural.season 4 --out season.json
claim "the file says so" grep -q '"season": "4"' season.json

claim "gaps are filled" "$program" predict --posterior one.json --data rows.csv --drop node,x --group-column site --out filled.csv
claim "in every row" is 961 "$(wc -l <filled.csv)"
claim "with intervals" refuted grep -qi nan filled.csv
claim "series have densities" "$program" predict --posterior one.json --data rows.csv --drop node,x --group-column site --what group-density --out groups.csv
claim "twelve of them" is 13 "$(wc -l <groups.csv)"
claim "rows have a mean density" says 'nats a row' "$program" score --posterior one.json --data rows.csv --drop node,x --group-column site
claim "answers are compared by their variances" says 'noise.* 1$' "$program" compare one.json one.json
claim "and exported" "$program" export --posterior one.json --format arrays --out one.npz
claim "intervals of variances are printed" says '95 % from' fit
claim "an update goes on from an answer" says 'settled' fit --prior posterior:one.json --out again.json
claim "which is too sure of variances: no interval" refuted says '95 % from' fit --prior posterior:one.json
claim "nor with --update, whose rows are elsewhere" refuted says '95 % from' fit --update one.json --out more.json

claim "a report shows the series" fit --structural.trend on --out shown
claim "level, slope and what comes next of each" grep -q 'id="series".*' shown/report.html
claim "as its answer does" is "level,slope 12 12 80 16" "$(/usr/bin/env python3 -c '
import json
s = json.load(open("shown/answer.json"))["series"]
one = s["shown"][0]
print(",".join(s["parts"]), s["count"], len(s["shown"]), len(one["mean"][1]), len(one["forecast"]["sd"][0]))')"
printf 'y\n2.5\n' >alone.csv
claim "of one row, too" says "has one row" "$program" fit --data alone.csv --model structural --out alone
claim "whose forecast nothing bounds: its fan fills the drawing" grep -q 'points="1.5,0.00 2.5,0.00.* 1.5,100.00 "' alone/report.html
claim "and no number in it is none" refuted grep -q 'nan' alone/report.html
claim "with gaps shaded" grep -q 'rows without a value' shown/report.html
claim "with inputs it says why there is no forecast" fit_with_inputs --out inputs
claim "in the report" grep -q 'which would need the inputs of the rows that follow' inputs/report.html

refuse() { # refuse TEXT PATTERN COMMAND...
    local text=$1 pattern=$2
    shift 2
    claim "$text: one line" says "$pattern" status_is 1 "$@"
}
awk -F, -v OFS=, 'NR == 7 { $3 = "" } 1' rows.csv >gap.csv
refuse "a gap in an input" 'gap.csv:7: column "x" has no value; model structural needs all inputs' \
    "$program" fit --data gap.csv --drop node "${of[@]}"
refuse "a sequence that loses rows" 'rows of model structural are a sequence' fit --missing drop
claim "neither rows nor parameters are sampled: one answer" says 'rows and parameters of a structural posterior cannot be sampled' \
    status_is 1 "$program" sample --posterior one.json --what rows
claim "to both" says 'rows and parameters of a structural posterior cannot be sampled' \
    status_is 1 "$program" sample --posterior one.json --what parameters
claim "a network sums where nothing else is asked for" says 'sum +[0-9]+ settled' sim
claim "which help says, and where edge settles" says 'On networks: --algorithm sum.*edge settles' "$program" help sim structural
refuse "a season that is none" 'structural.season' fit --structural.season 11

finish

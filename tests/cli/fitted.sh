#!/usr/bin/env bash
# fitted.sh PROGRAM: how well an answer fits the rows, which it predicts 256 together, is what `predict`
# and the rows themselves say.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

awk 'BEGIN { srand(1); print "y,a,b,z,w,kind"
    for (j = 0; j < 700; j++) { k = j % 2; a = .3 * rand() + .7 * k; b = 100 * rand()
        print 1 + 3 * a + .2 * rand() - .05 * b "," a "," b "," 40 * b - a + 900 * rand() "," j % 3 / 2 "," k } }' >rows.csv
same() { python3 - "$@"; }

claim "two targets of weighted rows" "$program" fit --data rows.csv --drop kind --model linreg --target-column z,y \
    --weight-column w --out both
cut -d, -f2,3 rows.csv >inputs.csv
"$program" predict --posterior both/posterior.json --data inputs.csv >p.csv
claim "are fitted as predict says" same <<'END'
import csv
fitted = list(csv.reader(open('both/view_fit.csv')))[1:]
said, rows = list(csv.reader(open('p.csv'))), list(csv.DictReader(open('rows.csv')))
at = [said[0].index('mean.' + t) for t in 'zy']
assert len(fitted) == 2 * len(rows) == 1400
for k, (mean, observed, target) in enumerate(fitted):
    j, t = divmod(k, 2)
    own, y = float(said[1 + j][at[t]]), float(rows[j]['zy'[t]])
    assert int(target) == t
    assert abs(float(mean) - own) <= 1e-7 * max(1, abs(own)) and abs(float(observed) - y) <= 1e-7 * max(1, abs(y))
END
claim "R2 and RMSE are those of these rows" same <<'END'
import csv, json
a, rows = json.load(open('both/answer.json')), list(csv.DictReader(open('rows.csv')))
said = list(csv.DictReader(open('p.csv')))
w = [float(r['w']) for r in rows]
for t, name in enumerate('zy'):
    y, m = [float(r[name]) for r in rows], [float(r['mean.' + name]) for r in said]
    rest = sum(u * (v - e) ** 2 for u, v, e in zip(w, y, m))
    middle = sum(u * v for u, v in zip(w, y)) / sum(w)
    all = sum(u * (v - middle) ** 2 for u, v in zip(w, y))
    assert abs(a['rmse'][t] - (rest / sum(w)) ** .5) <= 1e-9 * a['rmse'][t]
    assert abs(a['r2'][t] - (1 - rest / all)) <= 1e-9
END
claim "classes of a mixture" "$program" fit --data rows.csv --columns a,b --label-column kind --n-components 2 --out mix
"$program" predict --posterior mix/posterior.json --data inputs.csv --what labels >l.csv
claim "are counted over all rows" same <<'END'
import csv, json
a, rows = json.load(open('mix/answer.json')), list(csv.DictReader(open('rows.csv')))
count = [[0, 0], [0, 0]]
for r, said in zip(rows, csv.DictReader(open('l.csv'))):
    count[int(said['label'])][a['classes'].index(r['kind'])] += 1
assert a['table'] == count and sum(map(sum, count)) == 700
END
claim "threads change no prediction" bash -c "cmp <('$program' predict --posterior mix/posterior.json --data inputs.csv --threads 1) \
    <('$program' predict --posterior mix/posterior.json --data inputs.csv --threads 3)"
claim "expected densities of rows have the mean of the score" bash -c "
    '$program' score --posterior mix/posterior.json --data inputs.csv --density expected --json >mean.json
    '$program' score --posterior mix/posterior.json --data inputs.csv --density expected --samples --out each.csv
    awk -F'[:,]' 'NR == FNR { want = \$2; next } FNR > 1 { sum += \$1; n++ }
        END { d = sum / n - want; exit n != 700 || d * d > 1e-20 }' mean.json each.csv"
for link in logistic multinomial; do
    flag() { "$program" fit --model glm --glm.link "$link" --target-column kind --drop y,z,w "$@"; }
    claim "$link: inputs that separate all rows" says 'the inputs separate' flag --data rows.csv --out apart
    # The last row alone, in the third block, has the other level.
    awk 'NR == 701 { sub(/.$/, 1 - substr($0, length($0))) } { print }' rows.csv >last.csv
    claim "$link: but for one do not" refuted says 'the inputs separate' flag --data last.csv --out not
done
finish

#!/usr/bin/env bash
# targets.sh PROGRAM: regressions with several targets, from rows to every file that is made of the
# answer.
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

awk 'BEGIN { srand(1); print "site,y,a,b,z"
    for (j = 0; j < 120; j++) { a = rand(); b = 100 * rand()
        print j % 6 "," 1 + 3 * a + .2 * rand() - .05 * b "," a "," b "," 40 * b - a + 900 * rand() } }' >rows.csv
cut -d, -f2- rows.csv >all.csv
cut -d, -f1-3 all.csv >only-y.csv
cut -d, -f2-4 all.csv >only-z.csv
awk -F, '{ print $3 "," $2 }' all.csv >inputs.csv
regression=(--model linreg --target-column "z,y")
network=(--data rows.csv --node-column site "${regression[@]}" --topology ring:n=6)
fit() { "$program" fit --data all.csv --model linreg "$@"; }
same() { python3 - "$@"; }

claim "two targets" says 'target z: R2 0\.9.*; target y: R2 0\.9' fit --target-column z,y --out both.json
claim "have their names" same <<'END'
import json
p = json.load(open('both.json'))
assert p['target'] == ['z', 'y'] and p['features'] == ['a', 'b']
END
for t in y z; do
    "$program" fit --data only-$t.csv --model linreg --target-column $t --out $t.json >/dev/null
done
claim "and the numbers of two regressions" same <<'END'
import json
both, each = json.load(open('both.json')), [json.load(open(t + '.json')) for t in 'zy']
def near(x, y):
    x, y = ([v for r in m for v in r] if isinstance(m[0], list) else m for m in (x, y))
    scale = max(map(abs, y))
    return all(abs(a - b) <= 1e-12 * scale for a, b in zip(x, y))
for key in ('coef', 'coef_scale'):
    for t in (0, 1):
        assert near(both[key][t], each[t][key]), key
for key in ('rate', 'intercept', 'intercept_scale', 'noise_variance'):
    for t in (0, 1):
        assert near([both[key][t]], [each[t][key]]), key
assert near(both['precision'], each[0]['precision']) and both['shape'] == each[0]['shape']
assert abs(both['bound'] - sum(e['bound'] for e in each)) <= 1e-10 * abs(both['bound'])
END
"$program" predict --posterior both.json --data inputs.csv >p.csv
claim "predictions of each" grep -q '^row,mean.z,sd.z,lower.z,upper.z,mean.y,sd.y,lower.y,upper.y$' p.csv
for t in y z; do
    "$program" predict --posterior $t.json --data inputs.csv >p-$t.csv
    "$program" score --posterior $t.json --data only-$t.csv --samples --out s-$t.csv >/dev/null
done
"$program" score --posterior both.json --data all.csv --samples --out s.csv >/dev/null
claim "are those of one alone, and densities their sum" same <<'END'
import csv
read = lambda f: [[float(x) for x in r[1:]] for r in list(csv.reader(open(f)))[1:]]
for both, z, y in zip(read('p.csv'), read('p-z.csv'), read('p-y.csv')):
    assert all(abs(a - b) <= 1e-9 * abs(b) + 1e-12 for a, b in zip(both, z + y))
each = [[float(r[-1]) for r in list(csv.reader(open(f)))[1:]] for f in ('s.csv', 's-z.csv', 's-y.csv')]
assert len(each[0]) == 120 and all(abs(b - z - y) < 1e-9 for b, z, y in zip(*each))
END
claim "a network that loses 30 % of its messages settles" says 'edge +[0-9]+ settled' \
    "$program" sim "${network[@]}" --loss 0.3 --algorithm edge,cvb,tree --tol 1e-9 --rounds 4000 --out net
claim "without loss ADMM, too" says 'admm +[0-9]+ settled' \
    "$program" sim "${network[@]}" --algorithm admm,flow --tol 1e-9 --rounds 4000 --out calm
claim "admm: at fit's answer" near calm/posterior-admm.json both.json 1e-8
for name in edge tree cvb; do
    claim "$name: at fit's answer" near net/posterior-$name.json both.json 1e-8
done
claim "the report shows both" grep -q 'target <b>y</b>' net/report.html
claim "a mesh" "$program" up --virtual "${network[@]}" --loss 0.2 --genesis sums --tol 1e-9 --out mesh
claim "finds it" near mesh/posterior.json both.json 1e-8
claim "a genesis" "$program" genesis --data all.csv "${regression[@]}" --out g.json
claim "begins a mesh" "$program" up --virtual "${network[@]}" --genesis g.json --tol 1e-9 --out given
claim "to the same answer" near given/posterior.json both.json 1e-8
claim "as a prior of more rows" fit --target-column z,y --prior posterior:both.json --out more.json
claim "not of one target" says 'got 2 targets; expected 1' \
    "$program" fit --data only-z.csv --model linreg --target-column z --prior posterior:both.json
claim "not of others" says 'got target "z"; expected "y"' fit --target-column y,z --prior posterior:both.json
claim "not compared with one" says 'only like posteriors' "$program" compare both.json z.json
claim "nor in another order" "$program" fit --data all.csv --model linreg --target-column y,z --out swapped.json
claim "of targets" says 'the target is "z" in both.json and "y" in swapped.json' "$program" compare both.json swapped.json
claim "the same file again" "$program" export --posterior both.json --format json --out again.json
claim "to the byte" cmp again.json both.json
claim "parameters of each" says '^draw,intercept.z,intercept.y,coef.z.a,coef.z.b,coef.y.a,coef.y.b,noise_variance.z,noise_variance.y$' \
    "$program" sample --posterior both.json --what parameters --rows 2
claim "scikit-learn's has one target" says 'has one target; .* has 2' \
    "$program" export --posterior both.json --format sklearn --out s.npz
claim "without an intercept" fit --target-column z,y --intercept off --out origin.json
claim "columns' own scale" fit --target-column z,y --standardize off --out raw.json
claim "is the same" near raw.json both.json 1e-8
claim "single precision" fit --target-column z,y --precision float32 --out narrow.json
claim "a prior of one's own" fit --target-column z,y --prior.a0 2 --prior.b0 3 --prior.m0 1,2,3,4,5,6 --prior.lambda0 .1
claim "has numbers for each target" says 'expected 1 or 6 numbers' fit --target-column z,y --prior.m0 1,2,3
claim "relevances are shared" fit --target-column z,y --linreg.relevance on --tol 1e-12 --rounds 20000 --out ard.json
claim "a checkpoint" "$program" sim "${network[@]}" --algorithm edge --tol 1e-9 --rounds 9 --checkpoint cp --out half
claim "is gone on from" "$program" sim "${network[@]}" --algorithm edge --tol 1e-9 --rounds 4000 --resume cp --out whole
claim "to the same answer" near whole/posterior.json both.json 1e-8

claim "a target twice" says 'got "z" twice' fit --target-column z,z
claim "one that is not there" says 'has no feature "q"' fit --target-column z,q
claim "another number of them" says 'got 2 names; expected those of 3 targets' fit --target-column z,y --linreg.targets 3
claim "no inputs are left" says 'only the target is there' "$program" fit --data all.csv --model linreg --intercept off --target-column y,a,b,z
claim "more targets than columns" refuted fit --linreg.targets 9 --target-column z,y
awk -F, 'BEGIN { OFS = "," } NR > 1 { $4 = 7 } { print }' all.csv >constant.csv
claim "a constant target" says 'target "z" is constant.*nothing explains it' "$program" fit --data constant.csv "${regression[@]}"
sed 's/,y,/,"y\,w",/; s/^y,/"y,w",/' all.csv >comma.csv
claim "a name with a comma" "$program" fit --data comma.csv --model linreg --target-column 'y,w' --linreg.targets 1 --out comma.json
python3 -c "
import json
p = json.load(open('both.json')); p['target'] = ['z', 'a']; json.dump(p, open('bad.json', 'w'))"
claim "a target among the features" says 'target.*not among the features' "$program" export --posterior bad.json --format json --out x.json
finish

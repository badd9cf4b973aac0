#!/usr/bin/env bash
# extend.sh PROGRAM: adds the models of examples/02 and 08, that of tests/lib/chain_model.h and the
# algorithm of examples/03 to a copy of the sources, each by its file and one line in a list and in a
# header, as docs/howto describes, and finds them in the help, in the errors, in results and in the report.
# The functions are called through `claim`.
# shellcheck disable=SC2317
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"
unset CFLAGS LDFLAGS
own=$work/own/build/meshbayes

mkdir own
for part in CMakeLists.txt app cmake data docs experiments include src; do
    cp -r "$top/$part" own
done
# listed SOURCE NAME KIND FILE HEADER LIST: the part of the source that ends with the table NAME, as
# mb_KIND_NAME in FILE; a line in HEADER, a line in LIST.
listed() {
    sed -e '/_H$/d' -e "/^static const mb_$3 $2 = /,/};/{s/^static const mb_$3 $2/const mb_$3 mb_$3_$2/;/};/q;}" \
        "$top/$1" >"own/$4" &&
        sed -i "s/^MB_API const mb_$3 .*const \*mb_$3_list(void).*/extern MB_API const mb_$3 mb_$3_$2;\n&/" "own/$5" &&
        sed -i "s/NULL\(,\n\)*}/\&mb_$3_$2, NULL}/; s/^    &mb_$3_.* NULL,$/    \&mb_$3_$2,\n&/" "own/$6" &&
        grep -q "mb_$3_$2;" "own/$5" && grep -q "&mb_$3_$2" "own/$6" && [ -s "own/$4" ]
}
# Not optimised: this compiles most of the sources once more.
build() {
    cmake -S own -B own/build -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O0 -DMB_TESTS=OFF \
        -DMB_BENCH=OFF -DMB_EXAMPLES=OFF -DMB_MPI=OFF &&
        cmake --build own/build -j 2 --target meshbayes
}
claim "a model is a file and two lines" listed examples/02_own_model.c exponential kind src/model/exponential.c \
    include/meshbayes/meshbayes.h src/model/list.c
claim "so is one with a family of its own" listed examples/08_own_family.c poisson kind src/model/poisson.c \
    include/meshbayes/meshbayes.h src/model/list.c
claim "so is one whose rows always come in groups" listed tests/lib/chain_model.h chain kind src/model/chain.c \
    include/meshbayes/meshbayes.h src/model/list.c
claim "an algorithm is a file and two lines" listed examples/03_own_algorithm.c track algo src/algo/track.c \
    include/meshbayes/meshbayes.h src/algo/list.c
claim "the program builds with them" build
[ -x "$own" ] || finish

for command in sim plan; do
    claim "help $command all lists the model" says '^--model poisson: independent Poisson counts' "$own" help "$command" all
done
claim "help sim all lists the algorithm" says '^--algorithm track: dynamic average consensus' "$own" help sim all
claim "the algorithm has a page" says 'dynamic average consensus' "$own" help track
claim "other models are refused with its name" says 'model: .*expected .*poisson' "$own" sim --model fish --data rows.csv
claim "other algorithms are refused with its name" says 'algorithm: .*expected .*track' "$own" sim --algorithm fish --data rows.csv
claim "its file need not be there for either" status_is 2 "$own" sim --algorithm fish

awk 'BEGIN { print "calls,faults"; for (i = 0; i < 60; i++) print i * 7 % 11 "," i % 3 }' >rows.csv
two=(--data rows.csv --topology ring:n=6 --model poisson --out out)
claim "they run together" "$own" sim "${two[@]}" --algorithm track,edge
claim "the report names the algorithm" says '>track<' cat out/report.html
claim "and the model" says 'poisson' cat out/report.html
# Prior Gamma(0.5, 0.1) and 60 rows: the rates have shape 0.5 + sum of the counts and rate 60.1.
exact() { # exact POSTERIOR.json
    python3 - "$1" <<'PY'
import csv, json, sys
rows = [[float(x) for x in row] for row in list(csv.reader(open("rows.csv")))[1:]]
p = json.load(open(sys.argv[1]))
assert p["model"] == "poisson" and p["features"] == ["calls", "faults"], p
for d in (0, 1):
    assert abs(p["shape"][d] - 0.5 - sum(row[d] for row in rows)) < 1e-5, p["shape"]
    assert abs(p["rate"][d] - 60.1) < 1e-5, p["rate"]
PY
}
for name in track edge; do
    claim "the posterior of $name is the closed form" exact "out/posterior-$name.json"
done
claim "fit takes the model" "$own" fit --data rows.csv --model poisson --out one.json
claim "and finds the closed form" exact one.json
claim "its posteriors can be compared" says 'KL' "$own" compare one.json out/posterior-edge.json

# A mixture of one's own on a network that loses every fifth message, against all rows in one place.
awk 'BEGIN { srand(3); print "minutes,pages"; for (i = 0; i < 400; i++) { m = i % 4 ? 1 : 30; printf "%.6f,%.6f\n", -m * log(1 - rand()), -3 * m * log(1 - rand()) } }' >visits.csv
mixture=(--data visits.csv --model exponential --n-components 2)
claim "a mixture is fitted" "$own" fit "${mixture[@]}" --out visits.json
claim "a network that loses messages settles on it" says 'settled' "$own" sim "${mixture[@]}" \
    --topology ring:n=8 --algorithm edge --loss-directed 0.2 --rounds 20000 --out lossy
claim "its report names the model" says 'mixture of exponential distributions' cat lossy/report.html
near() {
    python3 - <<'PY'
import json
one, net = (json.load(open(f)) for f in ("visits.json", "lossy/posterior.json"))
for key in ("weight_concentration", "shape", "rate"):
    flat = lambda x: [v for row in x for v in row] if isinstance(x[0], list) else x
    for a, b in zip(flat(one[key]), flat(net[key])):
        assert abs(a - b) < 1e-4 * abs(a), (key, a, b)
means = [[b / a for a, b in zip(*rows)] for rows in zip(one["shape"], one["rate"])]
assert abs(means[0][0] - 1) < .2 and abs(means[1][0] - 30) < 7, means
PY
}
claim "and has the answer of all rows in one place" near
claim "rows are predicted" "$own" predict --posterior visits.json --data visits.csv --out labels.csv
claim "and scored" "$own" score --posterior visits.json --data visits.csv
claim "and drawn" "$own" sample --posterior visits.json --rows 50 --seed 1 --out drawn.csv
claim "nodes of a mesh agree on it" says 'settled' "$own" up --virtual "${mixture[@]}" --topology ring:n=5 --out mesh
# Of the library of the program, which tests/reference/harness.py makes.
has_class() {
    PYTHONPATH=$top/python/src:$top/tests/reference /usr/bin/python3 - "$own" "$PWD" <<'PY'
import json, os, sys
from harness import Program
os.environ["MESHBAYES_LIBRARY"] = Program(*sys.argv[1:]).library()
import meshbayes, numpy
X = numpy.loadtxt("visits.csv", delimiter=",", skiprows=1)
m = meshbayes.ExponentialMixture(n_components=2, random_state=0).fit(X)
assert "ixture of exponential distributions" in m.__doc__ and m.predict_proba(X).shape == (400, 2)
assert numpy.array_equal(m.posterior_["rate"], json.load(open("visits.json"))["rate"])
PY
}
if /usr/bin/python3 -c 'import sklearn' 2>/dev/null; then
    claim "Python has an estimator of the class that it names, with the same posterior" has_class
else
    echo "skipped: python3-sklearn is not here"
fi
sed '5s/^/-/' visits.csv >negative.csv
claim "a time that is none is named" says 'row 3, column 1: got -.*; expected a time >= 0' "$own" fit \
    --data negative.csv --model exponential
claim "densities, for which it has no function, are refused" says 'error: model poisson predicts nothing' \
    "$own" score --posterior one.json --data rows.csv
claim "so are predictions" says 'error: model poisson predicts nothing' "$own" predict --posterior one.json --data rows.csv
claim "and draws of the parameters" says 'error: .* poisson posterior cannot be sampled' \
    "$own" sample --posterior one.json --what parameters --rows 5 --out draws.csv

# Sequences: each file is one, unless a column says which rows are.
awk 'BEGIN { srand(5); print "who,x"; for (i = 0; i < 200; i++) { if (rand() < 0.1) s = !s; printf "%s,%.4f\n", i < 120 ? "a" : "b", 2 * s - 1 + rand() - rand() } }' >both.csv
for who in a b; do awk -F, -v who=$who 'NR == 1 || $1 == who { print $2 }' both.csv >seq_$who.csv; done
claim "a file without groups is one sequence, says a note" says 'each file is taken as one group' \
    "$own" fit --model chain --data seq_a.csv,seq_b.csv --out files.json
claim "a column may name them" "$own" fit --model chain --data both.csv --group-column who --out column.json
concentration() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["concentration"])' "$1"; }
claim "with the same answer" test "$(concentration files.json)" = "$(concentration column.json)"
claim "nodes of a mesh agree on it" says 'settled' "$own" up --virtual --model chain --data seq_a.csv,seq_b.csv --topology ring:n=2 --out chains
predict=("$own" predict --posterior files.json)
claim "a file is predicted as one" test "$("${predict[@]}" --data seq_a.csv | cut -d, -f1)" = $'group\nseq_a'
claim "as a group of the column is" test "$("${predict[@]}" --data seq_b.csv | tail -n 1 | cut -d, -f2)" = \
    "$("${predict[@]}" --data both.csv --group-column who | tail -n 1 | cut -d, -f2)"
finish

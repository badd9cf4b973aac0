#!/bin/sh
# Checks `meshbayes report` on copies of tests/report/fixture. usage: check.sh PROGRAM
# Prints what failed and exits 1, or "report: N checks passed". Needs python3; with gnuplot on PATH
# the figures are checked too.
set -u

[ $# -eq 1 ] || { echo "usage: $0 PROGRAM" >&2; exit 2; }
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAILED: $*" >&2; }

# fresh NAME: a new copy of the fixture in $dir
fresh() {
    dir=$work/$1
    rm -rf "$dir"
    cp -r "$here/fixture" "$dir"
}

# good NAME [TEXT ...]: report succeeds, the page is sound, and holds every TEXT
good() {
    name=$1
    shift
    if ! "$program" report "$dir" >"$work/out" 2>"$work/err"; then
        bad "$name: exit status not 0: $(head -1 "$work/err")"
        return
    fi
    if [ -n "$(find "$dir" -name '.report-*' -o -name '*.tmp*')" ]; then
        bad "$name: temporary files are left in the folder"
    fi
    if python3 "$here/check_page.py" "$dir" "$@"; then ok; else bad "$name"; fi
}

# broken NAME TEXT: report exits 1 with exactly one line that holds TEXT, and writes no page
broken() {
    "$program" report "$dir" >"$work/out" 2>"$work/err"
    status=$?
    if [ $status -ne 1 ]; then bad "$1: exit status $status, expected 1"; return; fi
    if [ "$(wc -l <"$work/err")" -ne 1 ]; then bad "$1: more than one line: $(cat "$work/err")"; return; fi
    if ! grep -qF -- "$2" "$work/err"; then bad "$1: no \"$2\" in: $(cat "$work/err")"; return; fi
    if [ -e "$dir/report.html" ]; then bad "$1: a page was written"; return; fi
    if [ -n "$(find "$dir" -name '.report-*' 2>/dev/null)" ]; then bad "$1: temporary files left"; return; fi
    ok
}

# edit FILE OLD NEW: the first OLD in FILE of $dir becomes NEW (OLD must be there)
edit() {
    python3 - "$dir/$1" "$2" "$3" <<'PY' || bad "edit $1: \"$2\" is not in the fixture"
import sys
path, old, new = sys.argv[1:]
text = open(path, encoding="utf-8").read()
if old not in text:
    sys.exit(1)
open(path, "w", encoding="utf-8").write(text.replace(old, new, 1))
PY
}

# summary CODE: python on the dictionary s of summary.json
summary() {
    python3 -c "
import json, sys
s = json.load(open(sys.argv[1]))
$1
json.dump(s, open(sys.argv[1], 'w'), indent=2)" "$dir/summary.json"
}

# answer CODE: python on the dictionary a of answer.json
answer() {
    python3 -c "
import json, sys
a = json.load(open(sys.argv[1]))
$1
json.dump(a, open(sys.argv[1], 'w'))" "$dir/answer.json"
}

figures() { # the drawn figures, when there is a gnuplot
    if command -v gnuplot >/dev/null 2>&1; then echo "--figures=$1"; else echo "--figures=0"; fi
}

fresh whole
good "the whole fixture" "$(figures 25)" "&#10003; settled" "invalid at some nodes" "Elsewhere: stationary, but not at the centralised solution" \
    "node 17, round 77, component 2" "3.4&nbsp;&times;&nbsp;10<sup>&minus;9</sup>" \
    "within" "of consensus; one step of central VB from there changes the parameters by up to" \
    "column &quot;c3&quot; is constant" "edge.kappa" "data/sites.csv"
good "the answer" "$(figures 25)" "<b>4 of 10 initialisations reached this bound.</b>" \
    "0.600 &plusmn;&nbsp;0.300</td>" ">150.0</td>" "What sets each component apart" "Rows of each component by class" \
    "This is the posterior of <b>EDGE</b>" "The answer stands" "drew 3 rows of the data" "Every node knows the mean and the covariance of the columns of all rows." \
    "The network sent" "moving all rows to one place costs" "sends less from"
good "a second time into the same folder" "$(figures 25)"

fresh trace
rm "$dir/trace.csv"
curves=--without=kl-cvb,kl-truth,bound,agreement
good "no trace" "$(figures 17)" "$curves" "There is no trace" "--metrics all"

fresh truth
grep -v kl_truth "$dir/trace.csv" >"$dir/t" && mv "$dir/t" "$dir/trace.csv"
good "a trace without kl_truth" "$(figures 23)" --without=kl-truth "--label-column NAME"

fresh bare
for f in config.json network.csv edges.csv nodes.csv trace.csv view_rows.csv view_shapes.csv answer.json; do
    rm "$dir/$f"
done
good "summary.json alone" --figures=0 "$curves,answer,network,contours" "network.csv" "view_rows.csv" "config.json"

fresh stale
summary "s['trace'] = None"
echo "not even a table" >"$dir/trace.csv"
good "a trace that an earlier run left is not read" "$(figures 17)" "$curves" "There is no trace" "--metrics all"

fresh one
summary "s['algorithms'] = [a for a in s['algorithms'] if a['name'] == 'edge']"
for f in nodes view_shapes trace; do
    sed -n '1p;/^edge,/p' "$dir/$f.csv" >"$dir/t" && mv "$dir/t" "$dir/$f.csv"
done
cut -d, -f2- "$dir/trace.csv" >"$dir/t" && mv "$dir/t" "$dir/trace.csv"
good "one algorithm, no column for it" "$(figures 17)" "Central VB did not run here"

fresh single
summary "s['algorithms'] = s['algorithms'][:1]; s['network'].update(nodes=1, edges=0, positions='layout')"
printf 'node,x,y,degree\n1,0,0,0\n' >"$dir/network.csv"
printf 'i,j\n' >"$dir/edges.csv"
for f in nodes view_shapes trace; do
    sed -n '1p;/^cvb,/p' "$dir/$f.csv" >"$dir/t" && mv "$dir/t" "$dir/$f.csv"
done
edit answer.json '"edge"' '"cvb"'
good "one node" --without=network,agreement,contours,cost "1 node" "--algorithm edge"

fresh line
summary "s['view']['columns'] = ['height']; s['data']['labels'] = None"
awk -F, 'NR == 1 { print; next } { print $1 ",," $3 ",,,,," }' "$dir/view_rows.csv" >"$dir/t" && mv "$dir/t" "$dir/view_rows.csv"
answer "
a['view'] = {'columns': ['height'], 'mean': [[x[0]] for x in a['mean']], 'cov': [[x[0] ** 2] for x in a['sd']]}
a['classes'] = a['table'] = None"
good "one column of data, no labels" "$(figures 20)" "The density each answer gives" "curves the density of each component"

fresh fit
summary "s['algorithms'] = s['algorithms'][:1]; s['network'].update(nodes=1, edges=0, positions='layout')"
edit config.json '"sim"' '"fit"'
edit config.json '"data/sites.csv"' '"/home/jo/secret/sites.csv"'
edit summary.json '"data/sites.csv"' '"/home/jo/secret/sites.csv"'
edit answer.json '"edge"' '"cvb"'
printf 'node,x,y,degree\n1,0,0,0\n' >"$dir/network.csv"
printf 'i,j\n' >"$dir/edges.csv"
for f in nodes view_shapes trace; do
    sed -n '1p;/^cvb,/p' "$dir/$f.csv" >"$dir/t" && mv "$dir/t" "$dir/$f.csv"
done
good "a fit on one machine has no section on networks" "--figures=$(expr "$(figures 8)" : '[^=]*=\(.*\)')" \
    --without=network,kl-cvb,kl-truth,agreement,contours,cost,algorithms \
    "One machine with" "<code>sites.csv</code>" "The fit</b>"
if grep -qE "secret|1 node|0 links|yardstick|neighbours|Chosen by the network" "$dir/report.html"; then
    bad "a fit on one machine: $(grep -oE ".{30}(secret|1 node|0 links|yardstick|neighbours|Chosen by the network)" "$dir/report.html" | head -1)"
fi

fresh regression
answer "
a.update(part='coefficient', columns=['y'], names=['(intercept)', 'c1', 'c2'], weight=None, rows=None, mean=[[1], [2], [3]],
         sd=[[.1], [.2], [5]], low=[[.8], [1.6], [-7]], high=[[1.2], [2.4], [13]], target='y', r2=.75, rmse=.5, view=None,
         column_sd=[1, 1, 2], classes=None, table=None, note='noise: sd 0.5')"
printf 'fitted,observed\n1,1.5\n2,1.75\n3,3\n' >"$dir/view_fit.csv"
summary "s['view']['columns'] = []"
rm "$dir/view_rows.csv" "$dir/view_shapes.csv"
good "a regression has coefficients with intervals" "$(figures 15)" --without=contours "R<sup>2</sup> 0.75" \
    "root mean square error 0.5" "noise: sd 0.5" "95&nbsp;% from" ">&minus;7.0000</td>"

fresh sweep
summary "s['components'] = {'asked': '1..4', 'chosen': 3, 'by': 'edge', 'curve': [
    {'algorithm': a, 'components': k, 'left': k, 'bound': b - 100 * (k - 3) ** 2, 'rounds': 40 + k, 'verdict': 'settled',
     'smallest_weight': 1 / (k + 1), 'attempts': 10, 'at_best': 10 - k, 'seconds': .1}
    for k in range(1, 5) for a, b in (('cvb', -1843.2), ('edge', -1843.3))]}"
good "the curve over the number of components" "$(figures 26)" "The number of components" "<td class=\"hit\">3</td>" \
    "<td>7 of 10</td>"

fresh failed
summary "
for a in s['algorithms']:
    a.update(status='failed', error='<b>out</b> & over')
    for key in ('disagreement', 'bound', 'kl_cvb', 'bytes'):
        a.pop(key, None)
s['view']['columns'] = []"
for f in nodes trace; do sed -n 1p "$dir/$f.csv" >"$dir/t" && mv "$dir/t" "$dir/$f.csv"; done
rm "$dir/answer.json" # a run without an answer writes none
good "every algorithm failed" --figures=0 "$curves,answer,network,contours,cost" "&lt;b&gt;out&lt;/b&gt; &amp; over"

fresh numbers
edit trace.csv "edge,1,bound_mean" "edge,1,unheard"
sed -i 's/^edge,1,15,[^,]*/edge,1,15,0/' "$dir/nodes.csv"
good "a disagreement of 0" "$(figures 25)" "from 10⁻¹² and below to 1 and above"

fresh older # no column `total`, no column `of`, no bound at the mean
for f in trace view_shapes; do sed -i 's/,[^,]*$//' "$dir/$f.csv"; done
sed -i '/,bound_mean,/d' "$dir/trace.csv"
good "a folder of an older version" "$(figures 24)"

fresh hostile
summary "s['view']['columns'] = ['\`touch $work/owned\`', '@x \$(touch $work/owned) {/=60 _b^c} %s \\\\n']"
good "column names that look like commands" "$(figures 25)"
[ -e "$work/owned" ] && bad "a column name was run as a command"

fresh nogp
mkdir "$work/empty"
if PATH=$work/empty "$program" report "$dir" >"$work/out" 2>"$work/err"; then
    grep -q "gnuplot was not found" "$work/err" || bad "no gnuplot: no warning on stderr"
    if python3 "$here/check_page.py" "$dir" --figures=0 "gnuplot was not found"; then ok; else bad "no gnuplot"; fi
else
    bad "no gnuplot: exit status not 0"
fi

fresh json
edit summary.json '"seed": 1,' '"seed": 1,,'
broken "summary.json is not JSON" "summary.json:3:"
fresh type
edit summary.json '"rounds": 61' '"rounds": "many"'
broken "a count that is a text" "\"algorithms[0].rounds\""
fresh list
summary "del s['algorithms']"
broken "no algorithms" "\"algorithms\""
fresh name
edit summary.json '"name": "flow"' '"name": "../flow"'
broken "an algorithm's name that is a path" "\"algorithms[6].name\""
fresh cell
edit trace.csv "edge,8,bound_mean,nats," "edge,8,bound_mean,nats,high"
broken "a number that is none" "trace.csv:"
fresh order
edit trace.csv "edge,8,bound_mean" "edge,1,bound_mean"
broken "rounds out of order" "comes after round"
fresh stranger
edit trace.csv "edge,8,bound" "sedge,8,bound"
broken "a trace of an algorithm that did not run" "algorithm \"sedge\" is not in summary.json"
fresh column
edit nodes.csv "disagreement" "apart"
broken "a missing column" "nodes.csv:1: no column \"disagreement\""
fresh node
edit edges.csv "
1," "
99,"
broken "a link to an unknown node" "node \"99\" is not in network.csv"
fresh twice
edit network.csv "
2," "
1,"
broken "a node twice" "network.csv:3: node \"1\" is listed twice"
fresh short
edit view_rows.csv "
" "
1,2
"
broken "a row with too few cells" "view_rows.csv:2:"
fresh algo
edit view_shapes.csv "cvb," "cvx,"
broken "shapes of an unknown algorithm" "view_shapes.csv:2: algorithm \"cvx\""
fresh config
echo '[]' >"$dir/config.json"
broken "config.json is no object" "config.json:1:"
fresh answer
edit answer.json '"edge"' '"hedge"'
broken "the answer of an algorithm that did not run" "answer.json: field \"algorithm\""
fresh matrix
answer "a['mean'][0] = a['mean'][0][:2]"
broken "a mean without a column" "answer.json: field \"mean\": got 8 numbers; expected 9"
fresh gone
rm "$dir/summary.json"
broken "no summary.json" "summary.json"
dir=$work/nowhere
broken "no such folder" "nowhere"
"$program" report >"$work/out" 2>"$work/err"
if [ $? -eq 2 ]; then ok; else bad "no folder named: exit status is not 2"; fi

[ $failed -eq 0 ] || { echo "report: $failed of $((passed + failed)) checks failed" >&2; exit 1; }
echo "report: $passed checks passed"

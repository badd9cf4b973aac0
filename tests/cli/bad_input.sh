#!/bin/bash
# Every misuse in bad_input.txt ends with its exit status and one line on standard error, writes
# nothing on standard output and leaves no file behind.
# usage: bad_input.sh PROGRAM [TABLE]
set -euo pipefail

table=$(readlink -f "${2:-$(dirname "$0")/bad_input.txt}")
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"
mkdir in
cd in

# The common words of the commands in the table.
base='--rounds 5 --n-components 2 --data rows.csv --node-column node --label-column label'
declare -A short=([SIM]="sim $base --network net.csv" [SYN]="data synthetic --out new.csv"
    [NOISY]="sim --model linreg --data rows.csv --drop node,label --target-column x2 --topology ring:n=4 --bounds ends2.csv --ledger new.json --algorithm sum --sum.mask simulated --privacy epsilon=1,delta=1e-5"
    [DP]="fit --model linreg --data rows.csv --drop node,label --target-column x2 --bounds ends2.csv --ledger new.json --privacy"
    [SPLIT]="data split --data rows.csv --name n --out new.csv")

# A file of bytes given with the escapes of printf.
put()
{
    # shellcheck disable=SC2059
    printf "$2" >"$1"
}

# npy FILE DTYPE ORDER SHAPE BYTES: an array of zero bytes.
npy()
{
    local head
    head=$(printf "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" "$2" "$3" "$4")
    {
        printf '\x93NUMPY\1\0'
        # shellcheck disable=SC2059
        printf "\\x$(printf %x "${#head}")"'\0%s' "$head"
        head -c "$5" /dev/zero
    } >"$1"
}

make_inputs()
{
    put rows.csv 'node,x1,x2,label\n1,0.1,1,a\n1,0.9,2,b\n1,0.2,1.5,a\n2,0.3,0.5,a\n2,1.4,2.5,b\n'
    put more '2,0.1,2.1,b\n3,0.7,1.2,a\n3,0.2,0.4,b\n3,1.1,1.9,b\n4,0.4,0.2,a\n4,0.8,1.7,b\n4,0.5,3,a\n'
    cat more >>rows.csv
    install -m 600 more secret.csv
    install -m 644 more open.csv
    rm more
    sed 's/x1/"x,1"/' rows.csv >comma.csv
    put tight.csv 'column,low,high\nx1,0,1\nx2,-100,100\n'
    put wide.csv 'column,low,high\nx1,-1e15,1e15\nx2,-100,100\n'
    put widest.csv 'column,low,high\nx1,-1e100,1e100\nx2,-100,100\n'
    put hidden.csv 'column,low,high\nx1,0,1e18\nx2,-100,100\n'
    put arrive.csv 'time,event,a,b\n1,rows,1,centres1.csv\n'
    put net.csv 'i,j\n1,2\n2,3\n3,4\n4,1\n'
    put word.csv 'node,x1,x2,label\n1,1,2,a\n2,abc,3,b\n'
    put gap.csv 'node,x1,x2,label\n1,1,2,a\n2,3,,b\n'
    put nan.csv 'node,x1,x2,label\n1,1,nan,a\n2,3,4,b\n'
    put infinite.csv 'node,x1,x2,label\n1,1,2,a\n2,-inf,4,b\n'
    put huge.csv 'node,x1,x2,label\n1,1,2,a\n2,1e999,4,b\n'
    put hex.csv 'node,x1,x2,label\n1,0x1F,2,a\n'
    put short.csv 'node,x1,x2,label\n1,1,2,a\n2,3,4\n'
    put long.csv 'node,x1,x2,label\n1,1,2,a,9\n'
    put twice.csv 'node,x1,x1,label\n1,1,2,a\n'
    put unnamed.csv 'node,,x2,label\n1,1,2,a\n'
    put quote.csv 'node,x1,x2,label\n1,1,2,"a\n'
    put blank.csv 'node,x1,x2,label\n1,1,2,a\n\n2,3,4,b\n'
    put nul.csv 'node,x1,x2,label\n1,1,2,a\n2,\0,4,b\n'
    put empty.csv ''
    put german.csv 'a;b\n1,5;2\n3;4,25\n'
    put mixed.csv 'a;b\n1,5;2\n3;4.25\n'
    put headless.csv '1.5,2\n3,4.25\n'
    put gaps.csv 'a,b\n,1\n2,NA\n'
    put hollow.csv 'a,b\n1,\n2,\n'
    put centres1.csv 'node\n1\n'
    put none.npz 'a,b\n1,2\n'
    put header.csv 'node,x1,x2,label\n'
    put nonode.csv 'node,x1,x2,label\n1,1,2,a\n,3,4,b\n'
    put latin1.csv 'node,caf\xe9,x2,label\n1,1,2,a\n2,3,4,b\n'
    put latin1id.csv 'node,x1,x2,label\n1,1,2,a\nn\xe9,3,4,b\n'
    put nolabel.csv 'node,x1,x2,label\n1,1,2,\n'
    put spelled.csv 'node,x1,x2,label\n1,1,2,a\n01,3,4,b\n'
    put features.csv 'node,label\n1,a\n2,b\n'
    put weighted.csv 'node,x1,x2,label,w\n1,1,2,a,1\n2,3,4,b,-1\n'
    put zero.csv 'node,x1,x2,label,w\n1,1,2,a,0\n2,3,4,b,0\n'
    put parts.csv 'i,j\n1,2\n3,4\n'
    put self.csv 'i,j\n1,2\n2,3\n3,3\n3,4\n'
    put ends.csv 'from,to\n1,2\n'
    put end.csv 'i,j\n1,2\n2,\n'
    put lossy.csv 'i,j,loss\n1,2,0.1\n2,3,1\n3,4,0\n'
    put pairs.csv 'i,j,prob\n1,2,0.9\n2,3,1\n3,4,1\n2,1,0.8\n'
    put words.csv 'i,j\na,b\nb,c\n'
    put ends2.csv 'column,low,high\nx1,0,2\nx2,0,3\n'
    put ends1.csv 'column,low,high\nx1,0,2\n'
    put ends3.csv 'column,low,high\nx1,0,2\nx2,0,3\nz,0,1\n'
    put turned.csv 'column,low,high\nx1,2,0\nx2,0,3\n'
    put ledger.json '{"format": "notes"}\n'
    put three.csv 'i,j\n1,2\n2,3\n'
    put again.csv 'i,j\n1,2\n2,3\n3,04\n4,1\n'
    put w.csv 'i,j,w\n1,1,0.5\n1,2,0.25\n1,4,0.2\n2,2,1\n3,3,1\n4,4,1\n'
    put unlinked.csv 'i,j,w\n1,1,0.5\n1,3,0.5\n2,2,1\n3,3,1\n4,4,1\n'
    put stranger.csv 'i,j,w\n1,1,0.5\n1,9,0.5\n2,2,1\n3,3,1\n4,4,1\n'
    put wword.csv 'i,j,w\n1,1,one\n'
    put wcols.csv 'i,j,weight\n1,1,1\n'
    put resp.csv 'a,b\n1,0\n0,1\n'
    put sums.csv 'a,b\n1,0\n.5,.4\n1,0\n1,0\n0,1\n0,1\n0,1\n0,1\n1,0\n1,0\n1,0\n1,0\n'
    put minus.csv 'a,b\n1.5,-.5\n1,0\n1,0\n1,0\n0,1\n0,1\n0,1\n0,1\n1,0\n1,0\n1,0\n1,0\n'
    put centres.csv 'x1,y\n0,0\n1,1\n'
    put narrow.csv 'x1\n0\n1\n'
    put places.csv 'node,x,y\n1,0,0\n2,0,1\n'
    npy complex.npy '<c16' False '(6, 2)' 192
    npy cut.npy '<f8' False '(6, 2)' 90
    npy extra.npy '<f8' False '(6, 2)' 104
    npy cube.npy '<f8' False '(3, 2, 2)' 96
    npy four.npy '<f8' False '(3, 2, 2, 1)' 96
    npy none.npy '<f8' False '(0, 2)' 0
    npy good.npy '<f8' False '(6, 2)' 96
    put text.npy 'a,b\n1,2\n'
    mkdir folder
    put plain ''
    make_posteriors
}

# Posteriors of rows.csv, and what may be wrong with one.
make_posteriors()
{
    npy three.npy '<f8' False '(6, 3)' 144
    put other.csv 'y,z\n1,2\n'
    put other.json '{"format": "notes"}\n'
    cut -d, -f2-4 rows.csv >fitted.csv
    "$program" fit --data fitted.csv --label-column label --out post.json >/dev/null
    "$program" fit --data fitted.csv --label-column label --n-components 1 --out single.json >/dev/null
    sed 's/"version": 1/"version": 3/' post.json >future.json
    sed 's/"weight_total": .*,/"weight_total": 0,/' post.json >weightless.json
    head -n 20 post.json >cut.json
    sed 's/"n_components": 2/"n_components": 3/' post.json >means.json
    sed 's/"dirichlet.1:2/"dirichlet.1:3/' post.json >layout.json
    sed 's/"hash": "/"hash": "x/' post.json >hash.json
    sed 's/    "x2"/    "x1"/' post.json >same.json
    sed 's/"prior": {/"former": {/' post.json >noprior.json
    sed '/"prior"/,$ s/\(  *\)"means"/\1"modes"/' post.json >prior.json
    sed 's/"data units"/"feet"/' post.json >feet.json
    put far.csv 'x1,x2\n1,2\n1e200,0\n'
    "$program" fit --model linreg --target-column x2 --data fitted.csv --label-column label --out line.json >/dev/null
    awk '/"weight_concentration"/ && !done { print; getline; print "    -1.0,"; done = 1; next } { print }' post.json >domain.json
}

failures=0
complain()
{
    echo "FAIL $1: $2"
    failures=$((failures + 1))
}

# one NAME STATUS COMMAND REGEX
one()
{
    local name=$1 want=$2 command=$3 regex=$4 got=0 word lines new
    for word in "${!short[@]}"; do
        command=${command//$word/${short[$word]}}
    done
    local -a args
    eval "args=($command)"
    "$program" "${args[@]}" >../stdout 2>../stderr || got=$?
    [ "$got" = "$want" ] || complain "$name" "exit status $got, expected $want"
    [ ! -s ../stdout ] || complain "$name" "writes on standard output: $(head -n 1 ../stdout)"
    lines=$(grep -cvE ': (warning|note): ' ../stderr || true)
    [ "$lines" = 1 ] || complain "$name" "$lines lines on standard error: $(cat ../stderr)"
    grep -vE ': (warning|note): ' ../stderr | pipe_has -E -- "^meshbayes( [a-z]+)?: error: .*($regex)" ||
        complain "$name" "\"$(cat ../stderr)\" does not match \"$regex\""
    new=$(find . | sort | comm -13 ../before -)
    if [ -n "$new" ]; then
        complain "$name" "leaves $new"
        # shellcheck disable=SC2086
        rm -rf $new
    fi
}

make_inputs
find . | sort >../before
# The commands the cases spoil must be right themselves.
for word in "${!short[@]}"; do
    extra=
    [ "$word" != SPLIT ] || extra='--nodes 2'
    [ "$word" != DP ] || extra=epsilon=1,delta=1e-5
    # shellcheck disable=SC2086
    "$program" ${short[$word]} $extra >../stdout 2>../stderr ||
        complain "$word" "fails: $(cat ../stderr)"
    rm -f new.csv new.json
done

count=0
while IFS= read -r line; do
    case $line in '' | '#'*) continue ;; esac
    name=${line%% | *}
    line=${line#* | }
    status=${line%% | *}
    line=${line#* | }
    one "$name" "$status" "${line%% | *}" "${line#* | }"
    count=$((count + 1))
done <"$table"

echo "$count cases, $failures failures"
[ "$count" -ge 45 ] && [ "$failures" = 0 ]

#!/usr/bin/env bash
# follow.sh PROGRAM: an answer that learns from rows as they arrive (fit --follow).
# shellcheck disable=SC2317
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

fit() { "$program" fit "$@"; }
# eventually COMMAND..: as soon as the command succeeds; a minute is more than any machine needs.
eventually() {
    local tries=600
    until "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || { "$@"; return 1; }
        sleep .1
    done
}
# seen N: the answer has N rows.
seen() { grep -q "\"rows\": $1\$" out.json; }
# start OPTIONS..: follows grow.csv into out.json, process $follower.
follower=
start() {
    env --default-signal=INT "$program" fit --follow grow.csv --update first.json --out out.json "$@" >told.txt 2>warned.txt &
    follower=$!
}
# ready: it has opened the file, so a signal meets its handler.
ready() { find "/proc/$follower/fd" -lname '*/grow.csv' | pipe_has .; }
# ended STATUS [SIGNAL]: the follower ends, after a signal, with that status.
ended() {
    local got=0
    [ $# -eq 1 ] || kill -s "$2" "$follower"
    wait "$follower" || got=$?
    follower=
    [ "$got" -eq "$1" ] || { cat told.txt warned.txt; echo "status $got"; return 1; }
}
trap '[ -z "$follower" ] || kill -s KILL "$follower"; rm -rf "$work"' EXIT

two_clusters 6 30
cut -d, -f1,2 rows.csv >xy.csv
line=(--model linreg --target-column b --prior.a0 1 --prior.b0 2 --prior.m0 0 --prior.lambda0 .5)
head -n 31 xy.csv >first.csv
{ head -n 1 xy.csv && tail -n +32 xy.csv; } >rest.csv
fit --data first.csv "${line[@]}" --out first.json >/dev/null
fit --data xy.csv "${line[@]}" --out all.json >/dev/null

# Standard input.
claim "rows of standard input" fit --follow - --update first.json --every rows=7 --out out.json <rest.csv
claim "are learnt as if they had been there at once" close_to all.json out.json 1e-10
claim "all of them" seen 180
fit --follow - --update first.json --every rows=150 --forget .5 --out half.json <rest.csv >/dev/null
fit --update first.json --forget .5 --data rest.csv --out once.json >/dev/null
claim "forgetting is that of --update" close_to once.json half.json 1e-12
awk -F, -v OFS=, '{ print "n" NR, $2, $1 }' rest.csv | sed '1s/n1/site/' >turned.csv
claim "columns are found by their names" fit --follow - --update first.json --out turned.json <turned.csv
claim "wherever they are" close_to all.json turned.json 1e-10
awk -F, -v OFS=, '{ print $0, NR == 1 ? "w" : 2 }' rest.csv >heavy.csv
{ cat rest.csv && tail -n +2 rest.csv; } >twice.csv
fit --update first.json --data twice.csv --out twice.json >/dev/null
claim "weights" fit --follow - --update first.json --weight-column w --out heavy.json <heavy.csv
claim "count as repeated rows" close_to twice.json heavy.json 1e-10

# Without an answer to begin with.
awk -F, -v OFS=, '{ print $1, $2, (NR == 1 ? "c" : $1 * $1 - $2) }' xy.csv >three_columns.csv
claim "the first rows make an answer" fit --follow - "${line[@]}" --every rows=20 --out alone.json <xy.csv
claim "which learns from the others" close_to all.json alone.json 1e-10
claim "and counts all" grep -q '"rows": 180$' alone.json
claim "with several targets" fit --follow - --model linreg --target-column a,c --every rows=20 --out three.json \
    <three_columns.csv
claim "a mixture" fit --follow - --n-components 2 --every rows=20 --out mixture1.json <xy.csv
head -n 20 xy.csv >few.csv
fit --data few.csv --n-components 2 --out few.json >/dev/null
claim "a few rows, at their end" fit --follow - --n-components 2 --out few2.json <few.csv
claim "are fitted as by --data" close_to few.json few2.json 1e-12
claim "weights are no feature" fit --follow - --n-components 2 --weight-column w --out heavy2.json <heavy.csv
claim "but weights" grep -q '"weight_total": 300.0,' heavy2.json
claim "more components than rows are refused" says '--n-components: got 30 components for 19 rows' \
    fit --follow - --n-components 30 --out none.json <few.csv
claim "a target that is not there, too" says '--target-column: .* has no feature "z"' \
    fit --follow - --model linreg --target-column z --out none.json <xy.csv
claim "relevances need a window" says 'cannot be updated; expected --window' \
    fit --follow - --model linreg --target-column b --linreg.relevance on --out none.json <xy.csv
claim "which they may have" fit --follow - --model linreg --target-column b --linreg.relevance on --window rows=90 \
    --out relevant.json <xy.csv
claim "no rows, no file" fit --follow - --n-components 2 --out none.json </dev/null
claim "nothing is there" test ! -e none.json

# Rows that cannot be read.
{ head -n 10 rest.csv && printf '1,x\n3\n1e300,2\n' && tail -n +11 rest.csv; } >bad.csv
claim "a bad row is named by its line" says '[-]:11: column "b": "x" is not a finite number; the row is left out' \
    fit --follow - --update first.json --out bad.json <bad.csv
claim "so is a short one" grep -q '[-]:12: got 1 cells; expected 2' said.txt
claim "and a number too large" grep -q '[-]:13: column "a": 1e300 is too large' said.txt
claim "they are counted" grep -q '180 rows, 150 of them new, 3 left out' said.txt
claim "the others are learnt" close_to all.json bad.json 1e-10
head -n 10 bad.csv >before.csv
fit --update first.json --data before.csv --out before.json >/dev/null
claim "--on-bad-row stop ends there" says 'error: -:11: column "b"' \
    fit --follow - --update first.json --on-bad-row stop --out stopped.json <bad.csv
claim "with status 1" status_is 1 fit --follow - --update first.json --on-bad-row stop --out stopped.json <bad.csv
claim "once the rows before are learnt" close_to before.json stopped.json 1e-10
{ echo a,c && echo 1,2; } >other.csv
claim "rows without a column end it" says 'error: -: no column "b" in its line of names' \
    fit --follow - --update first.json --out none.json <other.csv
claim "in one line" test "$(wc -l <said.txt)" -eq 1
claim "nothing is written when nothing was learnt" test ! -e none.json
awk -F, -v OFS=, '{ print $1, (NR == 1 ? "y" : ($2 > -1)) }' xy.csv >flags.csv
fit --data flags.csv --model glm --target-column y --out glm.json >/dev/null
{ cat flags.csv && echo 1,2; } >three.csv
claim "a target that cannot be is left out" says '[-]:182: .*; the row is left out' \
    fit --follow - --update glm.json --out glm2.json <three.csv
claim "the others are learnt, too" grep -q '"rows": 360$' glm2.json

head -n 1 rest.csv >grow.csv
start --every time=1h
sed -n '2,11p' rest.csv >>grow.csv
claim "rows wait" eventually ready
mv other.csv grow.csv
claim "a file of other columns that takes its place ends it" ended 1
claim "which is said" grep -q 'error: grow.csv: no column "b"' warned.txt
claim "once the rows that waited are learnt" seen 40

# A file that grows.
cp first.json out.json
head -n 1 rest.csv >grow.csv
start --every rows=10
claim "nothing is written before there are rows" cmp first.json out.json
sed -n '2,11p' rest.csv >>grow.csv
claim "rows that are appended are learnt" eventually seen 40
printf '%s' "$(sed -n 12p rest.csv)" >>grow.csv
sed -n '13,21p' rest.csv | { printf '\n' && cat; } >>grow.csv
claim "a line counts when its end is written" eventually seen 50
{ head -n 1 rest.csv && sed -n '27,31p' rest.csv; } >grow.tmp
sed -n '22,26p' rest.csv >>grow.csv && mv grow.csv old.csv && mv grow.tmp grow.csv
claim "a file that is rotated is read to its end, and the new one from its beginning" eventually seen 60
claim "which is said" eventually grep -q 'grow.csv was replaced or has become shorter' warned.txt
sed -n '1p;32,41p' rest.csv | head -n 6 >grow.csv
claim "so is one that is cut" eventually test "$(grep -c 'become shorter' warned.txt)" -ge 1
cp out.json kept.json
kill -s STOP "$follower" && kill -s KILL "$follower"
claim "killed, it leaves an answer that is complete" ended 137
claim "the last that it told of" test "$(tail -n 1 told.txt | cut -d' ' -f2)" -le 65
claim "which other commands read" "$program" compare out.json all.json

# A file that goes, and a folder that goes.
{ head -n 1 rest.csv && sed -n '2,11p' rest.csv; } >grow.csv
mkdir answers
start --every rows=10 --out answers/out.json
claim "rows to a folder" eventually grep -q '^answers/out.json: 40 rows, 10 of them new' told.txt
rm grow.csv
{ head -n 1 rest.csv && sed -n '12,21p' rest.csv; } >grow.tmp && mv grow.tmp grow.csv
claim "a file that is deleted and made again is read from its beginning" \
    eventually grep -q '^answers/out.json: 50 rows, 10 of them new' told.txt
mv answers elsewhere
sed -n '22,31p' rest.csv >>grow.csv
claim "without its folder the answer waits" eventually grep -q 'warning: .*answers/out.json.*it is tried again' warned.txt
mv elsewhere answers
sed -n '32,41p' rest.csv >>grow.csv
claim "and is written when the folder is there again" \
    eventually grep -q '^answers/out.json: 70 rows, 20 of them new, 0 left out' told.txt
mv answers elsewhere
sed -n '42,51p' rest.csv >>grow.csv
tried() { [ "$(grep -c 'it is tried again' warned.txt)" -ge "$1" ]; }
claim "or not there" eventually tried 2
claim "the end is status 1" ended 1 TERM
claim "in one line" test "$(grep -c 'error: ' warned.txt)" -eq 1
claim "the answer before is complete" grep -q '"rows": 70$' elsewhere/out.json
claim "and alone" test "$(ls -A elsewhere)" = out.json

cp rest.csv grow.csv
for signal in TERM INT; do
    cp first.json out.json
    start --every time=1h
    claim "it follows" eventually ready
    claim "SIG$signal ends it" ended $((128 + $(kill -l $signal))) $signal
    claim "with the answer of the rows that waited" close_to all.json out.json 1e-10
done

# Windows.
tail -n 40 rest.csv >last.body
{ head -n 1 rest.csv && cat last.body; } >last.csv
fit --data last.csv "${line[@]}" --out last.json >/dev/null
claim "a window of rows" fit --follow - --update first.json --window rows=40 --every rows=33 --out window.json <rest.csv
claim "has the answer of the newest rows" close_to last.json window.json 1e-6
claim "as many as it says" grep -q '"rows": 40$' window.json
claim "and their weight" grep -q '"weight_total": 40.0,' window.json
fit --data first.csv --n-components 2 --out mixture.json >/dev/null
claim "a mixture in a window" fit --follow - --update mixture.json --window rows=100 --out mixture2.json <rest.csv
head -n 31 rest.csv >grow.csv
cp first.json out.json
start --window time=3s --every time=200ms
claim "a window of time takes the rows" eventually grep -q ' 30 of them new' told.txt
claim "which leave when they are old" eventually grep -q '^out.json: 0 rows' told.txt
tail -n 5 rest.csv >>grow.csv
claim "and takes others" eventually grep -q ' 5 of them new' told.txt
claim "until SIGTERM" ended 143 TERM

# What is refused.
refuses() { # refuses PATTERN OPTIONS..: in one line, with status 2
    local pattern=$1
    shift
    status_is 2 fit "$@" </dev/null >said.txt 2>&1 || return 1
    cat said.txt
    [ "$(grep -cE -e "$pattern" said.txt)" = "$(wc -l <said.txt)" ]
}
claim "columns of unknown kinds" refuses 'model lca needs --update FILE.json' --follow - --model lca --out o.json
claim "no file to write" refuses 'follow needs --out FILE.json' --follow - --update first.json
claim "rows of --data" refuses '--data and --follow exclude each other' --follow - --data xy.csv --update first.json --out o.json
claim "a trace" refuses '--trace and --follow exclude each other' --follow - --trace t.csv --update first.json --out o.json
claim "a window that is none" refuses '--window: got "40"; expected rows=N or time=T' \
    --follow - --update first.json --window 40 --out o.json
claim "of no rows" refuses '--window: got "rows=0"; expected rows=1 to' --follow - --update first.json --window rows=0 --out o.json
claim "of time without a unit" refuses '--window' --follow - --update first.json --window time=x --out o.json
claim "forgetting in a window" refuses '--forget and --window exclude each other' \
    --follow - --update first.json --window rows=9 --forget .5 --out o.json
claim "a window without rows that come" refuses '--window and --on-bad-row require --follow' \
    --data xy.csv --window rows=9
cp rest.csv rest.json
claim "the file that is followed as --out" refuses '--out rest.json would be written over --follow rest.json' \
    --follow rest.json --update first.json --out rest.json
claim "a file that is missing" says 'absent.csv: cannot be read' fit --follow absent.csv --update first.json --out o.json
claim "a file that is no text" refuses '--follow: got "x.npy"; expected a CSV file that grows' \
    --follow x.npy --update first.json --out o.json
claim "a folder" says 'is not a file that grows' fit --follow . --update first.json --out o.json
finish

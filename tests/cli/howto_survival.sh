#!/bin/bash
# The commands of docs/howto/survival.md do what the page says, and rows of intervals add up.
# usage: howto_survival.sh PROGRAM
# shellcheck disable=SC2016
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

meshbayes() { "$program" "$@"; }
sed -n '/^```sh$/,/^```$/p' "$top/docs/howto/survival.md" | grep -v '^```' >commands.txt
claim "the page has commands" test "$(wc -l <commands.txt)" = 5
while IFS= read -r line; do
    claim "${line:0:100}" eval "$line"
done <commands.txt
claim "every patient's days and deaths are in its intervals" python3 -c 'import csv
read = lambda f: list(csv.DictReader(open(f)))
whole, rows = {r["id"]: r for r in read("patients.csv")}, read("intervals.csv")
ends, days, died = {"000-030": (0, 30), "030-090": (30, 90), "090-180": (90, 180), "180-365": (180, 365), "365+": (365, 1e9)}, {}, {}
for r in rows:
    a, b = ends[r["interval"]]
    t = float(whole[r["id"]]["days"])
    assert abs(float(r["exposure"]) - (min(t, b) - a)) < 1e-9 and r["age"] == whole[r["id"]]["age"]
    assert (r["died"] == "1") == (whole[r["id"]]["died"] == "1" and a < t <= b)
    days[r["id"]] = days.get(r["id"], 0) + float(r["exposure"])
assert days.keys() == whole.keys() and all(abs(days[k] - float(whole[k]["days"])) < 1e-9 for k in days)'
claim "hazards are the deaths of an interval by its days" python3 -c 'import csv, json, math
rows, o = list(csv.DictReader(open("intervals.csv"))), json.load(open("hazard.json"))
names = sorted({r["interval"] for r in rows})
assert o["features"] == ["interval" + k for k in names[1:]] + ["exposure"] and o["kinds"][-1] == "exposure"
for k, c in zip(names, [0, *o["coef"]]):
    deaths = sum(r["died"] == "1" for r in rows if r["interval"] == k)
    rate = deaths / sum(float(r["exposure"]) for r in rows if r["interval"] == k)
    assert abs(o["intercept"] + c - math.log(rate)) < 1 / deaths, (k, o["intercept"] + c, math.log(rate))'
claim "the ratios are those that were drawn, to three standard deviations" python3 -c 'import json
o = json.load(open("ratios.json"))
for name, drawn in ("I(age - 60)", .03), ("treated", -.6):
    k = o["features"].index(name)
    assert abs(o["coef"][k] - drawn) < 3 * o["coef_sd"][k], (name, o["coef"][k], o["coef_sd"][k])'
claim "dispersion is not said of events, of which a row has one or none" refuted grep -q dispersion net/answer.json
claim "the network has the answer of one machine" near net/posterior.json ratios.json 1e-6

printf 'a,start,stop,event\nx,10,40,1\ny,0,30,1\nz,35,50,0\n' >entry.csv
split() { "$program" data split-time --data entry.csv --time-column stop --event-column event --cuts 30 --out "$@"; }
claim "observation begins at the entry" split late.csv --entry-column start
claim "an interval has its end" diff late.csv <(printf 'a,interval,exposure,event\nx,00-30,20,0\nx,30+,10,1\ny,00-30,30,1\nz,30+,15,0\n')
claim "a time before the entry" says 'entry.csv:2: column "start": got 10; expected a number above 40, the entry$' \
    "$program" data split-time --data entry.csv --time-column start --entry-column stop --event-column event --cuts 30 --out no.csv
claim "no event" says 'column "start": got "10"; expected an integer from 0 to 1' \
    "$program" data split-time --data entry.csv --time-column stop --event-column start --cuts 30 --out no.csv
claim "cuts that descend" says 'cuts: got 20 after 30; expected numbers that ascend from 0' split no.csv --cuts 30,20
# names CUTS: the intervals of a subject that is in all of them.
names() {
    printf 'stop,event\n9e15,0\n' >last.csv
    "$program" data split-time --data last.csv --time-column stop --event-column event --cuts "$1" --out cut.csv >/dev/null &&
        tail -n +2 cut.csv | cut -d, -f1
}
claim "cuts that are close have names of their own" diff <(names 30,30.0000000001,30.5) \
    <(printf '%s\n' 00-30 30-30.0000000001 30.0000000001-30.5 30.5+)
claim "long cuts are written out, and sort" diff <(names 0.5,9e9,1e10,12345678901) \
    <(printf '%s\n' 00000000000-00000000000.5 00000000000.5-09000000000 09000000000-10000000000 10000000000-12345678901 12345678901+)
claim "a cut that has no such name" says 'error: --cuts: got 1e-30; expected at most 17 decimals$' split no.csv --cuts 1e-30,30
claim "a cut beyond them" says 'cuts: got 1e\+15; expected numbers below 1e15$' split no.csv --cuts 1e15
claim "a column that is missing" says 'time-column: entry.csv has no column "when"' split no.csv --time-column when
printf 'exposure,stop,event\n1,2,1\n' >entry.csv
claim "a name that is taken" says 'has a column "exposure" already' split no.csv
claim "nothing is written" test ! -e no.csv

finish

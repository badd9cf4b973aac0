#!/usr/bin/env bash
# issue_0034_plan_of_a_run.sh MESHBAYES - a plan shows first what a run costs until it settles: the rounds and bytes that
# sim then makes. What the limit of rounds would cost comes after it.
# shellcheck disable=SC2054 # commas belong to options
set -euo pipefail
# shellcheck source=../lib/claims.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

two_clusters 6 15
real=(--data rows.csv --node-column site --label-column kind --network links.csv --n-components 2 --algorithm cvb,admm,flow,edge)
"$program" sim "${real[@]}" --json >sim.json
plan() { "$program" plan "${real[@]}" "$@"; }
json() { # json STATEMENT: of the plan p and the run s
    python3 -c "import json; p, s = (json.load(open(f))['algorithms'] for f in ('plan.json', 'sim.json')); $1"
}
plan --measure 60 --json >plan.json
claim "a trial that is long enough settles" json 'assert [a["ends"] for a in p] == ["settled"] * 4, p'
claim "after as many rounds as the run" json 'assert [a["rounds_typical"] for a in p] == [a["rounds"] for a in s]'
claim "and as many bytes" json 'assert [a["bytes_typical"] for a in p] == [a["bytes"] for a in s], ([a["bytes_typical"] for a in p], [a["bytes"] for a in s])'
claim "which are fewer than those of all rounds" json 'assert all(a["bytes_typical"] < a["bytes"] for a in p[1:])'
plan --measure 60 >plan.txt
first() { awk -v rounds="$1" '/^edge / { exit !($2 == rounds) }' plan.txt; }
claim "the table has these rounds" first "$(python3 -c 'import json; print(json.load(open("sim.json"))["algorithms"][3]["rounds"])')"
claim "the limit stands below it" grep -q '^With all 20000 rounds (--rounds), if it does not settle: cvb .* and .*, edge ' plan.txt
plan --measure 60 --rounds 11 --json >plan.json
claim "a limit below is the end" json 'assert [(a["ends"], a["rounds_typical"]) for a in p[1:]] == [("limit", 11)] * 3, p'
plan --measure 60 --rounds 11 >plan.txt
claim "and marked" grep -qE '^edge +11 \* ' plan.txt
plan --measure 0 --tol 0 --json >plan.json
claim "without a stopping rule all rounds are made" json 'assert [(a["ends"], a["rounds_typical"]) for a in p] == [("limit", 20000)] * 4'
plan --measure 0 --json >plan.json
claim "a trial that is too short does not pretend to know" json 'assert [(a["ends"], a["rounds_typical"]) for a in p] == [("unknown", 20000)] * 4'
finish

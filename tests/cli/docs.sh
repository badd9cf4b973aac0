#!/usr/bin/env bash
# docs.sh PROGRAM: what the documents name exists: functions of the equation map, linked files,
# commands and options of the README.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

# shellcheck disable=SC2016
grep -oE '`[a-z]+/[a-z_./]+\.[ch]:[a-z_0-9]+`' "$top/docs/equations.md" | tr -d '`' | sort -u >places.txt
claim "the equation map has places" test "$(wc -l <places.txt)" -ge 30
while IFS=: read -r file function; do
    claim "$file has $function" grep -qE "(^|[ *])$function\(" "$top/$file"
done <places.txt
for document in $(cd "$top" && echo README.md CONTRIBUTING.md VERSIONING.md docs/*.md docs/*/*.md data/README.md); do
    folder=$top/$(dirname "$document")
    grep -oE '\]\([^)#]+\)' "$top/$document" | sed 's/^](//; s/)$//' | grep -v '^https\?:' >links.txt || true
    while read -r link; do
        claim "$document: $link exists" test -e "$folder/$link"
    done <links.txt
done
for command in sim fit predict score compare sample export plan genesis up replay graph data report paper; do
    "$program" help "$command" all
done >help.txt
# The README's table of installations has commands of other programs; script/packages runs them.
sed '/^## Install it$/,/^## /d' "$top/README.md" | cat - "$top"/docs/{math,paper-notes,formats}.md |
    grep -oE -- '--[a-z][a-z0-9.-]+' | sed 's/^--//' | sort -u >options.txt
while read -r option; do
    claim "--$option is an option" grep -q -e "--$option" help.txt
done <options.txt
cp "$top/docs/man/meshbayes.1" page.1
"$top/script/man" "$program" page.1
claim "the manual page has the options of this program (script/man)" diff page.1 "$top/docs/man/meshbayes.1"
node=$(dirname "$program")/meshbayes-node
if [ -x "$node" ]; then
    cp "$top/docs/man/meshbayes-node.1" page.1
    "$top/script/man" "$node" page.1
    claim "so has the page of the node" diff page.1 "$top/docs/man/meshbayes-node.1"
fi
for file in "$top"/docs/*.json "$top"/docs/figures/*.json; do
    claim "${file#"$top"/} is JSON" python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$file"
done
finish

#!/usr/bin/env bash
# gates.sh: a gate that fails is red and named, and the script fails, alone and beside others (script/common.sh); so is
# every storm of script/cibuild.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=lib/claims.sh
. "$top/tests/lib/claims.sh" "$top/none"

mkdir -p tree/script
cp "$top"/script/{cibuild,common.sh} tree/script
echo '#!/bin/sh' >tree/script/bootstrap
cat >tree/script/storm <<'END'
#!/bin/sh
echo "a storm $*"
echo "$*" >>storms
[ "$(wc -l <storms)" -ne "$(cat red)" ]
END
chmod +x tree/script/{bootstrap,storm}
cat >planted <<'END'
set -euo pipefail
. tree/script/common.sh
red() { echo "not ok: the first reason"; return 3; }
missing() { ls no/such/file; }
killed() { sleep .1 && kill -KILL $BASHPID; }
cat() { sleep .3 && command cat "$@"; } # while one is shown others end
green() { passed=2; }
gate "red alone" red
gates_beside "red" red "green" green "missing" missing "killed" killed "green too" green
gate_summary || echo "it fails; $passed passed, $failed failed"
END
bash planted >said 2>&1 || echo "ended early" >>said
# storms_with RED: whether the gate of storms is green when that one of them fails, the first being 1.
storms_with() {
    echo "$1" >red
    rm -f storms
    bash tree/script/cibuild storms >said.storms 2>&1
}

for name in "red alone" red missing killed; do
    claim "\"$name\" is red and named" grep -Eq "^$name  .*FAILED$" said
    claim "what it said is shown in the end" grep -q "=== failed: $name " said
done
for name in "red alone" red; do
    claim "with its reason" grep -q "=== failed: $name not ok: the first reason" said
done
claim "those beside others are named when they begin" is "$(grep -Ec '^begins: (red|green|missing|killed|green too)$' said)" 5
claim "those beside them are green, and counted" is "$(grep -Ec '^green( too)?  .* ok$' said)" 2
claim "the script fails" grep -q '^it fails; 4 passed, 1 failed$' said
claim "storms are green when none fails" storms_with 0
total=$(wc -l <storms)
claim "there are some" [ "$total" -gt 10 ]
for k in $(seq 1 "$total"); do
    claim "storms are red when call $k of script/storm fails" status_is 1 storms_with "$k"
done
finish

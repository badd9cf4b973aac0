#!/usr/bin/env bash
# package.sh FOLDER | --installed: installs the Debian packages of a folder (as root into this machine, with what they
# depend on, else into a folder), uses what they install, two nodes among it, and removes them. --installed: uses those
# that are installed (debian/tests/control).
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=
[ "$1" = --installed ] || folder=$(cd "$1" && pwd)
# shellcheck source=lib/claims.sh
. "$top/tests/lib/claims.sh" "$top/none"
nodes=()
names() { sed -n 's/^Package: //p' "$top/packaging/debian/control"; }
clean() {
    [ ${#nodes[@]} -eq 0 ] || kill "${nodes[@]}" 2>/dev/null || true
    [ -z "${installed:-}" ] || names | xargs dpkg -P >/dev/null 2>&1 || true
    rm -rf "$work"
}
installed=
trap clean EXIT

# One file of each package; without their symbols for debuggers.
packages() {
    local name
    for name in $(names); do cp "$folder/$name"_*.deb "$name.deb" || return 1; done
}
has() { dpkg-deb -c "$1" | awk '{ print $6 }' | pipe_has -x "./usr/$2" || { dpkg-deb -c "$1" && false; }; }
field() { dpkg-deb -f "$1" "$2"; }
dpkg_symbol() { dpkg-deb -I "$library.deb" symbols | pipe_has "^ $1@MESHBAYES_"; }
depends_on() { field "$1" Depends | pipe_has "$2"; }
# shellcheck disable=SC2016 # fences, not commands
example_is_shown() { sed -n '/^```json$/,/^```$/{/^```/d;p}' "$top/docs/howto/deploy.md" | diff - "$top/packaging/node.json"; }
has_states() { [ -e /var/lib/meshbayes ] || [ -e /var/lib/private/meshbayes ]; }
# Into the machine, if nothing of these names is there already, nor the states of nodes, which purging would delete.
install_all() {
    # shellcheck disable=SC2016,SC2046
    if [ "$(id -u)" -eq 0 ] && ! has_states && ! dpkg-query -W -f '${db:Status-Status}\n' $(names) 2>/dev/null | pipe_has -x installed; then
        installed=yes
        DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends ./*.deb
    else
        root=$work/root
        for file in ./*.deb; do dpkg-deb -x "$file" "$root"; done
    fi
}
root=
lists_commands() { "$root/usr/bin/meshbayes" help && "$root/usr/bin/meshbayes-node" --version; }
verified() { # the unit, its programs looked for where they are installed
    sed "s#/usr/bin/meshbayes-node#$root/usr/bin/meshbayes-node#; /^Documentation=/d" \
        "$root/usr/lib/systemd/system/meshbayes-node@.service" >'meshbayes-node@.service'
    systemd-analyze verify "$work/meshbayes-node@1.service"
}
hardened() { # less exposed than 3 of 10
    systemd-analyze security --offline=yes --threshold=30 "$work/meshbayes-node@.service"
}
key() { "$root/usr/bin/meshbayes-node" keygen --out "$1.key"; }
configure() { # configure ID PORT NEIGHBOUR PORT KEY
    awk -v OFS=, -v id="$1" 'BEGIN { srand(id + 7); print "a,b"; for (i = 0; i < 60; i++) print 4 * (i % 2) + rand() + rand(), 3 * (i % 2) + rand() + rand() }' >"$1.csv"
    cat >"$1.json" <<END
{"id": $1, "listen": "tcp://127.0.0.1:$2", "key": "$1.key", "data": "$1.csv", "genesis": "genesis.json", "state": "$1.state",
 "neighbours": [{"id": $3, "address": "tcp://127.0.0.1:$4", "public_key": "$5"}]}
END
}
two_nodes() {
    local port=$((21000 + $$ % 8000)) zero one
    zero=$(key 0) && one=$(key 1) && configure 0 $port 1 $((port + 1)) "$one" && configure 1 $((port + 1)) 0 $port "$zero" &&
        "$root/usr/bin/meshbayes" genesis --data 0.csv --n-components 2 --out genesis.json &&
        "$root/usr/bin/meshbayes-node" check --config 0.json && "$root/usr/bin/meshbayes" node check --config 1.json
}
settle() {
    local node second
    for node in 0 1; do
        "$root/usr/bin/meshbayes-node" run --config $node.json 2>$node.log &
        nodes+=($!)
    done
    for ((second = 0; second < 80; second++)); do
        if grep -q verdict=settled 0.log && grep -q verdict=settled 1.log; then break; fi
        sleep 0.25
    done
    kill "${nodes[@]}" && wait "${nodes[0]}" && wait "${nodes[1]}" && nodes=() &&
        grep verdict=settled 0.log && grep verdict=settled 1.log && grep event=stop 0.log && test -s 0.state/checkpoint
}
# A key that systemd hands over is used; here another pair, so the neighbour's words would not match.
handed_key() {
    mkdir credentials && mv 0.key credentials && refuted "$root/usr/bin/meshbayes-node" check --config 0.json &&
        CREDENTIALS_DIRECTORY=$work/credentials "$root/usr/bin/meshbayes-node" check --config 0.json
}
# The package of a library is called after its SONAME, so that those of two versions are installed at once.
soname() { readelf -d "$root"/usr/lib/*/libmeshbayes.so | sed -n 's/.*soname: \[\(.*\)\]/\1/p'; }
named_by_soname() { [ "$(soname)" = "$(field "$library.deb" Package | sed 's/[0-9.]*$/.so.&/')" ]; }
# Somebody's program, found by pkg-config and run with what is installed.
compiles() {
    local pc
    pc=$(dirname "$root"/usr/lib/*/pkgconfig/meshbayes.pc)
    # shellcheck disable=SC2046
    gcc "$top/tests/consumer/main.c" $(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs meshbayes) -o consumer &&
        LD_LIBRARY_PATH=${root:+$(dirname "$pc")} ./consumer | grep -x 'mean 2: 3.375'
}
page() { gzip -dc "$root/usr/share/man/man1/meshbayes-node.1.gz" | pipe_has CREDENTIALS_DIRECTORY; }
completes() { [ "$(bash "$root/usr/share/bash-completion/completions/meshbayes-node" "$root/usr/bin/meshbayes-node" ke)" = keygen ]; }
completes_in() { # completes_in SHELL FOLDER
    local found
    found=$(PATH=$root/usr/bin:$PATH HOME=$work "$1" "$top/tests/lib/offers.$1" "$root/usr/share/$2" 'meshbayes-node ke') && is "$found" keygen
}
# What R and Python say of one mixture, with the library that is installed, is what the program says.
here=() # where what was unpacked into a folder finds its parts
installed_or_here() {
    local lib
    if [ -n "$root" ]; then
        lib=$(echo "$root"/usr/lib/*-linux-*)
        here=(PYTHONPATH="$root/usr/lib/python3/dist-packages" MESHBAYES_LIBRARY="$lib/libmeshbayes.so"
            R_LIBS="$root/usr/lib/R/site-library" LD_LIBRARY_PATH="$lib")
    fi
    env "${here[@]}" "$@"
}
by_python() {
    installed_or_here /usr/bin/python3 -c 'import meshbayes, numpy
rows = numpy.loadtxt("0.csv", delimiter=",", skiprows=1)
print(meshbayes.fit(rows, n_components=2, seed=3).bound)'
}
# shellcheck disable=SC2016
by_r() {
    installed_or_here Rscript --vanilla -e 'library(meshbayes)
cat(sprintf("%.17g", vbfit(read.csv("0.csv"), "n-components" = 2, seed = 3)$bound))'
}
by_program() {
    "$root/usr/bin/meshbayes" fit --data 0.csv --n-components 2 --seed 3 --out one.json >/dev/null && value one.json bound
}
same_bound() { printf '%.13g' "$("$1")" >found && printf '%.13g' "$(by_program)" | diff - found; }
removed() {
    # shellcheck disable=SC2046
    mkdir -p /var/lib/meshbayes/main && dpkg -P $(names) && installed= && refuted has_states && test ! -e /usr/bin/meshbayes && test ! -e /usr/bin/meshbayes-node &&
        test ! -e /usr/lib/systemd/system/meshbayes-node@.service && test ! -e /usr/lib/R/site-library/meshbayes &&
        test ! -e /usr/lib/python3/dist-packages/meshbayes && refuted compgen -G '/usr/lib/*/libmeshbayes*'
}

claims_of_files() {
    claim "there is a file of each package" packages
    library=$(names | grep '^libmeshbayes[0-9]')
    for file in bin/meshbayes libexec/meshbayes/meshbayes-paper share/man/man1/meshbayes.1.gz share/bash-completion/completions/meshbayes share/doc/meshbayes/copyright; do
        claim "meshbayes has $file" has meshbayes.deb "$file"
    done
    for file in bin/meshbayes-node share/man/man1/meshbayes-node.1.gz share/bash-completion/completions/meshbayes-node lib/systemd/system/meshbayes-node@.service share/doc/meshbayes-node/node.schema.json.gz share/doc/meshbayes-node/deploy.md share/doc/meshbayes-node/examples/node.json share/doc/meshbayes-node/examples/meshbayes.rules.yml; do
        claim "meshbayes-node has $file" has meshbayes-node.deb "$file"
    done
    claim "the node depends on libzmq" depends_on meshbayes-node.deb libzmq5
    claim "the program does not" refuted depends_on meshbayes.deb libzmq
    claim "the node depends on neither METIS nor expat" refuted depends_on meshbayes-node.deb 'libmetis\|libexpat'
    claim "the example configuration is that of the how-to" example_is_shown
    if command -v promtool >/dev/null; then
        claim "promtool accepts the alert rules" promtool check rules "$top/packaging/meshbayes.rules.yml"
        claim "an alert names who fails audits" promtool test rules "$top/tests/daemon/rules.test.yml"
    else
        echo "skipped: no promtool (Debian: prometheus), which checks the alert rules"
    fi
    claim "none depends on MPI" refuted grep mpi <(for file in ./*.deb; do field "$file" Depends; done)
    claim "headers are for one version of the library" depends_on libmeshbayes-dev.deb "$library (= $(field "$library.deb" Version))"
    claim "the library keeps what it promises: mb_bind_fit has a version" dpkg_symbol mb_bind_fit
    claim "they are installed" install_all
    claim "the package of the library is called after its SONAME" named_by_soname
}
claims_of_use() {
    claim "they run" lists_commands
    claim "a program is compiled with the library and runs" compiles
    if command -v systemd-analyze >/dev/null; then
        claim "the unit is valid" verified
        claim "and hardened" hardened
    fi
    claim "keys, genesis and configuration of two nodes" two_nodes
    claim "two nodes settle and end at SIGTERM" settle
    claim "a key comes from systemd's folder" handed_key
    claim "the manual page" page
    claim "completion in bash" completes
    for shell in zsh:zsh/vendor-completions fish:fish/vendor_completions.d; do
        if command -v "${shell%%:*}" >/dev/null; then
            claim "and in ${shell%%:*}" completes_in "${shell%%:*}" "${shell#*:}"
        else
            echo "left out: no ${shell%%:*} (script/bootstrap packages)"
        fi
    done
    claim "a fit from Python has the program's bound" same_bound by_python
    claim "and one from R" same_bound by_r
}

[ -z "$folder" ] || claims_of_files
claims_of_use
[ -z "$installed" ] || claim "the packages are purged, with the states of nodes" removed
finish

#!/bin/bash
# `meshbayes data fetch` downloads, converts and checks; what fails leaves nothing behind.
# usage: data_fetch.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"
rows_hash=a97a4b9369716b18039b81a35b0def0f5253b942ef641ba2e52797763115a9b4
nothing() { [ ! -e "$1" ]; }
has_hash() { [ "$(sha256sum <"$1" | cut -d ' ' -f 1)" = "$2" ]; }

# A curl that has the files itself, or no answer.
mkdir tools
cat >tools/curl <<'FAKE'
#!/bin/bash
while [ $# -gt 1 ]; do
    if [ "$1" = -o ]; then file=$2; fi
    shift
done
echo "$1" >>"$SOURCES/asked.txt"
cp "$SOURCES/$(basename "$1")" "$file" 2>/dev/null || { echo "curl: (22) The requested URL returned error: 404" >&2; exit 22; }
FAKE
chmod +x tools/curl
mkdir sources
export SOURCES=$work/sources
offline() { PATH=$work/tools:$PATH "$program" "$@"; }

offline data fetch coil20 >said.txt 2>wrong.txt && status=0 || status=$?
claim "no answer is status 1" test "$status" = 1
claim "in one line with the address" grep -q 'http://www.cad.zju.edu.cn/.*COIL20.mat: not downloaded (curl: (22)' wrong.txt
claim "and only one" test "$(wc -l <wrong.txt) $(wc -l <said.txt)" = "1 0"
claim "nothing is left" nothing meshbayes-data
mkdir kept
claim "a folder that was there stays" status_is 1 env PATH="$work/tools:$PATH" "$program" data fetch coil20 --out kept
claim "empty" test -z "$(ls -A kept)"
claim "without curl and wget it says so" says 'neither curl nor wget' env PATH=/nowhere "$program" data fetch coil20
claim "another data set is refused" status_is 2 "$program" data fetch mnist
claim "no data set is refused" status_is 2 "$program" data fetch
claim "an empty folder is refused" says 'kept holds neither COIL20.mat' "$program" data fetch coil20 --from kept
claim "for both" says 'kept holds neither daily.csv' "$program" data fetch beijing-air --from kept

if /usr/bin/python3 -c 'import numpy, scipy' 2>/dev/null; then
    make() { /usr/bin/python3 "$top/tests/lib/make_sources.py" "$@"; }
    make beijing sources
    claim "hours become daily means" offline data fetch beijing-air --out down
    claim "from the archive at UCI" grep -qx \
        'https://archive.ics.uci.edu/static/public/501/beijing+multi+site+air+quality+data.zip' sources/asked.txt
    claim "numpy's" cmp down/beijing-air/daily.csv sources/expected.csv
    claim "what was unpacked is gone" test "$(ls -A down/beijing-air)" = daily.csv
    claim "from a folder" "$program" data fetch beijing-air --from sources --out folder
    claim "the same" cmp folder/beijing-air/daily.csv sources/expected.csv
    head -c 500000 sources/beijing+multi+site+air+quality+data.zip >kept/beijing+multi+site+air+quality+data.zip
    claim "a cut archive is refused" says 'not a zip archive, or a damaged one' "$program" data fetch \
        beijing-air --from kept --out cut
    claim "and leaves nothing" nothing cut
    make coil20 sources
    claim "other images are refused by their hash" says "SHA-256 .*, accepted: $rows_hash" offline \
        data fetch coil20 --out other
    claim "and not written" nothing other
else
    echo "skipped: python3-numpy and python3-scipy are not here"
fi

shared=$top/../shared/data
if [ -e "$shared/coil20/coil20_u8.npy" ]; then
    kinds=()
    [ "$(type -t make)" != function ] || kinds=(coil20 coil20-plain)
    "$program" data fetch coil20 --from "$shared/coil20" >/dev/null
    claim "COIL-20 has its hash" has_hash meshbayes-data/coil20/coil20.npy $rows_hash
    claim "its labels" cmp meshbayes-data/coil20/coil20_labels.csv "$shared/coil20/labels.csv"
    claim "fetch reads what fetch wrote" "$program" data fetch coil20 --from meshbayes-data/coil20 --out again
    for kind in "${kinds[@]}"; do
        make "$kind" sources "$shared/coil20/coil20_u8.npy"
        claim "$kind: the MATLAB file gives the same bytes" offline data fetch coil20 --out "$kind"
        claim "$kind: images" has_hash "$kind/coil20/coil20.npy" $rows_hash
    done
else
    echo "skipped: COIL-20 is not at $shared/coil20"
fi
if [ -e "$shared/beijing_air/daily.csv.gz" ]; then
    "$program" data fetch beijing-air --from "$shared/beijing_air" >hash.txt
    claim "the daily means, unpacked" cmp <(zcat "$shared/beijing_air/daily.csv.gz") meshbayes-data/beijing-air/daily.csv
    claim "their hash is printed" grep -q "$(sha256sum <meshbayes-data/beijing-air/daily.csv | cut -d ' ' -f 1)" hash.txt
else
    echo "skipped: the air quality data are not at $shared/beijing_air"
fi

finish

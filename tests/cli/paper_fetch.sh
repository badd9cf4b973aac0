#!/bin/bash
# `meshbayes paper fetch` downloads, converts and checks; what fails leaves nothing behind.
# usage: paper_fetch.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"
rows_hash=a97a4b9369716b18039b81a35b0def0f5253b942ef641ba2e52797763115a9b4
nothing() { [ ! -e "$1" ]; }
has_hash() { [ "$(sha256sum <"$1" | cut -d ' ' -f 1)" = "$2" ]; }

# Python with files in place of the net, or no answer; it notes what it was asked for.
mkdir tools
cat >tools/sitecustomize.py <<'FAKE'
import os
import urllib.error
import urllib.request


def urlopen(request, timeout):
    assert timeout > 0
    url, folder = request.full_url, os.environ['SOURCES']
    with open(f'{folder}/asked.txt', 'a') as asked:
        asked.write(url + '\n')
    try:
        return open(f'{folder}/{os.path.basename(url)}', 'rb')
    except OSError:
        raise urllib.error.HTTPError(url, 404, 'Not Found', None, None) from None


urllib.request.urlopen = urlopen
FAKE
mkdir sources
export SOURCES=$work/sources
export PATH=/usr/bin:$PATH # Debian's own Python: another one may lack numpy and scipy
fetch() { "$program" paper fetch "$@"; }
offline() { PYTHONPATH=$work/tools fetch "$@"; }

offline coil20 >said.txt 2>wrong.txt && status=0 || status=$?
claim "no such page is status 1" test "$status" = 1
claim "in one line with the address" grep -q 'http://www.cad.zju.edu.cn/.*COIL20.mat: not downloaded (HTTP Error 404' wrong.txt
claim "and only one" test "$(wc -l <wrong.txt) $(wc -l <said.txt)" = "1 0"
claim "nothing is left" nothing meshbayes-data
claim "a host that does not answer is one line" says 'COIL20.mat: not downloaded \([^<]*refused\)' \
    env http_proxy=http://127.0.0.1:1 no_proxy= "$program" paper fetch coil20
mkdir kept
claim "a folder that was there stays" status_is 1 env PYTHONPATH="$work/tools" "$program" paper fetch coil20 --out kept
claim "empty" test -z "$(ls -A kept)"
claim "without Python it says so" says 'python3: cannot be run' env PATH=/nowhere "$program" paper fetch coil20
claim "another data set is refused" status_is 2 fetch mnist
claim "no data set is refused" status_is 2 fetch
claim "an unknown option is refused" status_is 2 fetch coil20 --folder kept
claim "an option without its value is refused" status_is 2 fetch coil20 --out
full() { fetch --help >/dev/full; }
claim "a full disk behind standard output is a failure" status_is 1 full
claim "an empty folder is refused" says 'kept holds neither COIL20.mat' fetch coil20 --from kept
claim "for both" says 'kept holds neither daily.csv' fetch beijing-air --from kept
claim "the earlier command names this one" says 'meshbayes paper fetch coil20.beijing-air' "$program" data fetch coil20
claim "and is wrong use" status_is 2 "$program" data fetch coil20 --from kept

if /usr/bin/python3 -c 'import numpy, scipy' 2>/dev/null; then
    make() { /usr/bin/python3 "$top/tests/lib/make_sources.py" "$@"; }
    make beijing sources
    archive=beijing+multi+site+air+quality+data.zip
    claim "hours become daily means" offline beijing-air --out down
    claim "from the archive at UCI" grep -qx "https://archive.ics.uci.edu/static/public/501/$archive" sources/asked.txt
    claim "numpy's" cmp down/beijing-air/daily.csv sources/expected.csv
    claim "nothing else is left" test "$(ls -A down/beijing-air)" = daily.csv
    claim "from a folder" fetch beijing-air --from sources --out folder
    claim "the same" cmp folder/beijing-air/daily.csv sources/expected.csv
    hours=PRSA_Data_Aotizhongxin_20130301-20170228.csv
    unpacked() { # the files of hours in FOLDER
        mkdir -p "$1" && /usr/bin/python3 -c 'import sys, zipfile
zipfile.ZipFile(zipfile.ZipFile(sys.argv[1]).open("PRSA2017_Data_20130301-20170228.zip")).extractall(sys.argv[2])' \
            "sources/$archive" "$1" && mv "$1"/*/*.csv "$1"
    }
    claim "the archives unpack" unpacked hours
    claim "from the files of hours" fetch beijing-air --from hours --out third
    claim "the same again" cmp third/beijing-air/daily.csv sources/expected.csv
    head -c 500000 "sources/$archive" >"kept/$archive"
    claim "a cut archive is refused" says 'not a zip archive, or a damaged one' fetch beijing-air --from kept --out cut
    claim "and leaves nothing" nothing cut
    spoilt() { # SED-SCRIPT PATTERN: hours with an edit are refused with these words, and nothing is left
        sed "$1" "hours/$hours" >original && cp "hours/$hours" whole && cp original "hours/$hours"
        says "$2" fetch beijing-air --from hours --out cut && nothing cut
        local status=$?
        cp whole "hours/$hours"
        return "$status"
    }
    claim "a missing hour is refused" spoilt 35065d '35063 rows; expected 35064 hours'
    claim "a day that changes too early is refused" spoilt '3s/,2013,3,1,/,2013,3,2,/' ':3: the day changes to 20130302; expected 24'
    claim "a word among the hours is refused" spoilt '5s/,NNW,/,NNW,calm/' ':5: column "WSPM"'
    claim "a missing column is refused" spoilt '1s/,CO,/,COO,/' 'no column "CO"'
    rm "hours/PRSA_Data_Tiantan_20130301-20170228.csv"
    claim "a missing station is refused" says 'Tiantan.*No such file' fetch beijing-air --from hours --out cut
    rm kept/*
    head -n 99 sources/expected.csv >kept/daily.csv
    claim "daily means that are cut are refused" says 'not the 17532 daily means' fetch beijing-air --from kept --out cut
    make coil20 sources
    claim "other images are refused by their hash" says "SHA-256 .*; expected $rows_hash" offline coil20 --out other
    claim "and not written" nothing other
    head -c 5000 sources/COIL20.mat >kept/COIL20.mat
    claim "a cut MATLAB file is refused" says 'COIL20.mat: packed data that is cut or damaged' fetch coil20 --from kept --out other
    head -c 100 sources/COIL20.mat >kept/COIL20.mat
    claim "so is its head alone" says 'not a MATLAB file of version 5' fetch coil20 --from kept --out other
    mat() { /usr/bin/python3 -c "import numpy as np, scipy.io; scipy.io.savemat('kept/COIL20.mat', $1)"; }
    mat '{"fea": np.zeros((1440, 1023)), "gnd": np.ones((1440, 1))}'
    claim "a matrix of another shape is refused" says '1440 x 1023; expected 1440 x 1024' fetch coil20 --from kept --out other
    mat '{"fea": np.full((1440, 1024), 300.0), "gnd": np.ones((1440, 1))}'
    claim "a pixel out of range is refused" says 'pixel 300; expected' fetch coil20 --from kept --out other
    mat '{"fea": np.zeros((1440, 1024)), "gnd": np.full((1440, 1), 21)}'
    claim "an object that is none is refused" says 'object 21 of image 1; expected 1 to 20' fetch coil20 --from kept --out other
    mat '{"fea": "text", "gnd": np.ones((1440, 1))}'
    claim "a text for a matrix is refused" says 'no numeric matrix named fea or X' fetch coil20 --from kept --out other
    claim "nothing was written" nothing other
else
    echo "skipped: python3-numpy and python3-scipy are not here"
fi

shared=$top/../shared/data
if [ -e "$shared/coil20/coil20_u8.npy" ]; then
    kinds=()
    [ "$(type -t make)" != function ] || kinds=(coil20 coil20-plain)
    fetch coil20 --from "$shared/coil20" >/dev/null
    claim "COIL-20 has its hash" has_hash meshbayes-data/coil20/coil20.npy $rows_hash
    claim "its labels" cmp meshbayes-data/coil20/coil20_labels.csv "$shared/coil20/labels.csv"
    claim "fetch reads what fetch wrote" fetch coil20 --from meshbayes-data/coil20 --out again
    for kind in "${kinds[@]}"; do
        make "$kind" sources "$shared/coil20/coil20_u8.npy"
        claim "$kind: the MATLAB file gives the same bytes" offline coil20 --out "$kind"
        claim "$kind: images" has_hash "$kind/coil20/coil20.npy" $rows_hash
    done
else
    echo "skipped: COIL-20 is not at $shared/coil20"
fi
if [ -e "$shared/beijing_air/daily.csv.gz" ]; then
    fetch beijing-air --from "$shared/beijing_air" >hash.txt
    claim "the daily means, unpacked" cmp <(zcat "$shared/beijing_air/daily.csv.gz") meshbayes-data/beijing-air/daily.csv
    claim "their hash is printed" grep -q "$(sha256sum <meshbayes-data/beijing-air/daily.csv | cut -d ' ' -f 1)" hash.txt
else
    echo "skipped: the air quality data are not at $shared/beijing_air"
fi

finish

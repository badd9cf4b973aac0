#!/bin/bash
# A file that lies in an archive unpacked is checked by its CRC like a packed one.
# usage: issue_0012_stored_crc.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

if ! /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    echo "skipped: python3-numpy is not here"
    finish
    exit
fi
mkdir packed
/usr/bin/python3 "$top/tests/lib/make_sources.py" beijing packed
archive=$(basename packed/*.zip)
mkdir whole damaged
# The same files stored; in the second archive a digit of one has changed behind the CRC's back.
/usr/bin/python3 - "packed/$archive" "whole/$archive" "damaged/$archive" <<'PY'
import io
import sys
import zipfile


def stored(data, name):
    """The archive's files, archives within it opened, none of them packed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as new:
        for item in old.namelist():
            body = old.read(item)
            new.writestr(item, stored(body, item) if item.endswith(".zip") else body)
    return out.getvalue()


whole = stored(open(sys.argv[1], "rb").read(), "")
open(sys.argv[2], "wb").write(whole)
at = whole.index(b"\n1,20") + 1
open(sys.argv[3], "wb").write(whole[:at] + b"7" + whole[at + 1:])
PY
claim "a stored archive is read" "$program" paper fetch beijing-air --from whole --out good
claim "a digit that changed in it is found" says 'not a zip archive, or a damaged one' \
    "$program" paper fetch beijing-air --from damaged --out bad
claim "with status 1" status_is 1 "$program" paper fetch beijing-air --from damaged --out bad
claim "and nothing is left" test ! -e bad

finish

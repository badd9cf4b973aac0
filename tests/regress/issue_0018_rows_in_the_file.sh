#!/bin/bash
# fit read an NPY file into memory, as doubles whatever its type, and copied the rows once more: 2.3 times the file,
# 4.6 times one of float32, and the rows had to fit into memory.
# usage: issue_0018_rows_in_the_file.sh PROGRAM
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=../lib/claims.sh
. "$top/tests/lib/claims.sh"

/usr/bin/python3 - <<'EOF'
import gzip, random, struct
draw = random.Random(1)
def npy(name, kind, shape, numbers, order=False):
    head = f"{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}".ljust(117) + "\n"
    with open(name, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00\x76\x00" + head.encode() + numbers)
# 265,000 rows, more than are copied, of numbers that are the same in every type
D, N = 8, 265000
x = [[draw.randrange(128) + (100 if j % 3 else 0) for _ in range(D)] for j in range(N)]
flat = [v for row in x for v in row]
npy("f8.npy", "<f8", (N, D), struct.pack(f"<{N * D}d", *flat))
npy("big.npy", ">f4", (N, D), struct.pack(f">{N * D}f", *flat))
npy("f4.npy", "<f4", (N, D), struct.pack(f"<{N * D}f", *flat))
npy("u1.npy", "|u1", (N, D), bytes(flat))
npy("columns.npy", "<f8", (N, D), struct.pack(f"<{N * D}d", *(row[d] for d in range(D) for row in x)), True)
text = ",".join(f"x{d + 1}" for d in range(D)) + "\n" + "".join(",".join(map(str, row)) + "\n" for row in x)
open("rows.csv", "w").write(text)
gzip.open("rows.csv.gz", "wt", 1).write(text)
# 0.6 GB, most of it a hole
D, N = 128, 600000
npy("long.npy", "<f8", (N, D), struct.pack(f"<{5000 * D}d", *(draw.random() for _ in range(5000 * D))))
with open("long.npy", "r+b") as f:
    f.truncate(128 + 8 * N * D)
gap = [draw.random() for _ in range(3000)]
gap[1001] = float("nan")
npy("gap.npy", "<f8", (1000, 3), struct.pack("<3000d", *gap))
EOF
fit() { # fit NAME FILE
    "$program" fit --data "$2" --n-components 2 --rounds 3 --n-init 1 --tol 0 --out "$1.json" >"$1.txt" 2>&1
}
# The answer without what names the file.
answer() { # answer NAME
    /usr/bin/python3 - "$1.json" <<'EOF'
import json, sys
p = json.load(open(sys.argv[1]))
for part in ("data", "written", "created", "argv", "command"):
    p.pop(part, None)
print(json.dumps(p, sort_keys=True))
EOF
}
same() { # same NAME
    answer "$1" | cmp -s - <(answer f8)
}
# Peak resident memory of a command, KB, at most.
within() { # within KB COMMAND..
    /usr/bin/python3 - "$@" <<'EOF'
import resource, subprocess, sys
done = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print("peak", peak, "KB, status", done.returncode, file=sys.stderr)
sys.exit(done.returncode not in (0, 4) or peak > int(sys.argv[1]))
EOF
}
claim 'a file of doubles is fitted' fit f8 f8.npy
for file in f4.npy big.npy u1.npy columns.npy rows.csv rows.csv.gz; do
    fit "${file//./_}" "$file"
    claim "$file gives the same bits" same "${file//./_}"
done
# What a sanitizer adds to the memory is none of the program's.
if ! grep -aq __asan_init "$program"; then
    claim 'a file of text takes little more memory than its rows' \
        within 32000 "$program" fit --data rows.csv --n-components 2 --rounds 3 --n-init 1
    head -n 200001 rows.csv >fewer.csv # of which there was a copy in common units
    claim 'so does one of 13 MB of rows' \
        within 26000 "$program" fit --data fewer.csv --n-components 2 --rounds 3 --n-init 1
    claim 'a file of bytes takes less memory than its doubles would' \
        within 30000 "$program" fit --data u1.npy --n-components 2 --rounds 3 --n-init 1
fi
claim 'a long file is read in a small part of its size' \
    within 160000 "$program" fit --data long.npy --n-components 1 --rounds 1 --n-init 1 --init random --out long.json
claim 'its answer scores it in little memory' within 160000 "$program" score --posterior long.json --data long.npy
claim 'what is missing in a file is integrated out, and counted' says '1 of 3000 cells have no value' \
    "$program" fit --data gap.npy --n-components 1
claim 'or it is an error that names row and column' \
    says 'gap.npy: row 334, column 3: nan is not a finite number' "$program" fit --data gap.npy --n-components 1 --missing error
finish

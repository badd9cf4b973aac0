#!/usr/bin/env bash
# matrix.sh PROGRAM: script/matrix in its small mode: eight networks, EDGE and TREE settle on each, and what
# is called settled is a fixed point of central VB by numpy's arithmetic.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
exec "$top/script/matrix" --small --program "$1"

#!/usr/bin/env bash
# matrix.sh PROGRAM: script/matrix in its small modes: eight networks, EDGE and TREE settle on each, and what
# is called settled is a fixed point of central VB by numpy's arithmetic; the paper's network and a star, EDGE
# within its limits of rounds.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
"$top/script/matrix" --small --program "$1"
"$top/script/matrix" --edge-rounds --small --program "$1"

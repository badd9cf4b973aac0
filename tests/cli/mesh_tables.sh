#!/usr/bin/env bash
# mesh_tables.sh PROGRAM: script/mesh-tables in its small mode: after a departure, restarts, joins and new rows
# a mesh is within 1e-6 of central VB in as many ticks as the design needed, times 1.3.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
MB_PROGRAM=$1 "$top/script/mesh-tables" --small

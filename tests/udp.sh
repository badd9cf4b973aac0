#!/usr/bin/env bash
# udp.sh PROGRAM: three nodes of examples/06_udp_node.c on loopback; prints what each printed, one
# node after the other. Ports are below the ephemeral range; where one is taken the next three are tried.
set -euo pipefail
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

three() { # three PORT: of node 0; 1 when a node ended with a failure
    local node other at pids=() failed=0
    for node in 0 1 2; do
        at=()
        for other in 0 1 2; do
            [ "$node" = "$other" ] || at+=("$other" "127.0.0.1:$(($1 + other))")
        done
        "$program" -t 60 "$node" $(($1 + node)) "${at[@]}" >"$folder/$node" 2>&1 &
        pids+=($!)
    done
    for node in "${pids[@]}"; do wait "$node" || failed=1; done
    return "$failed"
}
for try in 0 1 2 3; do
    ! three $((20000 + (($$ + 97 * try) % 9000))) || break
done
cat "$folder"/[012]

# shellcheck shell=bash disable=SC2154
# mpi.sh - what tests of the program under mpirun share; sourced before claims.sh with the path of
# mpirun in $2. More processes than cores are welcome.
mpiexec=$2
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1
PYTHONPATH=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) # clusters.py
export PYTHONPATH PYTHONDONTWRITEBYTECODE=1

job() { # job PROCESSES ARGUMENTS...: 0: without MPI
    local processes=$1
    shift
    if [ "$processes" -eq 0 ]; then
        "$program" "$@"
    else
        timeout 300 "$mpiexec" -n "$processes" "$program" "$@"
    fi
}

# counts PROCESSES...: of several numbers of processes all, or the largest of at most 3 where the program
# is slow by how it was compiled (MB_ONE_COUNT): script/test has all of them on the release program.
counts() {
    local p most=$1
    if [ -z "${MB_ONE_COUNT:-}" ]; then
        printf '%s\n' "$@"
        return
    fi
    for p; do
        if [ "$p" -le 3 ] && [ "$p" -gt "$most" ]; then most=$p; fi
    done
    printf '%s\n' "$most"
}

# children PID...: the processes that these began
children() {
    local pid
    for pid in "$@"; do pgrep -P "$pid" || true; done
}

#!/usr/bin/env bash
# --version lists the optional parts of the build, each either there or missing with the package that
# adds it.
. "$(dirname "${BASH_SOURCE[0]}")/../lib/claims.sh"

"$program" --version >version.txt
claim "the first line is the version" grep -qE '^meshbayes [0-9]' <(head -n 1 version.txt)
for part in MPI:libopenmpi-dev METIS:libmetis-dev zlib:zlib1g-dev expat:libexpat1-dev threads:POSIX; do
    claim "${part%:*} is there, or missing with what adds it" \
        grep -qE "^with .*${part%:*}|^without ${part%:*} \(${part#*:}.* would add it\)" version.txt
done
if grep -q '^without MPI' version.txt; then
    two_clusters 4 10
    claim "mpirun is refused with the package" says 'error: started as 2 processes, but built without MPI.*libopenmpi-dev' \
        env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 "$program" sim --data rows.csv --columns a,b --node-column site --network links.csv
fi
finish

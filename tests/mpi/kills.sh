#!/bin/sh
# kill -9 of a rank, a few times; twenty by kills_long.sh.
. "$(dirname "$0")/../support/mpi.sh"
export OMPI_MCA_odls_base_sigkill_timeout=0 # seconds that mpirun waits for ranks that it has asked to end
size=${SIZE:-200} facts=${FACTS:-3708} # long enough that most of a rank is the store, not MPI that starts
"$plain" sample --dim "$size" --facts "$facts" --seed 1 -o facts >/dev/null || exit 4
"$python" "$root/tests/support/kill_ranks.py" "$ireneo" "$mpirun" "${KILLS:-3}" "${SEED:-1}" || fault "a killed rank left its traces"
rm -rf work good
finish "killed ranks: nothing lost"

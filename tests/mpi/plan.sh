#!/bin/sh
# Bytes that a store reports, against those that `ireneo plan` counts for its sizes, scans and iterations.
. "$(dirname "$0")/../support/mpi.sh"
run 0 sample --dim 100 --facts 1132 --seed 1 -o facts
mkdir many
"$python" -c "
import numpy as np
r = np.random.default_rng(1)
np.save('many/keys.npy', r.normal(size=(800, 120)).astype('f4'))
np.save('many/values.npy', r.normal(size=(300, 60)).astype('f4'))
np.save('many/targets.npy', np.arange(800) % 300)"

# as_planned RANKS SIZES STORE...: bytes within a tenth.
as_planned() {
    ranks=$1 sizes=$2
    shift 2
    over "$ranks" 0 store "$@" -o "m.safetensors" --json
    is ranks "$ranks"
    is nodes 1
    sent=$(number bytes_sent) scans=$(number scans) iterations=$(number iterations)
    # shellcheck disable=SC2086
    run 0 plan $sizes --nodes 1 --ranks "$ranks" --scans 2 --checks $((scans - 2)) --iterations "$iterations" --json
    holds "$ranks ranks sent $sent bytes in $iterations iterations" "abs($sent / r['table'][0]['bytes_sent'] - 1) < 0.1"
}
for ranks in 2 3 4; do as_planned $ranks "--dim 100 --facts 1132" facts/keys.npy facts/values.npy; done
as_planned 3 "--dim-in 120 --dim-out 60 --facts 800 --candidates 300" many/keys.npy many/values.npy --targets many/targets.npy
finish "plan: as many bytes as were sent"

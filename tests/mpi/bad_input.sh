#!/bin/sh
# What can be wrong with a job over ranks: one sentence, no rank left waiting, nothing written.
. "$(dirname "$0")/../support/mpi.sh"
export OMPI_MCA_odls_base_sigkill_timeout=0 # seconds that mpirun waits for ranks that it has asked to end
"$python" "$root/tests/support/arrays.py" || exit 4
run 0 store keys.npy values.npy -o before
run 0 sample --dim 20 --facts 60 --seed 1 -o some
run 0 sample --dim 20 --facts 60 --seed 2 -o others
run 0 sample --dim 24 --facts 60 --seed 1 -o wider

# each CODE PATTERN FIRST... -- SECOND...: rank 0 is started by the words of the first, rank 1 by those of the second.
each() {
    code=$1 pattern=$2
    shift 2
    first=
    while [ "$1" != -- ]; do first="$first $1" && shift; done
    shift
    # shellcheck disable=SC2086
    "$mpirun" -n 1 $first : -n 1 "$@" >out 2>err
    got=$?
    without_mpirun
    [ "$got" -eq "$code" ] || fault "$first and $*: exit $got instead of $code: $(cat err)"
    one_sentence "$pattern" "$first and $*"
    [ ! -e new.safetensors ] || fault "$first and $*: a memory was written"
}

# ---- ranks that are not alike
store="store some/keys.npy some/values.npy -o new.safetensors"
# shellcheck disable=SC2086
{
    each 2 "command lines.*differ" "$ireneo" $store -- "$ireneo" $store --rank 3
    each 2 "command lines.*differ" "$ireneo" $store -- "$ireneo" check before some/keys.npy some/values.npy
    each 2 "command lines.*differ" "$ireneo" capacity --dim 10 -- "$ireneo" $store
    each 4 "portable" "$ireneo" $store -- env IRENEO_PROCESSOR=portable "$ireneo" $store
    # another version: the same program with another number in it
    version=$("$ireneo" --version | cut -d' ' -f2)
    next=$(echo "$version" | sed 's/.$/9/')
    sed "s/$(echo "$version" | sed 's/\./\\./g')/$next/g" "$ireneo" >later && chmod +x later
    each 2 "rank 1.*version $next.*version $version" "$ireneo" $store -- ./later $store
}
# files of one name that differ: in the first rows, in one number at the end of a large one, in their targets
beside="store keys.npy ../some/values.npy -o ../new.safetensors"
# shellcheck disable=SC2086
each 3 "keys.npy differs" --wdir some "$ireneo" $beside -- --wdir others "$ireneo" $beside
mkdir large larger
"$python" -c "
import numpy as np
x = np.random.default_rng(1).normal(size=(20000, 20)).astype('f4')
np.save('large/keys.npy', x)
x[-1, -1] += 1
np.save('larger/keys.npy', x)"
# shellcheck disable=SC2086
each 3 "keys.npy differs" --wdir large "$ireneo" $beside -- --wdir larger "$ireneo" $beside
mkdir empty
# shellcheck disable=SC2086
each 3 "keys.npy differs" --wdir some "$ireneo" $beside -- --wdir empty "$ireneo" $beside

# ---- more ranks than rows
run 0 sample --dim 8 --facts 3 --seed 1 -o few
refuse_over 4 2 "3 rows are too few for 4 ranks" store few/keys.npy few/values.npy -o new.safetensors

# ---- a file that is not there, or is damaged, is so for one rank as for all
refuse_over 3 4 "none.npy" store none.npy some/values.npy -o new.safetensors
head -c 3000 some/keys.npy >half.npy
refuse_over 3 3 "half.npy" store half.npy some/values.npy -o new.safetensors
# a NaN in the rows of the last rank alone
"$python" -c "import numpy as np; x = np.load('some/keys.npy'); x[-1, 3] = np.nan; np.save('nan.npy', x)"
refuse_over 3 3 "row 59" store nan.npy some/values.npy -o new.safetensors

# ---- a state of another size, or of other facts
run 0 sample --dim 60 --facts 480 --seed 1 -o limited
over 2 1 store limited/keys.npy limited/values.npy --max-iterations 6 -o new.safetensors
[ -s new.safetensors.state ] || fault "a limited store left no state"
cp new.safetensors.state state
rm -f new.safetensors
for facts in wider others; do
    refuse_over 3 3 "state" store $facts/keys.npy $facts/values.npy --resume -o new.safetensors
    cmp -s state new.safetensors.state || fault "the state was touched"
done
head -c 500 state >new.safetensors.state
refuse_over 2 2 "state" store limited/keys.npy limited/values.npy --resume -o new.safetensors
rm -f new.safetensors*

# ---- no room for what ranks of a node share: /dev/shm of their own, too small
if unshare --user --map-root-user --mount true 2>/dev/null; then way="--user --map-root-user"; else way=; fi
# shellcheck disable=SC2086
if unshare $way --mount mount -t tmpfs -o size=64k tmpfs /dev/shm 2>/dev/null; then
    run 0 sample --dim 100 --facts 1100 --seed 1 -o more
    # shellcheck disable=SC2016,SC2086
    OMPI_MCA_btl=tcp,self unshare $way --mount sh -c 'mount -t tmpfs -o size=64k tmpfs /dev/shm && exec "$@"' shm \
        "$mpirun" -n 2 "$ireneo" store more/keys.npy more/values.npy -o new.safetensors >out 2>err
    got=$?
    without_mpirun
    [ $got -eq 4 ] || fault "no room for a shared window: exit $got: $(cat err)"
    one_sentence "/dev/shm" "no room for a shared window"
fi

# ---- a build without MPI says how to get one with it
if [ "$plain" != "$ireneo" ]; then
    # as mpirun starts its rank 0; mpirun itself may end it before it has spoken, when rank 1 is the first to give up
    OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 "$plain" store some/keys.npy some/values.npy -o new.safetensors >out 2>err
    got=$?
    [ $got -eq 2 ] || fault "without MPI: exit $got: $(cat err)"
    one_sentence "make mpi" "without MPI"
fi
[ ! -e new.safetensors ] || fault "something was written"
finish "bad input over ranks: one sentence each"

#!/bin/sh
# A store has the same bytes whatever the number of ranks and threads: square, rectangular, many-to-one, rank-limited and
# own-candidate facts, facts that are impossible, scaled ones; and a store that was stopped or killed goes on to them.
. "$(dirname "$0")/../support/mpi.sh"

"$python" - <<'TEXT' || exit 4
import numpy as np
r = np.random.default_rng(11)
def save(name, array):
    np.save(name + ".npy", array)
def normal(*shape):
    return r.standard_normal(shape).astype(np.float32)
save("square_k", normal(700, 80)), save("square_v", normal(700, 80))
save("wide_k", normal(180, 30)), save("wide_v", normal(500, 50)), save("wide_t", r.permutation(500)[:180])
save("many_k", normal(350, 40)), save("many_v", normal(60, 40)), save("many_t", r.integers(0, 60, 350))
save("own_k", normal(120, 30)), save("own_v", normal(120, 20, 30)), save("own_t", r.integers(0, 20, 120))
k = normal(140, 30) * np.exp2(r.integers(-30, 30, (140, 1))).astype(np.float32)
save("scaled_k", k), save("scaled_v", normal(140, 30) * np.float32(2.0**-40))
k = normal(200, 20)
k[150] = k[20]
save("twice_k", k), save("twice_v", normal(200, 20))
save("full_k", normal(90, 10)), save("full_v", normal(90, 10))
save("f64_k", r.standard_normal((120, 30)).astype(np.float16).astype(np.float64)), save("f64_v", np.asfortranarray(r.standard_normal((120, 30)).astype(np.float16)))
TEXT

# same NAME CODE ARGUMENTS...: the memory of one process of one thread, and those of ranks and threads.
same() {
    name=$1 code=$2
    shift 2
    run "$code" store "$@" -o "$name.safetensors" --threads 1
    for setting in $settings; do
        ranks=${setting%:*}
        over "$ranks" "$code" store "$@" -o over.safetensors --threads "${setting#*:}"
        cmp -s "$name.safetensors" over.safetensors || fault "$name over $ranks ranks: another memory"
        rm -f over.safetensors
    done
}
settings="2:1 3:2 4:1"
case "$0" in *_long.sh) settings="1:2 2:1 2:2 3:1 3:2 4:1 4:2 5:1 7:1 16:1" ;; esac
same square 0 square_k.npy square_v.npy
[ "${settings#1}" != "$settings" ] || settings="3:2"
same wide 0 wide_k.npy wide_v.npy --targets wide_t.npy
same many 0 many_k.npy many_v.npy --targets many_t.npy
same rank 0 wide_k.npy wide_v.npy --targets wide_t.npy --rank 25
same own 0 own_k.npy own_v.npy --targets own_t.npy
same scaled 0 scaled_k.npy scaled_v.npy
same float64 0 f64_k.npy f64_v.npy
same init 0 square_k.npy square_v.npy --init square.safetensors

# What cannot be stored: the proof is the same, too.
run 1 store full_k.npy full_v.npy -o full.safetensors --certificate full.cert
over 3 1 store full_k.npy full_v.npy -o full3.safetensors --certificate full3.cert
cmp -s full.cert full3.cert || fault "another certificate over 3 ranks"
cmp -s full.safetensors full3.safetensors || fault "another best memory over 3 ranks"
run 1 store twice_k.npy twice_v.npy -o twice.safetensors --certificate twice.cert
over 2 1 store twice_k.npy twice_v.npy -o twice2.safetensors --certificate twice2.cert
cmp -s twice.cert twice2.cert || fault "another contradiction over 2 ranks"

# A store that reached a limit in one process goes on over ranks; and one that is killed goes on to the same memory.
kill_at() { # kill_at RANKS: kills one rank once the state is there
    rm -f k.safetensors k.safetensors.state
    OMP_NUM_THREADS=1 "$mpirun" -n "$1" "$ireneo" store square_k.npy square_v.npy -o k.safetensors >out 2>err &
    job=$!
    children="$children $job"
    while kill -0 "$job" 2>/dev/null && [ ! -e k.safetensors.state ]; do sleep 0.01; done
    for rank in $(ps -o pid= --ppid "$job" 2>/dev/null); do kill -9 "$rank" 2>/dev/null && break; done
    wait "$job"
}
for pair in 2:3 3:1 4:2; do
    kill_at "${pair%:*}"
    [ -e k.safetensors.state ] || { [ -e k.safetensors ] || fault "a killed store left no state"; continue; }
    if [ "${pair#*:}" -eq 1 ]; then
        run 0 store square_k.npy square_v.npy -o k.safetensors --resume
    else
        over "${pair#*:}" 0 store square_k.npy square_v.npy -o k.safetensors --resume
    fi
    cmp -s square.safetensors k.safetensors || fault "killed over ${pair%:*} ranks, resumed over ${pair#*:}: another memory"
    [ ! -e k.safetensors.state ] || fault "the state was left behind"
done

finish "store over ranks: the same bytes"

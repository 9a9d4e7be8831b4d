#!/bin/sh
# The number of threads changes neither the verdict of store nor what is recalled.
. "$(dirname "$0")/../support/cli.sh"
run 0 sample --dim 120 --facts 1560 --seed 1 -o large
run 0 sample --dim 20 --facts 80 --seed 3 -o full
run 0 sample --dim 20 --facts 110 --seed 3 -o over

for threads in 1 2 7; do
    run 0 store large/keys.npy large/values.npy --threads $threads -o "threads$threads.safetensors" --json
    is status stored
    run 1 store large/keys.npy large/values.npy --threads $threads --max-iterations 2 -o "part$threads.safetensors"
    mv "part$threads.safetensors.state" "part$threads.safetensors"
    run 1 store full/keys.npy full/values.npy --threads $threads --solver hebbian -o "heb$threads.safetensors"
    run 1 store over/keys.npy over/values.npy --threads $threads -o none.safetensors --json
    is status impossible
    run 0 recall "threads$threads.safetensors" large/keys.npy --values large/values.npy --threads $threads
    sed 's/ (.*//' out >"set$threads"
    run 0 recall "part$threads.safetensors" large/keys.npy --values large/values.npy --threads $threads
    sed 's/ (.*//' out >>"set$threads"
    run 0 recall "heb$threads.safetensors" full/keys.npy --values full/values.npy --threads $threads
    sed 's/ (.*//' out >>"set$threads"
    [ "$(wc -l <"set$threads")" -eq 3200 ] || fault "recall with $threads threads answers not everything"
done
cmp -s set1 set2 || fault "2 threads recall another set than 1"
cmp -s set1 set7 || fault "7 threads recall another set than 1"

finish "threads: no difference"

#!/bin/sh
# The scripts of examples/slurm, with an srun that is mpirun and an scontrol that takes notes.
. "$(dirname "$0")/../support/mpi.sh"
scripts=$root/examples/slurm
mkdir bin
cat >bin/srun <<'TEXT'
#!/bin/sh
case $1 in --cpus-per-task=*) export OMP_NUM_THREADS="${1#*=}" && shift ;; esac
exec "$MPIRUN" -n 2 "$@"
TEXT
printf '#!/bin/sh\necho "$*" >>requeued\n' >bin/scontrol
chmod +x bin/srun bin/scontrol
export PATH="$folder/bin:$PATH" MPIRUN="$mpirun" IRENEO="$ireneo" SLURM_CPUS_PER_TASK=1 SLURM_JOB_ID=77

for script in "$scripts"/*.sh; do
    bash -n "$script" || fault "$script is no bash"
    if command -v shellcheck >/dev/null; then shellcheck "$script" || fault "$script: shellcheck"; fi
    [ -x "$script" ] || fault "$script cannot be run"
done

# --- a farm and an array come to the same table
plan="--dim 10,12 --load 0.5,0.9 --trials 2 --solver hebbian"
# shellcheck disable=SC2086
bash "$scripts/sweep-farm.sh" $plan >out 2>err || fault "the farm: $(cat err)"
for SLURM_ARRAY_TASK_ID in 1 2 3; do
    export SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_COUNT=3
    # shellcheck disable=SC2086
    IRENEO=$plain bash "$scripts/sweep-array.sh" $plan >out 2>err || fault "shard $SLURM_ARRAY_TASK_ID: $(cat err)"
done
"$plain" sweep --merge merged.db part-*.db >out 2>err || fault "merging the shards: $(cat err)"
# shellcheck disable=SC2086
"$plain" sweep $plan --db merged.db --csv merged.csv >out 2>err || fault "the merged store: $(cat err)"
cut -d, -f1-17 all.csv >one
cut -d, -f1-17 merged.csv | cmp -s - one || fault "a farm and an array of shards give different tables"
[ "$(wc -l <one)" -eq 9 ] || fault "the farm: $(wc -l <one) rows instead of 9"

# --- a store: whole, and not queued again
"$plain" sample --dim 20 --facts 60 --seed 1 -o facts >/dev/null
bash "$scripts/store.sh" facts/keys.npy facts/values.npy m.safetensors >out 2>err || fault "the store: $(cat err)"
is status stored
[ ! -e requeued ] || fault "a store that ended was queued again: $(cat requeued)"

# --- one that is interrupted (here by an ireneo that says so) is queued again; one with a state goes on from it
printf '#!/bin/sh\necho "$*" >called\nexit 130\n' >bin/interrupted
chmod +x bin/interrupted
: >m.safetensors.state
IRENEO=$folder/bin/interrupted bash "$scripts/store.sh" facts/keys.npy facts/values.npy m.safetensors >out 2>err
[ $? -eq 130 ] || fault "an interrupted store has another exit code"
grep -q 'requeue 77' requeued || fault "an interrupted store was not queued again"
grep -q -- '--resume' called || fault "a store with a state does not resume: $(cat called)"

finish "slurm: all good"

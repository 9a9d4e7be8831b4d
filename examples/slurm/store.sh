#!/bin/bash
# One store over the nodes of a job: rows of the keys are dealt out to the ranks, candidates lie once on every node.
#
#     sbatch examples/slurm/store.sh keys.npy values.npy memory.safetensors
#
# Slurm's SIGTERM, two minutes before the time is up, makes the store save itself; the job then queues itself again and goes
# on with --resume, as it also does after a node has died. The memory is the same, bit for bit, whatever the nodes.
#SBATCH --job-name=ireneo-store
#SBATCH --nodes=8
#SBATCH --ntasks-per-node=2
#SBATCH --cpus-per-task=16
#SBATCH --time=04:00:00
#SBATCH --signal=TERM@120
#SBATCH --requeue
#SBATCH --open-mode=append
set -u

keys=$1 values=$2 memory=$3
ireneo=${IRENEO:-build-mpi/ireneo} # made by `make mpi`, in a folder that all nodes see

resume=()
[ ! -e "$memory.state" ] || resume=(--resume)
srun --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" "$ireneo" store "$keys" "$values" -o "$memory" --json ${resume[@]+"${resume[@]}"}
code=$?

# 130: interrupted, and the state is saved. Anything else is an answer, or a fault that a second try would not mend.
if [ "$code" -eq 130 ]; then
    scontrol requeue "$SLURM_JOB_ID"
fi
exit "$code"

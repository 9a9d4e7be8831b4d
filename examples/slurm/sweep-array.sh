#!/bin/bash
# A sweep as an array of shards: 16 jobs of one task each, which need not run at the same time, and need no MPI.
#
#     sbatch examples/slurm/sweep-array.sh --problem both --dim 50,100,200 --load 0.3:1.2:19 --trials 20
#     ... when all have ended:
#     ireneo sweep --merge all.db part-*.db
#
# Every trial is a function of its parameters alone, so a job that was killed may be sent again: its finished trials are in
# its part, and are not run twice.
#SBATCH --job-name=ireneo-shard
#SBATCH --array=1-16
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=16
#SBATCH --time=04:00:00
#SBATCH --requeue
set -u

ireneo=${IRENEO:-build/ireneo}

exec "$ireneo" sweep "$@" --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --threads "${SLURM_CPUS_PER_TASK:-1}" \
    --db "part-$SLURM_ARRAY_TASK_ID.db"

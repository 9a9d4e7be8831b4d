#!/bin/bash
# A sweep as a farm of tasks: one job whose ranks share the trials, dearest first, and gather them in one store.
#
#     sbatch examples/slurm/sweep-farm.sh --problem both --dim 50,100,200 --load 0.3:1.2:19 --trials 20
#
# Each rank keeps what it has finished in a part beside the store until rank 0 has it. A trial that fails ends neither its
# rank nor the sweep; after a job that was killed the same command runs what is missing.
#SBATCH --job-name=ireneo-farm
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=4
#SBATCH --cpus-per-task=8
#SBATCH --time=04:00:00
#SBATCH --requeue
set -u

ireneo=${IRENEO:-build-mpi/ireneo} # made by `make mpi`, in a folder that all nodes see

exec srun --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" "$ireneo" sweep "$@" --db all.db --csv all.csv

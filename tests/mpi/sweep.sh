#!/bin/sh
# Sweeps, dense simulations and figures over ranks: the same tables whatever the ranks; trials that fail; what is left by
# jobs that were killed.
. "$(dirname "$0")/../support/mpi.sh"

# table CSV: its rows without the seconds.
table() {
    cut -d, -f1-17 "$1"
}

# without_job: a report in file out without what depends on time and ranks.
without_job() {
    "$python" - <<'TEXT'
import json
report = json.load(open("out"))
for name in ("seconds", "ranks", "nodes", "bytes_sent", "seconds_by_phase", "database"):
    report.pop(name, None)
for row in report.get("rows", []):
    row.pop("seconds", None)
print(json.dumps(report))
TEXT
}

# --- one table, also of searches and with a shard; nothing is left beside the store
plan="--problem both --dim 12,16 --rank-share 0.5,1 --load 0.3:1.1:3 --trials 2 --solver adam --steps 100"
search="--dim 6,8 --threshold --trials 3"
# shellcheck disable=SC2086
for kind in "$plan" "$search" "$plan --shard 2/3"; do
    counts=3
    [ "$kind" != "$plan" ] || counts="1 2 3 4"
    "$plain" sweep $kind --threads 1 --db plain.db --json >out 2>err || fault "one process, $kind: $(cat err)"
    without_job >one
    for count in $counts; do
        over $count 0 sweep $kind --db "many$count.db" --csv many.csv --json
        is ranks $count
        without_job | cmp -s - one || fault "$count ranks give another table of $kind"
        [ $count -eq 1 ] || holds "bytes that $count ranks sent" "r['bytes_sent'] > 0"
        holds "seconds by phase" "r['seconds_by_phase']['trials'] >= 0 and r['seconds_by_phase']['waiting'] >= 0"
        [ "$(find . -name "many$count.db*" | wc -l)" -eq 1 ] || fault "left beside the store: $(ls)"
    done
    rm -f plain.db* many*
done

# --- threads of a rank change nothing, and what is known is not made again
threads=2
# shellcheck disable=SC2086
over 2 0 sweep $plan --db two.db --csv two.csv
# shellcheck disable=SC2086
"$plain" sweep $plan --db two.db --csv known.csv >/dev/null || fault "one process on the store of two ranks"
cmp -s two.csv known.csv || fault "one process does not find what two ranks made" # with the seconds: nothing was made again
threads=1

# --- a trial that fails: the others are there, one sentence, exit 4; JSON counts it
for count in 1 3; do
    over $count 4 sweep --dim 60 --facts 20,1000000000 --trials 2 --solver hebbian --db failed$count.db --json
    is failed 2
    is trials 2
    [ "$(wc -l <err)" -eq 1 ] || fault "failed trials: $(cat err)"
    grep -q "2 trials failed.*tries them again; the first: not enough memory" err || fault "failed trials: $(cat err)"
    [ "$(rows trials failed$count.db)" -eq 2 ] || fault "the rows beside failed trials"
done
over 2 4 sweep --dim 60 --facts 1000000000 --trials 1 --solver hebbian --db failed.db
grep -q "1 trial failed" err || fault "one failed trial: $(cat err)"

# --- a broken store ends all ranks with one sentence
echo "no store, but a text of more than a few words to be read" >text.db
refuse_over 3 3 "not a store" sweep --dim 10 --load 0.5 --trials 1 --solver hebbian --db text.db
refuse_over 2 4 "cannot be opened" sweep --dim 10 --load 0.5 --trials 1 --solver hebbian --db no/such/folder/a.db
refuse_over 2 2 "--csv" sweep --dim 10 --load 0.5 --trials 1 --solver hebbian --db a.db --csv text.db

# --- kill -9 of a rank: the next run, with another number of ranks, finds what was finished, and the table is the same
long="--dim 12,16 --load 0.3:1.1:5 --trials 20 --solver adam --steps 300"
# shellcheck disable=SC2086
"$plain" sweep $long --threads 1 --db whole.db --csv whole.csv >/dev/null || fault "the undisturbed sweep"
# shellcheck disable=SC2086
OMP_NUM_THREADS=1 "$mpirun" -n 3 "$ireneo" sweep $long --db killed.db >/dev/null 2>&1 &
started
part=
while [ -z "$part" ] && [ -e "/proc/$child/status" ] && ! grep -q '^State:.*Z' "/proc/$child/status"; do
    for file in killed.db.rank-2-*; do
        case $file in *'*' | *.lock | *-wal | *-shm | *-journal) ;; *) [ "$(rows trials "$file")" -lt 3 ] || part=$file ;; esac
    done
    sleep 0.02
done
victim=$("$python" - <<'TEXT'
import glob
for process in glob.glob("/proc/[0-9]*"):
    try:
        command, environment = open(process + "/cmdline", "rb").read(), open(process + "/environ", "rb").read()
    except OSError:
        continue
    if b"killed.db" in command and b"\0OMPI_COMM_WORLD_RANK=2\0" in environment:
        print(process[6:])
TEXT
)
[ -n "$part" ] && [ -n "$victim" ] || fault "the sweep ended before it could be killed"
kill -9 $victim 2>/dev/null
wait $child
[ $? -ne 0 ] || fault "a sweep that lost a rank ended well"
# shellcheck disable=SC2086
over 2 0 sweep $long --db killed.db --csv killed.csv
table whole.csv >one
table killed.csv | cmp -s - one || fault "a kill changes the table"
[ "$(find . -name 'killed.db*' | wc -l)" -eq 1 ] || fault "left beside the store: $(ls)"

# --- dense simulations: the same summary, with a store and without; fewer draws than ranks
dense="dense simulate --method hybrid --neurons 40 --alpha 0.2 --measure lambda --draws 7 --json"
# shellcheck disable=SC2086
{
    "$plain" $dense --threads 1 >out || fault "one process, $dense"
    without_job >one
    for count in 2 3; do
        over $count 0 $dense
        without_job | cmp -s - one || fault "$count ranks simulate something else"
        over $count 0 $dense --db "draws$count.db"
        without_job | cmp -s - one || fault "$count ranks with a store simulate something else"
        [ "$(rows draws "draws$count.db")" -eq 7 ] || fault "$(rows draws "draws$count.db") draws kept"
    done
    over 4 0 dense simulate --neurons 20 --patterns 50 --lambda 1 --draws 3
    over 3 2 dense simulate --neurons 20 --patterns 50 --lambda 1 --draws 3 --angle 9
}
[ "$(wc -l <err)" -eq 1 ] || fault "a fault of the options is told $(wc -l <err) times"

# --- a figure: the same numbers, written once
if command -v gnuplot >/dev/null; then
    "$plain" figure linear_2 --dim 8,10 --load 0.5:1:3 --trials 1 --quick --threads 1 -o plain >/dev/null || fault "a figure"
    over 3 0 figure linear_2 --dim 8,10 --load 0.5:1:3 --trials 1 --quick -o many
    [ "$(wc -l <out)" -eq 1 ] || fault "a figure is told of more than once: $(cat out)"
    for file in plain/*.csv; do
        cut -d, -f1-10 "$file" >one
        cut -d, -f1-10 "many/$(basename "$file")" | cmp -s - one || fault "three ranks draw another $file"
    done
    [ "$(find many -name 'results.db*' | wc -l)" -eq 1 ] || fault "left beside the figure's store: $(ls many)"
fi

# --- commands that one process does are refused, once; help and faults of usage are told once
refuse_over 2 2 "in one process" capacity --dim 100
refuse_over 2 2 "in one process" dense phases --alpha 0.1
refuse_over 3 2 "in one process" ask memory.safetensors
refuse_over 2 2 "unknown option" sweep --magic
over 2 0 sweep --help
[ "$(grep -c usage out)" -eq 1 ] || fault "help is printed more than once"
over 2 0 --version
[ "$(wc -l <out)" -eq 1 ] || fault "the version is printed more than once"
over 3 2
[ "$(grep -c usage err)" -eq 1 ] || fault "the overview is not printed once"
refuse_over 3 2 "no command 'nonsense'" nonsense

# --- the program without MPI, as several processes: one sentence, and how to build; alone when it is told so
if [ "$plain" != "$ireneo" ]; then
    "$mpirun" -n 3 "$plain" capacity --dim 100 >out 2>err
    [ $? -eq 2 ] || fault "without MPI: not exit 2"
    without_mpirun
    one_sentence "make mpi" "without MPI"
    for name in PMI_SIZE=2 SLURM_STEP_NUM_TASKS=4 OMPI_COMM_WORLD_SIZE=2; do
        env "$name" "$plain" capacity --dim 100 >out 2>err
        [ $? -eq 2 ] || fault "$name: not exit 2"
        one_sentence "make mpi" "$name"
    done
    SLURM_NTASKS=8 SLURM_PROCID=0 "$plain" capacity --dim 100 >out 2>err || fault "a batch script of Slurm: $(cat err)"
    IRENEO_ALONE=1 "$mpirun" -n 2 "$plain" capacity --dim 100 >out 2>err || fault "alone: $(cat err)"
    [ "$(grep -c 'facts that fit' out)" -eq 2 ] || fault "two processes by themselves: $(cat out)"
fi

finish "sweeps over ranks: all good"

#!/bin/sh
# ireneo dense simulate through the program: numbers against the theory, seeds, the store of results, bad input.
# $1: the program; KILLS: how often a simulation is killed (default 4).
. "$(dirname "$0")/../support/cli.sh"
under="dense simulate"
kills=${KILLS:-4}
ASAN_OPTIONS=${ASAN_OPTIONS:-}:allocator_may_return_null=1 # builds with sanitizers: too much memory is an error, not an abort
export ASAN_OPTIONS

# simulated NAME VALUE TOLERANCE ARGUMENTS...: a number of the report.
simulated() {
    name=$1 wanted=$2 tolerance=$3
    shift 3
    run 0 "$@" --json
    near "$name" "$wanted" "$tolerance"
}

# Sizes that cannot be stored: the median angle at P = e^1000, lambda = 1.5 lambda_star.
simulated value 0.37768 0.0005 --method tail --neurons 1000 --alpha 1 --lambda 10.3063311 --measure angle --draws 300
simulated value 0.36199 0.0006 --method scalars --neurons 34 --alpha 0.3 --measure lambda --draws 100
simulated theory 0.361988 0.000001 --method scalars --neurons 34 --alpha 0.3 --measure lambda --draws 1
simulated value 0.4769 0.0015 --method hybrid --neurons 38 --alpha 0.3 --measure lambda --draws 12
simulated value 0.6254 0.07 --method conditioning --ensemble gaussian --neurons 40 --alpha 0.2 --lambda 0.25 --steps 1 --draws 500
simulated theory 0.6254 0.0001 --method scalars --ensemble gaussian --neurons 40 --alpha 0.2 --lambda 0.25 --draws 1
simulated value 1 0 --neurons 20 --patterns 100 --lambda 2 --draws 5
simulated log_patterns 4.605170186 0.000000001 --neurons 20 --patterns 100 --lambda 2 --draws 1

# Exponents of 1e13 and more overflow nothing: the pattern itself keeps all of the attention.
for method in "direct --neurons 20" "scalars --neurons 20" "tail --neurons 1000" "hybrid --neurons 200" "hybrid --neurons 60" \
    "conditioning --ensemble gaussian --neurons 20"; do
    # shellcheck disable=SC2086
    simulated value 1 0 --method $method --alpha 0.1 --lambda 1e12 --draws 3
done

# The seed is reported and decides everything; threads do not.
expect 0 "seed 42" --neurons 16 --alpha 0.3 --measure lambda --draws 3 --steps 5 --seed 42
# answer FILE ARGUMENTS...: the report but for the seconds, in FILE.
answer() {
    file=$1
    shift
    run 0 "$@" --json
    sed 's/"seconds.*//' out >"$file"
}
same() {
    cmp -s "$1" "$2" || fault "$3: $(cat "$1") and $(cat "$2")"
}
made() { # new draws of the last answer
    number new_draws
}
plan="--method direct --neurons 20 --alpha 0.3 --measure lambda --steps 30 --draws 40 --seed 9"
answer one $plan --threads 1
answer three $plan --threads 3
same one three "the number of threads changes the result"

# --- the store of results: all digits the same, known draws are not made again
answer kept $plan --db "a.db" --threads 2
same one kept "the store changes the result"
[ "$(made)" -eq 40 ] || fault "$(made) new draws in an empty store, not 40"
answer again $plan --db "a.db" --threads 1
same one again "the store gives back another result"
[ "$(made)" -eq 0 ] || fault "$(made) draws were made again"
answer more $plan --draws 50 --db "a.db"
[ "$(made)" -eq 10 ] || fault "50 draws after 40: $(made) new ones"
answer fewer $plan --db "a.db"
same one fewer "more draws in the store change the first ones"

# Experiments share a file; whatever changes the draws has another key.
for change in "--steps 31" "--seed 10" "--angle 0.1" "--closeness 0.2" "--neurons 21" "--alpha 0.31" \
    "--method hybrid --alpha 0.4" "--method hybrid --alpha 0.4 --kept 400"; do
    # shellcheck disable=SC2086
    answer other $plan $change --draws 2 --db "a.db"
    [ "$(made)" -eq 2 ] || fault "$change: $(made) new draws, not 2"
done
for what in "--measure angle --lambda 0.8" "--lambda 0.6 --measure probability" "--lambda 0.7 --measure probability"; do
    # shellcheck disable=SC2086
    answer other --neurons 20 --alpha 0.3 $what --draws 3 --db "a.db"
    [ "$(made)" -eq 3 ] || fault "$what: $(made) new draws, not 3"
done
# Infinite and unknown numbers come back as they were: at this angle another pattern is nearer to many starts.
plan_far="--method scalars --neurons 10 --alpha 0.5 --measure lambda --angle 1 --draws 9"
answer far $plan_far
for time in first second; do
    answer far-kept $plan_far --db "a.db"
    same far far-kept "infinite thresholds, $time time"
done

# --- parts, joined
for i in 1 2 3; do answer part $plan --shard $i/3 --db "s$i.db"; done
[ "$(made)" -eq 13 ] || fault "the third of three parts of 40 has $(made) draws"
"$ireneo" sweep --merge "joined.db" "s1.db" "s2.db" "s3.db" --json >"out" ||
    fault "merge: exit $?"
grep -q '"added": 40, "different": 0' "out" || fault "merge: $(cat "out")"
answer joined $plan --db "joined.db"
same one joined "three parts give another result"
[ "$(made)" -eq 0 ] || fault "joined parts lack $(made) draws"

# --- kill -9 in the middle, each time when new draws have come, and anew when all are there; then to the end
long="--method direct --neurons 26 --alpha 0.3 --measure lambda --steps 60 --draws 60 --seed 3"
answer whole $long
i=0 caught=0
while [ $i -lt "$kills" ] || [ $caught -eq 0 ]; do
    before=$(rows draws killed.db)
    if [ "$before" -eq 60 ]; then
        rm -f killed.db*
        before=0
    fi
    "$ireneo" dense simulate $long --db killed.db >/dev/null 2>&1 &
    started
    until_rows $((before + 1)) draws killed.db $child
    kill -9 $child 2>/dev/null
    wait $child 2>/dev/null
    [ "$(rows draws killed.db)" -eq 60 ] || caught=$((caught + 1))
    i=$((i + 1))
done
answer killed $long --db "killed.db"
same whole killed "kills change the result"
count=$("$python" -c "import sqlite3; d = sqlite3.connect('killed.db'); print(d.execute('select count(*), count(distinct draw) from draws').fetchone(), d.execute('pragma integrity_check').fetchone()[0])")
[ "$count" = "(60, 60) ok" ] || fault "after the kills: $count"

# --- two processes on one store
"$ireneo" dense simulate $plan --threads 1 --db "shared.db" >/dev/null 2>"err1" &
started
first=$child
answer shared $plan --threads 1 --db "shared.db"
wait $first || fault "first of two: $(cat "err1")"
same one shared "two processes change the result"

# --- Ctrl-C: exit 130, one sentence, draws kept, and it goes on from them
interrupt '[ "$(rows draws stopped.db)" -ge 3 ]' $long --draws 100000 --db stopped.db
[ $got -eq 130 ] || fault "interrupt: exit $got"
grep -q "kept in" err || fault "interrupt: $(cat err)"
[ "$(wc -l <err)" -eq 1 ] && [ ! -s out ] || fault "interrupt: not one sentence"
answer stopped $long --db "stopped.db"
same whole stopped "an interrupt changes the result"
[ "$(made)" -lt 60 ] || fault "an interrupted simulation begins again"

# --- bad stores: one sentence, exit 3 and 4
# spoilt CODE PATTERN FILE MORE...
spoilt() {
    code=$1 pattern=$2 file=$3
    shift 3
    refuse "$code" "$pattern" $plan --db "$file" "$@"
}
echo "not a database at all, but a text of more than a few words to be read" >"text.db"
spoilt 3 "not a store" "text.db"
spoilt 4 "cannot be opened" "no/such/folder/a.db"
spoilt 4 "is not a file" .
cp "a.db" "v.db"
"$python" -c "import sqlite3; d = sqlite3.connect('v.db'); d.execute('PRAGMA user_version = 7'); d.commit()"
spoilt 3 "version 7" "v.db"
"$python" -c "import sqlite3; sqlite3.connect('stranger.db').execute('create table a (b)')"
spoilt 3 "not a store" "stranger.db"
"$python" - <<'END'
data = bytearray(open("a.db", "rb").read())
for i in range(4096, len(data), 7): data[i] = 255 # all but the first page
open("damaged.db", "wb").write(data)
END
spoilt 3 "damaged" "damaged.db"
hold a.db
spoilt 4 "locked" "a.db" --wait 0.2 --seed 77
release
answer unlocked $plan --db "a.db"
same one unlocked "after the lock"

# A store made before there were draws gets a place for them; a read-only one for merging stays as it is.
"$ireneo" sweep --dim 10 --load 0.5 --trials 1 --solver hebbian --db "old.db" >/dev/null || fault "sweep"
"$python" -c "import sqlite3; d = sqlite3.connect('old.db'); d.execute('DROP TABLE draws'); d.commit()"
"$ireneo" sweep --merge "joined.db" "old.db" >/dev/null || fault "merging a store without draws"
answer old $plan --db "old.db"
same one old "a store without draws"

# --- bad input makes no store
none="none.db"
refuse 2 "2^63" --neurons 200 --alpha 0.3 --lambda 1 --db "$none"
refuse 2 "at most 2^31" --method conditioning --ensemble gaussian --neurons 20 --patterns 1e10 --lambda 1 --db "$none"
refuse 2 "too few" --method tail --neurons 20 --patterns 50 --lambda 1 --db "$none"
refuse 2 "lambda must lie above 0" --neurons 20 --alpha 0.3 --lambda 0 --db "$none"
refuse 2 "give --db" --neurons 20 --alpha 0.3 --lambda 1 --shard 1/2
refuse 2 "--shard is I/N" --neurons 20 --alpha 0.3 --lambda 1 --shard 3/2 --db "$none"
refuse 2 "cannot be cut" --neurons 20 --alpha 0.3 --lambda 1 --draws 3 --shard 1/4 --db "$none"
refuse 2 "--wait" --neurons 20 --alpha 0.3 --lambda 1 --wait -1 --db "$none"
[ ! -e "$none" ] || fault "a usage error made a store"

refuse 2 "lambda must lie above 0" --neurons 20 --alpha 0.3 --lambda 0
refuse 2 "lambda must lie above 0" --neurons 20 --alpha 0.3 --lambda -1
refuse 2 "must be positive" --neurons 20 --alpha 0 --lambda 1
refuse 2 "must be positive" --neurons 20 --alpha -0.2 --lambda 1
refuse 2 "--neurons must lie between 2" --neurons 1 --alpha 0.3 --lambda 1
refuse 2 "lambda must lie above 0" --neurons 20 --alpha 0.3 --lambda 1e308
refuse 2 "takes a number" --neurons 20 --alpha nan --lambda 1
refuse 2 "--patterns must lie between 2" --neurons 20 --patterns 1 --lambda 1
refuse 2 "--patterns must lie between 2" --neurons 20 --patterns 1e19 --lambda 1
refuse 4 "not enough memory" --neurons 20 --alpha 0.3 --lambda 1 --draws 1e12
refuse 2 "above 2^63" --neurons 200 --alpha 0.3 --lambda 1
refuse 2 "above 2^63" --method scalars --neurons 200 --alpha 0.3 --lambda 1
refuse 2 "give --lambda" --neurons 20 --alpha 0.3
refuse 2 "leave it out" --neurons 20 --alpha 0.3 --lambda 1 --measure lambda
refuse 2 "leave it out" --neurons 20 --alpha 0.3 --lambda 1 --angle 1 --measure angle
refuse 2 "one of the two" --neurons 20 --lambda 1
refuse 2 "one of the two" --neurons 20 --alpha 0.3 --patterns 100 --lambda 1
refuse 2 "--neurons" --alpha 0.3 --lambda 1
refuse 2 "makes one step" --method tail --neurons 100 --alpha 0.3 --lambda 1 --steps 3
refuse 2 "Gaussian" --method conditioning --neurons 20 --alpha 0.3 --lambda 1
refuse 2 "spherical" --method hybrid --ensemble gaussian --neurons 20 --alpha 0.3 --lambda 1
refuse 2 "one of" --method guess --neurons 20 --alpha 0.3 --lambda 1
refuse 2 "unknown option" --neurons 20 --alpha 0.3 --lambda 1 --beta 2
refuse 2 "between 0 and 3.14159" --neurons 20 --alpha 0.3 --lambda 1 --angle 7

finish "dense simulate: all fine"

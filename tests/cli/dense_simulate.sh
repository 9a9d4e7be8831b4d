#!/bin/sh
# ireneo dense simulate through the program: numbers against the theory, seeds, the store of results, bad input.
# $1: the program; KILLS: how often a simulation is killed (default 4).
set -u
ireneo=$1
kills=${KILLS:-4}
PYTHON=${PYTHON:-python3}
ASAN_OPTIONS=${ASAN_OPTIONS:-}:allocator_may_return_null=1 # builds with sanitizers: too much memory is an error, not an abort
export ASAN_OPTIONS
folder=$(mktemp -d /tmp/ireneo-dense-XXXXXX)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
faults=0
fault() {
    echo "FAULT: $*"
    faults=$((faults + 1))
}

expect() {
    code=$1 word=$2
    shift 2
    output=$("$ireneo" dense simulate "$@" 2>&1)
    got=$?
    [ "$got" -eq "$code" ] || fault "$*: exit $got instead of $code: $output"
    case $output in
    *"$word"*) ;;
    *) fault "$*: no '$word' in: $output" ;;
    esac
}

refuse() {
    word=$1
    shift
    expect 2 "$word" "$@"
    [ -z "$("$ireneo" dense simulate "$@" 2>/dev/null)" ] || fault "$*: output in spite of the error"
    [ "$("$ireneo" dense simulate "$@" 2>&1 >/dev/null | wc -l)" -eq 1 ] || fault "$*: not one sentence"
}

# near NAME VALUE TOLERANCE ARGUMENTS...: a number of the JSON report.
near() {
    name=$1 wanted=$2 tolerance=$3
    shift 3
    got=$("$ireneo" dense simulate "$@" --json | tr ',{}' '\n\n\n' | sed -n "s/^ *\"$name\": *//p")
    awk -v a="$got" -v b="$wanted" -v t="$tolerance" \
        'BEGIN { d = a - b; if (d < 0) d = -d; exit !(a != "" && a != "null" && d <= t) }' ||
        fault "$*: $name is $got, not $wanted +- $tolerance"
}

# Sizes nobody can store: the median angle at P = e^1000, lambda = 1.5 lambda_star.
near value 0.37768 0.0005 --method tail --neurons 1000 --alpha 1 --lambda 10.3063311 --measure angle --draws 300
near value 0.36199 0.0006 --method scalars --neurons 34 --alpha 0.3 --measure lambda --draws 100
near theory 0.361988 0.000001 --method scalars --neurons 34 --alpha 0.3 --measure lambda --draws 1
near value 0.4769 0.0015 --method hybrid --neurons 38 --alpha 0.3 --measure lambda --draws 12
near value 0.6254 0.07 --method conditioning --ensemble gaussian --neurons 40 --alpha 0.2 --lambda 0.25 --steps 1 --draws 500
near theory 0.6254 0.0001 --method scalars --ensemble gaussian --neurons 40 --alpha 0.2 --lambda 0.25 --draws 1
near value 1 0 --neurons 20 --patterns 100 --lambda 2 --draws 5
near log_patterns 4.605170186 0.000000001 --neurons 20 --patterns 100 --lambda 2 --draws 1

# Exponents of 1e13 and more overflow nothing: the pattern itself keeps all of the attention.
for method in "direct --neurons 20" "scalars --neurons 20" "tail --neurons 1000" "hybrid --neurons 200" "hybrid --neurons 60" \
    "conditioning --ensemble gaussian --neurons 20"; do
    # shellcheck disable=SC2086
    near value 1 0 --method $method --alpha 0.1 --lambda 1e12 --draws 3
done

# The seed is reported and decides everything; threads do not.
expect 0 "seed 42" --neurons 16 --alpha 0.3 --measure lambda --draws 3 --steps 5 --seed 42
# answer FILE ARGUMENTS...: the report but for the seconds, in FILE.
answer() {
    file=$1
    shift
    "$ireneo" dense simulate "$@" --json >"$folder/json" 2>"$folder/err" || fault "$*: exit $?: $(cat "$folder/err")"
    sed 's/"seconds.*//' "$folder/json" >"$folder/$file"
}
same() {
    cmp -s "$folder/$1" "$folder/$2" || fault "$3: $(cat "$folder/$1") and $(cat "$folder/$2")"
}
made() { # new draws of the last answer
    sed 's/.*"new_draws": \([0-9]*\).*/\1/' "$folder/json"
}
plan="--method direct --neurons 20 --alpha 0.3 --measure lambda --steps 30 --draws 40 --seed 9"
answer one $plan --threads 1
answer three $plan --threads 3
same one three "the number of threads changes the result"

# --- the store of results: all digits the same, known draws are not made again
answer kept $plan --db "$folder/a.db" --threads 2
same one kept "the store changes the result"
[ "$(made)" -eq 40 ] || fault "$(made) new draws in an empty store, not 40"
answer again $plan --db "$folder/a.db" --threads 1
same one again "the store gives back another result"
[ "$(made)" -eq 0 ] || fault "$(made) draws were made again"
answer more $plan --draws 50 --db "$folder/a.db"
[ "$(made)" -eq 10 ] || fault "50 draws after 40: $(made) new ones"
answer fewer $plan --db "$folder/a.db"
same one fewer "more draws in the store change the first ones"

# Experiments share a file; whatever changes the draws has another key.
for change in "--steps 31" "--seed 10" "--angle 0.1" "--closeness 0.2" "--neurons 21" "--alpha 0.31" \
    "--method hybrid --alpha 0.4" "--method hybrid --alpha 0.4 --kept 400"; do
    # shellcheck disable=SC2086
    answer other $plan $change --draws 2 --db "$folder/a.db"
    [ "$(made)" -eq 2 ] || fault "$change: $(made) new draws, not 2"
done
for what in "--measure angle --lambda 0.8" "--lambda 0.6 --measure probability" "--lambda 0.7 --measure probability"; do
    # shellcheck disable=SC2086
    answer other --neurons 20 --alpha 0.3 $what --draws 3 --db "$folder/a.db"
    [ "$(made)" -eq 3 ] || fault "$what: $(made) new draws, not 3"
done
# Infinite and unknown numbers come back as they were: at this angle another pattern is nearer to many starts.
plan_far="--method scalars --neurons 10 --alpha 0.5 --measure lambda --angle 1 --draws 9"
answer far $plan_far
for time in first second; do
    answer far-kept $plan_far --db "$folder/a.db"
    same far far-kept "infinite thresholds, $time time"
done

# --- parts, joined
for i in 1 2 3; do answer part $plan --shard $i/3 --db "$folder/s$i.db"; done
[ "$(made)" -eq 13 ] || fault "the third of three parts of 40 has $(made) draws"
"$ireneo" sweep --merge "$folder/joined.db" "$folder/s1.db" "$folder/s2.db" "$folder/s3.db" --json >"$folder/out" ||
    fault "merge: exit $?"
grep -q '"added": 40, "different": 0' "$folder/out" || fault "merge: $(cat "$folder/out")"
answer joined $plan --db "$folder/joined.db"
same one joined "three parts give another result"
[ "$(made)" -eq 0 ] || fault "joined parts lack $(made) draws"

# --- kill -9 in the middle, again and again, then to the end
long="--method direct --neurons 26 --alpha 0.3 --measure lambda --steps 60 --draws 60 --seed 3"
answer whole $long
i=0
while [ $i -lt "$kills" ]; do
    "$ireneo" dense simulate $long --db "$folder/killed.db" >/dev/null 2>&1 &
    pid=$!
    sleep "0.$((2 + i % 3))"
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    i=$((i + 1))
done
answer killed $long --db "$folder/killed.db"
same whole killed "kills change the result"
count=$("$PYTHON" -c "import sqlite3; d = sqlite3.connect('$folder/killed.db'); print(d.execute('select count(*), count(distinct draw) from draws').fetchone(), d.execute('pragma integrity_check').fetchone()[0])")
[ "$count" = "(60, 60) ok" ] || fault "after the kills: $count"

# --- two processes on one store
"$ireneo" dense simulate $plan --threads 1 --db "$folder/shared.db" >/dev/null 2>"$folder/err1" &
first=$!
answer shared $plan --threads 1 --db "$folder/shared.db"
wait $first || fault "first of two: $(cat "$folder/err1")"
same one shared "two processes change the result"

# --- Ctrl-C: exit 130, one sentence, draws kept, and it goes on from them
"$ireneo" dense simulate $long --draws 100000 --db "$folder/stopped.db" >"$folder/out" 2>"$folder/err" &
pid=$!
kept=0
while [ "$kept" -lt 3 ] && kill -0 $pid 2>/dev/null; do
    sleep 0.1
    kept=$("$PYTHON" -c "import sqlite3; print(sqlite3.connect('$folder/stopped.db', timeout=9).execute('select count(*) from draws').fetchone()[0])" 2>/dev/null || echo 0)
done
kill -INT $pid
wait $pid
[ $? -eq 130 ] || fault "interrupt: exit code"
grep -q "kept in" "$folder/err" || fault "interrupt: $(cat "$folder/err")"
[ "$(wc -l <"$folder/err")" -eq 1 ] && [ ! -s "$folder/out" ] || fault "interrupt: not one sentence"
answer stopped $long --db "$folder/stopped.db"
same whole stopped "an interrupt changes the result"
[ "$(made)" -lt 60 ] || fault "an interrupted simulation begins again"

# --- bad stores: one sentence, exit 3 and 4
# spoilt CODE WORDS FILE MORE...
spoilt() {
    code=$1 word=$2 file=$3
    shift 3
    expect "$code" "$word" $plan --db "$file" "$@"
    [ "$(echo "$output" | wc -l)" -eq 1 ] || fault "$file: not one sentence: $output"
}
echo "not a database at all, but a text of more than a few words to be read" >"$folder/text.db"
spoilt 3 "not a store" "$folder/text.db"
spoilt 4 "cannot be opened" "$folder/no/such/folder/a.db"
spoilt 4 "is not a file" "$folder"
cp "$folder/a.db" "$folder/v.db"
"$PYTHON" -c "import sqlite3; d = sqlite3.connect('$folder/v.db'); d.execute('PRAGMA user_version = 7'); d.commit()"
spoilt 3 "version 7" "$folder/v.db"
"$PYTHON" -c "import sqlite3; sqlite3.connect('$folder/stranger.db').execute('create table a (b)')"
spoilt 3 "not a store" "$folder/stranger.db"
"$PYTHON" - "$folder" <<'END'
import sys
data = bytearray(open(sys.argv[1] + "/a.db", "rb").read())
for i in range(4096, len(data), 7): data[i] = 255 # all but the first page
open(sys.argv[1] + "/damaged.db", "wb").write(data)
END
spoilt 3 "damaged" "$folder/damaged.db"
"$PYTHON" - "$folder" <<'END' &
import sqlite3, sys, time, os
d = sqlite3.connect(sys.argv[1] + "/a.db", isolation_level=None)
d.execute("BEGIN IMMEDIATE")
open(sys.argv[1] + "/held", "w").close()
while not os.path.exists(sys.argv[1] + "/release"): time.sleep(0.02)
d.execute("ROLLBACK")
END
holder=$!
while [ ! -e "$folder/held" ]; do sleep 0.05; done
spoilt 4 "locked" "$folder/a.db" --wait 0.2 --seed 77
touch "$folder/release"
wait $holder
answer unlocked $plan --db "$folder/a.db"
same one unlocked "after the lock"

# A store made before there were draws gets a place for them; a read-only one for merging stays as it is.
"$ireneo" sweep --dim 10 --load 0.5 --trials 1 --solver hebbian --db "$folder/old.db" >/dev/null || fault "sweep"
"$PYTHON" -c "import sqlite3; d = sqlite3.connect('$folder/old.db'); d.execute('DROP TABLE draws'); d.commit()"
"$ireneo" sweep --merge "$folder/joined.db" "$folder/old.db" >/dev/null || fault "merging a store without draws"
answer old $plan --db "$folder/old.db"
same one old "a store without draws"

# --- bad input makes no store
none="$folder/none.db"
refuse "2^63" --neurons 200 --alpha 0.3 --lambda 1 --db "$none"
refuse "at most 2^31" --method conditioning --ensemble gaussian --neurons 20 --patterns 1e10 --lambda 1 --db "$none"
refuse "too few" --method tail --neurons 20 --patterns 50 --lambda 1 --db "$none"
refuse "lambda must lie above 0" --neurons 20 --alpha 0.3 --lambda 0 --db "$none"
refuse "give --db" --neurons 20 --alpha 0.3 --lambda 1 --shard 1/2
refuse "--shard is I/N" --neurons 20 --alpha 0.3 --lambda 1 --shard 3/2 --db "$none"
refuse "cannot be cut" --neurons 20 --alpha 0.3 --lambda 1 --draws 3 --shard 1/4 --db "$none"
refuse "--wait" --neurons 20 --alpha 0.3 --lambda 1 --wait -1 --db "$none"
[ ! -e "$none" ] || fault "a usage error made a store"

refuse "lambda must lie above 0" --neurons 20 --alpha 0.3 --lambda 0
refuse "lambda must lie above 0" --neurons 20 --alpha 0.3 --lambda -1
refuse "must be positive" --neurons 20 --alpha 0 --lambda 1
refuse "must be positive" --neurons 20 --alpha -0.2 --lambda 1
refuse "--neurons must lie between 2" --neurons 1 --alpha 0.3 --lambda 1
refuse "lambda must lie above 0" --neurons 20 --alpha 0.3 --lambda 1e308
refuse "takes a number" --neurons 20 --alpha nan --lambda 1
refuse "--patterns must lie between 2" --neurons 20 --patterns 1 --lambda 1
refuse "--patterns must lie between 2" --neurons 20 --patterns 1e19 --lambda 1
expect 4 "not enough memory" --neurons 20 --alpha 0.3 --lambda 1 --draws 1e12
refuse "above 2^63" --neurons 200 --alpha 0.3 --lambda 1
refuse "above 2^63" --method scalars --neurons 200 --alpha 0.3 --lambda 1
refuse "give --lambda" --neurons 20 --alpha 0.3
refuse "leave it out" --neurons 20 --alpha 0.3 --lambda 1 --measure lambda
refuse "leave it out" --neurons 20 --alpha 0.3 --lambda 1 --angle 1 --measure angle
refuse "one of the two" --neurons 20 --lambda 1
refuse "one of the two" --neurons 20 --alpha 0.3 --patterns 100 --lambda 1
refuse "--neurons" --alpha 0.3 --lambda 1
refuse "makes one step" --method tail --neurons 100 --alpha 0.3 --lambda 1 --steps 3
refuse "Gaussian" --method conditioning --neurons 20 --alpha 0.3 --lambda 1
refuse "spherical" --method hybrid --ensemble gaussian --neurons 20 --alpha 0.3 --lambda 1
refuse "one of" --method guess --neurons 20 --alpha 0.3 --lambda 1
refuse "unknown option" --neurons 20 --alpha 0.3 --lambda 1 --beta 2
refuse "between 0 and 3.14159" --neurons 20 --alpha 0.3 --lambda 1 --angle 7

[ "$faults" -eq 0 ] && echo "dense simulate: all fine"
exit "$faults"

#!/bin/sh
# ireneo sweep through the program: bad input, resuming after kill -9, shards, merging.
# $1: the program; KILLS: how often a sweep is killed (default 6).
set -u
ireneo=$1
kills=${KILLS:-6}
PYTHON=${PYTHON:-python3}
folder=$(mktemp -d /tmp/ireneo-sweep-XXXXXX)
trap 'rm -rf "$folder"' EXIT
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# expect CODE WORDS ARGUMENTS...: exit code, one sentence on stderr that holds the words
expect() {
    code=$1 words=$2
    shift 2
    "$ireneo" sweep "$@" >"$folder/out" 2>"$folder/err"
    got=$?
    [ $got -eq "$code" ] || fail "sweep $*: exit $got, wanted $code: $(cat "$folder/err")"
    grep -q -- "$words" "$folder/err" || fail "sweep $*: no '$words' in: $(cat "$folder/err")"
    [ "$(wc -l <"$folder/err")" -eq 1 ] || fail "sweep $*: stderr is not one line: $(cat "$folder/err")"
}

# The rows without the seconds.
rows() {
    cut -d, -f1-17 "$1"
}

good="--dim 10 --load 0.5 --trials 1 --solver hebbian"

# --- usage: exit 2
db="--db $folder/bad.db"
expect 2 "--dim" --load 0.5 $db
expect 2 "not both" --dim 10 --dim-in 5 --load 0.5 $db
expect 2 "--db" --dim 10 --load 0.5
expect 2 "one of --load" --dim 10 $db
expect 2 "one of --load" --dim 10 --load 0.5 --facts 10 $db
expect 2 "leave out --load" --dim 10 --load 0.5 --threshold $db
expect 2 "neither a number" --dim 10 --load 0.1:1 $db
expect 2 "neither a number" --dim ten --load 0.1 $db
expect 2 "empty place" --dim 10, --load 0.1 $db
expect 2 "whole number" --dim 10 --load 0.1:1:2.5 $db
expect 2 "between" --dim 10 --load -1 $db
expect 2 "whole" --dim 10.5 --load 1 $db
expect 2 "--rank" --dim 10 --load 1 --rank 2 $db
expect 2 "full matrix" $good --rank 0.5 $db
expect 2 "--shard" $good --shard 3/2 $db
expect 2 "--shard" $good --shard 0/2 $db
expect 2 "--shard" $good --shard 2 $db
expect 2 "--shard" $good --shard 1/2x $db
expect 2 "one of" $good --solver magic $db
expect 2 "unknown option" $good --magic $db
expect 2 "too many" $good $db stray
expect 2 "needs the files" --merge "$folder/merged.db"
expect 2 "no threshold" --dim 10 --threshold --solver hebbian $db
expect 2 "choose one" $good $db --csv - --json
[ ! -e "$folder/bad.db" ] || fail "a usage error made a store"

# --- bad stores: exit 3 and 4
echo "not a database at all, but a text of more than a few words to be read" >"$folder/text.db"
expect 3 "not a store" $good --db "$folder/text.db"
expect 4 "cannot be opened" $good --db "$folder/no/such/folder/a.db"
expect 4 "cannot be read" --merge "$folder/merged.db" "$folder/missing.db"
expect 3 "not a store" --merge "$folder/merged.db" "$folder/text.db"
"$ireneo" sweep $good --db "$folder/v.db" >/dev/null || fail "a plain sweep"
"$PYTHON" -c "import sqlite3; d = sqlite3.connect('$folder/v.db'); d.execute('PRAGMA user_version = 7'); d.commit()"
expect 3 "version 7" $good --db "$folder/v.db"

# --- a locked store: the sentence, exit 4, and afterwards it goes on
"$ireneo" sweep $good --db "$folder/l.db" >/dev/null || fail "a plain sweep"
"$PYTHON" - "$folder" <<'END' &
import sqlite3, sys, time, os
d = sqlite3.connect(sys.argv[1] + "/l.db", isolation_level=None)
d.execute("BEGIN IMMEDIATE")
open(sys.argv[1] + "/held", "w").close()
while not os.path.exists(sys.argv[1] + "/release"): time.sleep(0.02)
d.execute("ROLLBACK")
END
holder=$!
while [ ! -e "$folder/held" ]; do sleep 0.05; done
expect 4 "locked" --dim 10 --load 0.7 --trials 1 --solver hebbian --db "$folder/l.db" --wait 0.2
touch "$folder/release"
wait $holder
"$ireneo" sweep --dim 10 --load 0.7 --trials 1 --solver hebbian --db "$folder/l.db" >/dev/null || fail "after the lock"

# --- a disk that fills (a limit on file sizes stands for it): exit 4, rows so far are kept
(
    ulimit -f 120
    "$ireneo" sweep --dim 8 --facts 3:60:58 --trials 60 --solver hebbian --db "$folder/full.db" >/dev/null 2>"$folder/err"
)
[ $? -eq 4 ] || fail "full disk: exit code, $(cat "$folder/err")"
[ "$(wc -l <"$folder/err")" -eq 1 ] || fail "full disk: $(cat "$folder/err")"
kept=$("$PYTHON" -c "import sqlite3; print(sqlite3.connect('$folder/full.db').execute('select count(*) from trials').fetchone()[0])")
[ "$kept" -gt 10 ] || fail "full disk: $kept rows kept"
"$ireneo" sweep --dim 8 --facts 3:60:58 --trials 2 --solver hebbian --db "$folder/full.db" >/dev/null || fail "after the full disk"

# --- one table whatever the threads, shards and kills
plan="--problem both --dim 12,16 --rank 0.5,1 --load 0.3:1.1:5 --trials 4 --solver adam --steps 300"
"$ireneo" sweep $plan --threads 1 --db "$folder/one.db" --csv "$folder/one.csv" >/dev/null || fail "one thread"
"$ireneo" sweep $plan --threads 2 --db "$folder/two.db" --csv "$folder/two.csv" >/dev/null || fail "two threads"
rows "$folder/one.csv" >"$folder/one"
rows "$folder/two.csv" >"$folder/two"
cmp -s "$folder/one" "$folder/two" || fail "two threads give another table"
[ "$(wc -l <"$folder/one")" -eq 161 ] || fail "$(wc -l <"$folder/one") rows, wanted 161"
for i in 1 2 3; do "$ireneo" sweep $plan --shard $i/3 --db "$folder/s$i.db" >/dev/null || fail "shard $i"; done
"$ireneo" sweep --merge "$folder/merged.db" "$folder/s1.db" "$folder/s2.db" "$folder/s3.db" --json >"$folder/out" || fail "merge"
grep -q '"trials": 160' "$folder/out" || fail "merge: $(cat "$folder/out")"
"$ireneo" sweep $plan --db "$folder/merged.db" --csv - >"$folder/merged.csv" || fail "reading the merged store"
rows "$folder/merged.csv" | cmp -s - "$folder/one" || fail "three shards give another table"

i=0
while [ $i -lt "$kills" ]; do
    "$ireneo" sweep $plan --db "$folder/killed.db" >/dev/null 2>&1 &
    pid=$!
    sleep "$("$PYTHON" -c "import random; print(random.uniform(0.01, 0.12))")"
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    i=$((i + 1))
done
"$ireneo" sweep $plan --db "$folder/killed.db" --csv "$folder/killed.csv" >/dev/null || fail "after the kills"
rows "$folder/killed.csv" | cmp -s - "$folder/one" || fail "kills change the table"
count=$("$PYTHON" -c "import sqlite3; d = sqlite3.connect('$folder/killed.db'); print(d.execute('select count(*), count(distinct key) from trials').fetchone(), d.execute('pragma integrity_check').fetchone()[0])")
[ "$count" = "(160, 160) ok" ] || fail "after the kills: $count"

# --- two processes on one store
"$ireneo" sweep $plan --threads 1 --db "$folder/shared.db" >/dev/null 2>"$folder/err1" &
first=$!
"$ireneo" sweep $plan --threads 1 --db "$folder/shared.db" --csv "$folder/shared.csv" >/dev/null || fail "second of two"
wait $first || fail "first of two: $(cat "$folder/err1")"
rows "$folder/shared.csv" | cmp -s - "$folder/one" || fail "two processes change the table"

# --- Ctrl-C: exit 130, rows kept
"$ireneo" sweep --dim 40 --load 0.9 --trials 400 --solver adam --rate 0.001 --db "$folder/stopped.db" >/dev/null 2>"$folder/err" &
pid=$!
sleep 0.7
kill -INT $pid
wait $pid
[ $? -eq 130 ] || fail "interrupt: exit code"
grep -q "kept in" "$folder/err" || fail "interrupt: $(cat "$folder/err")"

[ $failures -eq 0 ] && echo "sweep: all good"
[ $failures -eq 0 ]

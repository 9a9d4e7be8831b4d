#!/bin/sh
# ireneo sweep through the program: bad input, resuming after kill -9, shards, merging.
# $1: the program; KILLS: how often a sweep is killed (default 6).
. "$(dirname "$0")/../support/cli.sh"
under=sweep
kills=${KILLS:-6}

# table CSV: its rows without the seconds.
table() {
    cut -d, -f1-17 "$1"
}

good="--dim 10 --load 0.5 --trials 1 --solver hebbian"

# --- usage: exit 2
db="--db bad.db"
refuse 2 "--dim" --load 0.5 $db
refuse 2 "not both" --dim 10 --dim-in 5 --load 0.5 $db
refuse 2 "--db" --dim 10 --load 0.5
refuse 2 "one of --load" --dim 10 $db
refuse 2 "one of --load" --dim 10 --load 0.5 --facts 10 $db
refuse 2 "leave out --load" --dim 10 --load 0.5 --threshold $db
refuse 2 "belongs to --threshold" --dim 10 --load 0.5 --within 0.01 $db
refuse 2 "leave out --rank" --dim 10 --threshold --within 0.01 --rank 5 $db
refuse 2 "--within" --dim 10 --threshold --within 2 $db
refuse 2 "neither a number" --dim 10 --load 0.1:1 $db
refuse 2 "neither a number" --dim ten --load 0.1 $db
refuse 2 "empty place" --dim 10, --load 0.1 $db
refuse 2 "whole number" --dim 10 --load 0.1:1:2.5 $db
refuse 2 "between" --dim 10 --load -1 $db
refuse 2 "whole" --dim 10.5 --load 1 $db
refuse 2 "--rank" --dim 10 --load 1 --rank 2.5 $db
refuse 2 "--rank" $good --rank 0 $db
refuse 2 "--rank" $good --rank 0.5 $db
refuse 2 "--rank-share" $good --rank-share 1.5 $db
refuse 2 "--rank-share" $good --rank-share 0 $db
refuse 2 "--shard" $good --shard 3/2 $db
refuse 2 "--shard" $good --shard 0/2 $db
refuse 2 "--shard" $good --shard 2 $db
refuse 2 "--shard" $good --shard 1/2x $db
refuse 2 "one of" $good --solver magic $db
refuse 2 "unknown option" $good --magic $db
refuse 2 "too many" $good $db stray
refuse 2 "needs the files" --merge "merged.db"
refuse 2 "only hebbian" --dim 10 --threshold --solver delta $db
refuse 2 "full matrices" --dim 10 --threshold --solver hebbian --rank 3 $db
refuse 2 "in turn" --dim 10 --threshold --solver hebbian --targets random --candidates 20 $db
refuse 2 "needs the number of values" --dim 10 --threshold --targets zipf:1 $db
refuse 2 "facts share" --problem both --dim 10 --threshold --targets zipf:1 --candidates 20 $db
refuse 2 "each, random or zipf:S" --dim 10 --threshold --targets often --candidates 20 $db
refuse 2 "--top is for" --dim 10 --load 0.5 --top 2 --solver adam $db
refuse 2 "--top is for" --dim 10 --load 0.5 --top 2 --overload $db
refuse 2 "needs proofs" --dim 10 --threshold --within 0.01 --top 2 $db
refuse 2 "needs proofs" --dim 10 --threshold --within 0.01 --solver hebbian $db
refuse 2 "below 2" --dim 10 --load 0.5 --solver delta --rate 2 $db
refuse 2 "ridge belongs" --dim 10 --load 0.5 --solver delta --ridge 1 $db
refuse 2 "choose one" $good $db --csv - --json
[ ! -e "bad.db" ] || fault "a usage error made a store"

# --- bad stores: exit 3 and 4
echo "not a database at all, but a text of more than a few words to be read" >"text.db"
refuse 3 "not a store" $good --db "text.db"
refuse 4 "cannot be opened" $good --db "no/such/folder/a.db"
refuse 4 "cannot be read" --merge "merged.db" "missing.db"
refuse 3 "not a store" --merge "merged.db" "text.db"
"$ireneo" sweep $good --db "v.db" >/dev/null || fault "a plain sweep"
"$ireneo" sweep $good --rank-share 0.5 --db "v.db" >/dev/null || fault "the Hebbian rule with a rank"
"$python" -c "import sqlite3; d = sqlite3.connect('v.db'); d.execute('PRAGMA user_version = 7'); d.commit()"
refuse 3 "version 7" $good --db "v.db"

# --- a locked store: the sentence, exit 4, and afterwards it goes on
"$ireneo" sweep $good --db "l.db" >/dev/null || fault "a plain sweep"
hold l.db
refuse 4 "locked" --dim 10 --load 0.7 --trials 1 --solver hebbian --db "l.db" --wait 0.2
release
"$ireneo" sweep --dim 10 --load 0.7 --trials 1 --solver hebbian --db "l.db" >/dev/null || fault "after the lock"

# --- a disk that fills (a limit on file sizes stands for it): exit 4, rows so far are kept
(
    ulimit -f 120
    "$ireneo" sweep --dim 8 --facts 3:60:58 --trials 60 --solver hebbian --db "full.db" >/dev/null 2>"err"
)
[ $? -eq 4 ] || fault "full disk: exit code, $(cat "err")"
[ "$(wc -l <"err")" -eq 1 ] || fault "full disk: $(cat "err")"
kept=$(rows trials full.db)
[ "$kept" -gt 10 ] || fault "full disk: $kept rows kept"
"$ireneo" sweep --dim 8 --facts 3:60:58 --trials 2 --solver hebbian --db "full.db" >/dev/null || fault "after the full disk"

# --- answers that are drawn, and facts that count among the K best
drawn="--dim 6 --candidates 20 --threshold --trials 2 --db t.db"
"$ireneo" sweep $drawn --targets zipf:1 --json >t.json || fault "drawn answers"
"$ireneo" sweep $drawn --targets zipf:1 --csv t.csv >t.out || fault "drawn answers again"
grep -q "answers among 20 values by zipf:1" t.out || fault "the table does not tell how answers are drawn: $(cat t.out)"
"$ireneo" sweep $drawn --top 3 --csv top.csv >top.out || fault "the three best"
grep -q "among the 3 best" top.out || fault "the table does not tell which facts count: $(cat top.out)"
"$ireneo" sweep --dim 20 --solver hebbian --threshold --trials 3 --db t.db --csv rule.csv >rule.out || fault "Hebbian thresholds"
grep -q "half of the draws" rule.out || fault "the table does not tell what a Hebbian threshold is: $(cat rule.out)"
"$ireneo" sweep --dim 6 --candidates 20 --facts 12 --top 2 --targets random --trials 2 --db t.db --json >points.json || fault "points"
"$python" - <<'END' || fault "targets and top in the rows of sweeps"
import csv, json
rows = json.load(open("t.json"))["rows"]
assert all(r["targets"] == "zipf:1" and r["top"] == 1 and r["candidates"] == 20 and r["certified"] for r in rows), rows
table = list(csv.DictReader(open("t.csv")))
assert [int(r["stored"]) for r in table] == [r["stored"] for r in rows] and table[0]["targets"] == "zipf:1"
top = list(csv.DictReader(open("top.csv")))
assert all(r["top"] == "3" and r["certified"] == "0" for r in top)
assert sum(int(r["stored"]) for r in top) > sum(r["stored"] for r in rows)
assert all(r["certified"] == "0" and r["solver"] == "hebbian" for r in csv.DictReader(open("rule.csv")))
points = json.load(open("points.json"))["rows"]
assert all(r["targets"] == "random" and r["top"] == 2 for r in points)
END

# --- one table whatever the threads, shards and kills
plan="--problem both --dim 12,16 --rank-share 0.5,1 --load 0.3:1.1:5 --trials 4 --solver adam --steps 300"
"$ireneo" sweep $plan --threads 1 --db "one.db" --csv "one.csv" >/dev/null || fault "one thread"
"$ireneo" sweep $plan --threads 2 --db "two.db" --csv "two.csv" >/dev/null || fault "two threads"
table "one.csv" >"one"
table "two.csv" >"two"
cmp -s "one" "two" || fault "two threads give another table"
[ "$(wc -l <"one")" -eq 161 ] || fault "$(wc -l <"one") rows, wanted 161"
for i in 1 2 3; do "$ireneo" sweep $plan --shard $i/3 --db "s$i.db" >/dev/null || fault "shard $i"; done
"$ireneo" sweep --merge "merged.db" "s1.db" "s2.db" "s3.db" --json >"out" || fault "merge"
grep -q '"trials": 160' "out" || fault "merge: $(cat "out")"
"$ireneo" sweep $plan --db "merged.db" --csv - >"merged.csv" || fault "reading the merged store"
table "merged.csv" | cmp -s - "one" || fault "three shards give another table"

# --- kill -9 in the middle: each time when new rows have come, and anew when all are there
i=0 caught=0
while [ $i -lt "$kills" ] || [ $caught -eq 0 ]; do
    before=$(rows trials killed.db)
    if [ "$before" -eq 160 ]; then
        rm -f killed.db*
        before=0
    fi
    "$ireneo" sweep $plan --db killed.db >/dev/null 2>&1 &
    started
    until_rows $((before + 1)) trials killed.db $child
    kill -9 $child 2>/dev/null
    wait $child 2>/dev/null
    [ "$(rows trials killed.db)" -eq 160 ] || caught=$((caught + 1))
    i=$((i + 1))
done
"$ireneo" sweep $plan --db "killed.db" --csv "killed.csv" >/dev/null || fault "after the kills"
table "killed.csv" | cmp -s - "one" || fault "kills change the table"
count=$("$python" -c "import sqlite3; d = sqlite3.connect('killed.db'); print(d.execute('select count(*), count(distinct key) from trials').fetchone(), d.execute('pragma integrity_check').fetchone()[0])")
[ "$count" = "(160, 160) ok" ] || fault "after the kills: $count"

# --- two processes on one store
"$ireneo" sweep $plan --threads 1 --db "shared.db" >/dev/null 2>"err1" &
started
"$ireneo" sweep $plan --threads 1 --db "shared.db" --csv "shared.csv" >/dev/null || fault "second of two"
wait $child || fault "first of two: $(cat "err1")"
table "shared.csv" | cmp -s - "one" || fault "two processes change the table"

# --- processes that make the store at the same time
i=0
while [ $i -lt 15 ]; do
    for seed in 1 2 3 4; do
        "$ireneo" sweep --dim 4 --facts 3 --trials 1 --seed $seed --threads 1 --db "new$i.db" >/dev/null 2>"err$seed" &
    done
    wait
    [ "$(cat err1 err2 err3 err4)" = "" ] || fault "a store made by four at once: $(cat err1 err2 err3 err4)"
    [ "$(rows trials "new$i.db")" -eq 4 ] || fault "a store made by four at once lost trials"
    i=$((i + 1))
done

# --- Ctrl-C: exit 130, rows kept
interrupt '[ "$(rows trials stopped.db)" -gt 0 ]' --dim 40 --load 0.9 --trials 4000 --solver adam --rate 0.001 --db stopped.db
[ $got -eq 130 ] || fault "interrupt: exit $got"
grep -q "kept in" err || fault "interrupt: $(cat err)"
kept=$(rows trials stopped.db)
[ "$kept" -gt 0 ] && [ "$kept" -lt 4000 ] || fault "interrupt: $kept rows kept"

finish "sweep: all good"

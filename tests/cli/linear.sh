#!/bin/sh
# capacity, sample, pairs, store, recall, check and verify through the program: answers, exit codes, bad input, Ctrl-C,
# threads. Every refusal is one sentence on stderr, nothing on stdout, and leaves old files as they were.
set -u
ireneo=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
python=${PYTHON:-python3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cd "$folder" || exit 4
faults=0
fault() {
    echo "FAULT: $*"
    faults=$((faults + 1))
}

# run CODE ARGUMENTS...: the exit code; output stays in files out and err.
run() {
    code=$1
    shift
    "$ireneo" "$@" >out 2>err
    got=$?
    [ "$got" -eq "$code" ] || fault "$*: exit $got instead of $code: $(cat err out)"
    if [ "$got" -lt 2 ] && [ -s err ]; then fault "$*: words on stderr: $(cat err)"; fi
}

# refuse CODE PATTERN ARGUMENTS...: exit code, nothing on stdout, one sentence on stderr that fits the pattern.
refuse() {
    code=$1 pattern=$2
    shift 2
    run "$code" "$@"
    [ ! -s out ] || fault "$*: output in spite of the error: $(cat out)"
    [ "$(wc -l <err)" -eq 1 ] || fault "$*: not one sentence: $(cat err)"
    grep -q -- "$pattern" err || fault "$*: no '$pattern' in: $(cat err)"
    grep -q "^ireneo" err || fault "$*: the sentence does not say who speaks: $(cat err)"
}

# number NAME: a number or word of the JSON report in file out.
number() {
    "$python" -c 'import json, sys; print(json.loads(open("out").readline())[sys.argv[1]])' "$1"
}

# near NAME VALUE TOLERANCE
near() {
    awk -v a="$(number "$1")" -v b="$2" -v t="$3" 'BEGIN { exit !(a - b <= t && b - a <= t) }' ||
        fault "$1 is $(number "$1") instead of $2"
}

is() {
    [ "$(number "$1")" = "$2" ] || fault "$1 is $(number "$1") instead of $2"
}

# ---- arrays, good and bad
"$python" - <<'END' || exit 4
import numpy as np
rng = np.random.default_rng(1)
keys, values = rng.normal(size=(20, 12)).astype("f4"), rng.normal(size=(20, 10)).astype("f4")
np.save("keys.npy", keys)
np.save("values.npy", values)
np.save("keys16.npy", keys.astype("f2"))
np.save("keys64.npy", keys.astype("f8"))
np.save("targets.npy", np.arange(20) % 7)
np.save("targets32.npy", (np.arange(20) % 7).astype("i4"))
np.save("few.npy", values[:7])
np.save("keys7.npy", keys[:, :4])
for name, entry in (("nan", np.nan), ("inf", np.inf), ("wide", 1e300)):
    bad = keys.astype("f8")
    bad[13, 2] = entry
    np.save(f"{name}.npy", bad)
bad = np.arange(20)
bad[11] = 20
np.save("targets-high.npy", bad)
bad[11] = -1
np.save("targets-low.npy", bad)
np.save("targets-short.npy", np.arange(19))
np.save("targets-real.npy", np.arange(20.0))
np.save("targets-square.npy", np.arange(20).reshape(4, 5))
np.save("empty.npy", np.zeros((0, 12), "f4"))
np.save("cube.npy", np.zeros((3, 4, 5), "f4"))
np.save("fortran.npy", np.asfortranarray(keys))
np.save("complex.npy", keys.astype("c8"))
np.save("one.npy", keys[:1])
np.save("one-value.npy", values[:1])
np.save("two-values.npy", values[:2])
np.save("target-one.npy", np.array([1]))
np.save("one-hot.npy", np.eye(3, dtype="f4"))
open("three.txt", "w").write("a\nb\nc\n")
open("none.csv", "w").write("")
open("nothing-but-zeros", "wb").write(b"\0\n" * 20)
np.save("zeros.npy", np.zeros(20, "i8"))
np.save("more-values.npy", np.concatenate([values, values[:3]]))
whole = open("keys.npy", "rb").read()
open("truncated.npy", "wb").write(whole[:-7])
open("header.npy", "wb").write(whole[:40])
open("magic.npy", "wb").write(b"\x93NUMPI" + whole[6:])
open("nothing.npy", "wb").write(b"")
open("overflow.npy", "wb").write(whole.replace(b"(20, 12)", b"(4611686018427387904, 12)"))
open("noise.safetensors", "wb").write(b"\xff" * 64)
twice = keys.copy()
twice[7] = twice[2]
np.save("twice.npy", twice)
END
echo "what was here before" >old.safetensors
cp old.safetensors before

# ---- no command, unknown command, help, version
run 2
refuse 2 "no command 'memorise'" memorise
for command in capacity sample pairs store recall check verify; do
    run 0 "$command" --help
    grep -q "^usage: ireneo $command" out || fault "$command --help says: $(head -1 out)"
    refuse 2 "unknown option --fact" "$command" --fact
    refuse 2 "unknown option -x" "$command" -x
done
run 0 --help
run 0 --version

# ---- capacity
run 0 capacity --dim 100
grep -q "1 192" out || fault "capacity --dim 100 does not show 1 192"
run 0 capacity --dim 100 --json
near facts_capacity 1192.0 0.1
near delta 8.389059989 1e-8
run 0 capacity --dim-in 30 --dim-out 50 --candidates 500 --json
near facts_capacity 211.9 0.05
run 0 capacity --dim 50 --facts 376 --json
near probability_all_fit 0.474 0.01
run 0 capacity --dim 100 --candidates 3 --json
near delta 0.8333333333333 1e-9
run 0 capacity --dim 100 --rank 25 --json
near rank 25 0
refuse 2 "between 1 and" capacity --dim 0
refuse 2 "between 1 and" capacity --dim -5
refuse 2 "whole number" capacity --dim 2.5
refuse 2 "number" capacity --dim ten
refuse 2 "number" capacity --dim ""
refuse 2 "needs a value" capacity --dim
refuse 2 "1e+07" capacity --dim 1e30
refuse 2 "takes a number" capacity --dim 1e999
refuse 2 "takes a number" capacity --dim nan
refuse 2 "rank 101 is more" capacity --dim 100 --rank 101
refuse 2 "between" capacity --dim 100 --rank 0
refuse 2 "facts" capacity --dim 100 --facts -3
refuse 2 "facts" capacity --dim 100 --facts 1e30
refuse 2 "candidates" capacity --dim 100 --candidates 1
refuse 2 "candidates" capacity --dim 100 --candidates 1e30
refuse 2 "margin" capacity --dim 100 --margin -1
refuse 2 "not both" capacity --dim 100 --dim-in 3
refuse 2 "both --dim-in and --dim-out" capacity --dim-in 3
refuse 2 "give --dim" capacity
refuse 2 "too many" capacity --dim 100 surplus
refuse 2 "takes no value" capacity --dim 100 --json=yes
if [ -e /dev/full ]; then
    "$ireneo" capacity --dim 100 >/dev/full 2>err
    [ $? -eq 4 ] || fault "capacity to a full device does not end with 4"
    [ "$(wc -l <err)" -eq 1 ] || fault "capacity to a full device: $(cat err)"
fi

# ---- sample
run 0 sample --dim 8 --facts 30 --seed 5 -o sample --json
is seed 5
is facts 30
run 0 sample --dim 8 --facts 10 --seed 5 -o shorter
run 0 sample --dim-in 4 --dim-out 3 --facts 5 --candidates 9 -o deep/er/sample
run 0 sample --problem decoupled --dim 4 --facts 5 --candidates 6 -o own
"$python" - <<'END' || fault "sample wrote something else than it should"
import numpy as np
assert np.load("sample/keys.npy").shape == (30, 8) and np.load("sample/keys.npy").dtype == np.float32
assert (np.load("sample/keys.npy")[:10] == np.load("shorter/keys.npy")).all()
assert (np.load("sample/values.npy")[:10] == np.load("shorter/values.npy")).all()
assert np.load("deep/er/sample/values.npy").shape == (9, 3)
assert np.load("own/values.npy").shape == (5, 6, 4)
END
refuse 2 "facts" sample --dim 8 -o x
refuse 2 "facts" sample --dim 8 --facts -3 -o x
refuse 2 "facts" sample --dim 8 --facts 0 -o x
refuse 2 "output folder" sample --dim 8 --facts 5
refuse 2 "give --dim" sample --facts 5 -o x
refuse 2 "not both" sample --dim 8 --dim-in 4 --facts 5 -o x
refuse 2 "at least --facts" sample --dim 8 --facts 5 --candidates 4 -o x
refuse 2 "candidates" sample --dim 8 --facts 5 --candidates 1 -o x
refuse 2 "GB" sample --dim 1e6 --facts 1e9 -o x
refuse 2 "one of original|decoupled" sample --problem other --dim 8 --facts 5 -o x
refuse 2 "whole number from 0" sample --dim 8 --facts 5 --seed -1 -o x
refuse 2 "whole number from 0" sample --dim 8 --facts 5 --seed 1e3 -o x
refuse 4 "keys.npy" sample --dim 8 --facts 5 -o keys.npy
[ ! -e x ] || fault "a refused sample left its folder"

# ---- store, check, recall: what works
run 0 store keys.npy values.npy -o memory.safetensors --json --with-values
is status stored
is recalled 20
run 0 check memory.safetensors keys.npy values.npy --json
is recalled 20
run 0 store keys64.npy values.npy -o other.safetensors
cmp -s memory.safetensors other.safetensors && fault "--with-values makes no difference"
run 0 store keys16.npy few.npy --targets targets.npy -o many.safetensors --json
is status stored
run 0 check many.safetensors keys16.npy few.npy --targets targets32.npy
run 0 store keys.npy values.npy --rank 9 -o rank.safetensors
run 0 store memory.safetensors:values values.npy -o named.safetensors
run 0 store one.npy two-values.npy --targets target-one.npy -o small.safetensors --json
is recalled 1
run 0 store -o memory2.safetensors -- keys.npy values.npy
run 0 recall memory.safetensors keys.npy --json --top 3
[ "$(wc -l <out)" -eq 20 ] || fault "recall answers $(wc -l <out) of 20 queries"
"$python" - <<'END' || fault "recall differs from NumPy"
import json, struct, numpy as np
raw = open("memory.safetensors", "rb").read()
size, = struct.unpack("<Q", raw[:8])
place = json.loads(raw[8:8 + size])["W"]
a, b = place["data_offsets"]
W = np.frombuffer(raw[8 + size + a:8 + size + b], "<f4").reshape(place["shape"]).astype("f8")
scores = np.load("keys.npy").astype("f8") @ W.T @ np.load("values.npy").astype("f8").T
best = np.argsort(-scores, axis=1, kind="stable")[:, :3]
for query, line in enumerate(open("out")):
    answer = json.loads(line)
    assert answer["query"] == query
    assert [a["index"] for a in answer["answers"]] == list(best[query])
    assert np.allclose([a["score"] for a in answer["answers"]], scores[query][best[query]], rtol=1e-6, atol=1e-6)
END
seq 100 119 | sed 's/^/value-/' >labels.txt
seq 100 119 | sed 's/^/key-/' >names.txt
run 0 recall memory.safetensors keys.npy --labels labels.txt --query-labels names.txt --pick key-107,3
grep -q "^key-107 -> value-107 (" out || fault "recall by name: $(cat out)"
[ "$(wc -l <out)" -eq 2 ] || fault "--pick of two queries answers $(wc -l <out)"
run 0 recall memory.safetensors keys.npy --values few.npy --top 500 --json
[ "$("$python" -c 'import json; print(len(json.loads(open("out").readline())["answers"]))')" = 7 ] ||
    fault "7 values make more or fewer than 7 answers"

# The Hebbian rule at overload: a memory, but not of everything.
run 0 sample --dim 20 --facts 80 --seed 3 -o full
run 1 store full/keys.npy full/values.npy --solver hebbian -o hebbian.safetensors --json
recalled=$(number recalled)
run 1 check hebbian.safetensors full/keys.npy full/values.npy --json
is recalled "$recalled"

# ---- more facts than fit: the ones that are kept are recalled, the others are listed
run 0 store full/keys.npy full/values.npy -o kept.safetensors --json --overload
run 0 sample --dim 20 --facts 140 --seed 3 -o much
run 0 store much/keys.npy much/values.npy --overload -o kept.safetensors --json
is status partial
recalled=$(number recalled)
run 1 check kept.safetensors much/keys.npy much/values.npy --json
is recalled "$recalled"
"$python" -c "import numpy as np; d = np.load('kept.safetensors.dropped.npy'); assert d.dtype == np.int64 and len(set(d)) == 140 - $recalled" ||
    fault "the list of dropped facts is wrong"
refuse 2 "only make sense with --overload" store keys.npy values.npy --dropped x.npy -o old.safetensors
refuse 3 "weights" store much/keys.npy much/values.npy --overload --weights targets.npy -o old.safetensors
refuse 4 "absent/x.npy" store much/keys.npy much/values.npy --overload --dropped absent/x.npy -o old.safetensors

# ---- candidates of each key's own
run 0 sample --problem decoupled --dim 16 --facts 40 --seed 2 -o own
run 0 store own/keys.npy own/values.npy -o own.safetensors --json
is status stored
run 0 check own.safetensors own/keys.npy own/values.npy --json
is recalled 40
run 0 sample --problem decoupled --dim 16 --facts 80 --seed 2 -o own2
run 1 store own2/keys.npy own2/values.npy -o none.safetensors --certificate own.proof.safetensors --json
is status impossible
run 0 verify own.proof.safetensors own2/keys.npy own2/values.npy
run 0 sample --problem decoupled --dim 16 --facts 80 --seed 3 -o own3
run 1 verify own.proof.safetensors own2/keys.npy own3/values.npy
refuse 3 "40 sets of candidates" store own2/keys.npy own/values.npy -o none.safetensors
refuse 2 "with-values" store own/keys.npy own/values.npy --with-values -o none.safetensors
"$python" -c "import numpy as np; v = np.load('own/values.npy'); np.save('narrow.npy', v[:, :30]); v[3, 2, 1] = np.nan; np.save('own-nan.npy', v)"
refuse 3 "give --targets" store own/keys.npy narrow.npy -o none.safetensors
refuse 3 "own-nan.npy" store own/keys.npy own-nan.npy -o none.safetensors

# ---- impossible facts, and their proof
run 0 sample --dim 20 --facts 110 --seed 3 -o over
run 1 store over/keys.npy over/values.npy -o none.safetensors --certificate proof.safetensors --json
is status impossible
[ ! -e none.safetensors ] || fault "an impossible store wrote a memory"
run 0 verify proof.safetensors over/keys.npy over/values.npy --json
is accepted True
run 0 verify proof.safetensors over/keys.npy over/values.npy
run 1 verify proof.safetensors full/keys.npy full/values.npy
grep -q "rejected" out || fault "verify with other facts says: $(cat out)"
run 1 store twice.npy values.npy -o none.safetensors --certificate twice.safetensors
run 0 verify twice.safetensors twice.npy values.npy
grep -q "2.*7\|7.*2" out || fault "the contradiction of facts 2 and 7 is not named: $(cat out)"
head -c 300 proof.safetensors >cut.safetensors
refuse 3 "cut.safetensors" verify cut.safetensors over/keys.npy over/values.npy
refuse 3 "memory.safetensors" verify memory.safetensors over/keys.npy over/values.npy
refuse 4 "absent.safetensors" verify absent.safetensors over/keys.npy over/values.npy
refuse 2 "CERTIFICATE KEYS VALUES" verify proof.safetensors

# ---- facts by name
seq 100 119 | sed 's/^/row-/' >rows.txt
printf 'key,value\nrow-103,row-117\nrow-100,row-119\n\n' >pairs.csv
run 0 pairs keys.npy rows.txt pairs.csv --header --random 5 --seed 3 -o pairs --json
is facts 7
is seed 3
"$python" - <<'END' || fault "pairs wrote something else than it should"
import numpy as np
keys, targets, names = np.load("pairs/keys.npy"), np.load("pairs/targets.npy"), open("pairs/keys.txt").read().split()
rows = [int(name[4:]) - 100 for name in names]
assert rows[:2] == [3, 0] and list(targets[:2]) == [17, 19] and targets.dtype == np.int64
assert len(set(rows)) == 7 and all(a != b for a, b in zip(rows, targets))
assert (keys == np.load("keys.npy")[rows]).all()
END
run 0 store pairs/keys.npy keys.npy --targets pairs/targets.npy -o pairs.safetensors
for seed in 1 2 3 4 5 6; do run 0 pairs one-hot.npy three.txt none.csv --random 2 --seed $seed -o pairs; done
refuse 2 "at most 2 facts" pairs one-hot.npy three.txt none.csv --random 3 -o old.safetensors
refuse 3 "names no facts" pairs one-hot.npy three.txt none.csv -o old.safetensors
refuse 3 "line 1.*'key' is not among" pairs keys.npy rows.txt pairs.csv -o old.safetensors
printf 'row-103;row-117\n' >semicolon.csv
refuse 3 "line 1 has no comma" pairs keys.npy rows.txt semicolon.csv -o old.safetensors
printf 'row-103,row-117\nrow-103,row-118\n' >again.csv
refuse 3 "line 2.*comes twice" pairs keys.npy rows.txt again.csv -o old.safetensors
refuse 3 "20 labels.*3 rows" pairs one-hot.npy rows.txt pairs.csv -o old.safetensors
refuse 3 "zero bytes" pairs keys.npy nothing-but-zeros pairs.csv -o old.safetensors
refuse 4 "absent" pairs keys.npy absent.txt pairs.csv -o old.safetensors
refuse 2 "-o DIR" pairs keys.npy rows.txt pairs.csv
refuse 2 "EMBEDDINGS LABELS PAIRS" pairs keys.npy rows.txt

# ---- bad data, the same for store and check; old output stays
for first in "store" "check memory.safetensors"; do
    last=
    [ "$first" = store ] && last="-o old.safetensors"
    # shellcheck disable=SC2086
    {
        refuse 4 "absent.npy" $first absent.npy values.npy $last
        refuse 4 "absent.npy" $first keys.npy absent.npy $last
        refuse 4 "absent.npy" $first keys.npy values.npy --targets absent.npy $last
        refuse 3 "nan.npy.*row 13.*column 2.*NaN" $first nan.npy values.npy $last
        refuse 3 "inf.npy.*row 13.*column 2" $first inf.npy values.npy $last
        refuse 3 "wide.npy.*row 13.*column 2" $first wide.npy values.npy $last
        refuse 3 "nan.npy" $first keys.npy nan.npy $last
        refuse 3 "row 11 is 20" $first keys.npy values.npy --targets targets-high.npy $last
        refuse 3 "row 11 is -1" $first keys.npy values.npy --targets targets-low.npy $last
        refuse 3 "19 targets.*20 keys" $first keys.npy values.npy --targets targets-short.npy $last
        refuse 3 "targets-real.npy" $first keys.npy values.npy --targets targets-real.npy $last
        refuse 3 "targets-square.npy" $first keys.npy values.npy --targets targets-square.npy $last
        refuse 3 "20 keys.*7 values" $first keys.npy few.npy $last
        refuse 3 "20 keys.*23 values" $first keys.npy more-values.npy $last
        refuse 3 "empty.npy" $first empty.npy values.npy $last
        refuse 3 "cube.npy" $first cube.npy values.npy $last
        refuse 3 "fortran.npy.*Fortran" $first fortran.npy values.npy $last
        refuse 3 "complex.npy" $first complex.npy values.npy $last
        refuse 3 "truncated.npy" $first truncated.npy values.npy $last
        refuse 3 "header.npy" $first header.npy values.npy $last
        refuse 3 "magic.npy" $first magic.npy values.npy $last
        refuse 3 "nothing.npy" $first nothing.npy values.npy $last
        refuse 3 "overflow.npy" $first overflow.npy values.npy $last
        refuse 3 "noise.safetensors" $first noise.safetensors values.npy $last
        refuse 3 "safetensors" $first memory.safetensors:absent values.npy $last
        refuse 3 "one candidate" $first one.npy one-value.npy $last
        refuse 3 "one candidate" $first keys.npy one-value.npy --targets zeros.npy $last
        refuse 2 "KEYS VALUES" $first $last
        refuse 2 "too many" $first keys.npy values.npy values.npy $last
        refuse 2 "threads" $first keys.npy values.npy --threads 0 $last
    }
done
refuse 3 "10 x 12" check memory.safetensors keys7.npy values.npy
refuse 3 "noise.safetensors" check noise.safetensors keys.npy values.npy
refuse 3 "proof.safetensors" check proof.safetensors keys.npy values.npy
refuse 4 "absent.safetensors" check absent.safetensors keys.npy values.npy

# ---- settings of store
refuse 2 "-o MEMORY" store keys.npy values.npy
refuse 2 "rank 11" store keys.npy values.npy --rank 11 -o old.safetensors
refuse 2 "between" store keys.npy values.npy --rank 0 -o old.safetensors
refuse 2 "rank" store keys.npy values.npy --rank 1e30 -o old.safetensors
refuse 2 "margin" store keys.npy values.npy --margin -1 -o old.safetensors
refuse 2 "project|hebbian" store keys.npy values.npy --solver magic -o old.safetensors
refuse 2 "exclude" store keys.npy values.npy --resume --init memory.safetensors -o old.safetensors
refuse 3 "nothing to resume" store keys.npy values.npy --resume -o old.safetensors
refuse 3 "start from" store keys7.npy values.npy --init memory.safetensors -o old.safetensors
refuse 4 "absent" store keys.npy values.npy --init absent.safetensors -o old.safetensors
run 0 store keys.npy values.npy --init memory.safetensors -o again.safetensors

# ---- outputs that cannot be written
refuse 4 "absent/memory.safetensors" store keys.npy values.npy -o absent/memory.safetensors
refuse 4 "full" store keys.npy values.npy -o full
refuse 4 "keys.npy/x" store keys.npy values.npy -o keys.npy/x
refuse 4 "absent/proof" store over/keys.npy over/values.npy -o x.safetensors --certificate absent/proof.safetensors
if [ -e /dev/full ]; then refuse 4 "/dev/full" store keys.npy values.npy -o /dev/full; fi
cmp -s old.safetensors before || fault "an old output was touched by a refused store"
# A disk that fills up in the middle: the shell's limit of file size does the same to a write.
cp -r sample sample-before
(
    ulimit -f 1
    "$ireneo" sample --dim 50 --facts 100 -o sample >out 2>err
)
[ $? -eq 4 ] || fault "a full disk does not end with 4: $(cat err)"
[ "$(wc -l <err)" -eq 1 ] || fault "a full disk: $(cat err)"
cmp -s sample/keys.npy sample-before/keys.npy || fault "the old file was touched when the disk was full"
[ "$(ls sample)" = "$(ls sample-before)" ] || fault "a full disk leaves files behind: $(ls sample)"

# ---- recall: bad input
refuse 2 "holds no values" recall many.safetensors keys.npy
refuse 3 "dimensions" recall memory.safetensors keys7.npy
refuse 3 "dimensions" recall memory.safetensors keys.npy --values keys7.npy
refuse 3 "nan.npy.*row 13" recall memory.safetensors nan.npy
refuse 4 "absent" recall absent.safetensors keys.npy
refuse 4 "absent" recall memory.safetensors absent.npy
refuse 4 "absent" recall memory.safetensors keys.npy --labels absent.txt
refuse 3 "neither a row from 0 to 19 nor a label" recall memory.safetensors keys.npy --pick 20
refuse 3 "neither a row" recall memory.safetensors keys.npy --pick 3,,4
refuse 2 "between 1 and 500" recall memory.safetensors keys.npy --top 0
refuse 2 "between 1 and 500" recall memory.safetensors keys.npy --top 501
refuse 2 "MEMORY QUERIES" recall memory.safetensors

# ---- a limit instead of an answer
run 0 sample --dim 120 --facts 1560 --seed 1 -o large
echo "what was here before" >limited.safetensors
run 1 store large/keys.npy large/values.npy --max-iterations 2 --threads 1 -o limited.safetensors --json
is status undecided
cmp -s limited.safetensors before || fault "an undecided store touched the old memory"
[ -s limited.safetensors.state ] || fault "an undecided store left no state"
refuse 3 "other facts" store keys.npy values.npy --resume -o limited.safetensors
run 0 store large/keys.npy large/values.npy --resume -o limited.safetensors --json
is status stored
[ ! -e limited.safetensors.state ] || fault "the state outlives the finished store"

# ---- the number of threads changes neither the verdict nor what is recalled
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

# ---- Ctrl-C: the state is saved, the old memory stays, --resume goes on and finishes
run 0 sample --dim 250 --facts 5640 --seed 1 -o long
echo "what was here before" >long.safetensors
stopped=0
for delay in 0.3 0.4 0.2 0.1; do
    resume=
    [ -e long.safetensors.state ] && resume=--resume
    # shellcheck disable=SC2086
    "$ireneo" store long/keys.npy long/values.npy -o long.safetensors --threads 1 --json $resume >out 2>err &
    child=$!
    sleep $delay
    kill -INT $child 2>/dev/null
    wait $child
    got=$?
    [ "$got" -eq 0 ] && break
    [ "$got" -eq 130 ] || fault "Ctrl-C after $delay s: exit $got: $(cat err)"
    is status interrupted
    [ -s long.safetensors.state ] || fault "Ctrl-C after $delay s: no state"
    cmp -s long.safetensors before || fault "Ctrl-C after $delay s: the old memory was touched"
    stopped=$((stopped + 1))
done
[ $stopped -ge 1 ] || fault "the store was never caught in the middle"
if [ -e long.safetensors.state ]; then
    run 0 store long/keys.npy long/values.npy -o long.safetensors --resume --json
    is status stored
fi
[ ! -e long.safetensors.state ] || fault "the state outlives the finished store"
run 0 check long.safetensors long/keys.npy long/values.npy --json
is recalled 5640

# ---- nothing but what was asked for was left behind
left=$(find . -name '*.tmp*' -o -name '.*' -type f | tr '\n' ' ')
[ -z "$left" ] || fault "left behind: $left"
[ "$faults" -eq 0 ] && echo "linear commands: all as they should be"
exit "$((faults > 0))"

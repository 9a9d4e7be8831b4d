#!/bin/sh
# ireneo sample and ireneo pairs: what they write, and bad input, which leaves old files as they were.
. "$(dirname "$0")/../support/cli.sh"
"$python" "$root/tests/support/arrays.py" || exit 4
echo "what was here before" >old.safetensors
cp old.safetensors before

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
run 0 sample --dim 6 --facts 50 --candidates 9 --targets zipf:1 --seed 5 -o zipf --json
is targets zipf:1
run 0 sample --dim 6 --facts 8 --candidates 9 --targets zipf:1 --seed 5 -o zipf-fewer
run 0 sample --dim 6 --facts 50 --candidates 9 --targets random --seed 5 -o random
run 0 sample --dim 6 --facts 20 --candidates 9 --targets each -o each
run 0 sample --dim 6 --facts 9 --targets each -o identity
"$python" - <<'END' || fault "sample --targets wrote something else than it should"
import os
import numpy as np
zipf, fewer, random = (np.load(f"{name}/targets.npy") for name in ("zipf", "zipf-fewer", "random"))
assert zipf.dtype == np.int64 and zipf.shape == (50,) and 0 <= zipf.min() and zipf.max() < 9
assert (zipf[:8] == fewer).all() and (zipf != random).any()
assert np.bincount(zipf, minlength=9)[0] > np.bincount(random, minlength=9)[0] and len(set(random)) > 6
assert (np.load("each/targets.npy") == np.arange(20) % 9).all()
assert not os.path.exists("identity/targets.npy") and not os.path.exists("sample/targets.npy")
END
run 0 store zipf-fewer/keys.npy zipf-fewer/values.npy --targets zipf-fewer/targets.npy -o m.safetensors
run 0 check m.safetensors zipf-fewer/keys.npy zipf-fewer/values.npy --targets zipf-fewer/targets.npy
refuse 2 "holds targets of other facts" sample --dim 6 --facts 9 -o zipf
refuse 2 "each, random or zipf:S" sample --dim 8 --facts 5 --candidates 9 --targets zipf -o x
refuse 2 "each, random or zipf:S" sample --dim 8 --facts 5 --candidates 9 --targets zipf:-1 -o x
refuse 2 "each, random or zipf:S" sample --dim 8 --facts 5 --candidates 9 --targets zipf:nan -o x
refuse 2 "each, random or zipf:S" sample --dim 8 --facts 5 --candidates 9 --targets zipf:1x -o x
refuse 2 "needs the number of values" sample --dim 8 --facts 5 --targets random -o x
refuse 2 "facts share" sample --problem decoupled --dim 8 --facts 5 --candidates 9 --targets random -o x
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

# A disk that fills up in the middle: the limit of file size does the same to a write.
cp -r sample sample-before
(
    ulimit -f 1
    "$ireneo" sample --dim 50 --facts 100 -o sample >out 2>err
)
[ $? -eq 4 ] || fault "a full disk does not end with 4: $(cat err)"
[ "$(wc -l <err)" -eq 1 ] || fault "a full disk: $(cat err)"
cmp -s sample/keys.npy sample-before/keys.npy || fault "the old file was touched when the disk was full"
[ "$(ls sample)" = "$(ls sample-before)" ] || fault "a full disk leaves files behind: $(ls sample)"

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
printf 'row-103 row-117\n' >blank.csv
refuse 3 "line 1, 'row-103 row-117', has no comma" pairs keys.npy rows.txt blank.csv -o old.safetensors
printf 'row-103,row-117\nrow-103,row-118\n' >again.csv
refuse 3 "line 2.*comes twice" pairs keys.npy rows.txt again.csv -o old.safetensors
refuse 3 "20 labels.*3 rows" pairs one-hot.npy rows.txt pairs.csv -o old.safetensors
refuse 3 "zero bytes" pairs keys.npy nothing-but-zeros pairs.csv -o old.safetensors
refuse 4 "absent" pairs keys.npy absent.txt pairs.csv -o old.safetensors
refuse 2 "-o DIR" pairs keys.npy rows.txt pairs.csv
refuse 2 "EMBEDDINGS LABELS PAIRS" pairs keys.npy rows.txt

cmp -s old.safetensors before || fault "an old output was touched by a refused command"

finish "sample and pairs: all as they should be"

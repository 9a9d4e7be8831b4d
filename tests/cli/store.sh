#!/bin/sh
# ireneo store, check, recall and verify: what works, what does not fit, candidates of each key's own, proofs, settings.
. "$(dirname "$0")/../support/cli.sh"
"$python" "$root/tests/support/arrays.py" || exit 4
run 0 store keys.npy values.npy -o old.safetensors
cp old.safetensors before

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

# Among the K best: more facts than fit for the best answer alone; check and recall know it from the file.
run 0 sample --dim 12 --facts 45 --seed 3 -o top
run 1 store top/keys.npy top/values.npy -o top.safetensors --json
is status impossible
run 0 store top/keys.npy top/values.npy -o top.safetensors --with-values --top 3 --json
is status stored
is recalled 45
is top 3
run 0 check top.safetensors top/keys.npy top/values.npy --json
is recalled 45
is top 3
run 0 check top.safetensors top/keys.npy top/values.npy
grep -q "among the 3 best, as the memory was stored for" out || fault "check does not tell what counts: $(cat out)"
run 1 check top.safetensors top/keys.npy top/values.npy --top 1 --json
is top 1
run 0 recall top.safetensors top/keys.npy --pick 7
[ "$(tr -cd , <out | wc -c)" -eq 2 ] || fault "recall gives other than three answers: $(cat out)"
run 1 store top/keys.npy top/values.npy -o rule.safetensors --solver least-squares --top 2 --json
is top 2
run 0 sample --dim 5 --facts 60 --seed 3 -o many
run 1 store many/keys.npy many/values.npy -o many.safetensors --top 2
grep -q "nothing proves" out || fault "an open question is not told as one: $(cat out)"
for other in --overload --max-margin "--certificate c.safetensors" "--residual top/values.npy"; do
    refuse 2 "excludes" store top/keys.npy top/values.npy --top 2 $other -o old.safetensors
done
refuse 2 "every target is among" store top/keys.npy top/values.npy --top 45 -o old.safetensors
refuse 2 "exact" store top/keys.npy top/values.npy --top 2 --exact -o old.safetensors
refuse 2 "top" store top/keys.npy top/values.npy --top 0 -o old.safetensors
refuse 2 "every target is among" check top.safetensors top/keys.npy top/values.npy --top 60
refuse 2 "best answer alone" check top.safetensors top/keys.npy top/values.npy --noise 0.1

# The Hebbian rule at overload: a memory, but not of everything.
run 0 sample --dim 20 --facts 80 --seed 3 -o full
run 1 store full/keys.npy full/values.npy --solver hebbian -o hebbian.safetensors --json
is status partial
recalled=$(number recalled)
run 1 check hebbian.safetensors full/keys.npy full/values.npy --json
is recalled "$recalled"

# Rules of one pass, alone and in coordinates of moments.
run 0 moments full/keys.npy -o moments.safetensors --json
for rule in delta "delta --rate 0.5" least-squares "least-squares --ridge 0.1" "delta --moments moments.safetensors" \
    "least-squares --moments moments.safetensors" "hebbian --moments moments.safetensors"; do
    # shellcheck disable=SC2086
    run 1 store full/keys.npy full/values.npy --solver $rule -o rule.safetensors --json
    is status partial
    recalled=$(number recalled)
    run 1 check rule.safetensors full/keys.npy full/values.npy --json
    is recalled "$recalled"
done
refuse 2 "rate belongs to --solver delta" store keys.npy values.npy --rate 0.5 -o old.safetensors
refuse 2 "ridge belongs to --solver least" store keys.npy values.npy --solver delta --ridge 0.5 -o old.safetensors
refuse 2 "rate" store keys.npy values.npy --solver delta --rate 2 -o old.safetensors
refuse 2 "whitens by the keys themselves" store keys.npy values.npy --moments moments.safetensors -o old.safetensors
refuse 3 "holds no moments" store full/keys.npy full/values.npy --solver delta --moments rule.safetensors -o old.safetensors
refuse 2 "overload needs the project solver" store keys.npy values.npy --solver delta --overload -o old.safetensors
refuse 2 "overwrite the input" store full/keys.npy full/values.npy --solver delta --moments rule.safetensors -o rule.safetensors

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
is memory_status partial
recalled=$(number recalled)
run 1 check none.safetensors over/keys.npy over/values.npy --json
is recalled "$recalled"
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

cmp -s old.safetensors before || fault "an old output was touched by a refused command"

# ---- a lower path of the processor: the same facts recalled; names that are none, and more than there is
run 0 sample --dim 24 --facts 90 -o paths
for path in portable avx2 avx512 avxvnni avx512vnni neon sdot nonsense ''; do
    IRENEO_PROCESSOR=$path "$ireneo" store paths/keys.npy paths/values.npy -o path.safetensors >out 2>err
    got=$?
    case $path in
    portable | '') [ $got -eq 0 ] || fault "IRENEO_PROCESSOR=$path: exit $got: $(cat err)" ;;
    nonsense) [ $got -eq 2 ] && grep -q "none of portable, avx2" err || fault "IRENEO_PROCESSOR=$path: exit $got: $(cat err)" ;;
    *) [ $got -eq 0 ] || grep -q "more than this processor has" err || fault "IRENEO_PROCESSOR=$path: exit $got: $(cat err)" ;;
    esac
done

finish "store: all as it should be"

#!/bin/sh
# ireneo edit, and --residual in store, check, verify and recall: what works, files that are written back, proofs, bad input.
. "$(dirname "$0")/../support/cli.sh"
"$python" - <<'END' || exit 4
import json, struct, numpy as np

def save(path, tensors, metadata=None):
    header, data = ({"__metadata__": metadata} if metadata else {}), b""
    for name, (kind, array) in tensors.items():
        raw = array.tobytes()
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    open(path, "wb").write(struct.pack("<Q", len(text)) + text + data)

def brain(a):
    bits = a.astype("f4").view("u4")
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("u2")

rng = np.random.default_rng(5)
d, e, n, p = 14, 12, 8, 30
W0, Y = rng.normal(size=(e, d)).astype("f4"), rng.normal(size=(p, e)).astype("f4")
H, R = rng.normal(size=(n, d)).astype("f4"), rng.normal(size=(n, e)).astype("f4")
P, Q = rng.normal(size=(25, d)).astype("f4"), rng.normal(size=(25, e)).astype("f4")
np.save("W0.npy", W0), np.save("keys.npy", H), np.save("values.npy", Y), np.save("residual.npy", R)
np.save("other-values.npy", Y[::-1])
np.save("targets.npy", (np.arange(n) * 7 + 3) % p)
np.save("protect.npy", P), np.save("protect-residual.npy", Q)
np.save("answers.npy", np.argmax((P @ W0.T + Q) @ Y.T, axis=1))
wrong = np.argmax((P @ W0.T + Q) @ Y.T, axis=1)
wrong[6] = (wrong[6] + 1) % p
np.save("wrong.npy", wrong)
np.save("ordinary.npy", rng.normal(size=(40, d)).astype("f4"))
for name, a in (("short-keys", H[:, :5]), ("short-residual", R[:5]), ("narrow-residual", R[:, :5]), ("narrow-values", Y[:, :5])):
    np.save(f"{name}.npy", a)
bad = R.copy()
bad[3, 2] = np.nan
np.save("nan.npy", bad)
C = np.eye(d)
np.save("identity.npy", C)
np.save("small.npy", np.eye(3))
C[2, 2] = -1
np.save("indefinite.npy", C)
np.save("one-ordinary.npy", rng.normal(size=(1, d)).astype("f4"))
save("model.safetensors", {"norm": ("F32", rng.normal(size=7).astype("f4")), "W": ("BF16", brain(W0)),
     "other": ("F16", rng.normal(size=(3, 5)).astype("f2"))}, {"made by": "someone", "note": "keep me"})
open("model.safetensors.index.json", "w").write(json.dumps({"weight_map": {"W": "model.safetensors", "V": "gone.safetensors"}}))
np.save("clash-keys.npy", np.concatenate([H[:1], H[:1]])), np.save("clash-targets.npy", np.array([1, 2]))
np.save("clash-residual.npy", np.concatenate([R[:1], R[:1]]))
np.save("crowd-keys.npy", np.concatenate([H, H[:1]])), np.save("crowd-residual.npy", np.concatenate([R, R[:1]]))
np.save("crowd-targets.npy", np.append((np.arange(n) * 7 + 3) % p, 1))
END
facts="keys.npy values.npy --targets targets.npy --residual residual.npy"

# ---- what works
# shellcheck disable=SC2086
{
run 0 edit W0.npy $facts --margin 0.5 -o edited.safetensors --json
is status edited
is recalled 8
holds "report" "r['duality_gap'] < 1e-3 and r['bound'] <= r['change'] * (1 + 1e-6) and abs(r['margin'] - 0.5) < 1e-4"
run 0 check edited.safetensors $facts --json
is recalled 8
run 1 check edited.safetensors keys.npy values.npy --targets targets.npy
run 0 recall edited.safetensors keys.npy --values values.npy --residual residual.npy --json
[ "$(sed -n 's/.*"query": 2,.*"index": \([0-9]*\),.*/\1/p' out)" -eq 17 ] || fault "recall with offsets: $(sed -n 3p out)"
run 0 edit W0.npy $facts --margin 0.5 --ordinary ordinary.npy --protect protect.npy --protect-residual protect-residual.npy -o kept.safetensors --json
is status edited
is protected 25
is protected_kept 25
run 0 moments ordinary.npy -o moments.safetensors
run 0 edit W0.npy $facts --margin 0.5 --covariance moments.safetensors --ridge 0.01 --protect protect.npy --protect-residual protect-residual.npy --protect-targets answers.npy -o again.safetensors --json
is protected_kept 25
cmp -s kept.safetensors again.safetensors || fault "keys and their moments give different edits"
run 0 edit W0.npy $facts --covariance identity.npy -o other.safetensors
run 0 edit W0.npy $facts --nats --margin 0.2 --rule ridge -o ridge.safetensors --json
is rule ridge
run 0 edit W0.npy $facts --margin 0.1 --rule null-space --ordinary ordinary.npy -o null.safetensors

# ---- a whole file back: every other byte as it was; the rounded matrix checked again
run 0 edit model.safetensors:W $facts --margin 2 --into new.safetensors --json
is rounded_to bfloat16
is rounded_recalled 8
run 0 edit model.safetensors:W $facts --margin 2 -o difference.safetensors --as-difference
}
"$python" - <<'END' || fault "--into or --as-difference"
import json, struct, numpy as np
def load(path):
    raw = open(path, "rb").read()
    size, = struct.unpack("<Q", raw[:8])
    return raw[:8 + size], json.loads(raw[8:8 + size]), raw[8 + size:]
head, header, data = load("model.safetensors")
head2, header2, data2 = load("new.safetensors")
assert head == head2 and len(data) == len(data2)
a, b = header["W"]["data_offsets"]
assert data[:a] == data2[:a] and data[b:] == data2[b:] and data[a:b] != data2[a:b]
widen = lambda raw: (np.frombuffer(raw, "<u2").astype("u4") << 16).view("f4").reshape(header["W"]["shape"]).astype("f8")
Y, H, R, t = (np.load(f"{n}.npy").astype("f8") for n in ("values", "keys", "residual", "targets"))
best = lambda W: np.argmax((H @ W.T + R) @ Y.T, axis=1)
assert (best(widen(data2[a:b])) == t).all() and not (best(widen(data[a:b])) == t).all()
_, parts, rest = load("difference.safetensors")
U, V = (np.frombuffer(rest[slice(*parts[n]["data_offsets"])], "<f4").reshape(parts[n]["shape"]).astype("f8") for n in "UV")
assert U.shape[1] == V.shape[1] <= 8 and (best(widen(data[a:b]) + U @ V.T) == t).all()
END
# shellcheck disable=SC2086
{
run 1 edit model.safetensors:W $facts --margin 0.0001 --into close.safetensors --json
holds "no margin that outlasts the rounding" "r['margin_needed'] > 0.0001"
refuse 2 "another name" edit model.safetensors:W $facts --into model.safetensors
refuse 2 "remove it or choose another name" edit model.safetensors:W $facts --into new.safetensors
refuse 2 "no file to put it back into" edit W0.npy $facts --into x.safetensors

# ---- streams: two batches end like one
"$python" -c "
import numpy as np
for n in 'keys', 'targets', 'residual':
    a = np.load(n + '.npy'); np.save(n + '1.npy', a[:4]); np.save(n + '2.npy', a[4:])"
run 0 edit W0.npy keys1.npy values.npy --targets targets1.npy --residual residual1.npy --margin 0.5 -o first.safetensors --resume-edits
run 0 edit first.safetensors:W keys2.npy values.npy --targets targets2.npy --residual residual2.npy --margin 0.5 -o second.safetensors --resume-edits --json
is facts 4
is earlier 4
is protected_kept 4
holds "batches" "abs(r['change'] - $("$ireneo" edit W0.npy $facts --margin 0.5 -o x.safetensors --json | sed -n 's/.*"change": \([0-9.]*\).*/\1/p')) < 1e-4"
run 0 check second.safetensors $facts
refuse 3 "other values" edit first.safetensors:W keys2.npy other-values.npy --targets targets2.npy -o y.safetensors --resume-edits

# ---- what does not fit: a proof that verify accepts, or what fits
run 1 edit W0.npy clash-keys.npy values.npy --targets clash-targets.npy --residual clash-residual.npy -o no.safetensors --certificate proof.safetensors --json
is status impossible
run 0 verify proof.safetensors clash-keys.npy values.npy --targets clash-targets.npy --residual clash-residual.npy
run 1 verify proof.safetensors clash-keys.npy values.npy --targets clash-targets.npy
run 0 edit W0.npy clash-keys.npy values.npy --targets clash-targets.npy --residual clash-residual.npy --overload -o some.safetensors --json
is status partial
is recalled 1
run 0 edit W0.npy clash-keys.npy values.npy --targets clash-targets.npy --residual clash-residual.npy --overload -o kept.safetensors --resume-edits
run 0 edit kept.safetensors:W keys2.npy values.npy --targets targets2.npy --residual residual2.npy -o more.safetensors --resume-edits --json
is earlier 1 # what was given up is not asked for again
is status edited
run 0 edit model.safetensors:W crowd-keys.npy values.npy --targets crowd-targets.npy --residual crowd-residual.npy --overload --margin 0.0001 --into some-close.safetensors --json
is status partial # two of the nine exclude each other
holds "a margin that the facts that are kept ask for, not those given up" "0.0001 < r['margin_needed'] < 0.5"
expect 1 "protected row" edit W0.npy $facts --protect keys.npy --protect-residual residual.npy -o no.safetensors --certificate proof2.safetensors
run 0 verify proof2.safetensors proof2.safetensors.facts:keys values.npy --targets proof2.safetensors.facts:targets --residual proof2.safetensors.facts:residuals
run 0 edit W0.npy $facts --protect keys.npy --protect-residual residual.npy --give-way -o way.safetensors --json
is gave_way 8
run 1 store clash-keys.npy values.npy --targets clash-targets.npy --residual clash-residual.npy -o no2.safetensors --json
is status impossible
run 0 store $facts -o stored.safetensors --json
is status stored
run 0 check stored.safetensors $facts

# ---- bad input: a sentence each
refuse 2 "give the output file" edit W0.npy $facts
refuse 2 "exclude each other" edit W0.npy $facts -o x.safetensors --ordinary ordinary.npy --covariance identity.npy
refuse 2 "only make sense with --protect" edit W0.npy $facts -o x.safetensors --adopt
refuse 2 "needs --ordinary" edit W0.npy $facts -o x.safetensors --rule null-space
refuse 2 "exclude each other" store $facts -o x.safetensors --max-margin
refuse 3 "keys in short-keys.npy have 5 dimensions" edit W0.npy short-keys.npy values.npy --targets targets.npy -o x.safetensors
refuse 3 "values in narrow-values.npy have 5 dimensions" edit W0.npy keys.npy narrow-values.npy --targets targets.npy -o x.safetensors
refuse 3 "holds 5 offsets" edit W0.npy keys.npy values.npy --targets targets.npy --residual short-residual.npy -o x.safetensors
refuse 3 "offsets of 5 dimensions" check edited.safetensors keys.npy values.npy --targets targets.npy --residual narrow-residual.npy
refuse 3 "need 8 x 12" recall edited.safetensors keys.npy --values values.npy --residual short-residual.npy
refuse 3 "row 3, column 2" edit W0.npy keys.npy values.npy --targets targets.npy --residual nan.npy -o x.safetensors
refuse 3 "not positive definite" edit W0.npy $facts --covariance indefinite.npy -o x.safetensors
refuse 3 "not positive definite" edit W0.npy $facts --ordinary one-ordinary.npy --ridge 0 -o x.safetensors
refuse 3 "is 3 x 3" edit W0.npy $facts --covariance small.npy -o x.safetensors
refuse 3 "holds keys of 5 dimensions" edit W0.npy $facts --protect short-keys.npy -o x.safetensors
refuse 3 "need offsets of 25 x 12" edit W0.npy $facts --protect protect.npy --protect-residual residual.npy -o x.safetensors
refuse 3 "8 targets, but protect.npy holds 25" edit W0.npy $facts --protect protect.npy --protect-targets targets.npy -o x.safetensors
refuse 3 "protected row 6" edit W0.npy $facts --protect protect.npy --protect-residual protect-residual.npy --protect-targets wrong.npy -o x.safetensors
run 0 edit W0.npy $facts --margin 0.1 --protect protect.npy --protect-residual protect-residual.npy --protect-targets wrong.npy --adopt -o adopted.safetensors --json
is adopted 1
refuse 4 "gone.safetensors" edit model.safetensors.index.json:V $facts -o x.safetensors
run 0 edit model.safetensors.index.json:W $facts --margin 0.1 -o sharded.safetensors
refuse 2 "overwrite the input" edit first.safetensors:W $facts -o first.safetensors
}
# ---- Ctrl-C: the matrix so far is kept beside, the old output stays
layer=$root/data/stories15m-last-layer.safetensors
cp first.safetensors old.safetensors
cp first.safetensors long.safetensors
interrupt 'worked $child 40' edit "$layer:W2" "$layer:edit_h" "$layer:values" --targets "$layer:edit_target" --residual "$layer:edit_r" \
    --margin 0.25 --overload --threads 1 -o long.safetensors --json
[ "$got" -eq 130 ] || fault "Ctrl-C in an edit: exit $got: $(cat err)"
is status interrupted
cmp -s old.safetensors long.safetensors || fault "Ctrl-C in an edit: the old output was touched"
run 1 check long.safetensors.state "$layer:edit_h" "$layer:values" --targets "$layer:edit_target" --residual "$layer:edit_r"

finish "edit: all as it should be"

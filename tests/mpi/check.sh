#!/bin/sh
# check, recall and verify over ranks: what they print and write does not depend on the number of ranks.
. "$(dirname "$0")/../support/mpi.sh"

# answers: a report in file out without what depends on ranks and time.
answers() {
    "$python" - <<'TEXT'
import json
for line in open("out"):
    report = json.loads(line)
    for name in ("ranks", "nodes", "bytes_sent", "seconds_by_phase"):
        report.pop(name, None)
    print(json.dumps(report))
TEXT
}

# alike WHAT ARGUMENTS...: report and table of one process and of as many ranks as $counts say; $code is the exit code,
# $written a file that is to have the same bytes.
code=0 written='' counts="1 2 3 4"
alike() {
    what=$1
    shift
    "$plain" "$@" --threads 1 >table 2>err
    [ $? -eq $code ] || fault "$what: exit of one process: $(cat err table)"
    [ -z "$written" ] || cp "$written" first
    "$plain" "$@" --threads 2 --json >out 2>err
    answers >one
    for count in $counts; do
        threads=$((1 + count % 2))
        [ -z "$written" ] || rm "$written"
        over "$count" $code "$@" --json
        answers | cmp -s - one || fault "$what: $count ranks report something else"
        [ -z "$written" ] || cmp -s "$written" first || fault "$what: $count ranks write another $written"
    done
    over "$count" $code "$@"
    cmp -s out table || fault "$what: $count ranks print something else: $(diff out table | head -n 4)"
    threads=1
}

"$plain" sample --dim 24 --facts 90 --seed 3 -o square >/dev/null
"$plain" store square/keys.npy square/values.npy --with-values -o m.safetensors >/dev/null || fault "a store"

# --- check: all recalled; some not, with their list; noise; own candidates; offsets; a factored memory
alike "a check" check m.safetensors square/keys.npy square/values.npy
over 4 0 check m.safetensors square/keys.npy square/values.npy --json
is ranks 4
holds "seconds by phase" "r['seconds_by_phase']['check'] >= 0"
holds "bytes sent" "r['bytes_sent'] > 0"
counts=3
"$plain" sample --dim 24 --facts 600 --seed 4 -o many >/dev/null
"$plain" store many/keys.npy many/values.npy --solver hebbian -o h.safetensors >/dev/null
code=1 written=missed.txt
alike "a list of what is missed" check h.safetensors many/keys.npy many/values.npy --missed missed.txt
written=
alike "noise" check h.safetensors many/keys.npy many/values.npy --noise 0.3 --noise-draws 3 --seed 5
"$plain" store many/keys.npy many/values.npy --rank 9 --max-iterations 4 -o f.safetensors >/dev/null
alike "a factored memory" check f.safetensors many/keys.npy many/values.npy
"$python" - <<'TEXT'
import numpy as np
rng = np.random.default_rng(1)
np.save("keys.npy", rng.standard_normal((90, 12)).astype("f4"))
np.save("own.npy", rng.standard_normal((90, 20, 14)).astype("f4"))
np.save("values.npy", rng.standard_normal((40, 14)).astype("f4"))
np.save("targets.npy", rng.integers(0, 20, 90))
np.save("offsets.npy", rng.standard_normal((90, 14)).astype("f4"))
TEXT
"$plain" store keys.npy own.npy --targets targets.npy --solver hebbian -o own.safetensors >/dev/null
alike "own candidates" check own.safetensors keys.npy own.npy --targets targets.npy
"$plain" store keys.npy values.npy --targets targets.npy --solver hebbian -o w.safetensors >/dev/null
alike "many keys to one value, with offsets" check w.safetensors keys.npy values.npy --targets targets.npy --residual offsets.npy
code=0

# --- recall: printed, and written in both ways; chosen rows; offsets; from a pipe
"$plain" sample --dim 24 --facts 1000 --seed 6 -o queries >/dev/null
counts="1 2 3 4"
alike "recall" recall m.safetensors queries/keys.npy --top 3
counts=3
alike "recall of few" recall m.safetensors square/keys.npy
alike "recall of chosen rows" recall m.safetensors square/keys.npy --pick 7,3,89 --top 2
alike "recall with offsets" recall w.safetensors keys.npy --values values.npy --residual offsets.npy --top 2
written=answers.safetensors
alike "answers in a file" recall m.safetensors square/keys.npy --top 4 -o answers.safetensors
written=answers.scores.npy
alike "answers in two files" recall m.safetensors square/keys.npy --top 4 -o answers.npy
written=
"$plain" recall m.safetensors square/keys.npy >one
OMP_NUM_THREADS=1 "$mpirun" -n 3 "$ireneo" recall m.safetensors - <square/keys.npy >out 2>err || fault "a pipe: $(cat err)"
cmp -s out one || fault "three ranks answer something else to a pipe"

# --- verify: accepted and rejected
"$plain" sample --dim 12 --facts 60 --seed 5 -o toomany >/dev/null
"$plain" store toomany/keys.npy toomany/values.npy -o t.safetensors --certificate proof.safetensors >/dev/null
[ -e proof.safetensors ] || fault "no proof to verify"
counts="2 3"
alike "verify" verify proof.safetensors toomany/keys.npy toomany/values.npy
code=1
alike "a proof of other facts" verify proof.safetensors square/keys.npy square/values.npy
code=0

# --- bad input: one sentence, and the same code on all ranks
refuse_over 3 4 "no.npy" check m.safetensors no.npy square/values.npy
refuse_over 2 3 "" check m.safetensors keys.npy square/values.npy
"$python" - <<'TEXT'
import numpy as np
keys = np.load("square/keys.npy")
keys[80, 3] = np.nan
np.save("nan.npy", keys)
TEXT
refuse_over 3 3 "row 80, column 3" check m.safetensors nan.npy square/values.npy
refuse_over 2 2 "holds no values" recall h.safetensors square/keys.npy
refuse_over 4 3 "" verify m.safetensors toomany/keys.npy toomany/values.npy

finish "check, recall and verify over ranks: all good"

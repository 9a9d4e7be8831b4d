#!/bin/sh
# `ireneo attention simulate` and `train` through the program: reports, and bad input with its exit codes.
. "$(dirname "$0")/../support/cli.sh"
under=attention

small="--layers 2 --width 32 --context 24"
: >empty.txt
printf 'abcdefgh' >short.txt
yes 'the quick brown fox jumps over the lazy dog' | head -n 60 >fox.txt
head -c 2000 /dev/zero >zeros.txt

# What works.
run 0 simulate $small --draws 3 --seed 7
grep -q 'seed 7' out || fault "the seed is not reported"
run 0 simulate $small --draws 3 --seed 7 --json
holds 'lists over depth' "len(r['rho']) == 3 and len(r['rho_error']) == 3 and r['seed'] == 7 and r['draws'] == 3"
holds 'nothing to report at depth 0' "r['entropy'][0] is None and 0 < r['entropy'][1] < math.log(24)"
holds 'gradients' "r['gradient_tokens'][2] == 1 and r['gradient_query'][1] > 0"
run 0 simulate $small --draws 1 --forward --causal --norm pre --activation gelu --heads 4 --json
holds 'one draw has no error' "r['rho_error'][1] is None and r['gradient_tokens'][2] is None and r['causal']"
llama="--heads 4 --key-heads 2 --head-width 6 --norm pre --rms-norm --activation swiglu --rope 1e4 --output-projection"
gemma="--heads 4 --key-heads 1 --norm sandwich --branch-gain 0.5 --rms-norm --activation geglu --qk-norm 3 --soft-cap 20"
run 0 simulate $small --causal $llama --mlp-gate-variance 2 --draws 2 --json
holds 'first and last tokens' "r['rho_early'][0] != r['rho_late'][0] and all(-1 < x < 1 for x in r['rho_late'])"
holds 'gradients of W_O and of the gate' "r['gradient_output'][1] > 0 and r['gradient_mlp_gate'][2] > 0"
run 0 simulate $small --causal $llama --draws 2
grep -q 'late' out || fault "the last tokens are not reported"
run 0 simulate $small $gemma --window 5 --parallel --draws 2 --json
holds 'a window has few keys' "max(r['entropy'][1:]) <= math.log(5) + 1e-6 and r['gradient_output'][1] is None"
run 0 simulate $small --norm none --activation silu --keys 12 --draws 2 --json
holds 'padding is no key' "max(r['entropy'][1:]) <= math.log(12) + 1e-6"
run 0 train fox.txt $small $llama --steps 5 --batch 4 --json
holds 'a block of today learns too' "not r['diverged'] and r['held_out_loss'] > 0"
run 0 train fox.txt $small $gemma --steps 5 --batch 4 --json
run 0 train fox.txt $small --heads 2 --steps 10 --batch 4 --json
holds 'training report' "r['steps'] == 10 and len(r['losses']) == 20 and not r['diverged']"
holds 'losses' "abs(r['losses'][0] - r['unigram_entropy']) < 1 and r['held_out_loss'] > 0"
cp out first
run 0 train fox.txt $small --heads 2 --steps 10 --batch 4 --threads 1 --json
holds 'threads do not matter' "r['final_loss'] == json.load(open('first'))['final_loss']"
run 0 train --help

# Text as token ids: padding is left out, overlaps come from the text, weights are scaled for the context.
"$python" - <<'END'
import numpy as np
rng = np.random.default_rng(1)
ids = rng.integers(0, 9, (3, 40))
np.save("ids.npy", ids.astype(np.uint16))
np.save("stream.npy", ids.astype(np.int32).ravel())
padded = np.full((3, 55), 99, np.int64)
padded[:, 5:45] = ids
np.save("padded.npy", padded)
np.save("negative.npy", np.where(padded == 99, -3, padded).astype(np.int8))
np.save("real.npy", ids.astype(float))
np.save("cube.npy", ids.reshape(3, 8, 5))
np.save("none.npy", np.zeros(0, np.int64))
np.save("huge.npy", np.array([[1, 2**33]]))
np.save("padding.npy", np.full((4, 4), -1))
np.save("one.npy", np.zeros(2000, np.int32))
END
run 0 simulate $small --context 50 --draws 3 --tokens ids.npy --json
holds 'the text is reported' "r['tokens'] == 'ids.npy' and r['transformer']['keys'] == 40"
holds 'its overlap, too' "r['transformer']['rho_0'] == r['rho'][0] == r['rho_law'][0] and 0 < r['rho'][0] < 0.15"
cp out first
for same in "--tokens padded.npy --padding 99" "--tokens negative.npy"; do
    run 0 simulate $small --context 50 --draws 3 $same --json
    holds "$same" "r['rho'] == json.load(open('first'))['rho'] and r['entropy'] == json.load(open('first'))['entropy']"
done
run 0 simulate $small --context 50 --draws 3 --tokens ids.npy --positions 0 --json
holds 'equal ids alone' "r['rho'][0] > 1.5 * json.load(open('first'))['rho'][0]"
run 0 simulate $small --draws 3 --tokens stream.npy --causal --last 5 --forward --json
holds 'windows of a stream, last tokens' "r['transformer']['keys'] == 24 and r['last'] == 5"
# the law is of the rows that are measured: the last ones of a decoder
run 0 simulate $small --context 64 --causal --beta 3 --rho0 0.02 --draws 2 --forward --json
holds 'a law' "(open('all', 'w').write(repr(r['rho_law'][-1])), True)[1]"
run 0 simulate $small --context 64 --causal --beta 3 --rho0 0.02 --draws 2 --forward --last 8 --json
holds 'the law of the last rows' "float(open('all').read()) - r['rho_law'][-1] > 0.002"
run 0 simulate $small --draws 3 --tokens stream.npy
grep -q '24 tokens of text of overlap' out || fault "the table does not speak of the text"
run 0 train --tokens padded.npy --padding 99 --context 12 --layers 1 --width 16 --heads 1 --steps 5 --batch 2 --json
holds 'trained on ids' "r['symbols'] == 9 and r['text'] == 'padded.npy'"
run 0 train --help
run 0 simulate --help

# What is recommended, put back: both the recursion and real networks of that size keep away from both collapses.
run 0 recommend --preset bert-base --json
holds 'options to go on with' "'--beta' in r['options']"
options=$(number options)
run 0 propagate $options --json
holds 'recommended scales, recursion' "r['rho'][12] < 0.95 and min(r['entropy']) > math.log(512) / 3"
holds 'most of the distance is left' "abs((1 - r['rho'][12]) / (1 - r['rho'][0]) - 0.99) < 1e-4"
run 0 simulate $options --forward --draws 2 --json
holds 'recommended scales, networks' "r['rho'][12] < 0.95 and min(r['entropy'][1:]) > math.log(512) / 3"
holds 'networks beside the recursion' "all(abs(a - b) < 0.06 for a, b in zip(r['rho'], r['rho_law']))"

# Figures: the data are there and gnuplot draws them.
"$ireneo" figure attention_depth --quick -o "figures" >/dev/null && [ -s "figures/attention_depth.svg" ] &&
    [ "$(wc -l <"figures/attention_depth.csv")" -eq 44 ] || fault "figure attention_depth"
"$ireneo" figure attention_gain -o figures >/dev/null && [ "$(wc -l <figures/attention_gain.csv)" -eq 102 ] || fault "figure attention_gain"
sed -n '$p' figures/attention_gain.csv | "$python" -c "
import sys
row = [float(x) for x in sys.stdin.read().split(',')]
sys.exit(not all(abs(a - b) < 0.002 for a, b in zip(row[1:5], (1.0, 0.525, 0.9909, 0.409))))" || fault "the four curves of gain control"
"$ireneo" figure attention_text --quick -o figures >/dev/null && [ -s figures/attention_text.svg ] &&
    [ "$(wc -l <figures/attention_text.csv)" -eq 44 ] || fault "figure attention_text"
"$ireneo" figure attention_gradient --quick -o figures >/dev/null && "$python" - <<'END' || fault "points of figure attention_gradient"
import csv, sys
law = [[float(x) for x in row] for row in csv.reader(open("figures/attention_gradient.csv")) if row[0][0].isdigit()]
points = [[float(x) for x in row] for row in list(csv.reader(open("figures/attention_gradient_points.csv")))[1:]]
near = lambda beta: min(law, key=lambda row: abs(row[0] - beta))[1]
# Two draws: a point is within a tenth of the law, but for one of condensed attention in 20.
sys.exit(not (len(points) == 8 and all(abs(p[3] / near(p[0]) - 1) < 0.15 for p in points)))
END
"$ireneo" figure attention_training --quick -o "figures" >/dev/null && [ -s "figures/attention_training.svg" ] &&
    cmp -s "figures/attention_training_runs.csv" "$root/data/attention-training.csv" ||
    fault "figure attention_training"
# Full ones draw training runs that are kept as rows, without training: they are the shipped outcomes.
for name in attention_stories attention_training; do
    cp "$root/data/rows/$name.csv" runs.csv
    "$ireneo" figure $name --rows runs.csv -o kept >/dev/null && cmp -s runs.csv "$root/data/rows/$name.csv" || fault "figure $name from rows"
done
"$python" - "$root/data" <<'END' || fault "training runs of rows are not those that are shipped"
import csv, sys
lines = lambda path: sorted(open(path).read().splitlines())
assert lines("kept/attention_stories_runs.csv") == lines(sys.argv[1] + "/stories-training.csv"), "stories"
what = ("beta", "residual", "seed", "layers", "width", "rate", "text", "causal", "residual_mlp")
shipped = {tuple(r[w] for w in what): r for r in csv.DictReader(open(sys.argv[1] + "/attention-training.csv"))}
runs = list(csv.DictReader(open("kept/attention_training_runs.csv")))
assert len(runs) == 25
for r in runs:
    known = shipped[tuple(r[w] for w in what)]
    assert all(r[c] == known[c] for c in ("final_loss", "held_out_loss", "rho_after", "entropy_after", "diverged")), (r, known)
END

# Bad usage: 2.
refuse 2 'heads' simulate $small --heads 3
refuse 2 'beta' simulate $small --beta -1
refuse 2 'context' simulate --layers 2 --width 32 --context 1
refuse 2 'whole number' simulate --layers 2 --width 32 --context 24.5
refuse 2 'layers' simulate --layers 0 --width 32 --context 24
refuse 2 'variance' simulate $small --value-variance -0.1
refuse 2 'residual' simulate $small --residual -1
refuse 2 'rho0' simulate $small --rho0 1.5
refuse 2 'gain control' simulate $small --causal --gain-control
refuse 2 'unknown' simulate $small --depth 3
refuse 2 'tokens that count' simulate $small --keys 25
refuse 2 'share' simulate $small --heads 4 --key-heads 3
refuse 2 'output projection' simulate $small --heads 4 --head-width 6
refuse 2 'even width' simulate $small --heads 32 --rope 1e4
refuse 2 'branch or sandwich' simulate $small --branch-gain 0.5
refuse 2 'gated activation' simulate $small --mlp-gate-variance 2
refuse 2 'window' simulate $small --gain-control --window 5
refuse 2 'window' simulate $small --window 25
refuse 2 'whole number' simulate $small --window 5.5
refuse 2 'beta must not be 0' simulate $small --qk-norm 3 --beta 0
refuse 2 'value bias' simulate $small --output-projection --value-variance 0
refuse 2 'name a text' recommend --layers 2 --steps 5
refuse 2 'safe' recommend --norm pre --try fox.txt
refuse 4 'missing.txt' recommend --layers 2 --try missing.txt
refuse 2 'heads' train fox.txt $small --heads 5
refuse 2 'beta' train fox.txt $small --beta -0.5
refuse 2 'context' train fox.txt --context 1
refuse 2 'layers' train fox.txt --layers 0
refuse 2 'rate' train fox.txt --rate 0
refuse 2 'warm-up' train fox.txt $small --heads 2 --steps 5 --warmup 5
refuse 2 'mask' train fox.txt --mask 2
refuse 2 '' train
refuse 2 'too many' train fox.txt fox.txt
refuse 4 'beyond all numbers' simulate --layers 40 --width 32 --context 24 --norm none --activation swiglu --value-variance 9 \
    --weight-variance 9

refuse 2 'what is to be learned' train fox.txt --tokens ids.npy
refuse 2 'what is to be learned' train --steps 5
refuse 2 'tokens' simulate $small --padding 3
refuse 2 'tokens' simulate $small --positions 1
refuse 2 'rho0' simulate $small --tokens ids.npy --rho0 0.1
refuse 2 'padding' simulate $small --tokens ids.npy --padding 1.5
refuse 2 'last' simulate $small --last 1

# Ids that cannot be used: 3, in one sentence.
refuse 3 'float64' simulate $small --tokens real.npy
refuse 3 '3 axes' simulate $small --tokens cube.npy
refuse 3 'empty' simulate $small --tokens none.npy
refuse 3 'row 0, column 1' simulate $small --tokens huge.npy
refuse 3 'padding' simulate $small --tokens padding.npy
refuse 3 'row 0, column 0.*padding is 99' simulate $small --tokens negative.npy --padding 99
refuse 3 '' simulate $small --tokens fox.txt
refuse 3 'one kind of token id' train --tokens one.npy
refuse 3 'token ids' train --tokens ids.npy
refuse 4 'missing.npy' simulate $small --tokens missing.npy

# Text that cannot be used: 3. A file that cannot be read: 4.
refuse 3 'empty' train empty.txt
refuse 3 'short.txt' train short.txt
refuse 3 'one kind of byte' train zeros.txt $small --heads 2
refuse 4 'missing.txt' train missing.txt
refuse 4 '' train "$folder"

finish "attention networks: all as they should be"

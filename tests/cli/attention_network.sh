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
run 0 train fox.txt $small --heads 2 --steps 10 --batch 4 --json
holds 'training report' "r['steps'] == 10 and len(r['losses']) == 20 and not r['diverged']"
holds 'losses' "abs(r['losses'][0] - r['unigram_entropy']) < 1 and r['held_out_loss'] > 0"
cp out first
run 0 train fox.txt $small --heads 2 --steps 10 --batch 4 --threads 1 --json
holds 'threads do not matter' "r['final_loss'] == json.load(open('first'))['final_loss']"
run 0 train --help
run 0 simulate --help

# What is recommended, put back: both the recursion and real networks of that size keep away from both collapses.
run 0 recommend --preset bert-base --json
holds 'options to go on with' "'--beta' in r['options']"
options=$(number options)
run 0 propagate $options --json
holds 'recommended scales, recursion' "r['rho'][12] < 0.95 and min(r['entropy']) > math.log(512) / 3"
holds 'half of the distance is left' "abs((1 - r['rho'][12]) / (1 - r['rho'][0]) - 0.5) < 1e-4"
run 0 simulate $options --forward --draws 2 --json
holds 'recommended scales, networks' "r['rho'][12] < 0.95 and min(r['entropy'][1:]) > math.log(512) / 3"
holds 'networks beside the recursion' "all(abs(a - b) < 0.06 for a, b in zip(r['rho'], r['rho_law']))"

# Figures: the data are there and gnuplot draws them.
"$ireneo" figure attention_depth --quick -o "figures" >/dev/null && [ -s "figures/attention_depth.svg" ] &&
    [ "$(wc -l <"figures/attention_depth.csv")" -eq 44 ] || fault "figure attention_depth"
"$ireneo" figure attention_training --quick -o "figures" >/dev/null && [ -s "figures/attention_training.svg" ] &&
    cmp -s "figures/attention_training_runs.csv" "$root/data/attention-training.csv" ||
    fault "figure attention_training"

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
refuse 2 'keys' simulate $small --keys 3
refuse 2 'heads' train fox.txt $small --heads 5
refuse 2 'beta' train fox.txt $small --beta -0.5
refuse 2 'context' train fox.txt --context 1
refuse 2 'layers' train fox.txt --layers 0
refuse 2 'rate' train fox.txt --rate 0
refuse 2 'warm-up' train fox.txt $small --heads 2 --steps 5 --warmup 5
refuse 2 'mask' train fox.txt --mask 2
refuse 2 '' train
refuse 2 'too many' train fox.txt fox.txt

# Text that cannot be used: 3. A file that cannot be read: 4.
refuse 3 'empty' train empty.txt
refuse 3 'short.txt' train short.txt
refuse 3 'one kind of byte' train zeros.txt $small --heads 2
refuse 4 'missing.txt' train missing.txt
refuse 4 '' train "$folder"

finish "attention networks: all as they should be"

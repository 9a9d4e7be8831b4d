#!/bin/sh
# `ireneo attention simulate` and `train` through the program: reports, and bad input with its exit codes.
set -u
export OMP_WAIT_POLICY=passive # threads that wait leave the cores to the other tests
program=$1
here=$(cd "$(dirname "$0")" && pwd)
export IRENEO_FIGURES="$here/../../figures" IRENEO_DATA="$here/../../data" # wherever the program was built
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

expect() { # expect CODE WORDS-IN-STDERR ARGUMENTS...
    code=$1 words=$2
    shift 2
    "$program" attention "$@" >"$folder/out" 2>"$folder/err"
    got=$?
    if [ "$got" -ne "$code" ] || { [ -n "$words" ] && ! grep -q -- "$words" "$folder/err"; }; then
        echo "FAILED: attention $*: exit $got instead of $code, or no '$words' in: $(cat "$folder/err")"
        failures=$((failures + 1))
    fi
    if [ "$code" -ne 0 ] && [ -s "$folder/out" ]; then
        echo "FAILED: attention $*: wrote to stdout before it failed"
        failures=$((failures + 1))
    fi
}

check() { # check NAME CONDITION-IN-PYTHON, with r the JSON report in out
    if ! ${PYTHON:-python3} -c "import json,math,sys
r = json.load(open('$folder/out'))
sys.exit(0 if ($2) else 1)"; then
        echo "FAILED: $1: $2"
        failures=$((failures + 1))
    fi
}

small="--layers 2 --width 32 --context 24"
: >"$folder/empty.txt"
printf 'abcdefgh' >"$folder/short.txt"
yes 'the quick brown fox jumps over the lazy dog' | head -n 60 >"$folder/fox.txt"
head -c 2000 /dev/zero >"$folder/zeros.txt"

# What works.
expect 0 '' simulate $small --draws 3 --seed 7
grep -q 'seed 7' "$folder/out" || { echo "FAILED: the seed is not reported"; failures=$((failures + 1)); }
expect 0 '' simulate $small --draws 3 --seed 7 --json
check 'lists over depth' "len(r['rho']) == 3 and len(r['rho_error']) == 3 and r['seed'] == 7 and r['draws'] == 3"
check 'nothing to report at depth 0' "r['entropy'][0] is None and 0 < r['entropy'][1] < math.log(24)"
check 'gradients' "r['gradient_tokens'][2] == 1 and r['gradient_query'][1] > 0"
expect 0 '' simulate $small --draws 1 --forward --causal --norm pre --activation gelu --heads 4 --json
check 'one draw has no error' "r['rho_error'][1] is None and r['gradient_tokens'][2] is None and r['causal']"
expect 0 '' train "$folder/fox.txt" $small --heads 2 --steps 10 --batch 4 --json
check 'training report' "r['steps'] == 10 and len(r['losses']) == 20 and not r['diverged']"
check 'losses' "abs(r['losses'][0] - r['unigram_entropy']) < 1 and r['held_out_loss'] > 0"
cp "$folder/out" "$folder/first"
expect 0 '' train "$folder/fox.txt" $small --heads 2 --steps 10 --batch 4 --threads 1 --json
check 'threads do not matter' "r['final_loss'] == json.load(open('$folder/first'))['final_loss']"
expect 0 '' train --help
expect 0 '' simulate --help

# What is recommended, put back: both the recursion and real networks of that size keep away from both collapses.
expect 0 '' recommend --preset bert-base --json
check 'options to go on with' "'--beta' in r['options']"
options=$(${PYTHON:-python3} -c "import json; print(json.load(open('$folder/out'))['options'])")
expect 0 '' propagate $options --json
check 'recommended scales, recursion' "r['rho'][12] < 0.95 and min(r['entropy']) > math.log(512) / 3"
check 'half of the distance is left' "abs((1 - r['rho'][12]) / (1 - r['rho'][0]) - 0.5) < 1e-4"
expect 0 '' simulate $options --forward --draws 2 --json
check 'recommended scales, networks' "r['rho'][12] < 0.95 and min(r['entropy'][1:]) > math.log(512) / 3"
check 'networks beside the recursion' "all(abs(a - b) < 0.06 for a, b in zip(r['rho'], r['rho_law']))"

# Figures: the data are there and gnuplot draws them.
"$program" figure attention_depth --quick -o "$folder/figures" >/dev/null && [ -s "$folder/figures/attention_depth.svg" ] &&
    [ "$(wc -l <"$folder/figures/attention_depth.csv")" -eq 43 ] || { echo "FAILED: figure attention_depth"; failures=$((failures + 1)); }
"$program" figure attention_training --quick -o "$folder/figures" >/dev/null && [ -s "$folder/figures/attention_training.svg" ] &&
    cmp -s "$folder/figures/attention_training_runs.csv" "${DATA:-data}/attention-training.csv" ||
    { echo "FAILED: figure attention_training"; failures=$((failures + 1)); }

# Bad usage: 2.
expect 2 'heads' simulate $small --heads 3
expect 2 'beta' simulate $small --beta -1
expect 2 'context' simulate --layers 2 --width 32 --context 1
expect 2 'whole number' simulate --layers 2 --width 32 --context 24.5
expect 2 'layers' simulate --layers 0 --width 32 --context 24
expect 2 'variance' simulate $small --value-variance -0.1
expect 2 'residual' simulate $small --residual -1
expect 2 'rho0' simulate $small --rho0 1.5
expect 2 'gain control' simulate $small --causal --gain-control
expect 2 'unknown' simulate $small --depth 3
expect 2 'keys' simulate $small --keys 3
expect 2 'heads' train "$folder/fox.txt" $small --heads 5
expect 2 'beta' train "$folder/fox.txt" $small --beta -0.5
expect 2 'context' train "$folder/fox.txt" --context 1
expect 2 'layers' train "$folder/fox.txt" --layers 0
expect 2 'rate' train "$folder/fox.txt" --rate 0
expect 2 'warm-up' train "$folder/fox.txt" $small --heads 2 --steps 5 --warmup 5
expect 2 'mask' train "$folder/fox.txt" --mask 2
expect 2 '' train
expect 2 'too many' train "$folder/fox.txt" "$folder/fox.txt"

# Text that cannot be used: 3. A file that cannot be read: 4.
expect 3 'empty' train "$folder/empty.txt"
expect 3 'short.txt' train "$folder/short.txt"
expect 3 'one kind of byte' train "$folder/zeros.txt" $small --heads 2
expect 4 'missing.txt' train "$folder/missing.txt"
expect 4 '' train "$folder"

[ "$failures" -eq 0 ]

#!/bin/sh
# ireneo attention layer, propagate, trainability, recommend: keys of the reports, exit codes, error sentences.
. "$(dirname "$0")/../support/cli.sh"
under=attention

# has KEY ARGUMENTS...: the JSON report has the key
has() {
    key=$1
    shift
    expect 0 "\"$key\"" "$@" --json
}

for key in beta_c participation participation_limit entropy q_out p_out overlap gradient; do
    has $key layer --beta 2 --context 4096
done
has rows layer --causal --context 64
for key in window rope_base query_key_norm soft_cap head_width; do
    has $key layer --beta 2 --context 512 --rope 1e4 --qk-norm 3 --soft-cap 5 --window 64 --width 512 --heads 4
done
has rows layer --causal --context 4096 --window 512
expect 0 'Attention over 64 keys' layer --window 64
expect 0 'QK-norm' layer --preset qwen-3
expect 0 'Attention over 2048 keys' layer --preset gpt2-small --context 2048
expect 2 'propagate' layer --norm pre
expect 2 'propagate' layer --activation=swiglu
expect 2 'propagate' layer --parallel
expect 2 'propagate' layer --layers 3
expect 2 'value-variance' layer --output-projection
expect 2 '.--rho' layer --rho0 0.3
expect 2 'head-width' layer --rope 1e4
expect 2 'divide' layer --width 100 --heads 3
expect 2 'share' layer --width 128 --heads 4 --key-heads 3
expect 2 'window' layer --window 1000
expect 2 'width' layer --std 0.02
for key in rho rho_limit chi correlation_depth critical_residual transformer; do
    has $key propagate --layers 3
done
for key in beta_line rank_line cells trainable; do
    has $key trainability --layers 4 --betas 0.5,2 --residuals 1:3:3
done
for key in given assessment std_query std_mlp_out pytorch safe_rate unchanged; do
    has $key recommend --preset bert-base
done
for key in rate fails growth update safe_rate; do
    has $key trainability --layers 4 --betas 0.5,2 --residuals 1:3:3 --rate 0.001
done
expect 0 'not trainable, for gradients' trainability --layers 24 --context 32 --betas 7 --residuals 1.4
expect 0 'trainable' trainability --layers 24 --width 64 --context 32 --betas 0.3 --residuals 3 --rate 0.001
expect 0 'for rate' trainability --layers 24 --width 64 --context 32 --betas 0.3 --residuals 3 --rate 0.01
refuse 2 'rate' trainability --betas 1 --residuals 1 --rate 0
refuse 2 '--rate' trainability --betas 1 --residuals 1 --steps 10
refuse 2 'encoders' trainability --norm pre --betas 1 --residuals 1 --rate 0.001
decoder="--norm pre --causal --rope 10000 --rms-norm --activation swiglu --layers 8 --width 64 --context 32 --q0 1"
expect 0 'trainable' trainability $decoder --betas 0.3 --residuals 1 --rate 0.003
expect 0 'for rate' trainability $decoder --betas 0.3 --residuals 1 --rate 0.1
expect 0 'Nothing needs to change' recommend --preset bert-base

# numbers: layers + 1 similarities; participation at T = 512, beta = 2
count=$("$ireneo" attention propagate --layers 7 --json | tr ']' '\n' | grep '"rho": ' | tr ',' '\n' |
    sed -n '/"rho": /,$p' | wc -l)
[ "$count" = 8 ] || fault "propagate --layers 7 gives $count similarities"
"$ireneo" attention layer --beta 2 --rho 0 --json | grep -q '"participation": 0.425' || fault "participation at beta 2"
"$ireneo" attention layer --beta 2 --context 1e12 >"text" || fault "1e12 tokens"
grep -q "participation" "text" || fault "text report"

# the PyTorch code gives every matrix its standard deviation, and complains about a model with other names
snippet() { # snippet STYLE ARGUMENTS...
    style=$1
    shift
    "$ireneo" attention recommend "$@" --json >"report" || fault "recommend $*"
    "$python" "$root/tests/python/attention_snippet.py" "report" "$style" || fault "snippet of recommend $*"
}
snippet bert --preset bert-base --layers 2
snippet bert --preset vit-b --layers 1
snippet gpt2 --preset gpt2-small --layers 2
snippet timm --preset vit-b --style timm --layers 1
snippet torch --layers 3 --width 128 --tune skips
snippet torch --layers 2 --width 128 --no-projection
gated="--layers 2 --width 64 --heads 4 --key-heads 2 --mlp-width 128 --context 64 --rms-norm"
# shellcheck disable=SC2086
{
    snippet llama $gated --norm pre --activation swiglu
    snippet llama $gated --norm branch --activation swiglu --branch-gain 0.5
    snippet gemma $gated --norm sandwich --activation geglu --style gemma
}

# one standard deviation for all: presets are those of 0.02, at any size; W_O counts; GPT-2 shrinks with depth
value() { # value KEY ARGUMENTS...: a number of the transformer in a JSON report
    key=$1
    shift
    "$ireneo" attention propagate "$@" --json | tr ',' '\n' | sed -n "s/.*\"$key\": //p" | head -n 1
}
for key in beta value_variance mlp_in_variance mlp_out_variance; do
    [ "$(value $key --preset bert-base)" = "$(value $key --preset bert-base --std 0.02)" ] || fault "$key of --std 0.02"
done
value beta --preset bert-base --context 128 | grep -q '^0.13946' || fault "beta of bert-base at 128 tokens"
value value_variance --preset gpt2-small --layers 24 | grep -q '^0.001966' || fault "value variance of a deep GPT-2"
value mlp_out_variance --preset gpt2-small --mlp-out-variance 0.3 | grep -q '^0.3' || fault "an option beside a preset"

# CSV: a header and a line for each point
"$ireneo" attention trainability --layers 4 --betas 0.5,2 --residuals 1:3:3 -o "t.csv" >/dev/null
[ "$(wc -l <"t.csv")" = 7 ] || fault "CSV has $(wc -l <"t.csv") lines"
head -1 "t.csv" | grep -q '^beta,residual,rho,' || fault "CSV header"

# a picture of the diagram, where gnuplot is
if command -v gnuplot >/dev/null; then
    "$ireneo" attention trainability --layers 4 --betas 0.5,2 --residuals 1:3:3 --picture "picture" >/dev/null ||
        fault "trainability --picture"
    [ -s "picture/attention_trainability.svg" ] || fault "no picture of the trainability diagram"
    "$ireneo" figure attention_trainability --quick -o "picture" >/dev/null || fault "figure attention_trainability"
fi

# every figure that help and documentation name exists
"$ireneo" figure --list >"list"
for command in layer propagate trainability recommend simulate train; do "$ireneo" attention $command --help; done |
    cat - "$root"/docs/attention*.md "$root"/README.md | grep -o 'ireneo figure attention_[a-z]*' | sort -u >"named"
[ -s "named" ] || fault "no figure is named"
while read -r name; do
    grep -q "^  ${name##* } " "list" || fault "there is no '$name'"
done <"named"

# bad input: exit 2 and one sentence
refuse 2 "beta" layer --beta -1
refuse 2 "context" layer --context 1
refuse 2 "keys" layer --keys 1000 --context 512
refuse 2 "not both" layer --keys 10 --causal
refuse 2 "rho" layer --rho 1.2
refuse 2 "value-variance" layer --value-variance -1
refuse 2 "beta" propagate --beta -0.1
refuse 2 "context" propagate --context 1
refuse 2 "layers" propagate --layers 0
refuse 2 "heads" propagate --width 768 --heads 7
refuse 2 "variance" propagate --weight-variance -1
refuse 2 "bias-variance" propagate --bias-variance -1
refuse 2 "preset" propagate --preset bert-huge
refuse 2 "preset" recommend --preset=nothing
refuse 2 "not both" propagate --std 0.02 --beta 1
refuse 2 "not both" propagate --std 0.02 --mlp-in-variance 1
refuse 2 "relu|tanh|gelu" propagate --activation swish
refuse 2 "post|pre" propagate --norm middle
refuse 2 "unknown option" propagate --depth 3
refuse 2 "collapsed" recommend --rho0 0.9995
refuse 2 "betas" trainability --betas 1:2
refuse 2 "betas" trainability --betas one
refuse 2 "residual" trainability --betas 1 --residuals -1
refuse 2 "unknown option" trainability --beta 1
refuse 2 "at least two" trainability --betas 1 --picture "none"
refuse 4 "/dev/null/no" trainability --layers 2 --betas 1,2 --picture /dev/null/no/such
refuse 2 "no command" nonsense
refuse 4 "/no/such" trainability --layers 2 --betas 1 --residuals 1 -o /no/such/folder/t.csv

finish "attention theory: all as it should be"

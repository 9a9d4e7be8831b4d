#!/bin/sh
# ireneo attention layer, propagate, trainability, recommend: keys of the reports, exit codes, error sentences.
set -eu
program=$1
here=$(cd "$(dirname "$0")" && pwd)
export IRENEO_FIGURES="$here/../../figures" # wherever the program was built
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

# expect CODE TEXT ARGUMENTS...: the exit code, and one sentence on stderr with the text
expect() {
    code=$1 text=$2
    shift 2
    got=0
    "$program" attention "$@" >"$folder/out" 2>"$folder/err" || got=$?
    [ "$got" = "$code" ] || fail "attention $*: exit $got, not $code: $(cat "$folder/err")"
    grep -q -- "$text" "$folder/err" || fail "attention $*: no '$text' in: $(cat "$folder/err")"
    [ "$(wc -l <"$folder/err")" = 1 ] || fail "attention $*: more than one sentence"
}

# has KEY ARGUMENTS...: the JSON report has the key
has() {
    key=$1
    shift
    "$program" attention "$@" --json | grep -q "\"$key\"" || fail "attention $*: no key $key"
}

for key in beta_c participation participation_limit entropy q_out p_out overlap gradient; do
    has $key layer --beta 2 --context 4096
done
has rows layer --causal --context 64
for key in rho rho_limit chi correlation_depth critical_residual transformer; do
    has $key propagate --layers 3
done
for key in beta_line rank_line cells trainable; do
    has $key trainability --layers 4 --betas 0.5,2 --residuals 1:3:3
done
for key in given assessment std_query std_mlp_out pytorch; do
    has $key recommend --preset bert-base
done

# numbers: layers + 1 similarities; participation at T = 512, beta = 2
count=$("$program" attention propagate --layers 7 --json | tr ']' '\n' | grep '"rho": ' | tr ',' '\n' |
    sed -n '/"rho": /,$p' | wc -l)
[ "$count" = 8 ] || fail "propagate --layers 7 gives $count similarities"
"$program" attention layer --beta 2 --rho 0 --json | grep -q '"participation": 0.425' || fail "participation at beta 2"
"$program" attention layer --beta 2 --context 1e12 >"$folder/text" || fail "1e12 tokens"
grep -q "participation" "$folder/text" || fail "text report"

# the PyTorch code gives every matrix its standard deviation, and complains about a model with other names
snippet() { # snippet STYLE ARGUMENTS...
    style=$1
    shift
    "$program" attention recommend "$@" --json >"$folder/report" || fail "recommend $*"
    ${PYTHON:-python3} "$here/../python/attention_snippet.py" "$folder/report" "$style" || fail "snippet of recommend $*"
}
snippet bert --preset bert-base --layers 2
snippet bert --preset vit-b --layers 1
snippet gpt2 --preset gpt2-small --layers 2
snippet timm --preset vit-b --style timm --layers 1
snippet torch --layers 3 --width 128 --tune skips
snippet torch --layers 2 --width 128 --no-projection

# one standard deviation for all: presets are those of 0.02, at any size; W_O counts; GPT-2 shrinks with depth
value() { # value KEY ARGUMENTS...: a number of the transformer in a JSON report
    key=$1
    shift
    "$program" attention propagate "$@" --json | tr ',' '\n' | sed -n "s/.*\"$key\": //p" | head -n 1
}
for key in beta value_variance mlp_in_variance mlp_out_variance; do
    [ "$(value $key --preset bert-base)" = "$(value $key --preset bert-base --std 0.02)" ] || fail "$key of --std 0.02"
done
value beta --preset bert-base --context 128 | grep -q '^0.13946' || fail "beta of bert-base at 128 tokens"
value value_variance --preset gpt2-small --layers 24 | grep -q '^0.001966' || fail "value variance of a deep GPT-2"
value mlp_out_variance --preset gpt2-small --mlp-out-variance 0.3 | grep -q '^0.3' || fail "an option beside a preset"

# CSV: a header and a line for each point
"$program" attention trainability --layers 4 --betas 0.5,2 --residuals 1:3:3 -o "$folder/t.csv" >/dev/null
[ "$(wc -l <"$folder/t.csv")" = 7 ] || fail "CSV has $(wc -l <"$folder/t.csv") lines"
head -1 "$folder/t.csv" | grep -q '^beta,residual,rho,' || fail "CSV header"

# a picture of the diagram, where gnuplot is
if command -v gnuplot >/dev/null; then
    "$program" attention trainability --layers 4 --betas 0.5,2 --residuals 1:3:3 --picture "$folder/picture" >/dev/null ||
        fail "trainability --picture"
    [ -s "$folder/picture/attention_trainability.svg" ] || fail "no picture of the trainability diagram"
    "$program" figure attention_trainability --quick -o "$folder/picture" >/dev/null || fail "figure attention_trainability"
fi

# every figure that help and documentation name exists
"$program" figure --list >"$folder/list"
for command in layer propagate trainability recommend simulate train; do "$program" attention $command --help; done |
    cat - "$here"/../../docs/attention*.md "$here"/../../README.md | grep -o 'ireneo figure attention_[a-z]*' | sort -u >"$folder/named"
[ -s "$folder/named" ] || fail "no figure is named"
while read -r name; do
    grep -q "^  ${name##* } " "$folder/list" || fail "there is no '$name'"
done <"$folder/named"

# bad input: exit 2 and one sentence
expect 2 "beta" layer --beta -1
expect 2 "context" layer --context 1
expect 2 "keys" layer --keys 1000 --context 512
expect 2 "not both" layer --keys 10 --causal
expect 2 "rho" layer --rho 1.2
expect 2 "value-variance" layer --value-variance -1
expect 2 "beta" propagate --beta -0.1
expect 2 "context" propagate --context 1
expect 2 "layers" propagate --layers 0
expect 2 "heads" propagate --width 768 --heads 7
expect 2 "variance" propagate --weight-variance -1
expect 2 "bias-variance" propagate --bias-variance -1
expect 2 "preset" propagate --preset bert-huge
expect 2 "preset" recommend --preset=nothing
expect 2 "not both" propagate --std 0.02 --beta 1
expect 2 "not both" propagate --std 0.02 --mlp-in-variance 1
expect 2 "relu|tanh|gelu" propagate --activation swish
expect 2 "post|pre" propagate --norm middle
expect 2 "unknown option" propagate --depth 3
expect 2 "collapsed" recommend --rho0 0.99
expect 2 "betas" trainability --betas 1:2
expect 2 "betas" trainability --betas one
expect 2 "residual" trainability --betas 1 --residuals -1
expect 2 "unknown option" trainability --beta 1
expect 2 "at least two" trainability --betas 1 --picture "$folder/none"
expect 4 "/dev/null/no" trainability --layers 2 --betas 1,2 --picture /dev/null/no/such
expect 2 "no command" nonsense
expect 4 "/no/such" trainability --layers 2 --betas 1 --residuals 1 -o /no/such/folder/t.csv

#!/bin/sh
# ireneo dense simulate through the program: numbers against the theory, seeds, bad input.
set -u
ireneo=$1
faults=0
fault() {
    echo "FAULT: $*"
    faults=$((faults + 1))
}

expect() {
    code=$1 word=$2
    shift 2
    output=$("$ireneo" dense simulate "$@" 2>&1)
    got=$?
    [ "$got" -eq "$code" ] || fault "$*: exit $got instead of $code: $output"
    case $output in
    *"$word"*) ;;
    *) fault "$*: no '$word' in: $output" ;;
    esac
}

refuse() {
    word=$1
    shift
    expect 2 "$word" "$@"
    [ -z "$("$ireneo" dense simulate "$@" 2>/dev/null)" ] || fault "$*: output in spite of the error"
    [ "$("$ireneo" dense simulate "$@" 2>&1 >/dev/null | wc -l)" -eq 1 ] || fault "$*: not one sentence"
}

# near NAME VALUE TOLERANCE ARGUMENTS...: a number of the JSON report.
near() {
    name=$1 wanted=$2 tolerance=$3
    shift 3
    got=$("$ireneo" dense simulate "$@" --json | tr ',{}' '\n\n\n' | sed -n "s/^ *\"$name\": *//p")
    awk -v a="$got" -v b="$wanted" -v t="$tolerance" \
        'BEGIN { d = a - b; if (d < 0) d = -d; exit !(a != "" && a != "null" && d <= t) }' ||
        fault "$*: $name is $got, not $wanted +- $tolerance"
}

# Sizes nobody can store: the median angle at P = e^1000, lambda = 1.5 lambda_star.
near value 0.37768 0.0005 --method tail --neurons 1000 --alpha 1 --lambda 10.3063311 --measure angle --draws 300
near value 0.36199 0.0006 --method scalars --neurons 34 --alpha 0.3 --measure lambda --draws 100
near theory 0.361988 0.000001 --method scalars --neurons 34 --alpha 0.3 --measure lambda --draws 1
near value 0.4769 0.0015 --method hybrid --neurons 38 --alpha 0.3 --measure lambda --draws 12
near value 0.6254 0.07 --method conditioning --ensemble gaussian --neurons 40 --alpha 0.2 --lambda 0.25 --steps 1 --draws 500
near theory 0.6254 0.0001 --method scalars --ensemble gaussian --neurons 40 --alpha 0.2 --lambda 0.25 --draws 1
near value 1 0 --neurons 20 --patterns 100 --lambda 2 --draws 5
near log_patterns 4.605170186 0.000000001 --neurons 20 --patterns 100 --lambda 2 --draws 1

# The seed is reported and decides everything; threads do not.
expect 0 "seed 42" --neurons 16 --alpha 0.3 --measure lambda --draws 3 --steps 5 --seed 42
for threads in 1 3; do
    "$ireneo" dense simulate --method direct --neurons 20 --alpha 0.3 --measure lambda --steps 30 --draws 8 --seed 9 \
        --threads $threads --json | sed 's/"seconds.*//' >"/tmp/ireneo-$$-$threads"
done
cmp -s "/tmp/ireneo-$$-1" "/tmp/ireneo-$$-3" || fault "the number of threads changes the result"
rm -f "/tmp/ireneo-$$-1" "/tmp/ireneo-$$-3"

refuse "lambda must lie above 0" --neurons 20 --alpha 0.3 --lambda 0
refuse "lambda must lie above 0" --neurons 20 --alpha 0.3 --lambda -1
refuse "must be positive" --neurons 20 --alpha 0 --lambda 1
refuse "must be positive" --neurons 20 --alpha -0.2 --lambda 1
refuse "--neurons must lie between 2" --neurons 1 --alpha 0.3 --lambda 1
refuse "above 2^63" --neurons 200 --alpha 0.3 --lambda 1
refuse "above 2^63" --method scalars --neurons 200 --alpha 0.3 --lambda 1
refuse "give --lambda" --neurons 20 --alpha 0.3
refuse "leave it out" --neurons 20 --alpha 0.3 --lambda 1 --measure lambda
refuse "leave it out" --neurons 20 --alpha 0.3 --lambda 1 --angle 1 --measure angle
refuse "one of the two" --neurons 20 --lambda 1
refuse "one of the two" --neurons 20 --alpha 0.3 --patterns 100 --lambda 1
refuse "--neurons" --alpha 0.3 --lambda 1
refuse "makes one step" --method tail --neurons 100 --alpha 0.3 --lambda 1 --steps 3
refuse "Gaussian" --method conditioning --neurons 20 --alpha 0.3 --lambda 1
refuse "spherical" --method hybrid --ensemble gaussian --neurons 20 --alpha 0.3 --lambda 1
refuse "one of" --method guess --neurons 20 --alpha 0.3 --lambda 1
refuse "unknown option" --neurons 20 --alpha 0.3 --lambda 1 --beta 2
refuse "between 0 and 3.14159" --neurons 20 --alpha 0.3 --lambda 1 --angle 7

[ "$faults" -eq 0 ] && echo "dense simulate: all fine"
exit "$faults"

#!/bin/sh
# ireneo dense, dense phases and dense basins through the program: reports, JSON, bad input.
. "$(dirname "$0")/../support/cli.sh"
under=dense

# key NAME VALUE ARGUMENTS...: a number of the JSON report, to nine digits, or a word of it.
key() {
    name=$1 wanted=$2
    shift 2
    run 0 "$@" --json
    case $wanted in
    null) is "$name" None ;;
    false) is "$name" False ;;
    *) near "$name" "$wanted" "1e-9 * abs($wanted) + 1e-12" ;;
    esac
}

# the list of commands
expect 2 "dense phases"
expect 0 "dense basins" --help
expect 2 "no command 'phase'" phase
expect 0 "usage: ireneo dense phases" phases --help
expect 0 "usage: ireneo dense basins" basins --help

# reports
key alpha_1 0.62257192378 phases --ensemble spherical --lambda 1
key alpha_star 0.24060591253 phases --ensemble spherical --lambda 1
key alpha_c_lower_bound 0.15274264661 phases --ensemble gaussian --lambda 0.5
key alpha_c_exact false phases --ensemble gaussian --lambda 0.5
key alpha_1 0.56621916952 phases --ensemble binary --lambda 1
key lambda_c 0.36528286035 phases --ensemble binary --alpha 0.3
key lambda_c null phases --ensemble gaussian --alpha 0.5
key ramsauer null phases --ensemble binary --lambda 1
key neurons 64 phases --lambda 1 --neurons 64
key scaled_alpha 0.93797839669 phases --lambda 1 --neurons 64 --scaling 0.5
key theta_c 0.79557726982 basins --alpha 0.3 --lambda 0.8
key theta_star 0.83428766552 basins --alpha 0.3 --lambda 0.8
key lambda_c 0.36175687718 basins --alpha 0.3 --lambda 0.8
key lambda_star 1.22392733541 basins --alpha 0.3 --lambda 0.8
key theta_c null basins --alpha 0.3 --lambda 0.3
key retrieved false basins --alpha 0.3 --lambda 0.3
key flip_fraction 0.13358602544 basins --ensemble binary --alpha 0.3 --lambda 2
key log10_patterns 6 basins --patterns 1e6 --neurons 64 --lambda 0.8
key alpha 0.215867352468 basins --patterns 1000000 --neurons 64 --lambda 0.8
expect 0 "degrees away" basins --alpha 0.3 --lambda 0.8
expect 0 "bits flipped" basins --ensemble binary --alpha 0.3 --lambda 0.8
expect 0 "No pattern is retrieved" basins --alpha 0.3 --lambda 0.2
expect 0 "no lambda is enough" basins --ensemble gaussian --alpha 0.7 --lambda 2
expect 0 "No lambda is enough" phases --ensemble binary --alpha 0.7
expect 0 "drift away" basins --alpha 0.3 --lambda 0.4 --neurons 64
expect 0 "10^130" basins --alpha 0.3 --lambda 0.8 --neurons 1000
expect 0 "Ramsauer" phases --lambda 2 --neurons 1000

# bad input
refuse 2 "--lambda" phases --lambda 0
refuse 2 "--lambda" phases --lambda -1
refuse 2 "--lambda" phases --lambda nan
refuse 2 "--lambda" phases --lambda inf
refuse 2 "--alpha" phases --alpha 0
refuse 2 "--alpha" phases --alpha -0.3
refuse 2 "--alpha" phases --alpha 1e3
refuse 2 "both" phases --lambda 1 --alpha 1
refuse 2 "neither" phases
refuse 2 "--neurons" phases --lambda 1 --neurons 1
refuse 2 "--neurons" phases --lambda 1 --neurons 0
refuse 2 "--neurons" phases --lambda 1 --neurons 2.5
refuse 2 "--ensemble" phases --lambda 1 --ensemble cubic
refuse 2 "--scaling" phases --lambda 1 --scaling 0.5
refuse 2 "--scaling" phases --alpha 1 --neurons 10 --scaling 0.5
refuse 2 "unknown option" phases --lambda 1 --beta 2
refuse 2 "too many" phases 3
refuse 2 "--lambda" basins --alpha 0.3
refuse 2 "--lambda" basins --alpha 0.3 --lambda 0
refuse 2 "--alpha" basins --alpha 0 --lambda 1
refuse 2 "neither" basins --lambda 1
refuse 2 "both" basins --lambda 1 --alpha 1 --patterns 9 --neurons 9
refuse 2 "--neurons" basins --lambda 1 --patterns 9
refuse 2 "--neurons" basins --lambda 1 --patterns 9 --neurons 1
refuse 2 "--patterns" basins --lambda 1 --neurons 10 --patterns 1
refuse 2 "--patterns" basins --lambda 1 --neurons 10 --patterns 9223372036854779904
refuse 2 "--patterns" basins --lambda 1 --neurons 10 --patterns 1e20
refuse 2 "--ensemble" basins --lambda 1 --alpha 0.1 --ensemble Gaussian
expect 0 '"log_patterns": 43.668272375' basins --lambda 3 --neurons 100 --patterns 9223372036854775808 --json

# figures: data and pictures
if command -v gnuplot >/dev/null; then
    for name in dense_phases dense_basins; do
        "$ireneo" figure $name --quick -o . >out || fault "figure $name failed"
        [ -s "$name.svg" ] && [ -s "$name.png" ] || fault "figure $name drew nothing"
    done
    grep -q '^1,0.6225719238,0.2406059125,0.6225719238,0.07429193767,' "dense_phases_spherical.csv" ||
        fault "dense_phases_spherical.csv has no row for lambda = 1"
    [ "$(grep -c '^0.3,' "dense_basins_spherical.csv")" -eq 101 ] || fault "dense_basins_spherical.csv is short"
fi

finish "dense theory: clean"

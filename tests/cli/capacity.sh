#!/bin/sh
# The list of commands, --help, --version, and ireneo capacity: answers, exit codes, bad input.
. "$(dirname "$0")/../support/cli.sh"
# ---- no command, unknown command, help, version
run 2
refuse 2 "no command 'memorise'" memorise
for command in capacity sample pairs store recall check verify; do
    run 0 "$command" --help
    grep -q "^usage: ireneo $command" out || fault "$command --help says: $(head -1 out)"
    refuse 2 "unknown option --fact" "$command" --fact
    refuse 2 "unknown option -x" "$command" -x
done
run 0 --help
run 0 --version

# ---- capacity
run 0 capacity --dim 100
grep -q "1 192" out || fault "capacity --dim 100 does not show 1 192"
run 0 capacity --dim 100 --json
near facts_capacity 1192.0 0.1
near delta 8.389059989 1e-8
run 0 capacity --dim-in 30 --dim-out 50 --candidates 500 --json
near facts_capacity 211.9 0.05
run 0 capacity --dim 50 --facts 376 --json
near probability_all_fit 0.474 0.01
run 0 capacity --dim 100 --candidates 3 --json
near delta 0.8333333333333 1e-9
run 0 capacity --dim 100 --rank 25 --json
near rank 25 0
refuse 2 "between 1 and" capacity --dim 0
refuse 2 "between 1 and" capacity --dim -5
refuse 2 "whole number" capacity --dim 2.5
refuse 2 "number" capacity --dim ten
refuse 2 "number" capacity --dim ""
refuse 2 "needs a value" capacity --dim
refuse 2 "1e+07" capacity --dim 1e30
refuse 2 "takes a number" capacity --dim 1e999
refuse 2 "takes a number" capacity --dim nan
refuse 2 "rank 101 is more" capacity --dim 100 --rank 101
refuse 2 "between" capacity --dim 100 --rank 0
refuse 2 "facts" capacity --dim 100 --facts -3
refuse 2 "facts" capacity --dim 100 --facts 1e30
refuse 2 "candidates" capacity --dim 100 --candidates 1
refuse 2 "candidates" capacity --dim 100 --candidates 1e30
refuse 2 "margin" capacity --dim 100 --margin -1
refuse 2 "not both" capacity --dim 100 --dim-in 3
refuse 2 "both --dim-in and --dim-out" capacity --dim-in 3
refuse 2 "give --dim" capacity
refuse 2 "too many" capacity --dim 100 surplus
refuse 2 "takes no value" capacity --dim 100 --json=yes
if [ -e /dev/full ]; then
    "$ireneo" capacity --dim 100 >/dev/full 2>err
    [ $? -eq 4 ] || fault "capacity to a full device does not end with 4"
    [ "$(wc -l <err)" -eq 1 ] || fault "capacity to a full device: $(cat err)"
fi

finish "capacity: all as it should be"

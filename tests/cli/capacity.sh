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
run 0 capacity --dim 100 --problem decoupled --json
near facts_capacity 1192.0 0.1
near delta 8.389059989 1e-8
near correction 0 0
run 0 capacity --dim 100 --json
near facts_capacity 1208 3
near facts_capacity_decoupled 1192.0 0.1
near facts_hebbian_half 164 2
is caveat ""
is problem original
run 0 capacity --dim-in 30 --dim-out 50 --candidates 500 --json --problem decoupled
near facts_capacity 211.9 0.05
run 0 capacity --dim 50 --facts 376 --json --problem decoupled
near probability_all_fit 0.474 0.01
run 0 capacity --dim 20 --candidates 10 --json
near facts_capacity 91 1
near effective_dimension 180 0
run 0 capacity --dim-in 40 --dim-out 10 --json
near facts_capacity 70.3 1.6
near hull_probability 0.013 0.005
# answers that are not equally frequent: 950 facts that are proved impossible at d = 100 do not "fit"
run 1 capacity --dim 100 --candidates 1000 --zipf 1 --facts 950 --json
is verdict "do not fit"
near facts_capacity 830 40
grep -q "few answers" out || fault "no caveat for skewed answers: $(cat out)"
run 0 capacity --dim 100 --candidates 1000 --zipf 0 --json
near facts_capacity 1244 8
"$python" - <<'END' || fault "targets could not be written"
import numpy as np
np.save("skewed.npy", np.repeat([5, 6, 7, 8], [300, 100, 10, 1]).astype(np.int64))
np.save("outside.npy", np.array([0, 1000], dtype=np.int64))
END
run 1 capacity --dim 100 --candidates 1000 --targets skewed.npy --json
near facts 411 0
holds "few answers cost" "r['facts_capacity'] < 500"
refuse 3 "target 1000 of fact 1" capacity --dim 100 --candidates 1000 --targets outside.npy
refuse 4 "none.npy" capacity --dim 100 --candidates 1000 --targets none.npy
refuse 2 "need the number of values" capacity --dim 100 --targets skewed.npy
refuse 2 "need the number of values" capacity --dim 100 --zipf 1
refuse 2 "exclude each other" capacity --dim 100 --candidates 1000 --targets skewed.npy --zipf 1
refuse 2 "candidates of its own" capacity --dim 100 --candidates 1000 --zipf 1 --problem decoupled
refuse 2 "zipf" capacity --dim 100 --candidates 1000 --zipf -1
refuse 2 "problem" capacity --dim 100 --problem own
run 0 capacity --dim 12 --facts 18 --free-entropy --json
near free_entropy -0.4233 0.008
near overlap 0.4039 0.01
holds "errors are told" "0 < r['free_entropy_error'] < 0.01 and 0 < r['overlap_error'] < 0.01"
run 1 capacity --dim 12 --facts 60 --free-entropy
grep -q "none is left" out || fault "no word about an empty volume: $(cat out)"
refuse 2 "needs the number of facts" capacity --dim 12 --free-entropy
refuse 2 "without a margin" capacity --dim 12 --margin 0.1 --facts 18 --free-entropy
run 0 capacity --dim 16 --rank 8 --candidates 20 --facts 43 --free-entropy --json
near free_entropy -0.6548 0.01
near overlap 0.579 0.01
near singular_low 0.463 0.01
near singular_high 2.315 0.01
run 1 capacity --dim 16 --rank 4 --candidates 20 --facts 70 --free-entropy
grep -q "none is left" out || fault "no word about an empty volume: $(cat out)" # a load of 0.82; E(1/4) log P / delta(P) = 0.66
refuse 2 "at most 5000" capacity --dim 12 --facts 18 --candidates 6000 --free-entropy
run 0 capacity --dim 100 --candidates 3 --json
near delta 0.8333333333333 1e-9
run 0 capacity --dim 100 --rank 25 --json
near rank 25 0
holds "the Hebbian rule is left out with a rank" "r['hebbian_accuracy'] is None and r['facts_hebbian_half'] is None"
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
run 0 capacity --dim 100 --candidates 1000 --top 5 --json
is top 5
near facts_capacity_top 2190 2190
run 0 capacity --dim 100 --top 5
grep -q "among the   5 best" out || fault "capacity --top does not tell: $(cat out)"
refuse 2 "always among" capacity --dim 100 --candidates 5 --top 5
refuse 2 "no margin" capacity --dim 100 --top 2 --margin 0.5
if [ -e /dev/full ]; then
    "$ireneo" capacity --dim 100 >/dev/full 2>err
    [ $? -eq 4 ] || fault "capacity to a full device does not end with 4"
    [ "$(wc -l <err)" -eq 1 ] || fault "capacity to a full device: $(cat err)"
fi

finish "capacity: all as it should be"

#!/bin/sh
# Files that store, check and recall cannot read or write: one sentence, exit codes, old files as they were.
. "$(dirname "$0")/../support/cli.sh"
"$python" "$root/tests/support/arrays.py" || exit 4
run 0 store keys.npy values.npy -o old.safetensors
cp old.safetensors before
run 0 store keys.npy values.npy --with-values -o memory.safetensors
run 0 store keys16.npy few.npy --targets targets.npy -o many.safetensors
run 0 sample --dim 20 --facts 110 --seed 3 -o over
run 1 store over/keys.npy over/values.npy -o none.safetensors --certificate proof.safetensors

# ---- bad data, the same for store and check; old output stays
for first in "store" "check memory.safetensors"; do
    last=
    [ "$first" = store ] && last="-o old.safetensors"
    # shellcheck disable=SC2086
    {
        refuse 4 "absent.npy" $first absent.npy values.npy $last
        refuse 4 "absent.npy" $first keys.npy absent.npy $last
        refuse 4 "absent.npy" $first keys.npy values.npy --targets absent.npy $last
        refuse 3 "nan.npy.*row 13.*column 2.*NaN" $first nan.npy values.npy $last
        refuse 3 "inf.npy.*row 13.*column 2" $first inf.npy values.npy $last
        refuse 3 "wide.npy.*row 13.*column 2" $first wide.npy values.npy $last
        refuse 3 "nan.npy" $first keys.npy nan.npy $last
        refuse 3 "row 11 is 20" $first keys.npy values.npy --targets targets-high.npy $last
        refuse 3 "row 11 is -1" $first keys.npy values.npy --targets targets-low.npy $last
        refuse 3 "19 targets.*20 keys" $first keys.npy values.npy --targets targets-short.npy $last
        refuse 3 "targets-real.npy" $first keys.npy values.npy --targets targets-real.npy $last
        refuse 3 "targets-square.npy" $first keys.npy values.npy --targets targets-square.npy $last
        refuse 3 "20 keys.*7 values" $first keys.npy few.npy $last
        refuse 3 "20 keys.*23 values" $first keys.npy more-values.npy $last
        refuse 3 "empty.npy" $first empty.npy values.npy $last
        refuse 3 "cube.npy" $first cube.npy values.npy $last
        refuse 3 "complex.npy.*complex" $first complex.npy values.npy $last
        refuse 3 "truncated.npy" $first truncated.npy values.npy $last
        refuse 3 "header.npy" $first header.npy values.npy $last
        refuse 3 "magic.npy" $first magic.npy values.npy $last
        refuse 3 "nothing.npy" $first nothing.npy values.npy $last
        refuse 3 "overflow.npy" $first overflow.npy values.npy $last
        refuse 3 "noise.safetensors" $first noise.safetensors values.npy $last
        refuse 3 "safetensors" $first memory.safetensors:absent values.npy $last
        refuse 3 "one candidate" $first one.npy one-value.npy $last
        refuse 3 "one candidate" $first keys.npy one-value.npy --targets zeros.npy $last
        refuse 2 "KEYS VALUES" $first $last
        refuse 2 "too many" $first keys.npy values.npy values.npy $last
        refuse 2 "threads" $first keys.npy values.npy --threads 0 $last
    }
done
refuse 3 "10 x 12" check memory.safetensors keys7.npy values.npy
refuse 3 "noise.safetensors" check noise.safetensors keys.npy values.npy
refuse 3 "proof.safetensors" check proof.safetensors keys.npy values.npy
refuse 4 "absent.safetensors" check absent.safetensors keys.npy values.npy

# ---- outputs that cannot be written
refuse 4 "absent/memory.safetensors" store keys.npy values.npy -o absent/memory.safetensors
refuse 4 "over" store keys.npy values.npy -o over
refuse 4 "keys.npy/x" store keys.npy values.npy -o keys.npy/x
refuse 4 "absent/proof" store over/keys.npy over/values.npy -o x.safetensors --certificate absent/proof.safetensors
if [ -e /dev/full ]; then refuse 4 "/dev/full" store keys.npy values.npy -o /dev/full; fi
cmp -s old.safetensors before || fault "an old output was touched by a refused store"
# A disk that fills up in the middle: the shell's limit of file size does the same to a write.

# ---- recall: bad input
refuse 2 "holds no values" recall many.safetensors keys.npy
refuse 3 "dimensions" recall memory.safetensors keys7.npy
refuse 3 "dimensions" recall memory.safetensors keys.npy --values keys7.npy
refuse 3 "nan.npy.*row 13" recall memory.safetensors nan.npy
refuse 4 "absent" recall absent.safetensors keys.npy
refuse 4 "absent" recall memory.safetensors absent.npy
refuse 4 "absent" recall memory.safetensors keys.npy --labels absent.txt
refuse 3 "neither a row from 0 to 19 nor a label" recall memory.safetensors keys.npy --pick 20
refuse 3 "neither a row" recall memory.safetensors keys.npy --pick 3,,4
refuse 2 "between 1 and 500" recall memory.safetensors keys.npy --top 0
refuse 2 "between 1 and 500" recall memory.safetensors keys.npy --top 501
refuse 2 "MEMORY QUERIES" recall memory.safetensors

finish "bad files: all refused"

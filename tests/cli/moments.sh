#!/bin/sh
# Moments of keys: what is read, what is refused, and that a file is written whole or not at all.
. "$(dirname "$0")/../support/cli.sh"

run 0 sample --dim 20 --facts 300 --seed 1 -o facts
expect 0 '300 keys of 20 entries' moments facts/keys.npy -o c.safetensors
run 0 moments facts/keys.npy facts/values.npy -o both.safetensors --json
is rows 600
is dim 20
near mean_square 20 1.5
near participation 20 1.5
cp c.safetensors before
run 0 moments facts/values.npy -o values.safetensors
run 0 moments values.safetensors c.safetensors -o merged.safetensors
cmp -s merged.safetensors both.safetensors || fault "parts do not make the whole"

refuse 2 'where the moments go' moments facts/keys.npy
refuse 2 'overwrite the input' moments c.safetensors facts/keys.npy -o c.safetensors
refuse 2 'ends so' moments facts/keys.npy -o c.npy
refuse 2 'not a file of moments' moments c.safetensors -o facts/keys.npy
refuse 2 'keys' moments facts/keys.npy:x -o d.safetensors
refuse 4 'nowhere' moments nowhere.npy -o d.safetensors
run 0 sample --dim 8 --facts 10 --seed 1 -o small
refuse 3 '8 entries' moments facts/keys.npy small/keys.npy -o d.safetensors
run 0 moments small/keys.npy -o small.safetensors
refuse 3 'of 8 entries' moments c.safetensors small.safetensors -o d.safetensors
"$python" -c "
import numpy as np
x = np.ones((5, 3)); np.save('vector.npy', x[0]); x[3, 1] = np.nan; np.save('nan.npy', x)
np.save('empty.npy', np.ones((0, 3)))"
refuse 3 'row 3' moments nan.npy -o d.safetensors
refuse 3 '1 axes' moments vector.npy -o d.safetensors
refuse 3 'empty' moments empty.npy -o d.safetensors
head -c 400 c.safetensors >cut.safetensors
refuse 3 'cut' moments cut.safetensors -o d.safetensors
[ ! -e d.safetensors ] || fault "an output in spite of an error"
cmp -s before c.safetensors || fault "an input was changed"
finish "moments: as promised"

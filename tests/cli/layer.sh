#!/bin/sh
# ireneo layer: one matrix and many, its picture, and what is refused.
. "$(dirname "$0")/../support/cli.sh"
real=$root/data/stories15m-last-layer.safetensors

run 0 layer "$real:W2" --unembed "$real:values" --ordinary "$real:ordinary_h" --json
is dim_in 768
is span_out 288
near stable_rank 53.7246 0.001
near facts_capacity 23202 20
near key_directions 573 1
near facts_left 5891 40
expect 0 'room left' layer "$real:W2" --unembed "$real:values" --ordinary "$real:ordinary_h"
grep -q 'fewer than 10 rows' out || fault "no word about few rows: $(cat out)"
run 0 moments "$real:ordinary_h" -o seen.safetensors
run 0 layer "$real:W2" --unembed "$real:values" --ordinary seen.safetensors --json
near key_directions 573 1
run 0 layer "$real" --candidates 1000 --json
holds "all matrices" "[x['tensor'] for x in r['layers']] == ['W2', 'values', 'edit_h', 'edit_r', 'ordinary_h', 'ordinary_r']"
is others 5

run 0 sample --dim 12 --facts 30 --seed 1 -o facts
expect 0 '30 x 12' layer facts/keys.npy
refuse 2 'leave out --candidates' layer facts/keys.npy --candidates 10 --unembed facts/values.npy
refuse 2 'only makes sense with --ordinary' layer facts/keys.npy --share 0.9
refuse 2 'one matrix' layer "$real" --ordinary "$real:ordinary_h"
refuse 3 'its outputs have 30 entries' layer facts/keys.npy --unembed facts/values.npy
refuse 3 'ordinary keys have 768 entries' layer facts/keys.npy --ordinary "$real:ordinary_h"
refuse 3 "no tensor 'V'" layer "$real:V"
refuse 4 'nowhere' layer nowhere.npy
refuse 2 'svg, .png or .pdf' layer facts/keys.npy --picture x.npy
refuse 2 'overwrite the input' layer facts/keys.npy --picture facts/keys.npy
"$python" -c "import numpy as np; x = np.ones((5, 3)); x[3, 1] = np.nan; np.save('nan.npy', x)"
refuse 3 'row 3' layer nan.npy
echo '{"weight_map": {"a": "gone.safetensors"}}' >model.safetensors.index.json
refuse 4 'gone.safetensors' layer model.safetensors.index.json
echo '{"weights": 1}' >bad.json
refuse 3 'weight_map' layer bad.json

if command -v gnuplot >/dev/null; then
    export TMPDIR="$folder"
    run 0 layer "$real:W2" --candidates 1000 --ordinary seen.safetensors --picture one.svg
    run 0 layer "$real" --picture all.png --json
    grep -q '</svg>' one.svg || fault "one.svg is no picture"
    [ -s all.png ] || fault "no all.png"
    cp one.svg before.svg
    mkdir scripts
    cp "$IRENEO_FIGURES/style.gp" scripts
    echo 'plot "missing.csv"' >scripts/layer.gp
    export IRENEO_FIGURES="$folder/scripts"
    refuse 4 'gnuplot failed' layer facts/keys.npy --picture one.svg
    cmp -s one.svg before.svg || fault "a picture was lost"
    [ -z "$(find . -name 'ireneo-layer-*')" ] || fault "left behind: $(find . -name 'ireneo-layer-*')"
fi
finish "layer: as promised"

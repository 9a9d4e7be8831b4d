#!/bin/sh
# ireneo attention with --preset, --config and diagnose: reports, exit codes, error sentences.
. "$(dirname "$0")/../support/cli.sh"
under=attention

# ---- presets: every name that is promised, and what contradicts them ----
for name in bert-base gpt2-small gpt2-xl vit-b deepnorm small llama-3-8b qwen-3 gemma-3 olmo-2; do
    run 0 propagate --preset $name --layers 2 --context 128 --json
    holds "similarities of $name" "len(r['rho']) == 3 and all(0 < rho < 1 for rho in r['rho'])"
    holds "the mask of $name" "r['transformer']['causal'] == ('$name' not in ('bert-base', 'vit-b', 'deepnorm', 'small'))"
    holds "W_O of $name" "r['transformer']['output_projection'] == ('$name' != 'small')"
done
run 0 propagate --preset small --layers 2 --json
holds "the weights of small" "[r['transformer'][k] for k in ('beta', 'value_variance', 'residual_attention', 'mlp_bias_variance')] == [0.5, 0.2, 2, 0.0004]"
run 0 propagate --preset small --std 0.02 --layers 2 --json
holds "small with other weights" "abs(r['transformer']['mlp_in_variance'] - 64 * 0.0004) < 1e-12 and r['transformer']['output_projection']"
run 0 recommend --preset bert-base --layers 2 --no-projection --json
holds "BERT without W_O" "not r['transformer']['output_projection'] and r['std_output'] == 0"
refuse 2 "not both" recommend --preset bert-base --output-projection --no-projection
refuse 2 "there is no preset" propagate --preset llama-9
refuse 2 "cannot be divided among 7 heads" propagate --preset gpt2-small --heads 7
refuse 2 "8 heads of keys" propagate --preset llama-3-8b --heads 4
refuse 2 "give --qk-norm" propagate --preset qwen-3 --beta 2
refuse 2 "no gate" propagate --preset bert-base --mlp-gate-variance 1
refuse 2 "no norm behind" propagate --preset bert-base --branch-gain 2
refuse 2 "leave out --norm" propagate --preset deepnorm --norm pre
refuse 2 "not both" propagate --preset bert-base --config config.json
refuse 2 "not both" propagate --preset bert-base --std 0.02 --beta 1
run 0 propagate --preset deepnorm --layers 8 --json
holds "deepnorm's skips at 8 layers" "abs(r['transformer']['residual_attention'] - 2) < 1e-9"

# ---- config.json ----
cat >config.json <<'TEXT'
{"model_type": "bert", "hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 256,
 "max_position_embeddings": 128, "hidden_act": "gelu", "initializer_range": 0.05, "colour": "red"}
TEXT
expect 0 "not understood: colour" propagate --config config.json
[ "$(grep -c colour out)" = 1 ] || fault "an unknown field is not named once"
for command in "trainability --betas 1 --residuals 1" "recommend" "simulate --draws 1"; do
    # shellcheck disable=SC2086
    expect 0 "width 64" $command --config config.json
done
run 0 propagate --config config.json --json
holds "numbers of the config" "r['transformer']['layers'] == 3 and r['transformer']['unknown_fields'] == 'colour'"
holds "beta of initializer_range" "abs(r['transformer']['beta'] - 0.05**2 * 64 / math.sqrt(math.log(128))) < 1e-12"
run 0 propagate --config=config.json --width 128 --json
holds "weights at another width" "abs(r['transformer']['beta'] - 0.05**2 * 128 / math.sqrt(math.log(128))) < 1e-12"
refuse 2 "config.json: a width of 64" propagate --config config.json --heads 7
refuse 4 "nowhere.json" propagate --config nowhere.json
bad() { # bad PATTERN JSON
    printf '%s' "$2" >bad.json
    refuse 3 "$1" recommend --config bad.json
}
bad "model_type is missing" '{"hidden_size": 64}'
bad "num_hidden_layers is missing" '{"model_type": "llama", "hidden_size": 64}'
bad "contradict" '{"model_type": "llama", "hidden_size": 64, "n_embd": 65}'
bad "divided among 5" '{"model_type": "bert", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 5}'
bad "not a valid config.json" '[1, 2]'
bad "not known; known are" '{"model_type": "mamba"}'

# ---- diagnose ----
"$python" - <<'TEXT' || fault "no models"
import json, struct
import numpy as np
random = np.random.default_rng(3)
def write(path, tensors):
    head, blobs, place = {}, [], 0
    for name, array in tensors.items():
        data = array.astype("<f2").tobytes()
        head[name] = {"dtype": "F16", "shape": list(array.shape), "data_offsets": [place, place + len(data)]}
        place += len(data)
        blobs.append(data)
    text = json.dumps(head).encode()
    open(path, "wb").write(struct.pack("<Q", len(text)) + text + b"".join(blobs))
shapes = {"self_attn.in_proj_weight": (192, 64), "self_attn.out_proj.weight": (64, 64), "linear1.weight": (256, 64),
          "linear2.weight": (64, 256)}
tensors = {f"layers.{i}.{n}": 0.1 * random.standard_normal(s) for i in range(3) for n, s in shapes.items()}
tensors["layers.1.self_attn.in_proj_weight"] *= 8  # attention condenses there
tensors["embedding.weight"] = random.standard_normal((40, 64))
tensors["mystery name"] = np.zeros(2)
write("model.safetensors", tensors)
np.save("ids.npy", np.array([[1, 2, 3, -1], [39, 0, 5, 5]]))
np.save("wrong.npy", np.array([[1, 2, 40]]))
TEXT
run 0 diagnose model.safetensors --context 64
grep -q "near\|beyond" out || fault "no layer is near a line"
grep -q "1 tensor with unknown names" out || fault "unknown names are not listed"
run 0 diagnose model.safetensors --context 64 --tokens ids.npy --json
holds "layers" "len(r['layers']) == 3 and r['unknown'] == ['mystery name'] and r['refusal'] == ''"
holds "the condensed layer" "r['layers'][1]['beta_margin'] < 1 < r['layers'][0]['beta_margin'] and r['layers'][1]['near_entropy_collapse']"
holds "tokens" "r['tokens'] == 7 and r['vocabulary'] == 40"
refuse 3 "sequence 0 has the id 40 at place 2" diagnose model.safetensors --tokens wrong.npy
refuse 3 "no layer with names of a known family" diagnose "$root/data/stories15m-last-layer.safetensors"
sed "s|\"num_hidden_layers\": 3|\"num_hidden_layers\": 4|" config.json >deeper.json
refuse 3 "says 4 layers" diagnose model.safetensors --config deeper.json
head -c 1000 model.safetensors >cut.safetensors
refuse 3 "cut.safetensors" diagnose cut.safetensors
refuse 4 "nothing.safetensors" diagnose nothing.safetensors
refuse 2 "MODEL" diagnose
refuse 2 "near" diagnose model.safetensors --near 0.5

# ---- what others do ----
run 0 recommend --layers 4 --width 64 --context 64 --json
holds "rows of the table" "[c['name'] for c in r['conventions']] == ['recommended', 'gpt2', 'bert', 'deepnorm', 'mup', 'torch']"
holds "the recommendation is a row" "r['conventions'][0]['rho'] == r['assessment']['rho']"
expect 0 "What others do" recommend --layers 4 --width 64 --context 64
refuse 2 "gate" recommend --layers 2 --width 64 --style llama

finish "attention models: all as it should be"

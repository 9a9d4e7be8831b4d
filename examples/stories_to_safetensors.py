"""Writes stories15M as Hugging Face would: model.safetensors with the names of Llama, and its config.json.

    python3 examples/stories_to_safetensors.py llama2.data -o FOLDER
    ireneo attention diagnose FOLDER/model.safetensors --config FOLDER/config.json --tokens data/stories.npy

llama2.data is the whole model, from the npm package that edit_language_model.py names."""

import argparse
import json
from pathlib import Path

import ireneo
from edit_language_model import Stories


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("-o", dest="folder", type=Path, required=True)
    arguments = parser.parse_args()
    model = Stories(arguments.model)
    tensors = {"model.embed_tokens.weight": model.embedding, "model.norm.weight": model.gain}
    names = {
        "input_layernorm": model.norm_attention, "self_attn.q_proj": model.q, "self_attn.k_proj": model.k, "self_attn.v_proj": model.v,
        "self_attn.o_proj": model.o, "post_attention_layernorm": model.norm_mlp, "mlp.gate_proj": model.w1, "mlp.down_proj": model.w2,
        "mlp.up_proj": model.w3,
    }  # fmt: skip
    for name, layers in names.items():
        for number, layer in enumerate(layers):
            tensors[f"model.layers.{number}.{name}.weight"] = layer
    arguments.folder.mkdir(parents=True, exist_ok=True)
    ireneo.save_tensors(arguments.folder / "model.safetensors", tensors)
    vocabulary, width = model.embedding.shape
    config = {
        "model_type": "llama", "hidden_size": width, "num_hidden_layers": len(model.q), "num_attention_heads": int(model.heads),
        "intermediate_size": model.w1.shape[1], "hidden_act": "silu", "max_position_embeddings": 256, "rope_theta": 10000.0,
        "vocab_size": vocabulary,
    }  # fmt: skip
    (arguments.folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")


if __name__ == "__main__":
    main()

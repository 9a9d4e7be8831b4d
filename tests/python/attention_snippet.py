"""Runs the PyTorch code of `ireneo attention recommend` on models of NumPy arrays that have the parameter names of
real ones, and holds the standard deviations of every matrix against the report.

usage: attention_snippet.py REPORT.json STYLE
"""
import json
import sys
import types

import numpy

random = numpy.random.default_rng(1)


class Parameter(numpy.ndarray):
    def normal_(self, mean, std):
        self[...] = random.normal(mean, std, self.shape)

    def zero_(self):
        self[...] = 0

    def fill_(self, value):
        self[...] = value

    def copy_(self, other):
        self[...] = other


def parameter(*shape):
    return (numpy.ones(shape) * 7).view(Parameter)


class Linear:
    def __init__(self, inputs, outputs):
        self.weight, self.bias = parameter(outputs, inputs), parameter(outputs)


torch = types.ModuleType("torch")
torch.no_grad = lambda: lambda function: function
torch.eye = numpy.eye
torch.nn = types.SimpleNamespace(Linear=Linear)
sys.modules["torch"] = torch


class Model:
    def __init__(self, modules=(), parameters=()):
        self.modules, self.parameters = dict(modules), dict(parameters)

    def named_modules(self):
        return self.modules.items()

    def named_parameters(self):
        return self.parameters.items()


def bert(layers, d, m):
    model = Model({"embeddings.word": object(), "pooler.dense": Linear(d, d)})
    for i in range(layers):
        layer = f"bert.encoder.layer.{i}."
        for name in ("query", "key", "value"):
            model.modules[layer + "attention.self." + name] = Linear(d, d)
        model.modules[layer + "attention.output.dense"] = Linear(d, d)
        model.modules[layer + "intermediate.dense"] = Linear(d, m)
        model.modules[layer + "output.dense"] = Linear(m, d)
    return model


PACKED = {
    "torch": ("layers.%d.self_attn.in_proj_", "layers.%d.self_attn.out_proj.", "layers.%d.linear1.", "layers.%d.linear2."),
    "gpt2": ("h.%d.attn.c_attn.", "h.%d.attn.c_proj.", "h.%d.mlp.c_fc.", "h.%d.mlp.c_proj."),
    "timm": ("blocks.%d.attn.qkv.", "blocks.%d.attn.proj.", "blocks.%d.mlp.fc1.", "blocks.%d.mlp.fc2."),
}


def packed(style, layers, d, m):
    model = Model(parameters={"wte.weight": parameter(9, d), "ln_f.bias": parameter(d)})
    for i in range(layers):
        for name, inputs, outputs in zip(PACKED[style], (d, d, d, m), (3 * d, d, m, d)):
            shape = (inputs, outputs) if style == "gpt2" else (outputs, inputs)
            model.parameters[name % i + "weight"] = parameter(*shape)
            model.parameters[name % i + "bias"] = parameter(outputs)
    return model


LLAMA = {"self_attn.q_proj": "std_query", "self_attn.k_proj": "std_key", "self_attn.v_proj": "std_value", "self_attn.o_proj": "std_output",
         "mlp.gate_proj": "gate", "mlp.up_proj": "std_mlp_in", "mlp.down_proj": "std_mlp_out"}


def llama(t):
    d, m, inner = t["width"], t["mlp_width"], t["heads"] * t["head_width"]
    keys = t["key_heads"] * t["head_width"]
    shapes = dict(zip(LLAMA, ((inner, d), (keys, d), (keys, d), (d, inner), (m, d), (m, d), (d, m))))
    model = Model(parameters={"model.embed_tokens.weight": parameter(9, d), "lm_head.weight": parameter(9, d)})
    for i in range(t["layers"]):
        for name, shape in shapes.items():
            model.parameters[f"model.layers.{i}.{name}.weight"] = parameter(*shape)
        model.parameters[f"model.layers.{i}.self_attn.q_proj.bias"] = parameter(inner)
        for name in ("self_attn.q_norm", "self_attn.k_norm"):
            model.parameters[f"model.layers.{i}.{name}.weight"] = parameter(t["head_width"])
        for name in ("input_layernorm", "post_attention_layernorm", "post_feedforward_layernorm"):
            model.parameters[f"model.layers.{i}.{name}.weight"] = parameter(d)
    return model


def check_llama(model, report, offset):
    t = report["transformer"]
    wanted = {**report, "gate": (t["mlp_gate_variance"] / t["width"]) ** 0.5}
    behind = t["norm"] in ("branch", "sandwich")
    for name, p in model.parameters.items():
        kind = name.split(".", 3)[-1].rsplit(".", 1)[0]
        if name.endswith("bias"):
            assert (p == 0).all(), name
        elif kind in LLAMA:
            check_std(name, p, wanted[LLAMA[kind]])
        elif kind.endswith(("q_norm", "k_norm")) and t["query_key_norm"] > 0:
            assert abs(p - (t["query_key_norm"] ** 0.5 - offset)).max() < 1e-5, name
        elif kind.startswith("post_") and behind:
            assert abs(p - (t["branch_gain"] - offset)).max() < 1e-5, name
        else:
            assert (p == 7).all(), name + " was touched"


def check_std(name, weights, std):
    measured = weights.std()
    assert abs(measured / std - 1) < 6 / numpy.sqrt(2 * weights.size), f"{name}: {measured}, not {std}"


def check_bert(model, r):
    for name, module in model.modules.items():
        if "layer." not in name:
            continue
        key = ("std_query" if name.endswith("query") else "std_key" if name.endswith("key") else "std_value"
               if name.endswith("value") else "std_output" if "attention.output" in name else "std_mlp_in"
               if "intermediate" in name else "std_mlp_out")
        check_std(name, module.weight, r[key])
        assert (module.bias == 0).all(), name
    assert (model.modules["pooler.dense"].weight == 7).all(), "the pooler was touched"


def ending(name):
    return name[name.index("%d") + 2:] + "weight"


def check_packed(style, model, r, d):
    for name, p in model.parameters.items():
        if name in ("wte.weight", "ln_f.bias"):
            assert (p == 7).all(), name + " was touched"
        elif name.endswith("bias"):
            assert (p == 0).all(), name
        elif name.endswith(ending(PACKED[style][0])):
            parts = numpy.split(p, 3, axis=1 if style == "gpt2" else 0)
            for part, key in zip(parts, ("std_query", "std_key", "std_value")):
                check_std(name, part, r[key])
        else:
            which = [ending(n) for n in PACKED[style]]
            key = ("", "std_output", "std_mlp_in", "std_mlp_out")[[name.endswith(w) for w in which].index(True)]
            if r[key] == 0:
                assert (p == numpy.eye(d)).all(), name
            else:
                check_std(name, p, r[key])


def main():
    report, style = json.load(open(sys.argv[1])), sys.argv[2]
    t = report["transformer"]
    layers, d, m = t["layers"], t["width"], t["mlp_width"]
    code = {}
    exec(compile(report["pytorch"], "snippet", "exec"), code)
    gated = style in ("llama", "gemma")
    model = llama(t) if gated else bert(layers, d, m) if style == "bert" else packed(style, layers, d, m)
    code["init_weights"](model)
    if gated:
        check_llama(model, report, 1.0 if style == "gemma" else 0.0)
    elif style == "bert":
        check_bert(model, report)
    else:
        check_packed(style, model, report, d)
    stranger = packed("timm" if style != "timm" else "torch", layers, d, m)
    try:
        code["init_weights"](stranger)
    except AssertionError as complaint:
        assert "matrices found" in str(complaint), complaint
    else:
        raise SystemExit("a model with other names passed in silence")


main()

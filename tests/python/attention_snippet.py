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
    model = bert(layers, d, m) if style == "bert" else packed(style, layers, d, m)
    code["init_weights"](model)
    if style == "bert":
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

"""Models on disk: config.json, names of tensors, what their weights amount to, in NumPy float64 from the definitions."""

import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

import ireneo
from ireneo import attention as a

D, M, HEADS, LAYERS, WORDS, T = 32, 96, 4, 3, 50, 16
random = np.random.default_rng(7)


def bfloat16(array):
    return (array.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def from_bfloat16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def write(path, tensors, dtype="F32"):
    """A .safetensors file, byte by byte: the library's own writer is not trusted here."""
    kinds = {"F32": lambda x: x.astype("<f4"), "F16": lambda x: x.astype("<f2"), "BF16": bfloat16, "F64": lambda x: x.astype("<f8")}
    head, blobs, place = {}, [], 0
    for name, array in tensors.items():
        data = kinds[dtype](array).tobytes()
        head[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [place, place + len(data)]}
        place += len(data)
        blobs.append(data)
    text = json.dumps(head).encode()
    Path(path).write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def draw(*shape, std=0.1):
    return std * random.standard_normal(shape)


def gains(n=D):
    return 1 + 0.3 * random.standard_normal(n)


def llama(keys=2, **more):
    head = D // HEADS
    tensors = {"model.embed_tokens.weight": draw(WORDS, D), "model.norm.weight": gains(), "lm_head.weight": draw(WORDS, D)}
    for i in range(LAYERS):
        p = f"model.layers.{i}."
        tensors.update({
            p + "input_layernorm.weight": gains(), p + "post_attention_layernorm.weight": gains(),
            p + "self_attn.q_proj.weight": draw(D, D, std=0.1 * (i + 1)), p + "self_attn.k_proj.weight": draw(keys * head, D),
            p + "self_attn.v_proj.weight": draw(keys * head, D, std=0.2), p + "self_attn.o_proj.weight": draw(D, D, std=0.3),
            p + "mlp.gate_proj.weight": draw(M, D), p + "mlp.up_proj.weight": draw(M, D, std=0.15),
            p + "mlp.down_proj.weight": draw(D, M, std=0.05),
        })  # fmt: skip
    tensors.update(more)
    return tensors


LLAMA = {
    "model_type": "llama", "hidden_size": D, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "num_key_value_heads": 2,
    "intermediate_size": M, "hidden_act": "silu", "max_position_embeddings": T, "initializer_range": 0.03, "rms_norm_eps": 1e-5,
    "rope_theta": 5e5, "vocab_size": WORDS,
}  # fmt: skip


def mean_square(x):
    return float(np.mean(np.asarray(x, np.float64) ** 2))


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def config(self, **fields):
        path = self.path("config.json")
        Path(path).write_text(json.dumps({k: v for k, v in fields.items() if v != "gone"}))
        return path

    def model(self, tensors, dtype="F32"):
        path = self.path("model.safetensors")
        write(path, tensors, dtype)
        return path

    def near(self, found, wanted, relative=1e-6):
        self.assertLess(abs(found / wanted - 1), relative, f"{found}, not {wanted}")


class ConfigTest(Folder):
    def test_llama(self):
        c = a.read_config(self.config(**LLAMA, colour="red"))
        t = c.transformer
        self.assertEqual((c.model_type, c.unknown, c.vocabulary, c.note), ("llama", ("colour",), WORDS, ""))
        self.assertEqual((t.layers, t.width, t.heads, t.key_heads, t.mlp_width, t.context), (LAYERS, D, HEADS, 2, M, T))
        self.assertEqual((t.normalisation, t.activation, t.causal, t.rms_norm, t.rope_base), ("pre", "swiglu", True, True, 5e5))
        self.near(t.beta, 0.03**2 * D / np.sqrt(np.log(T)))
        self.near(t.value_variance, (0.03**2 * D) ** 2)
        self.near(t.mlp_out_variance, 0.03**2 * M)
        self.near(t.mlp_gate_variance, 0.03**2 * D)
        self.near(t.q_0, 0.03**2)

    def test_others(self):
        gpt2 = a.read_config(self.config(model_type="gpt2", n_embd=64, n_layer=8, n_head=4, n_positions=128, n_ctx=128)).transformer
        self.assertEqual((gpt2.mlp_width, gpt2.activation, gpt2.rope_base, gpt2.context), (256, "gelu", 0, 128))
        self.near(gpt2.value_variance, (0.02**2 * 64) ** 2 / 16)  # W_O over sqrt(2 layers)
        vit = dict(LLAMA, model_type="vit", image_size=224, patch_size=16, max_position_embeddings="gone", hidden_act="gelu")
        self.assertEqual(a.read_config(self.config(**vit)).transformer.context, 197)
        bert = a.read_config(self.config(**dict(LLAMA, model_type="bert", hidden_act="relu", num_key_value_heads=None))).transformer
        self.assertEqual((bert.normalisation, bert.activation, bert.causal, bert.rms_norm), ("post", "relu", False, False))
        olmo = a.read_config(self.config(**dict(LLAMA, model_type="olmo2"))).transformer
        self.assertEqual((olmo.normalisation, olmo.query_key_norm), ("branch", 1.0))
        inner = {"model_type": "gemma3_text", "hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 34,
                 "sliding_window": 1024, "rope_scaling": {"factor": 8.0}, "query_pre_attn_scalar": 64}  # fmt: skip
        gemma = a.read_config(self.config(model_type="gemma3", text_config=inner, vision_config={}))
        t = gemma.transformer
        self.assertEqual((t.heads, t.key_heads, t.head_width, t.window, t.context), (8, 4, 256, 1024, 131072))
        self.assertEqual((t.normalisation, t.activation, t.rope_base), ("sandwich", "geglu", 1e4))
        self.near(t.query_key_norm, 2.0)  # sqrt(256 / 64)
        self.near(t.q_0, 0.02**2 * 2560)
        self.assertIn("rope_scaling", gemma.note)
        mistral = a.read_config(self.config(**dict(LLAMA, model_type="mistral", sliding_window=8))).transformer
        self.assertEqual(mistral.window, 8)
        qwen = dict(LLAMA, model_type="qwen2", sliding_window=8, use_sliding_window=False)
        self.assertEqual(a.read_config(self.config(**qwen)).transformer.window, 0)

    def refused(self, *words, **changes):
        with self.assertRaises(ireneo.DataError) as caught:
            a.read_config(self.config(**{**LLAMA, **changes}))
        for word in words:
            self.assertIn(word, str(caught.exception))

    def test_refusals(self):
        for name in ("model_type", "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size",
                     "max_position_embeddings"):  # fmt: skip
            self.refused(name, "missing", **{name: "gone"})
        self.refused("divided", num_attention_heads=5)
        self.refused("share", num_key_value_heads=3)
        self.refused("contradict", "n_embd", n_embd=D + 1)
        self.refused("whole number", hidden_size=2.5)
        self.refused("whole number", hidden_size=-4)
        self.refused("whole number", num_hidden_layers="many")
        self.refused("number between", rope_theta=0)
        self.refused("swish2", hidden_act="swish2")
        self.refused("experts", num_local_experts=8)
        self.refused("in part", partial_rotary_factor=0.5)
        self.refused("mamba", "llama, ", model_type="mamba")
        self.refused("relative_key", position_embedding_type="relative_key")
        Path(self.path("config.json")).write_text('{"model_type": "llama", "hidden_size": 1, "hidden_size": 2}')
        with self.assertRaisesRegex(ireneo.DataError, "twice"):
            a.read_config(self.path("config.json"))
        Path(self.path("config.json")).write_text("hello")
        with self.assertRaisesRegex(ireneo.DataError, "not a valid config.json"):
            a.read_config(self.path("config.json"))


class DiagnosisTest(Folder):
    def check_llama(self, found, tensors):
        for i, layer in enumerate(found.layers):
            def w(name):
                return np.asarray(tensors[f"model.layers.{i}.{name}.weight"], np.float64)  # noqa: B023
            before, between = w("input_layernorm"), w("post_attention_layernorm")
            q, k, v, o = (w(f"self_attn.{x}_proj") for x in "qkvo")
            gate, up, down = (w(f"mlp.{x}_proj") for x in ("gate", "up", "down"))
            for std, matrix in zip(layer.std, (q, k, v, o, gate, up, down)):
                self.near(std, matrix.std(), 1e-5)
            self.near(layer.beta, np.sqrt(mean_square(q * before) * mean_square(k * before)) * D / np.sqrt(np.log(T)), 1e-5)
            self.near(layer.value_variance, D * mean_square(v * before) * D * mean_square(o), 1e-5)
            self.near(layer.mlp_in_variance, D * mean_square(up * between), 1e-5)
            self.near(layer.mlp_gate_variance, D * mean_square(gate * between), 1e-5)
            self.near(layer.mlp_out_variance, M * mean_square(down), 1e-5)
            self.assertTrue(layer.complete)

    def test_llama_in_three_types_and_shards(self):
        tensors, config = llama(), self.config(**LLAMA)
        self.check_llama(a.diagnose(self.model(tensors), config=config), tensors)
        half = {name: x.astype(np.float16).astype(np.float64) for name, x in tensors.items()}
        self.check_llama(a.diagnose(self.model(tensors, "F16"), config=config), half)
        brain = {name: from_bfloat16(bfloat16(x)).astype(np.float64) for name, x in tensors.items()}
        self.check_llama(a.diagnose(self.model(tensors, "BF16"), config=config), brain)
        names = list(tensors)
        write(self.path("a.safetensors"), {n: tensors[n] for n in names[::2]})
        write(self.path("b.safetensors"), {n: tensors[n] for n in names[1::2]})
        index = {"metadata": {}, "weight_map": {n: "ab"[k % 2] + ".safetensors" for k, n in enumerate(names)}}
        Path(self.path("model.safetensors.index.json")).write_text(json.dumps(index))
        found = a.diagnose(self.path("model.safetensors.index.json"), config=config)
        self.check_llama(found, tensors)
        os.remove(self.path("b.safetensors"))
        with self.assertRaisesRegex(Exception, "b.safetensors"):
            a.diagnose(self.path("model.safetensors.index.json"), config=config)

    def test_rows_go_on_as_they_are(self):
        """Under a mask rows differ: a model of equal layers is followed as a transformer of that depth."""
        tensors = llama()
        for name in list(tensors):
            if name.startswith("model.layers.0."):
                for i in range(1, LAYERS):
                    tensors[name.replace(".0.", f".{i}.", 1)] = tensors[name]
        found = a.diagnose(self.model(tensors), config=self.config(**LLAMA))
        self.assertTrue(found.transformer.causal)
        wanted = a.propagate(found.transformer)
        np.testing.assert_allclose([layer.rho for layer in found.layers], wanted.rho[1:], rtol=1e-9)
        np.testing.assert_allclose([layer.q for layer in found.layers], wanted.scale[1:], rtol=1e-9)
        np.testing.assert_allclose([layer.entropy for layer in found.layers], wanted.entropy, rtol=1e-9)

    def test_stories(self):
        """The example writes what diagnose reads, from a file like that of llama2.c: stories15M at IRENEO_STORIES, or one made here."""
        path = os.environ.get("IRENEO_STORIES", self.path("llama2.data"))
        if "IRENEO_STORIES" not in os.environ:
            dim, hidden, layers, words = 288, 768, 6, 32000
            sizes = [words * dim, layers * dim, *[layers * dim * dim] * 4, layers * dim, *[layers * hidden * dim] * 3, dim]
            with open(path, "wb") as file:
                file.write(np.array([dim, hidden, layers, 6, 6, words, 256], "<i4").tobytes())
                for size in sizes:
                    file.write((0.05 * random.standard_normal(size)).astype("<f4").tobytes())
                for i in range(words):
                    token = b"<unk>" if i == 0 else b"%d" % i
                    file.write(np.float32(0).tobytes() + np.int32(len(token)).tobytes() + token)
        script = Path(__file__).parents[2] / "examples" / "stories_to_safetensors.py"
        subprocess.run([sys.executable, str(script), path, "-o", self.path("stories")], check=True)
        found = a.diagnose(self.path("stories/model.safetensors"), config=self.path("stories/config.json"), context=64)
        self.assertEqual((len(found.layers), found.unknown, found.unknown_fields, found.transformer.width), (6, (), (), 288))
        self.assertTrue(all(layer.complete and layer.beta_margin > 0 and 0 < layer.rho < 1 for layer in found.layers))
        if "IRENEO_STORIES" not in os.environ:
            self.near(found.layers[3].std.mlp_out, 0.05, 0.01)

    def test_input(self):
        tensors = llama()
        tensors["model.embed_tokens.weight"] += 0.08
        path, config = self.model(tensors), self.config(**LLAMA)
        vectors = tensors["model.embed_tokens.weight"].astype(np.float32).astype(np.float64)
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

        def rho(rows):
            cosines = unit[rows] @ unit[rows].T
            n = len(rows)
            return (cosines.sum() - np.trace(cosines)) / (n * (n - 1))

        found = a.diagnose(path, config=config)
        self.near(found.rho_0, rho(np.arange(WORDS)))
        self.near(found.q_0, mean_square(vectors))
        self.assertEqual((found.vocabulary, found.tokens, found.transformer.context), (WORDS, WORDS, T))
        ids = np.array([[3, 3, 7, 9, -1], [1, 2, 4, 0, 49]])
        np.save(self.path("ids.npy"), ids)
        found = a.diagnose(path, config=config, tokens=self.path("ids.npy"))
        self.near(found.rho_0, (rho([3, 3, 7, 9]) + rho([1, 2, 4, 0, 49])) / 2)
        self.near(found.q_0, mean_square(vectors[[3, 3, 7, 9, 1, 2, 4, 0, 49]]))
        self.assertEqual((found.tokens, found.transformer.context), (9, 5))
        for wrong in (WORDS, -2):
            np.save(self.path("ids.npy"), np.array([1, wrong]))
            with self.assertRaisesRegex(ireneo.DataError, str(wrong)):
                a.diagnose(path, config=config, tokens=self.path("ids.npy"))
        np.save(self.path("ids.npy"), np.array([1.5, 2.0]))
        with self.assertRaises(ireneo.DataError):
            a.diagnose(path, config=config, tokens=self.path("ids.npy"))

    def test_gpt2(self):
        """Matrices are (inputs, outputs), three side by side; positions are added, norms take the mean away."""
        tensors = {"wte.weight": draw(WORDS, D), "wpe.weight": draw(T, D), "ln_f.weight": gains()}
        for i in range(LAYERS):
            p = f"h.{i}."
            packed = np.hstack([draw(D, D, std=s) for s in (0.1, 0.2, 0.3)])
            tensors.update({p + "attn.c_attn.weight": packed, p + "attn.c_proj.weight": draw(D, D), p + "ln_1.weight": gains(),
                            p + "mlp.c_fc.weight": draw(D, M), p + "mlp.c_proj.weight": draw(M, D), p + "ln_2.weight": gains(),
                            p + "attn.c_attn.bias": draw(3 * D), p + "attn.c_proj.bias": draw(D), p + "attn.bias": draw(1, 1)})  # fmt: skip
        for turned in (False, True):  # nanoGPT keeps torch's order under the same names
            if turned:
                tensors = {n: x.T if x.ndim == 2 and n.startswith("h.") else x for n, x in tensors.items()}
            found = a.diagnose(self.model(tensors))
            self.assertEqual((found.family, found.unknown), ("gpt2", ()))
            self.assertEqual((found.transformer.normalisation, found.transformer.context), ("pre", T))
            for i, layer in enumerate(found.layers):
                packed = tensors[f"h.{i}.attn.c_attn.weight"].T if turned else tensors[f"h.{i}.attn.c_attn.weight"]
                q, k, v = np.hsplit(packed, 3)
                gain, out = tensors[f"h.{i}.ln_1.weight"][:, None], tensors[f"h.{i}.attn.c_proj.weight"]
                for std, matrix in zip(layer.std, (q, k, v)):
                    self.near(std, matrix.std(), 1e-5)
                self.near(layer.beta, np.sqrt(mean_square(q * gain) * mean_square(k * gain)) * D / np.sqrt(np.log(T)), 1e-5)
                bias = mean_square(tensors[f"h.{i}.attn.c_attn.bias"][2 * D:])
                self.near(layer.value_bias_variance,
                          bias * D * mean_square(out) + mean_square(tensors[f"h.{i}.attn.c_proj.bias"]), 1e-5)  # fmt: skip
        ids = random.integers(0, WORDS, (5, T))
        np.save(self.path("ids.npy"), ids)
        found = a.diagnose(self.path("model.safetensors"), tokens=self.path("ids.npy"))
        x = tensors["wte.weight"][ids] + tensors["wpe.weight"]
        x = x - x.mean(axis=-1, keepdims=True)
        u = x / np.linalg.norm(x, axis=-1, keepdims=True)
        cosines = np.einsum("nsd,ntd->nst", u, u)
        self.near(found.rho_0, (cosines.sum() - 5 * T) / (5 * T * (T - 1)), 1e-4)
        self.near(found.q_0, mean_square(x), 1e-5)
        np.save(self.path("ids.npy"), np.zeros((1, T + 1), int))
        with self.assertRaisesRegex(ireneo.DataError, "positions"):
            a.diagnose(self.path("model.safetensors"), tokens=self.path("ids.npy"))

    def test_bert_gains_are_skips(self):
        names = {"attention.self.query": (D, D), "attention.self.key": (D, D), "attention.self.value": (D, D),
                 "attention.output.dense": (D, D), "intermediate.dense": (M, D), "output.dense": (D, M)}  # fmt: skip
        tensors = {"bert.embeddings.word_embeddings.weight": draw(WORDS, D), "bert.embeddings.LayerNorm.weight": gains(),
                   "bert.embeddings.position_embeddings.weight": draw(T, D),
                   "bert.embeddings.token_type_embeddings.weight": draw(2, D)}  # fmt: skip
        for i in range(LAYERS):
            p = f"bert.encoder.layer.{i}."
            tensors.update({p + n + ".weight": draw(*shape) for n, shape in names.items()})
            tensors.update({p + n + ".LayerNorm.weight": gains() for n in ("attention.output", "output")})
        found = a.diagnose(self.model(tensors))
        self.assertEqual((found.family, found.transformer.normalisation, found.unknown), ("bert", "post", ()))
        before = [tensors["bert.embeddings.LayerNorm.weight"]]
        before += [tensors[f"bert.encoder.layer.{i}.output.LayerNorm.weight"] for i in range(LAYERS - 1)]
        for i, layer in enumerate(found.layers):
            q = tensors[f"bert.encoder.layer.{i}.attention.self.query.weight"]
            k = tensors[f"bert.encoder.layer.{i}.attention.self.key.weight"]
            self.near(layer.residual_attention, np.sqrt(mean_square(before[i])), 1e-5)
            self.near(layer.beta, np.sqrt(mean_square(q * before[i]) * mean_square(k * before[i])) * D / np.sqrt(np.log(T)), 1e-5)
        # all judged: chained layers agree with the map of one layer
        self.assertEqual(found.refusal, "")
        rho = max(found.rho_0, 0.0)
        for layer in found.layers:
            step = a.propagate(found.transformer, layers=1, rho_0=rho, beta=layer.beta, value_variance=layer.value_variance,
                               mlp_in_variance=layer.mlp_in_variance, mlp_out_variance=layer.mlp_out_variance,
                               residual_attention=layer.residual_attention, residual_mlp=layer.residual_mlp,
                               value_bias_variance=0.0, mlp_bias_variance=0.0)  # fmt: skip
            self.assertAlmostEqual(layer.rho, step.rho[1], 9)
            rho = layer.rho

    def test_gemma_and_olmo(self):
        """Norms behind branches, weights that are added to 1, gains of queries and keys."""
        for gemma in (True, False):
            tensors = llama(keys=HEADS)
            for i in range(LAYERS):
                p = f"model.layers.{i}."
                tensors[p + "post_feedforward_layernorm.weight"] = gains()
                wide = D // HEADS if gemma else D
                tensors[p + "self_attn.q_norm.weight"], tensors[p + "self_attn.k_norm.weight"] = gains(wide), gains(wide)
                if gemma:
                    tensors[p + "pre_feedforward_layernorm.weight"] = gains()
                else:
                    del tensors[p + "input_layernorm.weight"]
            found = a.diagnose(self.model(tensors), context=T)
            self.assertEqual((found.transformer.normalisation, found.unknown), ("sandwich" if gemma else "branch", ()))
            offset = 1.0 if gemma else 0.0
            for i, layer in enumerate(found.layers):
                p = f"model.layers.{i}."
                q, k = (tensors[p + f"self_attn.{x}_norm.weight"] + offset for x in "qk")
                self.near(layer.query_key_norm, np.sqrt(np.mean((q * k) ** 2)), 1e-5)
                behind = [mean_square(tensors[p + f"post_{x}_layernorm.weight"] + offset) for x in ("attention", "feedforward")]
                self.near(layer.branch_gain, np.sqrt(np.mean(behind)), 1e-5)
                if gemma:
                    up = tensors[p + "mlp.up_proj.weight"] * (1 + tensors[p + "pre_feedforward_layernorm.weight"])
                    self.near(layer.mlp_in_variance, D * mean_square(up), 1e-5)
            if gemma:
                self.assertEqual(found.transformer.heads, HEADS)
                self.near(found.q_0, D * mean_square(tensors["model.embed_tokens.weight"]), 1e-5)

    def test_torch(self):
        shapes = {"self_attn.in_proj_weight": (3 * D, D), "self_attn.out_proj.weight": (D, D), "linear1.weight": (M, D),
                  "linear2.weight": (D, M), "norm1.weight": (D,), "norm2.weight": (D,)}  # fmt: skip
        tensors = {f"layers.{i}.{name}": draw(*shape) + (len(shape) == 1) for i in range(2) for name, shape in shapes.items()}
        found = a.diagnose(self.model(tensors), context=T)
        self.assertEqual((found.family, found.transformer.normalisation, found.transformer.activation), ("torch", "post", "relu"))
        self.assertTrue(np.isnan(found.rho_0))
        self.assertEqual(a.diagnose(self.path("model.safetensors"), norm_first=True).transformer.normalisation, "pre")

    def test_packed(self):
        """Phi-3: three matrices of different height one below the other, and two of the MLP."""
        tensors, head = llama(), D // HEADS
        split = {n: x for n, x in tensors.items()}
        for i in range(LAYERS):
            p = f"model.layers.{i}."
            tensors[p + "self_attn.qkv_proj.weight"] = np.vstack([tensors.pop(p + f"self_attn.{x}_proj.weight") for x in "qkv"])
            tensors[p + "mlp.gate_up_proj.weight"] = np.vstack([tensors.pop(p + f"mlp.{x}_proj.weight") for x in ("gate", "up")])
            self.assertEqual(tensors[p + "self_attn.qkv_proj.weight"].shape, (D + 4 * head, D))
        self.check_llama(a.diagnose(self.model(tensors), config=self.config(**dict(LLAMA, model_type="phi3"))), split)

    def test_unknown_and_missing(self):
        tensors = llama(**{"model.layers.1.self_attn.secret.weight": draw(3, 3), "extra": draw(2)})
        del tensors["model.layers.1.mlp.up_proj.weight"]
        found = a.diagnose(self.model(tensors), config=self.config(**LLAMA, colour="red"))
        self.assertEqual(set(found.unknown), {"model.layers.1.self_attn.secret.weight", "extra"})
        self.assertEqual(found.unknown_fields, ("colour",))
        self.assertEqual([layer.complete for layer in found.layers], [True, False, True])
        self.assertTrue(np.isnan(found.layers[1].std.mlp_in) and np.isnan(found.layers[1].beta_margin))

    def refused(self, pattern, tensors, dtype="F32", **settings):
        with self.assertRaisesRegex(ireneo.DataError, pattern):
            a.diagnose(self.model(tensors, dtype), **settings)

    def test_refusals(self):
        config = self.config(**LLAMA)
        self.refused("no layer with names.*W2", {"W2": draw(3, 3)})
        self.refused("inputs", llama(**{"model.layers.2.mlp.down_proj.weight": draw(D, M + 1)}), config=config)
        self.refused("entries", llama(**{"model.layers.0.input_layernorm.weight": gains(D + 1)}), config=config)
        self.refused("NaN", llama(**{"model.layers.2.mlp.down_proj.weight": np.full((D, M), np.nan)}), config=config)
        self.refused("columns", llama(**{"model.embed_tokens.weight": draw(WORDS, D + 1)}), config=config)
        self.refused("layer 7", llama(**{"model.layers.7.mlp.down_proj.weight": draw(D, M)}), config=config)
        self.refused("same thing", llama(**{"model.layers.0.attention.wq.weight": draw(D, D)}), config=config)
        self.refused("says 4 layers", llama(), config=self.config(**dict(LLAMA, num_hidden_layers=4)))
        self.refused("expected", llama(), config=self.config(**dict(LLAMA, intermediate_size=M + 1)))
        self.refused("no embedding", {n: x for n, x in llama().items() if "embed" not in n}, tokens="x.npy")


class ConventionTest(unittest.TestCase):
    def test_formulas(self):
        t = a.transformer(layers=18, width=64, heads=4, mlp_width=256, context=128, activation="gelu")
        rows = {row.name: row for row in a.conventions(t)}
        self.assertEqual(list(rows), ["gpt2", "bert", "deepnorm", "mup", "torch"])
        self.assertAlmostEqual(rows["gpt2"].std.output, 0.02 / 6, 12)
        self.assertEqual(rows["bert"].std.mlp_out, 0.02)
        gain = (8 * 18) ** -0.25
        self.assertAlmostEqual(rows["deepnorm"].std.query, 1 / 8, 12)
        self.assertAlmostEqual(rows["deepnorm"].std.value, gain / 8, 12)
        self.assertAlmostEqual(rows["deepnorm"].std.mlp_in, gain * np.sqrt(2 / 320), 12)
        self.assertAlmostEqual(rows["deepnorm"].transformer.residual_attention, 36**0.25, 12)
        self.assertAlmostEqual(rows["mup"].transformer.beta, 1 / np.sqrt(16) / np.sqrt(np.log(128)), 12)
        self.assertAlmostEqual(rows["torch"].std.mlp_out, 1 / np.sqrt(3 * 256), 12)
        self.assertAlmostEqual(rows["torch"].transformer.value_variance, 1 / 9, 12)
        for row in rows.values():  # what follows is the theory of the row's own transformer
            depth = a.propagate(row.transformer)
            self.assertEqual((row.rho, row.entropy), (depth.rho[-1], depth.entropy[0]))

    def test_presets(self):
        wanted = {"llama-3-8b": (32, 4096, 32, 8, 14336), "qwen-3": (36, 4096, 32, 8, 12288), "gemma-3": (34, 2560, 8, 4, 10240),
                  "olmo-2": (32, 4096, 32, 0, 11008), "gpt2-xl": (48, 1600, 25, 0, 6400), "deepnorm": (100, 1024, 16, 0, 4096)}  # fmt: skip
        for name, sizes in wanted.items():
            t = a.preset(name)
            self.assertEqual((t.layers, t.width, t.heads, t.key_heads, t.mlp_width), sizes, name)
        self.assertAlmostEqual(a.preset("deepnorm").residual_mlp, 200**0.25, 12)
        self.assertAlmostEqual(a.preset("gpt2-xl").value_variance, (0.02**2 * 1600) ** 2 / 96, 12)


if __name__ == "__main__":
    unittest.main()

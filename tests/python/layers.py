"""A look at layers against NumPy's singular values, on made matrices and on a real one.

Run by ctest; by hand: PYTHONPATH=python IRENEO_LIBRARY=build/libireneo.so DATA=data python3 tests/python/layers.py"""

import json
import os
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

import ireneo
import numpy as np

REAL = Path(os.environ["DATA"]) / "stories15m-last-layer.safetensors"


def real(name):
    return ireneo.load_array(f"{REAL}:{name}").astype(np.float64)


class LayerTest(unittest.TestCase):
    def test_spectrum(self):
        random = np.random.default_rng(2)
        for rows, columns in ((1, 5), (40, 40), (300, 70), (65, 520)):
            matrix = random.standard_normal((rows, columns)).astype(np.float32)
            found = ireneo.layer(matrix, candidates=50, threads=2)
            s = np.linalg.svd(matrix.astype(float), compute_uv=False)
            np.testing.assert_allclose(found.singular_values, s, atol=1e-7 * s[0])
            self.assertAlmostEqual(found.norm, np.linalg.norm(matrix.astype(float)), places=6)
            self.assertAlmostEqual(found.median, np.median(s), places=6)
            self.assertAlmostEqual(found.stable_rank, (s**2).sum() / s[0] ** 2, places=6)
            self.assertAlmostEqual(found.participation, (s**2).sum() ** 2 / (s**4).sum(), places=6)
            p = s / s.sum()
            self.assertAlmostEqual(found.effective_rank, np.exp(-(p * np.log(p)).sum()), places=5)
            self.assertEqual(found.rank, min(rows, columns))
            single = ireneo.layer(matrix, candidates=50, threads=1)
            np.testing.assert_array_equal(single.singular_values, found.singular_values)
            self.assertTrue(np.isnan(found.facts_left) and found.key_spectrum is None)

    def test_law_counts_ranks(self):
        random = np.random.default_rng(3)
        low = random.standard_normal((60, 6)) @ random.standard_normal((6, 50))
        found = ireneo.layer(low, candidates=1000)
        self.assertEqual(found.rank, 6)
        full = ireneo.capacity(dim_in=50, dim_out=60, candidates=1000).facts_capacity
        self.assertAlmostEqual(found.facts_capacity, full)
        at_rank = ireneo.capacity(dim_in=50, dim_out=60, rank=6, candidates=1000).facts_capacity
        self.assertAlmostEqual(found.facts_capacity_at_rank, at_rank)
        few = ireneo.layer(low, candidates=10)  # 10 values span 9 dimensions
        self.assertEqual(few.span_out, 9)
        flat = random.standard_normal((200, 20)) @ random.standard_normal((20, 60))
        self.assertEqual(ireneo.layer(low, values=flat).span_out, 20)

    def test_ordinary_keys(self):
        random = np.random.default_rng(4)
        scales = np.array([10.0] * 5 + [0.05] * 35)
        keys = random.standard_normal((4000, 40)) * scales
        found = ireneo.layer(random.standard_normal((30, 40)), candidates=500, ordinary=keys)
        second = keys.astype(np.float32).astype(float)
        second = second.T @ second / len(keys)
        spectrum = np.linalg.eigvalsh(second)[::-1]
        np.testing.assert_allclose(found.key_spectrum, spectrum, atol=1e-9 * spectrum[0])
        self.assertEqual(found.key_directions, 5)
        self.assertAlmostEqual(found.facts_claimed, found.facts_capacity * 5 / 40)
        self.assertAlmostEqual(found.facts_left, found.facts_capacity * 35 / 40)
        self.assertAlmostEqual(found.key_participation, np.trace(second) ** 2 / (second**2).sum(), places=6)
        whole = ireneo.layer(random.standard_normal((30, 40)), candidates=500, ordinary=keys, share=1.0)
        self.assertEqual((whole.key_directions, whole.facts_left), (40, 0))

    def test_room_is_there(self):
        """What is left by the law can be stored without touching the claimed directions; half as much again cannot. (The
        law is within 5 % at this size.)"""
        random = np.random.default_rng(5)
        dim, claimed, candidates = 40, 25, 400
        keys = random.standard_normal((5000, dim)) * np.array([5.0] * claimed + [0.01] * (dim - claimed))
        found = ireneo.layer(random.standard_normal((dim, dim)), candidates=candidates, ordinary=keys)
        self.assertEqual(found.key_directions, claimed)
        values = random.standard_normal((candidates, dim))
        for factor, fits in ((0.85, True), (1.5, False)):
            n = int(factor * found.facts_left)
            new = random.standard_normal((n, dim))
            new[:, :claimed] = 0  # a change outside of the claimed directions sees this part of a key alone
            _, info = ireneo.store(new, values, random.integers(0, candidates, n))
            self.assertEqual(info.stored, fits)

    def test_real_layer(self):
        w, keys = real("W2"), real("ordinary_h")
        found = ireneo.layer(w, values=real("values"), ordinary=f"{REAL}:ordinary_h")
        s = np.linalg.svd(w, compute_uv=False)
        np.testing.assert_allclose(found.singular_values, s, atol=1e-7 * s[0])
        second = keys.T @ keys / len(keys)
        spectrum, vectors = np.linalg.eigh(second)
        held = np.cumsum(spectrum[::-1]) / spectrum.sum()
        self.assertEqual(found.key_directions, int((held < 0.99).sum()) + 1)
        self.assertEqual((found.span_in, found.span_out, found.rank), (768, 288, 288))
        self.assertAlmostEqual(found.key_participation, 29.0376, places=3)
        self.assertAlmostEqual(found.key_participation_centred, 70.7663, places=3)
        self.assertAlmostEqual(found.output_square, np.trace(w @ second @ w.T), places=6)
        self.assertAlmostEqual(found.facts_capacity, 23202, delta=20)
        # Keys that were not among them: 6.8 % of their square, not 1 %, lies outside of the claimed directions.
        other = real("edit_h")
        outside = other @ vectors[:, : 768 - int(found.key_directions)]
        self.assertAlmostEqual((outside**2).sum() / (other**2).sum(), 0.068, delta=0.001)

    def test_rule_of_thumb(self):
        """The least changes for 10 and 100 facts of the real layer (docs/layers.md, where they come from) are n / d_in
        times a tenth of the output's square."""
        w, keys = real("W2"), real("ordinary_h")
        second = keys.T @ keys / len(keys)
        total = np.trace(w @ (second + 0.01 * np.trace(second) / 768 * np.eye(768)) @ w.T)
        for n, change in ((10, 0.280064), (100, 0.804080)):
            self.assertAlmostEqual(change**2 / total / (n / 768), 0.1, delta=0.02)

    def test_refusals(self):
        for words, fault in (
            ({"values": np.ones((4, 3))}, ireneo.DataError), ({"ordinary": np.ones((4, 3))}, ireneo.DataError),
            ({"candidates": 1}, ireneo.ArgumentError), ({"share": 2}, ireneo.ArgumentError),
            ({"ordinary": np.zeros((4, 5))}, ireneo.DataError),
        ):  # fmt: skip
            with self.assertRaises(fault, msg=str(words)):
                ireneo.layer(np.ones((4, 5)), **words)
        with self.assertRaises(ireneo.DataError):
            ireneo.layer([[1.0, np.inf]])
        self.assertEqual(ireneo.layer(np.zeros((3, 3)), candidates=5).rank, 0)


class ModelTest(unittest.TestCase):
    """All matrices of a model: bfloat16, float16 and float32, in shards."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        random = np.random.default_rng(6)
        self.a = random.standard_normal((20, 30)).astype(np.float32)
        self.b = random.standard_normal((30, 30)).astype(np.float16)
        rounded = (self.a.view(np.uint32) >> 16).astype(np.uint16)
        self.c = (rounded.astype(np.uint32) << 16).view(np.float32)
        self.write("model-1.safetensors", {"a": ("F32", self.a), "norm": ("F32", self.a[0])})
        self.write("model-2.safetensors", {"b": ("F16", self.b), "c": ("BF16", rounded)})
        first, second = "model-1.safetensors", "model-2.safetensors"
        places = {"a": first, "norm": first, "b": second, "c": second}
        self.path("model.safetensors.index.json").write_text(json.dumps({"weight_map": places}))

    def path(self, name):
        return Path(self.folder.name, name)

    def write(self, name, tensors):
        header, body = {}, b""
        for key, (dtype, array) in tensors.items():
            place = [len(body), len(body) + array.nbytes]
            header[key] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": place}
            body += array.tobytes()
        text = json.dumps(header).encode()
        self.path(name).write_bytes(struct.pack("<Q", len(text)) + text + body)

    def run_program(self, *arguments, code=0):
        program = os.environ["IRENEO_PROGRAM"]
        done = subprocess.run([program, "layer", *arguments], cwd=self.folder.name, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_shards(self):
        report = json.loads(self.run_program("model.safetensors.index.json", "--candidates", "100", "--json").stdout)
        found = {layer["tensor"]: layer for layer in report["layers"]}
        self.assertEqual((set(found), report["others"], report["most_room"]), ({"a", "b", "c"}, 1, "b"))
        for name, matrix in (("a", self.a), ("b", self.b), ("c", self.c)):
            s = np.linalg.svd(matrix.astype(float), compute_uv=False)
            self.assertAlmostEqual(found[name]["largest"], s[0], places=6)
            self.assertAlmostEqual(found[name]["smallest"], s[-1], places=5)
            self.assertEqual((found[name]["dim_out"], found[name]["dim_in"]), matrix.shape)
        self.assertEqual([found[k]["dtype"] for k in "abc"], ["float32", "float16", "bfloat16"])
        self.assertIn("most room: b", self.run_program("model.safetensors.index.json").stdout)

    def test_missing_shard(self):
        self.path("model-2.safetensors").unlink()
        self.assertIn("not there", self.run_program("model.safetensors.index.json", code=4).stderr)


if __name__ == "__main__":
    unittest.main()

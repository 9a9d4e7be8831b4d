"""What users of Python expect of objects: copies, calls, tensors, tables in notebooks, bars.

Run by ctest; by hand: PYTHONPATH=python IRENEO_LIBRARY=build/libireneo.so python3 tests/python/convenience.py"""

import copy
import importlib.util
import io
import os
import pickle
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom
from contextlib import redirect_stderr
from pathlib import Path

import numpy as np

import ireneo
from ireneo import archives, display

HAVE = {name: importlib.util.find_spec(name) is not None for name in ("torch", "tqdm", "matplotlib")}


def made(rank=None):
    keys, values = ireneo.sample(20, facts=40 if rank else 60)
    memory, info = ireneo.store(keys, values, rank=rank)
    assert info.stored
    return keys, values, memory, info


class CopyTest(unittest.TestCase):
    def same(self, one, two):
        self.assertEqual((one.rank, one.facts_hash), (two.rank, two.facts_hash))
        self.assertEqual(one.W.tobytes(), two.W.tobytes())

    def test_pickle_and_copies(self):
        for rank in (None, 12):
            _, _, memory, _ = made(rank)
            for other in (pickle.loads(pickle.dumps(memory)), copy.copy(memory), copy.deepcopy(memory)):
                self.same(memory, other)
                with tempfile.TemporaryDirectory() as folder:  # what `save` writes of how it was made comes along
                    memory.save(Path(folder, "a")), other.save(Path(folder, "b"))
                    self.assertEqual(Path(folder, "a").read_bytes(), Path(folder, "b").read_bytes())

    def test_a_deep_copy_is_apart(self):
        _, _, memory, _ = made()
        other = copy.deepcopy(memory)
        other.W[0, 0] += 1
        self.assertNotEqual(other.W[0, 0], memory.W[0, 0])

    def test_infos_of_another_version_are_left_out(self):
        _, _, memory, _ = made()
        state = memory.__getstate__()
        state["_info"] += b"more"
        other = ireneo.Memory(memory.W)
        other.__setstate__(state)
        self.assertIsNone(other._info)

    def test_reports_and_extras(self):
        keys, values, memory, info = made()
        with tempfile.TemporaryDirectory() as folder:
            memory.save(Path(folder, "m"), values, keys=keys, key_labels=[f"k{i}" for i in range(60)])
            loaded = pickle.loads(pickle.dumps(ireneo.Memory.load(Path(folder, "m"))))
        self.assertEqual(loaded.ask("k7", top=1)[0][0], "7")
        other = pickle.loads(pickle.dumps(info))
        self.assertEqual((other.status, other.facts, other.phases), (info.status, info.facts, info.phases))
        keys, values = ireneo.sample(5, facts=30)
        _, info = ireneo.store(keys, values)
        self.assertTrue(pickle.loads(pickle.dumps(info)).certificate.verify(keys, values))


class CallTest(unittest.TestCase):
    def test_numpy(self):
        for rank in (None, 12):
            keys, values, memory, _ = made(rank)
            wanted = keys.astype(np.float64) @ memory.W.astype(np.float64).T
            self.assertTrue(np.allclose(memory(keys), wanted, rtol=1e-4, atol=1e-4))
            self.assertTrue(np.allclose(memory(keys[0]), wanted[0], rtol=1e-4, atol=1e-4))
            self.assertEqual(memory(keys.reshape(2, -1, 20)).shape, (2, len(keys) // 2, 20))
            self.assertEqual((memory(keys) @ values.T).argmax(1).tolist(), list(range(len(keys))))
            self.assertEqual(np.asarray(memory, dtype=np.float64).tolist(), memory.W.astype(np.float64).tolist())

    def test_refusals(self):
        _, _, memory, _ = made()
        for bad in (np.zeros(19), np.zeros((2, 21)), 1.0):
            self.assertRaisesRegex(ireneo.DataError, "20 dimensions", memory, bad)


class Stub:
    """Stands in for a tensor of a machine with a graphics card: what `is_tensor` and `as_numpy` look at."""

    def __init__(self, device="cpu", layout="torch.strided", is_quantized=False):
        self.device = type("device", (), {"type": device.split(":")[0], "__str__": lambda _: device})()
        self.layout, self.is_quantized = layout, is_quantized


Stub.__module__, Stub.__name__, Stub.__qualname__ = "torch", "Tensor", "Tensor"


class TensorTest(unittest.TestCase):
    def test_sentences(self):
        cases = [
            (Stub("cuda:0"), r"keys: the tensor is on cuda:0; move it to main memory with \.cpu\(\)"),
            (Stub("meta"), "keys: .*no numbers"),
            (Stub(layout="torch.sparse_coo"), r"keys: .*\.to_dense\(\)"),
            (Stub(is_quantized=True), r"keys: .*\.dequantize\(\)"),
        ]
        for tensor, sentence in cases:
            self.assertRaisesRegex(ireneo.DataError, sentence, ireneo.store, tensor, np.eye(3))

    def test_what_refuses_to_be_an_array(self):
        class Stubborn:
            def __array__(self, dtype=None, copy=None):
                raise TypeError("it is elsewhere")

        self.assertRaisesRegex(ireneo.DataError, "values: it is elsewhere", ireneo.store, np.eye(3), Stubborn())

    @unittest.skipUnless(HAVE["torch"], "PyTorch is not installed")
    def test_torch(self):
        import torch

        keys, values, memory, _ = made()
        k, v = torch.from_numpy(keys), torch.from_numpy(values)
        grown = k.clone().requires_grad_()
        for kind in (grown, torch.nn.Parameter(k), k.double(), k.t().contiguous().t()):
            same, info = ireneo.store(kind, v)
            self.assertEqual(same.W.tobytes(), memory.W.tobytes())
        brain, info = ireneo.store(k.bfloat16(), v.bfloat16(), torch.arange(60))
        wanted, _ = ireneo.store(k.bfloat16().float().numpy(), v.bfloat16().float().numpy())
        self.assertEqual(brain.W.tobytes(), wanted.W.tobytes())
        self.assertEqual(memory.recall(k[:3], v, top=1).indices.ravel().tolist(), [0, 1, 2])
        self.assertRaisesRegex(ireneo.DataError, "no numbers", ireneo.store, torch.empty(3, 3, device="meta"), v)
        self.assertRaisesRegex(ireneo.DataError, "to_dense", ireneo.store, torch.eye(3).to_sparse(), np.eye(3))

    @unittest.skipUnless(HAVE["torch"], "PyTorch is not installed")
    def test_layers(self):
        import torch

        for rank in (None, 12):
            keys, values, memory, _ = made(rank)
            layer, x = memory.linear(), torch.from_numpy(keys).requires_grad_()
            scores = layer(x) @ torch.from_numpy(values).T
            self.assertEqual(scores.argmax(1).tolist(), list(range(len(keys))))
            self.assertEqual(sum(p.numel() for p in layer.parameters()), memory.W.size if not rank else 2 * 20 * 12)
            self.assertTrue(torch.allclose(memory(x), layer(x), atol=1e-4))
            memory(x).sum().backward()
            self.assertTrue(np.allclose(x.grad[0].numpy(), memory.W.sum(0), atol=1e-3))
        layer = torch.nn.Linear(20, 20, bias=False)
        layer.weight = torch.nn.Parameter(torch.from_numpy(memory.W))  # the line in docs/python.md
        self.assertEqual(ireneo.Memory(layer.weight).W.tobytes(), memory.W.tobytes())


class NotebookTest(unittest.TestCase):
    """Tables are well-formed, and show what they should."""

    def parsed(self, thing):
        text = thing._repr_html_()
        named = {"&ndash;": "-", "&infin;": "inf", "&minus;": "-", "&thinsp;": " ", "&times;": "x"}
        for name, character in named.items():
            text = text.replace(name, character)
        return text, xml.dom.minidom.parseString(f"<div>{text}</div>")

    def test_tables(self):
        keys, values, memory, info = made()
        text, page = self.parsed(memory)
        self.assertIn("60 of 60", text)
        self.assertEqual(len(page.getElementsByTagName("rect")), 400)
        things = [
            info, ireneo.capacity(100), memory.check(keys, values), memory.check_noise(keys, values, strength=0.1),
            ireneo.dense.phases(1.0), ireneo.dense.basins(1.0, 0.3), ireneo.dense.recall(values, values[:3]),
            ireneo.dense.audit(values), ireneo.attention.layer(1.0, 64), ireneo.attention.transformer(),
            ireneo.attention.propagate(layers=3), ireneo.attention.assess(layers=3), ireneo.attention.recommend(layers=3),
            ireneo.attention.trainability([0.5, 1.0], [1.0, 2.0], layers=3),
        ]  # fmt: skip
        for thing in things:
            text, page = self.parsed(thing)
            self.assertIn(type(thing).__name__, text)
            self.assertGreater(len(page.getElementsByTagName("tr")), 4, type(thing))
        self.assertEqual(len(self.parsed(ireneo.attention.propagate(layers=9))[1].getElementsByTagName("polyline")), 12)

    def test_every_report_has_a_table(self):
        for module in (ireneo, ireneo.dense, ireneo.attention):
            for name in module.__all__:
                item = getattr(module, name)
                if isinstance(item, type) and hasattr(item, "__dataclass_fields__") and name != "OwnCandidates":
                    self.assertTrue(issubclass(item, display.Report), name)

    def test_odd_values(self):
        self.assertEqual(display.cell(float("nan")), "&ndash;")
        self.assertEqual(display.cell("<b>"), "&lt;b&gt;")
        self.assertEqual(display.curve(np.array([np.nan, 1.0])), "")
        self.assertIn("<polyline", display.curve(np.array([1.0, np.inf, 1.0])))
        for shape in ((1, 1), (3, 700), (700, 3)):
            self.assertIn("<rect", display.picture(np.zeros(shape, np.float32)))


class ProgressTest(unittest.TestCase):
    def test_bar(self):
        keys, values = ireneo.sample(40, facts=200)
        said = io.StringIO()
        with redirect_stderr(said):
            _, info = ireneo.store(keys, values, progress=True)
        self.assertTrue(info.stored)
        self.assertEqual("%" in said.getvalue(), HAVE["tqdm"])  # without tqdm only a terminal sees something
        self.assertRaisesRegex(ireneo.ArgumentError, "progress", ireneo.store, keys, values, progress=3)
        ireneo.store(keys, values, progress=False)

    def test_without_tqdm(self):
        program = (
            "import sys; sys.modules['tqdm'] = sys.modules['tqdm.auto'] = None\n"
            "sys.stderr.isatty = lambda: True\n"
            "import ireneo; print(ireneo.store(*ireneo.sample(40, facts=200), progress=True)[1].status)"
        )
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
        self.assertEqual(run.stdout, b"stored\n")
        self.assertRegex(run.stderr, rb"\r\x1b\[K\w.* \d+ %")
        self.assertTrue(run.stderr.endswith(b"\r\x1b[K"))


class SelfTestTest(unittest.TestCase):
    """The self-test says yes here, and no when a number is wrong."""

    def run_with(self, change):
        program = f"import ireneo, numpy as np, sys; from dataclasses import replace; from ireneo import selftest\n{change}\nsys.exit(selftest.main())"
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        return run.returncode, run.stdout

    def test_right(self):
        code, said = self.run_with("pass")
        self.assertEqual(code, 0, said)
        self.assertIn("5 of 5 are right", said)

    def test_wrong(self):
        changes = {
            "law": "real = ireneo.capacity; ireneo.capacity = lambda d: replace(real(d), facts_capacity_decoupled=1190.0)",
            "linear memory": "real = ireneo.Memory.recall; ireneo.Memory.recall = lambda *a, **k: real(*a, **k)._replace(scores=np.ones((200, 3)))",
            "proof": "real = ireneo.store\ndef store(*a):\n  m, i = real(*a)\n  if i.certificate: i.certificate.weights[0] *= 1.01\n  return m, i\nireneo.store = store",
            "dense memory": "real = ireneo.dense.recall; ireneo.dense.recall = lambda *a, **k: real(*a, lambda_=0.501, steps=1)",
            "attention": "real = ireneo.attention.layer; ireneo.attention.layer = lambda b, c: real(1.1 * b, c)",
        }
        for name, change in changes.items():
            code, said = self.run_with(change)
            self.assertEqual(code, 1, said)
            self.assertRegex(said, rf"  {name} +FAILED")


class ArchiveTest(unittest.TestCase):
    """.npz by NumPy, as wheels read it, against the library's own reader and its sentences."""

    def test_reading(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a:b.npz")
            arrays = {"x": np.arange(6.0).reshape(2, 3), "y": np.asfortranarray(np.eye(3, dtype=">f4")), "n:m": np.arange(3)}
            for save in (np.savez, np.savez_compressed):
                save(path, **arrays)
                for name, array in arrays.items():
                    for ending in ("", ".npy"):
                        got, wanted = archives.load(f"{path}:{name}{ending}"), ireneo.load_array(f"{path}:{name}{ending}")
                        self.assertEqual((got.dtype, got.shape, got.tobytes()), (wanted.dtype, wanted.shape, wanted.tobytes()))
            for location in (path, f"{path}:none"):
                with self.assertRaises(ireneo.DataError) as caught:
                    ireneo.load_array(location)
                self.assertRaisesRegex(ireneo.DataError, str(caught.exception)[-30:], archives.load, location)
            np.savez(path, only=np.ones(2))
            self.assertEqual(archives.load(path).tolist(), [1.0, 1.0])
            whole = Path(path).read_bytes()
            for length in range(0, len(whole), 7):  # cut anywhere: no zip file, or a sentence
                Path(path).write_bytes(whole[:length])
                self.assertIsNone(archives.load(path))
            damaged = bytearray(whole)
            damaged[whole.index(b"\x93NUMPY") + 130] ^= 1
            Path(path).write_bytes(damaged)
            self.assertRaisesRegex(ireneo.DataError, "CRC", archives.load, path)
            np.savez(path, objects=np.array([{}], dtype=object))
            self.assertRaises(ireneo.DataError, archives.load, path)
        self.assertIsNone(archives.load(os.path.join(folder, "gone.npz")))


if __name__ == "__main__":
    unittest.main()

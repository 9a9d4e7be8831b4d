"""The Python binding against NumPy: every claim of the library is recomputed here in float64.

Run by ctest; by hand: PYTHONPATH=python IRENEO_LIBRARY=build/libireneo.so python3 tests/python_binding.py"""

import base64
import hashlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import zipfile
from pathlib import Path

import numpy as np

import ireneo
from ireneo import library, structures

ROOT = Path(__file__).resolve().parent.parent
HEADER = ROOT / "include" / "ireneo.h"


def scores64(W, keys, values):
    """All scores y_j^T W x_i in float64, (facts, candidates)."""
    return (keys.astype(np.float64) @ W.astype(np.float64).T) @ values.astype(np.float64).T


def recalled64(W, keys, values, targets):
    """Which facts a memory recalls, by strict inequality, in float64."""
    scores = scores64(W, keys, values)
    rows = np.arange(len(keys))
    mine = scores[rows, targets].copy()
    scores[rows, targets] = -np.inf
    return mine > scores.max(axis=1)


class HeaderTest(unittest.TestCase):
    """The ctypes declarations against the header itself, with a C compiler."""

    @staticmethod
    def compile_and_run(text):
        with tempfile.TemporaryDirectory() as folder:
            source, program = Path(folder, "layout.c"), Path(folder, "layout")
            source.write_text(text)
            compiler = os.environ.get("CC", "gcc").split()
            subprocess.run([*compiler, "-std=c17", "-I", str(HEADER.parent), str(source), "-o", str(program)], check=True)
            return subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout

    def test_layouts(self):
        classes = structures.struct_classes()
        self.assertGreater(len(classes), 30)
        lines = ['#include "ireneo.h"', "#include <stdio.h>", "int main(void) {"]
        expected = []
        for name, item in sorted(classes.items()):
            lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
            expected.append(f"{name} {structures.ctypes.sizeof(item)}")
            for field in item._fields_:
                member = f"{name}.{field[0]}"
                lines.append(
                    f'printf("{member} %zu %zu\\n", offsetof({name}, {field[0]}), sizeof((({name} *)0)->{field[0]}));'
                )
                place = getattr(item, field[0])
                expected.append(f"{member} {place.offset} {place.size}")
        for name, value in structures.CONSTANTS.items():
            lines.append(f'printf("{name} %d\\n", (int){name});')
            expected.append(f"{name} {value}")
        lines.append("return 0; }")
        self.assertEqual(self.compile_and_run("\n".join(lines)).split("\n")[:-1], expected)

    def test_field_order_is_complete(self):
        """No field of a bound struct is missing, also where padding would hide it."""
        text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.S)
        for name, item in structures.struct_classes().items():
            body = re.search(r"typedef struct %s \{(.*?)\} %s;" % (name, name), text, re.S).group(1)
            found = []
            for statement in filter(None, (part.strip() for part in body.split(";"))):
                pointer = re.search(r"\(\*(\w+)\)\(", statement)
                names = [pointer.group(1)] if pointer else [
                    re.search(r"(\w+)\s*(\[\w+\])?\s*$", part).group(1) for part in statement.split(",")
                ]
                found += names
            self.assertEqual(found, [field[0] for field in item._fields_], name)

    @staticmethod
    def kind_in_header(text, enums):
        if "*" in text or re.search(r"ireneo_own_candidates|\[", text):
            return "pointer"
        word = [w for w in re.findall(r"\w+", text) if w != "const"][0]
        # size_t and uint64_t are one ctypes class on 64-bit machines
        return "int" if word in enums else {"size_t": "u64", "uint64_t": "u64"}.get(word, word)

    @staticmethod
    def kind_in_binding(item):
        ctypes = structures.ctypes
        simple = {None: "void", ctypes.c_int: "int", ctypes.c_double: "double", ctypes.c_float: "float"}
        if item in simple:
            return simple[item]
        if isinstance(item, type) and issubclass(item, ctypes.Structure):
            return item.__name__
        return "u64" if item in (ctypes.c_size_t, ctypes.c_uint64) else "pointer"

    def test_prototypes(self):
        text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.S)
        declared = {
            m.group(2): (m.group(1), m.group(3))
            for m in re.finditer(r"IRENEO_API\s+([\w\s\*]+?)(ireneo_\w+)\(([^;]*)\);", text)
        }
        enums = re.findall(r"typedef enum (\w+)", text)
        for name, (result, arguments) in library.PROTOTYPES.items():
            self.assertIn(name, declared)
            c_result, c_arguments = declared[name]
            parts = [] if c_arguments.strip() == "void" else c_arguments.split(",")
            expected = [self.kind_in_header(part, enums) for part in [c_result, *parts]]
            self.assertEqual([self.kind_in_binding(item) for item in [result, *arguments]], expected, name)

    def test_versions_agree(self):
        version = re.search(r'IRENEO_VERSION "(.*)"', HEADER.read_text()).group(1)
        project = re.search(r'^version = "(.*)"', (ROOT / "python" / "pyproject.toml").read_text(), re.M).group(1)
        self.assertEqual((version, project), (ireneo.__version__, ireneo.__version__))
        self.assertEqual(library.lib.ireneo_version().decode(), version)


class LawTest(unittest.TestCase):
    def test_numbers(self):
        report = ireneo.capacity(100)
        self.assertAlmostEqual(report.facts_capacity, 1192.0, delta=0.1)
        self.assertAlmostEqual(report.delta * report.facts_capacity, 1e4, delta=1e-3)
        self.assertTrue(np.isnan(report.probability_all_fit))
        self.assertAlmostEqual(ireneo.capacity(4096).facts_capacity, 867136.4, delta=0.1)
        self.assertAlmostEqual(ireneo.capacity(dim_in=30, dim_out=50, candidates=500).facts_capacity, 211.9, delta=0.1)
        asked = ireneo.capacity(50, facts=376)
        self.assertAlmostEqual(asked.probability_all_fit, 0.474, delta=0.01)
        self.assertAlmostEqual(asked.probability_all_fit, ireneo.capacity_probability(50, facts=376), places=12)

    def test_delta_of_three(self):
        self.assertAlmostEqual(ireneo.capacity(100, candidates=3).delta, 5.0 / 6.0, places=9)

    def test_other_laws(self):
        self.assertEqual(ireneo.effective_dimension(dim_in=30, dim_out=50), 1500.0)
        self.assertLess(ireneo.effective_dimension(100, rank=25), 1e4)
        self.assertEqual(ireneo.capacity_margin(50, facts=1e6), 0.0)
        self.assertGreater(ireneo.capacity_margin(100, facts=300), 0.0)
        self.assertGreater(ireneo.listwise_capacity(0.1), ireneo.listwise_capacity(0.01))
        self.assertLess(ireneo.free_entropy_asymptotic(0.3), 0.0)
        estimate = ireneo.free_entropy(0.2, 200, draws=300, seed=3)
        self.assertLess(estimate.entropy, 0.0)
        self.assertGreater(estimate.error, 0.0)

    def test_bad_questions(self):
        for bad in (
            dict(),
            dict(dim=0),
            dict(dim=-3),
            dict(dim=2.5),
            dict(dim="many"),
            dict(dim=10, dim_in=10),
            dict(dim_in=10),
            dict(dim=10, rank=11),
            dict(dim=10, rank=0),
            dict(dim=10, candidates=1),
            dict(dim=10, facts=-3),
            dict(dim=10, facts=1e30),
            dict(dim=1e30),
            dict(dim=10, margin=-1.0),
            dict(dim=10, margin=float("nan")),
        ):
            with self.subTest(bad), self.assertRaises(ireneo.ArgumentError) as caught:
                ireneo.capacity(**bad)
            self.assertRegex(str(caught.exception), r"\w+ \w+")
            self.assertIsInstance(caught.exception, ValueError)


class StoreTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.count = int(0.9 * ireneo.capacity(50).facts_capacity)
        cls.keys, cls.values = ireneo.sample(50, facts=cls.count, seed=7)
        cls.memory, cls.info = ireneo.store(cls.keys, cls.values, threads=1)

    def test_stored(self):
        self.assertEqual(self.info.status, "stored")
        self.assertIs(self.info.status, ireneo.Status.STORED)
        self.assertTrue(self.info.stored)
        self.assertEqual((self.info.facts, self.info.recalled), (self.count, self.count))
        self.assertAlmostEqual(self.info.fraction_of_capacity, 0.9, delta=0.005)
        self.assertIsNone(self.info.certificate)
        self.assertEqual(self.memory.W.shape, (50, 50))
        self.assertEqual(self.memory.W.dtype, np.float32)
        self.assertIsNone(self.memory.rank)

    def test_check_equals_numpy(self):
        mask = recalled64(self.memory.W, self.keys, self.values, np.arange(self.count))
        report = self.memory.check(self.keys, self.values)
        self.assertTrue(mask.all())
        self.assertEqual(report.recalled, self.count)
        np.testing.assert_array_equal(report.mask, mask)

    def test_margin_equals_numpy(self):
        scores = scores64(self.memory.W, self.keys, self.values)
        target = np.diag(scores).copy()
        spread = np.sqrt(scores[:: self.count // 64 + 1].var(axis=1).mean())
        np.fill_diagonal(scores, -np.inf)
        self.assertAlmostEqual(self.info.margin, (target - scores.max(axis=1)).min() / spread, delta=1e-5)

    def test_check_of_a_worse_memory_equals_numpy(self):
        """At three noise levels, between all and no facts recalled, fact by fact."""
        noise = ireneo.random_normals((50, 50), seed=5) * np.abs(self.memory.W).mean()
        for level in (0.02, 0.3, 1.0):
            worse = ireneo.Memory(self.memory.W + np.float32(level) * noise)
            mask = recalled64(worse.W, self.keys, self.values, np.arange(self.count))
            report = worse.check(self.keys, self.values, threads=2)
            np.testing.assert_array_equal(report.mask, mask)
            self.assertEqual(report.recalled, int(mask.sum()))
            self.assertLess(report.recalled, self.count)

    def test_ties_do_not_count(self):
        values = np.concatenate([self.values, self.values[:1]])  # candidate 0 twice
        report = self.memory.check(self.keys, values, np.arange(self.count))
        self.assertEqual(report.recalled, self.count - 1)
        self.assertFalse(report.mask[0])

    def test_recall_equals_argsort(self):
        scores = scores64(self.memory.W, self.keys, self.values)
        order = np.argsort(-scores, axis=1, kind="stable")[:, :7]
        answers = self.memory.recall(self.keys, self.values, top=7)
        np.testing.assert_array_equal(answers.indices, order)
        np.testing.assert_allclose(answers.scores, np.take_along_axis(scores, order, axis=1), rtol=1e-6, atol=1e-6)
        np.testing.assert_array_equal(answers.indices[:, 0], np.arange(self.count))

    def test_recall_of_one_query_and_few_values(self):
        indices, scores = self.memory.recall(self.keys[4], self.values[:3], top=5)
        self.assertEqual(indices.shape, (5,))
        self.assertEqual(sorted(indices[:3]), [0, 1, 2])
        np.testing.assert_array_equal(indices[3:], [-1, -1])
        np.testing.assert_array_equal(scores[3:], [-np.inf, -np.inf])

    def test_recall_with_a_large_offset(self):
        """A vector added to all values changes no order, but leaves float32 few digits."""
        offset = 3000.0 * ireneo.random_normals(50, seed=9)
        shifted = (self.values + offset).astype(np.float32)
        order = np.argsort(-scores64(self.memory.W, self.keys, shifted), axis=1, kind="stable")[:, :3]
        np.testing.assert_array_equal(self.memory.recall(self.keys, shifted, top=3).indices, order)

    def test_input_types(self):
        small, values = self.keys[:60], self.values[:60]
        expected = ireneo.store(small, values, threads=1)[0].W
        for keys in (small.astype(np.float64), np.asfortranarray(small), small.tolist(), np.repeat(small, 2, axis=0)[::2]):
            np.testing.assert_array_equal(ireneo.store(keys, values, threads=1)[0].W, expected)
        half = small.astype(np.float16)
        memory, info = ireneo.store(half, values.astype(np.float16), threads=1)
        self.assertTrue(info.stored)
        self.assertTrue(recalled64(memory.W, half, values.astype(np.float16), np.arange(60)).all())

    def test_inputs_are_left_alone(self):
        keys, values = self.keys[:60].copy(), self.values[:60].copy()
        ireneo.store(keys, values, threads=1)
        np.testing.assert_array_equal(keys, self.keys[:60])
        np.testing.assert_array_equal(values, self.values[:60])

    def test_hebbian(self):
        memory, info = ireneo.store(self.keys, self.values, solver="hebbian", threads=1)
        mask = recalled64(memory.W, self.keys, self.values, np.arange(self.count))
        self.assertEqual(info.recalled, int(mask.sum()))
        self.assertEqual(info.status, "undecided")
        self.assertLess(info.recalled, self.count)
        np.testing.assert_array_equal(memory.check(self.keys, self.values).mask, mask)

    def test_rank(self):
        law = ireneo.capacity(50, rank=20, candidates=200)
        count = int(0.9 * law.facts_capacity)
        keys, values = ireneo.sample(50, facts=count, candidates=max(200, count), seed=2)
        values = values[:200]
        targets = np.arange(count) % 200
        memory, info = ireneo.store(keys, values, targets, rank=20, threads=1)
        self.assertEqual(info.status, "stored")
        self.assertEqual((memory.rank, memory.U.shape, memory.V.shape), (20, (50, 20), (50, 20)))
        product = memory.U.astype(np.float64) @ memory.V.astype(np.float64).T
        self.assertTrue(recalled64(product, keys, values, targets).all())
        np.testing.assert_allclose(memory.W, product, rtol=1e-3, atol=1e-5)
        self.assertEqual(memory.check(keys, values, targets).recalled, count)

    def test_many_to_one_and_rectangular(self):
        law = ireneo.capacity(dim_in=30, dim_out=50, candidates=100)
        count = int(0.9 * law.facts_capacity)
        keys = ireneo.random_normals((count, 30), seed=3)
        values = ireneo.random_normals((100, 50), seed=4)
        targets = (ireneo.random_uniforms(count, seed=5) * 100).astype(np.int32)
        memory, info = ireneo.store(keys, values, targets, threads=1)
        self.assertEqual((info.status, memory.W.shape), ("stored", (50, 30)))
        self.assertTrue(recalled64(memory.W, keys, values, targets).all())
        self.assertEqual(memory.check(keys, values, targets.reshape(-1, 1)).recalled, count)

    def test_start_from_a_memory(self):
        again, info = ireneo.store(self.keys, self.values, initial=self.memory, threads=1)
        self.assertTrue(info.stored)
        self.assertLessEqual(info.iterations, self.info.iterations)

    def test_threads_do_not_matter(self):
        keys, values = ireneo.sample(100, facts=1000, seed=4)
        masks = []
        for threads in (1, 2, 7):
            memory, info = ireneo.store(keys, values, threads=threads)
            self.assertEqual(info.status, "stored")
            part, _ = ireneo.store(keys, values, threads=threads, max_iterations=2)
            masks.append(part.check(keys, values, threads=threads).mask)
        self.assertTrue(0 < masks[0].sum() < 1000)
        np.testing.assert_array_equal(masks[0], masks[1])
        np.testing.assert_array_equal(masks[0], masks[2])


class OverloadTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keys, cls.values = ireneo.sample(20, facts=150, seed=6)

    def test_kept_facts_are_recalled(self):
        memory, info = ireneo.store(self.keys, self.values, overload=True, threads=1)
        self.assertEqual(info.status, "partial")
        np.testing.assert_array_equal(info.kept, recalled64(memory.W, self.keys, self.values, np.arange(150)))
        self.assertEqual(info.recalled, int(info.kept.sum()))
        self.assertGreater(info.recalled, 0.8 * ireneo.capacity(20, candidates=150).facts_capacity)

    def test_heavy_facts_are_kept(self):
        weights = np.where(np.arange(150) % 5 == 0, 100.0, 1.0)
        _, info = ireneo.store(self.keys, self.values, overload=True, weights=weights, threads=1)
        self.assertTrue(info.kept[::5].all())

    def test_everything_fits(self):
        _, info = ireneo.store(self.keys[:40], self.values[:40], overload=True, threads=1)
        self.assertEqual((info.status, info.kept.all()), ("stored", True))

    def test_bad_weights(self):
        for weights in (np.ones(149), np.zeros(150), -np.ones(150), np.full(150, np.nan), np.ones((150, 1))):
            with self.assertRaises(ireneo.IreneoError):
                ireneo.store(self.keys, self.values, overload=True, weights=weights, threads=1)
        with self.assertRaises(ireneo.ArgumentError):
            ireneo.store(self.keys, self.values, weights=np.ones(150))


class TrainTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keys, cls.values = ireneo.sample(20, facts=45, seed=4)

    def loss64(self, memory):
        scores = scores64(memory.W, self.keys, self.values)
        best = scores.max(axis=1, keepdims=True)
        return float((best[:, 0] + np.log(np.exp(scores - best).sum(axis=1)) - np.diag(scores)).mean())

    def test_training_equals_numpy(self):
        for optimiser in ("adam", "lbfgs"):
            memory, info = ireneo.train(self.keys, self.values, optimiser=optimiser, threads=1)
            self.assertEqual(info.status, "stored")
            self.assertTrue(recalled64(memory.W, self.keys, self.values, np.arange(45)).all())
            self.assertAlmostEqual(info.loss, self.loss64(memory), places=5)
            self.assertAlmostEqual(memory.cross_entropy(self.keys, self.values), self.loss64(memory), places=5)

    def test_limits_and_rank(self):
        memory, info = ireneo.train(self.keys, self.values, max_steps=2, rank=4, threads=1)
        self.assertEqual((info.status, info.steps, memory.rank), ("undecided", 2, 4))
        self.assertEqual(ireneo.train(self.keys, self.values, max_steps=9, past_recall=True, threads=1)[1].steps, 9)

    def test_bad_settings(self):
        for settings in (dict(optimiser="sgd"), dict(rank=21), dict(rate=-1.0), dict(seed=-1), dict(max_steps=-1)):
            with self.subTest(settings), self.assertRaises(ireneo.IreneoError):
                ireneo.train(self.keys, self.values, **settings)


class MarginTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keys, cls.values = ireneo.sample(20, facts=45, seed=4)
        cls.memory, cls.info = ireneo.max_margin(cls.keys, cls.values, threads=1)

    def margin64(self, memory):
        """Smallest gap over |W|_F, in the units of the law."""
        scores = scores64(memory.W, self.keys, self.values)
        mine = np.diag(scores).copy()
        np.fill_diagonal(scores, -np.inf)
        x, y = self.keys.astype(np.float64), self.values.astype(np.float64)
        unit = np.sqrt((x**2).sum(axis=1).mean()) * np.sqrt(((y - y.mean(axis=0)) ** 2).sum(axis=1).mean()) / 20
        return (mine - scores.max(axis=1)).min() / (np.linalg.norm(memory.W.astype(np.float64)) * unit)

    def test_largest_margin(self):
        self.assertEqual(self.info.status, "stored")
        self.assertAlmostEqual(self.info.margin, self.margin64(self.memory), places=5)
        self.assertLessEqual(self.info.margin, self.info.margin_bound * (1 + 1e-6))
        self.assertLess(self.info.duality_gap, 1.1e-3)
        plain, _ = ireneo.store(self.keys, self.values, threads=1)
        self.assertGreater(self.info.margin, self.margin64(plain))

    def test_bound_is_proved(self):
        """The certificate's norm bound is the least |W|_F on normalised data; W itself comes within the gap."""
        report = self.info.store.certificate.verify(self.keys, self.values)
        self.assertFalse(report.accepted)  # it bounds a norm, it does not prove impossibility
        self.assertAlmostEqual(np.sqrt(20) / report.norm_bound, self.info.margin_bound, delta=2e-3)

    def test_noise(self):
        calm = self.memory.check_noise(self.keys, self.values, strength=0.0, draws=2)
        self.assertEqual((calm.recall, calm.facts, calm.draws), (1.0, 45, 2))
        noisy = self.memory.check_noise(self.keys, self.values, strength=0.5, draws=20, seed=3)
        self.assertTrue(0.1 < noisy.recall < 1.0)
        self.assertAlmostEqual(noisy.deviation, 0.5 * np.sqrt((self.keys.astype(np.float64) ** 2).mean()), places=6)
        sampled = []
        for draw in range(20):  # the same experiment with other random numbers: within 5 standard errors
            moved = self.keys + noisy.deviation * ireneo.random_normals(self.keys.shape, seed=99, stream=draw)
            sampled.append(recalled64(self.memory.W, moved, self.values, np.arange(45)).mean())
        error = np.hypot(noisy.error, np.std(sampled) / np.sqrt(20))
        self.assertLess(abs(np.mean(sampled) - noisy.recall), 5 * error)

    def test_impossible(self):
        keys, values = ireneo.sample(10, facts=60, seed=1)
        _, info = ireneo.max_margin(keys, values, threads=1)
        self.assertEqual(info.status, "impossible")
        self.assertTrue(info.store.certificate.verify(keys, values))
        self.assertTrue(np.isnan(info.margin))

    def test_bad_settings(self):
        for bad in (
            lambda: ireneo.max_margin(self.keys, self.values, duality_gap=-1.0),
            lambda: self.memory.check_noise(self.keys, self.values, strength=-1.0),
            lambda: self.memory.check_noise(self.keys, self.values, strength=float("nan")),
            lambda: self.memory.check_noise(self.keys, self.values, strength=0.1, draws=0),
        ):
            self.assertRaises(ireneo.IreneoError, bad)


class DecoupledTest(unittest.TestCase):
    def test_generated_and_held_candidates_agree(self):
        keys, own = ireneo.sample(20, facts=60, candidates=80, seed=11, problem="decoupled")
        held = np.stack([own.of(fact) for fact in range(60)])
        np.testing.assert_array_equal(held[5, 10:20], own.of(5, 10, 10))
        memory, info = ireneo.store(keys, own, threads=1)
        same, _ = ireneo.store(keys, held, np.arange(60), threads=1)
        self.assertEqual(info.status, "stored")
        np.testing.assert_array_equal(memory.W, same.W)
        scores = np.einsum("ia,iba->ib", (keys.astype(np.float64) @ memory.W.astype(np.float64).T), held.astype(np.float64))
        self.assertEqual(list(scores.argmax(axis=1)), list(range(60)))
        self.assertEqual(memory.check(keys, own).recalled, 60)
        self.assertEqual(memory.check(keys, held, np.arange(60), threads=3).recalled, 60)

    def test_impossible(self):
        keys, own = ireneo.sample(10, facts=40, seed=1, problem="decoupled")
        _, info = ireneo.store(keys, own, threads=1)
        self.assertEqual(info.status, "impossible")
        self.assertTrue(info.certificate.verify(keys, own))


class ProofTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keys, cls.values = ireneo.sample(20, facts=115, seed=3)
        _, cls.info = ireneo.store(cls.keys, cls.values, threads=1)
        cls.certificate = cls.info.certificate

    def residual64(self, weights):
        """sum R / |E|_F on normalised data, in NumPy float64."""
        x, y = self.keys.astype(np.float64), self.values.astype(np.float64)
        x = x / np.sqrt((x**2).sum(axis=1).mean())
        y = (y - y.mean(axis=0)) / np.sqrt(y.var(axis=0).mean())
        c = self.certificate
        E = ((weights[:, None] * (y[c.facts] - y[c.competitors])).T @ x[c.facts])
        return weights.sum() / np.linalg.norm(E)

    def test_impossible_with_a_proof(self):
        self.assertEqual(self.info.status, "impossible")
        self.assertLess(self.info.recalled, 115)
        self.assertGreater(len(self.certificate), 100)
        self.assertTrue((self.certificate.weights > 0).all())
        self.assertTrue((self.certificate.facts != self.certificate.competitors).all())
        self.assertTrue((np.diff(self.certificate.facts) >= 0).all())
        self.assertGreater(self.residual64(self.certificate.weights), 1e6)

    def test_verify(self):
        report = self.certificate.verify(self.keys, self.values)
        self.assertTrue(report)
        self.assertGreater(report.norm_bound, 1e6)
        self.assertEqual(report.norm_bound, self.info.certificate_norm_bound)
        self.assertAlmostEqual(report.weight_sum, self.certificate.weights.sum(), places=10)
        self.assertLessEqual(report.norm_bound, 1.01 * self.residual64(self.certificate.weights))

    def test_spoilt_certificates_are_rejected(self):
        c = self.certificate

        def spoilt(**changes):
            parts = dict(facts=c.facts, competitors=c.competitors, weights=c.weights, facts_hash=c.facts_hash)
            parts.update(changes)
            return ireneo.Certificate(**parts).verify(self.keys, self.values)

        self.assertTrue(spoilt())
        weights = c.weights.copy()
        weights[weights.argmax()] *= 1.01
        self.assertFalse(spoilt(weights=weights))
        self.assertLess(self.residual64(weights), 1e6)
        self.assertFalse(spoilt(weights=-c.weights))
        self.assertFalse(spoilt(facts=c.competitors))
        self.assertFalse(spoilt(facts_hash=1))
        self.assertFalse(spoilt(competitors=c.competitors + 1000))
        self.assertIn("rejected", spoilt(facts_hash=1).sentence)

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "proof.safetensors")
            self.certificate.save(path)
            again = ireneo.Certificate.load(path)
            np.testing.assert_array_equal(again.weights, self.certificate.weights)
            np.testing.assert_array_equal(again.competitors, self.certificate.competitors)
            self.assertEqual(again.facts_hash, self.certificate.facts_hash)
            self.assertTrue(again.verify(self.keys, self.values))
            path.write_bytes(path.read_bytes()[:-9])
            with self.assertRaises(ireneo.DataError):
                ireneo.Certificate.load(path)

    def test_contradiction(self):
        keys, values = self.keys[:10].copy(), self.values[:10]
        keys[7] = keys[2]  # one key, two values
        _, info = ireneo.store(keys, values, threads=1)
        self.assertEqual(info.status, "impossible")
        self.assertEqual(sorted(set(info.certificate.facts)), [2, 7])
        self.assertTrue(np.isinf(info.certificate.verify(keys, values).norm_bound))
        self.assertNotEqual(info.certificate.reason, "")


class FilesTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return Path(self.folder.name, name)

    def test_memory_files(self):
        keys, values = ireneo.sample(20, facts=60)
        memory, info = ireneo.store(keys, values, threads=1)
        memory.save(self.path("m.safetensors"), values)
        again = ireneo.Memory.load(self.path("m.safetensors"))
        np.testing.assert_array_equal(again.W, memory.W)
        self.assertEqual(again.facts_hash, memory.facts_hash)
        self.assertNotEqual(again.facts_hash, 0)
        np.testing.assert_array_equal(ireneo.load_array(str(self.path("m.safetensors")) + ":values"), values)
        self.assertEqual(ireneo.tensor_metadata(self.path("m.safetensors"), "status"), "stored")
        self.assertEqual(ireneo.tensor_metadata(self.path("m.safetensors"), "solver"), "project")
        self.assertIsNone(ireneo.tensor_metadata(self.path("m.safetensors"), "colour"))

    def test_factored_memory_files(self):
        U, V = ireneo.random_normals((6, 2)), ireneo.random_normals((5, 2), stream=1)
        ireneo.Memory(U=U, V=V).save(self.path("f.safetensors"))
        again = ireneo.Memory.load(self.path("f.safetensors"))
        np.testing.assert_array_equal(again.U, U)
        np.testing.assert_array_equal(again.V, V)
        self.assertEqual((again.dim_in, again.dim_out, again.rank), (5, 6, 2))

    def test_arrays(self):
        for dtype in (np.float16, np.float32, np.float64, np.int32, np.int64):
            array = (10 * ireneo.random_normals((3, 4, 5))).astype(dtype)
            ireneo.save_array(self.path("a.npy"), array)
            np.testing.assert_array_equal(np.load(self.path("a.npy")), array)
            again = ireneo.load_array(self.path("a.npy"))
            self.assertEqual((again.dtype, again.shape), (array.dtype, array.shape))
            np.testing.assert_array_equal(again, array)
        ireneo.save_tensors(self.path("t.safetensors"), {"a": array, "b": np.float64(2.5)}, {"made by": "a test"})
        np.testing.assert_array_equal(ireneo.load_array(str(self.path("t.safetensors")) + ":a"), array)
        self.assertEqual(ireneo.load_array(str(self.path("t.safetensors")) + ":b"), 2.5)
        self.assertEqual(ireneo.tensor_metadata(self.path("t.safetensors"), "made by"), "a test")
        with self.assertRaises(ireneo.ArgumentError):
            ireneo.save_array(self.path("c.npy"), np.array([1j]))

    def test_file_faults(self):
        memory = ireneo.Memory(np.eye(3))
        with self.assertRaises(OSError) as caught:
            ireneo.Memory.load(self.path("nothing.safetensors"))
        self.assertIsInstance(caught.exception, ireneo.FileError)
        self.assertIn("nothing.safetensors", str(caught.exception))
        with self.assertRaises(ireneo.FileError):
            memory.save(self.path("no/such/folder.safetensors"))
        self.path("bad.safetensors").write_bytes(b"neither fish nor fowl")
        with self.assertRaises(ireneo.DataError):
            ireneo.Memory.load(self.path("bad.safetensors"))
        with self.assertRaises(ireneo.ArgumentError):
            memory.save("a\0b")


class RandomTest(unittest.TestCase):
    def test_moments(self):
        """5 standard errors each way: fails for one seed in a million."""
        for dtype in (np.float32, np.float64):
            x = ireneo.random_normals(200_000, seed=42, dtype=dtype).astype(np.float64)
            self.assertLess(abs(x.mean()), 5 / np.sqrt(x.size))
            self.assertLess(abs(x.var() - 1), 5 * np.sqrt(2 / x.size))
        u = ireneo.random_uniforms(200_000, seed=42)
        self.assertLess(abs(u.mean() - 0.5), 5 * np.sqrt(1 / 12 / u.size))
        self.assertTrue(((u > 0) & (u < 1)).all())

    def test_functions_of_seed_stream_and_index(self):
        whole = ireneo.random_normals((10, 10), seed=1, stream=2)
        np.testing.assert_array_equal(ireneo.random_normals(37, seed=1, stream=2, first=20), whole.ravel()[20:57])
        np.testing.assert_array_equal(ireneo.random_normals((10, 10), seed=1, stream=2, threads=7), whole)
        self.assertFalse(np.array_equal(ireneo.random_normals((10, 10), seed=2, stream=2), whole))
        self.assertFalse(np.array_equal(ireneo.random_normals((10, 10), seed=1, stream=3), whole))
        self.assertEqual(ireneo.random_normals((0, 4)).shape, (0, 4))

    def test_samples_are_prefixes(self):
        keys, values = ireneo.sample(8, facts=20, candidates=30, seed=5)
        less, fewer = ireneo.sample(8, facts=10, seed=5)
        np.testing.assert_array_equal(keys[:10], less)
        np.testing.assert_array_equal(values[:10], fewer)
        self.assertEqual(values.shape, (30, 8))

    def test_bad_requests(self):
        for bad in (
            lambda: ireneo.random_normals(-1),
            lambda: ireneo.random_normals(3, seed=-1),
            lambda: ireneo.random_normals(3, seed=2**64),
            lambda: ireneo.random_normals(3, dtype=np.int32),
            lambda: ireneo.sample(8, facts=0),
            lambda: ireneo.sample(8, facts=10, candidates=5),
            lambda: ireneo.sample(facts=10),
            lambda: ireneo.sample(8, facts=10, problem="other"),
        ):
            self.assertRaises(ireneo.ArgumentError, bad)


class BadInputTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keys, cls.values = ireneo.sample(6, facts=8)
        cls.memory = ireneo.Memory(np.eye(6))

    def refused(self, pattern, *arguments, **settings):
        with self.assertRaises(ireneo.DataError) as caught:
            ireneo.store(*arguments, **settings)
        self.assertRegex(str(caught.exception), pattern)

    def with_entry(self, entry, dtype=np.float64):
        keys = self.keys.astype(dtype)
        keys[5, 2] = entry
        return keys

    def test_entries(self):
        self.refused("keys: row 5, column 2 is NaN", self.with_entry(np.nan), self.values)
        self.refused("keys: row 5, column 2 is infinite", self.with_entry(-np.inf), self.values)
        self.refused("keys: row 5, column 2 is 1e\\+30.*beyond float32|beyond float32", self.with_entry(1e300), self.values)
        self.refused("values: row 5, column 2 is NaN", self.keys, self.with_entry(np.nan))
        self.refused("real numbers", self.keys.astype(complex), self.values)
        self.refused("real numbers", [["a", "b"]], self.values)
        self.refused("real numbers|different lengths", [[1.0, 2.0], [3.0]], self.values)

    def test_shapes(self):
        self.refused("2 axes", self.keys[0], self.values)
        self.refused("no numbers", self.keys[:0], self.values)
        self.refused("8 keys and 7 values", self.keys, self.values[:7])
        self.refused("only one candidate", self.keys, self.values[:1], np.zeros(8, dtype=int))
        self.refused("8 keys, but values hold candidates of 7", self.keys, np.zeros((7, 5, 6)), np.zeros(8, dtype=int))

    def test_targets(self):
        good = np.arange(8)
        self.refused("row 3 is 8", self.keys, self.values, np.where(good == 3, 8, good))
        self.refused("row 3 is -1", self.keys, self.values, np.where(good == 3, -1, good))
        self.refused("7 targets, but 8 keys", self.keys, self.values, good[:7])
        self.refused("whole numbers", self.keys, self.values, good.astype(float))
        self.refused("vector", self.keys, self.values, good.reshape(2, 4))

    def test_settings(self):
        for settings in (
            dict(rank=7),
            dict(rank=0),
            dict(rank=-1),
            dict(solver="magic"),
            dict(margin=-1.0),
            dict(margin=float("nan")),
            dict(threads=-1),
            dict(max_scans=1.5),
            dict(progress=3),
        ):
            with self.subTest(settings), self.assertRaises(ireneo.ArgumentError):
                ireneo.store(self.keys, self.values, **settings)
        self.refused("start from", self.keys, self.values, initial=ireneo.Memory(np.eye(5)))

    def test_recall_and_check(self):
        for bad in (
            lambda: self.memory.recall(self.keys[:, :5], self.values),
            lambda: self.memory.recall(self.keys, self.values[:, :5]),
            lambda: self.memory.recall(self.with_entry(np.nan), self.values),
            lambda: self.memory.recall(self.keys[:0], self.values),
            lambda: self.memory.recall(self.keys, self.values, top=0),
            lambda: self.memory.recall(self.keys, self.values, top=501),
            lambda: self.memory.check(self.keys[:, :5], self.values),
            lambda: self.memory.save("unused.safetensors", self.values[:, :5]),
            lambda: ireneo.Memory(),
            lambda: ireneo.Memory(U=np.eye(3)),
            lambda: ireneo.Memory(U=np.eye(3), V=np.eye(4)),
            lambda: ireneo.Certificate([0, 1], [1, 0], [1.0]),
        ):
            self.assertRaises(ireneo.IreneoError, bad)

    def test_smallest_problem(self):
        """One key among two candidates is a problem like any other."""
        memory, info = ireneo.store([[1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]], [1])
        self.assertEqual(info.status, "stored")
        self.assertEqual(memory.recall([1.0, 0.0], [[1.0, 0.0], [0.0, 1.0]], top=1).indices[0], 1)


class DenseTest(unittest.TestCase):
    def test_phases(self):
        report = ireneo.dense.phases(1.0)
        self.assertAlmostEqual(report.alpha_1, 0.62257192378, places=9)  # docs/dense.md
        self.assertIs(report.alpha_c_exact, True)
        back = ireneo.dense.phases(alpha=report.alpha_1)
        self.assertAlmostEqual(back.lambda_c, 1.0, places=9)
        self.assertTrue(np.isnan(report.lambda_one_step))
        self.assertFalse(np.isnan(ireneo.dense.phases(1.0, neurons=64).lambda_one_step))
        self.assertIs(ireneo.dense.phases(0.5, ensemble="gaussian").alpha_c_exact, False)

    def test_basins(self):
        """Of spherical patterns, the nearest of e^(alpha N) has the overlap sqrt(1 - e^(-2 alpha))."""
        report = ireneo.dense.basins(1.0, 0.3)
        self.assertAlmostEqual(np.cos(report.theta_star), np.sqrt(1 - np.exp(-0.6)), places=9)
        self.assertIs(report.retrieved, True)
        counted = ireneo.dense.basins(1.0, neurons=50, patterns=1e6)
        self.assertAlmostEqual(counted.alpha, np.log(1e6) / 50, places=12)
        self.assertLess(ireneo.dense.basins(1.0, 0.1, ensemble="binary").flip_fraction, 0.5)

    def test_scaled(self):
        load = ireneo.dense.scaled(1.0, 0.5, 1e4)
        self.assertAlmostEqual(load.limit, load.exact, delta=1e-3)

    def test_softmax_recall_equals_numpy(self):
        patterns = np.sign(ireneo.random_normals((200, 64), seed=8))
        queries = patterns[:20].copy()
        queries[:, :6] *= -1
        for steps in (1, 4):
            got = ireneo.dense.recall(patterns, queries, lambda_=0.3, steps=steps, tolerance=0.0, top=3)
            x = queries.astype(np.float64)
            for _ in range(steps):
                scores = 0.3 * x @ patterns.astype(np.float64).T
                weights = np.exp(scores - scores.max(axis=1, keepdims=True))
                weights /= weights.sum(axis=1, keepdims=True)
                x = weights @ patterns
            np.testing.assert_allclose(got.states, x, atol=1e-5)
            np.testing.assert_array_equal(got.top_index[:, 0], np.arange(20))
            np.testing.assert_allclose(got.top_weight, np.sort(weights, axis=1)[:, ::-1][:, :3], rtol=1e-3, atol=1e-12)
        np.testing.assert_array_less(got.energy_after, got.energy_before + 1e-9)
        self.assertAlmostEqual(got.pattern_power, 1.0, places=6)

    def test_sign_recall_equals_numpy(self):
        patterns = np.sign(ireneo.random_normals((5, 100), seed=8))
        queries = patterns * np.where(np.arange(100) < 8, -1, 1)
        got = ireneo.dense.recall(patterns, queries, rule="sign", top=9)
        self.assertTrue(got.converged.all())
        np.testing.assert_array_equal(got.states, patterns)
        np.testing.assert_array_equal(got.top_index[:, 5:], -1)

    def test_simulate(self):
        """Chance of retrieval falls with the load; two ways of drawing agree within 4 standard errors."""
        few = ireneo.dense.simulate(30, alpha=0.1, lambda_=1.0, draws=50)
        self.assertEqual((few.value, few.values.shape), (1.0, (50,)))
        direct = ireneo.dense.simulate(30, alpha=0.25, measure="lambda", draws=100, seed=3)
        scalars = ireneo.dense.simulate(30, alpha=0.25, measure="lambda", method="scalars", draws=100, seed=4)
        self.assertLess(abs(direct.value - scalars.value), 4 * np.hypot(direct.error, scalars.error))
        self.assertAlmostEqual(np.median(direct.values), direct.value, delta=direct.error)
        huge = ireneo.dense.simulate(1000, log_patterns=300.0, method="tail", measure="lambda", draws=20)
        self.assertTrue(np.isfinite(huge.value))

    def test_bad_dynamics(self):
        patterns = np.ones((3, 4))
        for bad in (
            lambda: ireneo.dense.recall(patterns, np.ones((2, 5))),
            lambda: ireneo.dense.recall(np.zeros((3, 4)), np.ones(4)),
            lambda: ireneo.dense.recall(patterns, np.full(4, np.nan)),
            lambda: ireneo.dense.recall(patterns, np.ones(4), rule="magic"),
            lambda: ireneo.dense.recall(patterns, np.ones(4), lambda_=-1.0),
            lambda: ireneo.dense.recall(patterns, np.ones(4), rule="polynomial", degree=1),
            lambda: ireneo.dense.simulate(30),
            lambda: ireneo.dense.simulate(30, alpha=0.1, patterns=10),
            lambda: ireneo.dense.simulate(30, patterns=1),
            lambda: ireneo.dense.simulate(30, alpha=0.1, lambda_=0.0),
            lambda: ireneo.dense.simulate(30, alpha=0.1, method="magic"),
            lambda: ireneo.dense.simulate(30, alpha=0.1, draws=0),
        ):
            self.assertRaises(ireneo.IreneoError, bad)

    def test_bad_questions(self):
        for bad in (
            lambda: ireneo.dense.phases(),
            lambda: ireneo.dense.phases(1.0, alpha=0.3),
            lambda: ireneo.dense.phases(-1.0),
            lambda: ireneo.dense.phases(float("nan")),
            lambda: ireneo.dense.phases(1.0, ensemble="cubic"),
            lambda: ireneo.dense.basins(1.0),
            lambda: ireneo.dense.basins(1.0, patterns=100),
            lambda: ireneo.dense.basins(1.0, 0.3, neurons=0),
            lambda: ireneo.dense.scaled(1.0, 2.0, 100),
        ):
            self.assertRaises(ireneo.ArgumentError, bad)


class AttentionTest(unittest.TestCase):
    def test_layer_against_sampled_rows(self):
        """Rows of attention with independent Gaussian logits; 5 standard errors, one seed in a million fails."""
        logits = 1.2 * np.sqrt(np.log(256)) * ireneo.random_normals((4000, 256), seed=1, dtype=np.float64)
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        report = ireneo.attention.layer(1.2, 256)
        sums = {
            "participation": (weights**2).sum(axis=1),
            "y3": (weights**3).sum(axis=1),
            "y2_squared": (weights**2).sum(axis=1) ** 2,
            "entropy": -(weights * np.log(weights)).sum(axis=1),
        }
        for name, sampled in sums.items():
            error = sampled.std() / np.sqrt(sampled.size)
            self.assertLess(abs(getattr(report, name) - sampled.mean()), 5 * error, name)
        self.assertAlmostEqual(report.beta_c, np.sqrt(2.0), places=12)
        self.assertAlmostEqual(ireneo.attention.layer(1.2, 256, rho=0.5).beta_c, 2.0, places=12)

    def test_propagate(self):
        path = ireneo.attention.propagate()
        self.assertEqual((path.rho.shape, path.entropy.shape), ((51,), (50,)))
        self.assertAlmostEqual(path.rho[0], 0.05, places=12)
        np.testing.assert_allclose(path.distance, 1 - path.rho, atol=1e-12)
        self.assertAlmostEqual(path.chi, path.chi_attention * path.chi_mlp, places=12)
        self.assertTrue((np.diff(path.rho) > 0).all())
        shallow = ireneo.attention.propagate(layers=10)
        np.testing.assert_allclose(shallow.rho, path.rho[:11], rtol=1e-12)

    def test_critical_residual_lies_on_the_line(self):
        line = ireneo.attention.critical_residual(layers=20, rank_limit=0.1)
        path = ireneo.attention.propagate(layers=20, residual_attention=line.residual)
        self.assertAlmostEqual(path.distance[-1], 0.1, places=6)

    def test_presets_and_judgement(self):
        bert = ireneo.attention.preset("bert-base")
        self.assertEqual((bert.layers, bert.width, bert.heads, bert.activation), (12, 768, 12, "gelu"))
        judged = ireneo.attention.assess(bert)
        self.assertEqual((judged.rank_collapse, judged.entropy_collapse), (False, False))
        self.assertAlmostEqual(judged.beta_margin, judged.beta_line / bert.beta, places=9)
        self.assertIs(ireneo.attention.assess(bert, beta=3 * judged.beta_line).entropy_collapse, True)
        self.assertAlmostEqual(
            ireneo.attention.beta_from_std(0.02, 0.02, 768, 512), 0.0004 * 768 / np.sqrt(np.log(512)), places=12
        )

    def test_trainability_agrees_with_judgements(self):
        betas, residuals = [0.5, 1.5], [0.5, 1.0, 2.0]
        diagram = ireneo.attention.trainability(betas, residuals, layers=12)
        self.assertEqual(diagram.trainable.shape, (2, 3))
        for i, beta in enumerate(betas):
            for j, residual in enumerate(residuals):
                one = ireneo.attention.assess(layers=12, beta=beta, residual_attention=residual)
                self.assertAlmostEqual(one.rho, diagram.rho[i, j], places=9)
                self.assertEqual(one.rank_collapse, diagram.rank_collapse[i, j])
                self.assertEqual(one.entropy_collapse, diagram.entropy_collapse[i, j])

    def test_recommend(self):
        advice = ireneo.attention.recommend(layers=24, width=1024, heads=16, mlp_width=4096, normalisation="pre")
        self.assertFalse(advice.assessment.rank_collapse or advice.assessment.entropy_collapse)
        self.assertEqual(advice.transformer.layers, 24)
        beta = ireneo.attention.beta_from_std(advice.std_query, advice.std_key, 1024, 512)
        self.assertAlmostEqual(beta, advice.transformer.beta, places=9)

    def test_random_networks_follow_the_theory(self):
        """Within 5 standard errors and what a width of 128 leaves open."""
        shape = dict(layers=6, width=128, mlp_width=128, context=64)
        depths, path = ireneo.attention.simulate(draws=12, seed=5, **shape), ireneo.attention.propagate(**shape)
        self.assertEqual(depths.rho.mean.shape, (7,))
        self.assertTrue((np.abs(depths.rho.mean - path.rho) < 5 * depths.rho.error + 0.02).all())
        self.assertTrue((np.abs(depths.entropy.mean - path.entropy[[0, *range(6)]])[1:] < 0.15).all())
        self.assertTrue(np.isnan(depths.entropy.mean[0]) and np.isfinite(depths.gradient_query.mean[1:]).all())
        law = ireneo.attention.gradient_depth(**shape)
        self.assertEqual((law.shape, law[-1]), ((7,), 1.0))
        forward = ireneo.attention.simulate(draws=2, forward_only=True, **shape)
        self.assertTrue(np.isnan(forward.gradient_query.mean).all())

    def test_training(self):
        """A text of two letters in turn is learnt far below the entropy of its letters."""
        report = ireneo.attention.train(
            "ab" * 600, layers=2, width=16, mlp_width=16, heads=2, context=8, steps=150, rate=0.01, batch=8
        )
        self.assertEqual((report.symbols, report.steps, report.diverged), (2, 150, False))
        self.assertAlmostEqual(report.unigram_entropy, np.log(2), places=6)
        self.assertLess(report.final_loss, 0.3)
        self.assertEqual(report.curve.shape, (20,))

    def test_bad_questions(self):
        a = ireneo.attention
        for bad in (
            lambda: a.layer(-1.0, 512),
            lambda: a.layer(1.0, 1),
            lambda: a.layer(1.0, 512, rho=2.0),
            lambda: a.layer(float("nan"), 512),
            lambda: a.preset("gpt-17"),
            lambda: a.transformer(depth=3),
            lambda: a.propagate(layers=0),
            lambda: a.propagate(activation="sine"),
            lambda: a.propagate(normalisation="none"),
            lambda: a.propagate("bert-base"),
            lambda: a.assess(rank_limit=-1.0),
            lambda: a.trainability([], [1.0]),
            lambda: a.trainability([[1.0]], [1.0]),
            lambda: a.trainability([1.0], "many"),
            lambda: a.simulate(draws=0),
            lambda: a.simulate(heads=7),
            lambda: a.gradient_depth(normalisation="pre"),
            lambda: a.train(""),
            lambda: a.train(3),
            lambda: a.train("text", rate=-1.0),
        ):
            self.assertRaises(ireneo.IreneoError, bad)


class InterruptTest(unittest.TestCase):
    """Work that is stopped. The instance is far from done when the first reports come."""

    @classmethod
    def setUpClass(cls):
        cls.keys, cls.values = ireneo.sample(100, facts=1150, seed=2)

    def test_progress_stops_and_work_goes_on(self):
        calls = []

        def stop_later(stage, done, total):
            calls.append((stage, done, total))
            return len(calls) >= 12

        memory, info = ireneo.store(self.keys, self.values, threads=1, progress=stop_later)
        self.assertEqual(info.status, "interrupted")
        self.assertLess(info.recalled, 1150)
        self.assertTrue(all(isinstance(stage, str) and 0 <= done <= total for stage, done, total in calls))
        _, again = ireneo.store(self.keys[:1000], self.values[:1000], initial=memory, threads=1)
        self.assertEqual(again.status, "stored")

    def test_exceptions_pass_through(self):
        def fail(stage, done, total):
            raise RuntimeError("from the callback")

        with self.assertRaisesRegex(RuntimeError, "from the callback"):
            ireneo.store(self.keys, self.values, threads=1, progress=fail)

    def test_keyboard_interrupt(self):
        reports = []

        def press_control_c(stage, done, total):
            reports.append(time.monotonic())
            if len(reports) == 5:
                os.kill(os.getpid(), signal.SIGINT)

        with self.assertRaises(KeyboardInterrupt) as caught:
            ireneo.store(self.keys, self.values, threads=1, progress=press_control_c)
        self.assertIsInstance(caught.exception, ireneo.Interrupted)
        self.assertEqual(caught.exception.memory.W.shape, (100, 100))
        self.assertEqual(caught.exception.info.status, "interrupted")
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_keyboard_interrupt_from_outside(self):
        program = (
            "import ireneo, sys\n"
            "k, v = ireneo.sample(100, facts=1185, seed=2)\n"
            "print('ready', flush=True)\n"
            "try:\n"
            "    while True: ireneo.store(k, v, threads=1)\n"
            "except KeyboardInterrupt as stop: print(type(stop).__name__)\n"
        )
        child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), "ready\n")
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
        self.assertEqual((child.returncode, err), (0, ""))
        self.assertIn(out, ("Interrupted\n", "KeyboardInterrupt\n"))

    def test_other_threads(self):
        """Off the main thread there are no signals to watch; the work is the same."""
        outcome = []
        keys, values = self.keys[:200], self.values[:200]
        worker = threading.Thread(target=lambda: outcome.append(ireneo.store(keys, values, threads=1)[1].status))
        worker.start()
        worker.join(60)
        self.assertEqual(outcome, ["stored"])


class WheelTest(unittest.TestCase):
    def test_wheel_stands_alone(self):
        """What pip would unpack works without the source tree, and its record of contents is right."""
        sys.path.insert(0, str(ROOT / "python"))
        import wheel_builder

        with tempfile.TemporaryDirectory() as folder:
            wheel = Path(folder, wheel_builder.build_wheel(folder))
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(Path(folder, "site"))
            record = Path(folder, "site", f"ireneo-{ireneo.__version__}.dist-info", "RECORD").read_text().split()
            for line in record[:-1]:
                name, digest, length = line.split(",")
                content = Path(folder, "site", name).read_bytes()
                encoded = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                self.assertEqual((digest, int(length)), ("sha256=" + encoded, len(content)))
            self.assertGreater(len(record), 12)
            surroundings = {k: v for k, v in os.environ.items() if k not in ("IRENEO_LIBRARY", "PYTHONPATH")}
            surroundings["PYTHONPATH"] = str(Path(folder, "site"))
            command = [sys.executable, "-c", "import ireneo; print(ireneo.library_path, round(ireneo.capacity(100).facts_capacity))"]
            said = subprocess.run(command, env=surroundings, cwd="/", check=True, capture_output=True, text=True).stdout
            self.assertEqual(said, f"{folder}/site/ireneo/libireneo.so 1192\n")


if __name__ == "__main__":
    unittest.main()

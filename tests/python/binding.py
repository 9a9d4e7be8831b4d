"""Linear memories in Python: every claim of the library is recomputed by NumPy in float64.

Run by ctest; by hand: PYTHONPATH=python IRENEO_LIBRARY=build/libireneo.so python3 tests/python/binding.py"""

import tempfile
import unittest
from pathlib import Path

import numpy as np
from float64 import recalled64, scores64

import ireneo


class LawTest(unittest.TestCase):
    def test_numbers(self):
        report = ireneo.capacity(100, problem="decoupled")
        self.assertAlmostEqual(report.facts_capacity, 1192.0, delta=0.1)
        self.assertAlmostEqual(report.delta * report.facts_capacity, 1e4, delta=1e-3)
        self.assertEqual(report.caveat, "")
        self.assertTrue(np.isnan(report.probability_all_fit))
        self.assertAlmostEqual(ireneo.capacity(4096).facts_capacity_decoupled, 867136.4, delta=0.1)
        narrow = ireneo.capacity(dim_in=30, dim_out=50, candidates=500)
        self.assertAlmostEqual(narrow.facts_capacity_decoupled, 211.9, delta=0.1)
        asked = ireneo.capacity(50, facts=376, problem="decoupled")
        self.assertAlmostEqual(asked.probability_all_fit, 0.474, delta=0.01)
        chance = ireneo.capacity_probability(50, facts=376, problem="decoupled")
        self.assertAlmostEqual(asked.probability_all_fit, chance, places=12)

    def test_shared_candidates(self):
        report = ireneo.capacity(20)
        self.assertGreater(report.correction, 0.03)
        self.assertGreater(report.facts_capacity, 1.02 * report.facts_capacity_decoupled)
        few = ireneo.capacity(20, candidates=10)
        self.assertTrue(90 <= few.facts_capacity <= 92)
        self.assertEqual(few.effective_dimension, 180)

    def test_frequencies(self):
        rng = np.random.default_rng(5)
        even = ireneo.capacity(50, candidates=400, zipf=0)
        skewed = ireneo.capacity(50, candidates=400, zipf=1)
        self.assertLess(skewed.facts_capacity, 0.95 * even.facts_capacity)
        share = 1 / np.arange(1, 401)
        targets = rng.choice(400, 4000, p=share / share.sum())
        counted = ireneo.capacity(50, candidates=400, targets=targets, facts=skewed.facts_capacity)
        self.assertAlmostEqual(counted.facts_capacity / skewed.facts_capacity, 1, delta=0.06)
        for bad in ({"targets": [0, 400]}, {"targets": [-1]}, {"targets": [0], "zipf": 1}, {"zipf": 11}):
            with self.assertRaises(ireneo.IreneoError):
                ireneo.capacity(50, candidates=400, **bad)
        with self.assertRaises(ireneo.IreneoError):
            ireneo.capacity(50, zipf=1)
        with self.assertRaises(ireneo.IreneoError):
            ireneo.capacity(50, candidates=9, zipf=1, problem="decoupled")

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
        strided = np.repeat(small, 2, axis=0)[::2]
        for keys in (small.astype(np.float64), np.asfortranarray(small), small.tolist(), strided):
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
        self.assertEqual(info.status, "partial")
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


class DecoupledTest(unittest.TestCase):
    def test_generated_and_held_candidates_agree(self):
        keys, own = ireneo.sample(20, facts=60, candidates=80, seed=11, problem="decoupled")
        held = np.stack([own.of(fact) for fact in range(60)])
        np.testing.assert_array_equal(held[5, 10:20], own.of(5, 10, 10))
        memory, info = ireneo.store(keys, own, threads=1)
        same, _ = ireneo.store(keys, held, np.arange(60), threads=1)
        self.assertEqual(info.status, "stored")
        np.testing.assert_array_equal(memory.W, same.W)
        recalled = keys.astype(np.float64) @ memory.W.astype(np.float64).T
        scores = np.einsum("ia,iba->ib", recalled, held.astype(np.float64))
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
        self.assertFalse(spoilt(facts_hash=bytes(32)))
        self.assertFalse(spoilt(competitors=c.competitors + 1000))
        self.assertIn("rejected", spoilt(facts_hash=bytes(32)).sentence)

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

    def test_names(self):
        """A memory that carries its names answers to them, also after it was in a file."""
        draw = np.random.default_rng(3)
        keys, values = draw.standard_normal((5, 16)), draw.standard_normal((7, 16))
        memory, info = ireneo.store(keys, values, [6, 5, 4, 3, 2])
        self.assertTrue(info.stored)
        names, answers = ["one", "two", "thrée", "four five", ""], list("abcdefg")
        self.assertRaises(ireneo.ArgumentError, memory.ask, "one")
        memory.save(self.path("n.safetensors"), values, keys=keys, key_labels=names, value_labels=answers)
        again = ireneo.Memory.load(self.path("n.safetensors"))
        self.assertEqual((again.extras.key_labels, again.extras.value_labels), (names, answers))
        self.assertTrue((again.extras.keys == keys.astype(np.float32)).all())
        self.assertEqual([again.ask(name, top=1)[0][0] for name in names], list("gfedc"))
        found = memory.recall(keys[2], values, top=3)
        self.assertEqual(again.ask("thrée", 3), [(answers[k], float(x)) for k, x in zip(*found)])
        with self.assertRaisesRegex(ireneo.DataError, "near it: thrée"):
            again.ask("three")
        for bad in (["a"], ["a\x1b[0m", "b", "c", "d", "e"], ["a\0", "b", "c", "d", "e"]):
            with self.assertRaises(ireneo.DataError):
                memory.save(self.path("bad-names.safetensors"), values, keys=keys, key_labels=bad)
        self.assertFalse(Path(self.path("bad-names.safetensors")).exists())

    def test_memory_files(self):
        keys, values = ireneo.sample(20, facts=60)
        memory, info = ireneo.store(keys, values, threads=1)
        memory.save(self.path("m.safetensors"), values)
        again = ireneo.Memory.load(self.path("m.safetensors"))
        np.testing.assert_array_equal(again.W, memory.W)
        self.assertEqual(again.facts_hash, memory.facts_hash)
        self.assertNotEqual(again.facts_hash, bytes(32))
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


if __name__ == "__main__":
    unittest.main()

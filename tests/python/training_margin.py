"""Training and the largest margin in Python, against NumPy.

Run by ctest; by hand: PYTHONPATH=python IRENEO_LIBRARY=build/libireneo.so python3 tests/python/training_margin.py"""

import unittest

import numpy as np
from float64 import recalled64, scores64

import ireneo


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


if __name__ == "__main__":
    unittest.main()

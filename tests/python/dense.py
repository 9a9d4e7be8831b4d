"""Dense memories in Python, against NumPy.

Run by ctest; by hand: PYTHONPATH=python IRENEO_LIBRARY=build/libireneo.so python3 tests/python/dense.py"""

import unittest

import numpy as np

import ireneo


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
        direct = ireneo.dense.simulate(30, alpha=0.25, measure="lambda", steps=1, draws=100, seed=3)
        scalars = ireneo.dense.simulate(30, alpha=0.25, measure="lambda", method="scalars", draws=100, seed=4)
        self.assertLess(abs(direct.value - scalars.value), 4 * np.hypot(direct.error, scalars.error))
        self.assertAlmostEqual(np.median(direct.values), direct.value, delta=direct.error)
        huge = ireneo.dense.simulate(1000, log_patterns=300.0, method="tail", measure="lambda", draws=20)
        self.assertTrue(np.isfinite(huge.value))

    def test_real_vectors_are_normalised(self):
        """Long patterns do not swallow short ones, and white ones have the identity as covariance: by NumPy."""
        shape = np.linspace(0.3, 2.0, 24)
        lengths = np.exp(ireneo.random_normals((400, 1), seed=4, stream=1))
        patterns = lengths * (ireneo.random_normals((400, 24), seed=4) * shape + 0.5)
        for preparation in ("normalised", "whitened"):
            x = patterns.astype(np.float64)
            if preparation == "whitened":
                x = x - x.mean(0)
                x = x @ np.linalg.inv(np.linalg.cholesky(x.T @ x / len(x))).T
            x *= np.sqrt(24) / np.linalg.norm(x, axis=1, keepdims=True)
            got = ireneo.dense.recall(patterns, patterns, preparation=preparation)
            self.assertEqual((got.retrieved, got.mixtures + got.lost), (400, 0))
            self.assertEqual(set(got.verdict), {"retrieved"})
            np.testing.assert_array_equal(got.top_index[:, 0], np.arange(400))
            look = ireneo.dense.recall(patterns, patterns, preparation=preparation, steps=0).states
            np.testing.assert_allclose(look @ look.T, x @ x.T, atol=1e-3)
            report = ireneo.dense.audit(patterns, preparation=preparation)
            cosines = x @ x.T / 24 - 3 * np.eye(400)
            nearest = np.arccos(cosines.max(1))
            self.assertEqual((report.patterns, report.audited, report.stay), (400, 400, 1.0))
            self.assertAlmostEqual(report.nearest_least, nearest.min(), places=5)
            self.assertAlmostEqual(report.nearest_median, np.median(nearest), places=5)
            self.assertAlmostEqual(report.worst_least, nearest.min() / 2, places=5)
            self.assertEqual(set(report.nearest_pair), {nearest.argmin(), cosines[nearest.argmin()].argmax()})
            self.assertEqual(report.lambda_, got.lambda_)
        raw = ireneo.dense.recall(patterns, patterns, preparation="raw")
        self.assertLess(np.mean(raw.top_index[:, 0] == np.arange(400)), 0.9)
        self.assertAlmostEqual(raw.longest_pattern, np.linalg.norm(patterns, axis=1).max(), places=3)

    def test_verdicts(self):
        """One pattern, a mean of two that lie close, and the average of all."""
        patterns = ireneo.random_normals((100, 60), seed=9)
        patterns[1] = patterns[0] + 0.1 * patterns[1]
        queries = np.stack([patterns[7], patterns[0]])
        got = ireneo.dense.recall(patterns, queries, lambda_=0.5)
        self.assertEqual(list(got.verdict), ["retrieved", "mixture"])
        self.assertEqual(set(ireneo.dense.recall(patterns, queries, lambda_=1e-3).verdict), {"lost"})

    def test_bad_dynamics(self):
        patterns = np.ones((3, 4))
        for bad in (
            lambda: ireneo.dense.recall(patterns, np.ones((2, 5))),
            lambda: ireneo.dense.recall(np.zeros((3, 4)), np.ones(4)),
            lambda: ireneo.dense.recall(patterns, np.full(4, np.nan)),
            lambda: ireneo.dense.recall(patterns, np.ones(4), rule="magic"),
            lambda: ireneo.dense.recall(patterns, np.ones(4), lambda_=-1.0),
            lambda: ireneo.dense.recall(patterns, np.ones(4), rule="polynomial", degree=1),
            lambda: ireneo.dense.recall(patterns, np.ones(4), preparation="magic"),
            lambda: ireneo.dense.recall(patterns, np.zeros(4)),
            lambda: ireneo.dense.recall(patterns, np.ones(4), preparation="whitened"),
            lambda: ireneo.dense.audit(np.zeros((3, 4))),
            lambda: ireneo.dense.audit(patterns, sample=0),
            lambda: ireneo.dense.audit(patterns, lambda_=0.0),
            lambda: ireneo.dense.audit(patterns, rule="polynomial", degree=1),
            lambda: ireneo.dense.simulate(30, alpha=0.1),
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


if __name__ == "__main__":
    unittest.main()

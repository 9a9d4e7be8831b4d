"""Training, margin, dense memories and transformers in Python, against NumPy.

Run by ctest; by hand: PYTHONPATH=python IRENEO_LIBRARY=build/libireneo.so python3 tests/python/more.py"""

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


if __name__ == "__main__":
    unittest.main()

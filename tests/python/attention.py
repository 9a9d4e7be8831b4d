"""Transformers in Python, against NumPy.

Run by ctest; by hand: PYTHONPATH=python IRENEO_LIBRARY=build/libireneo.so python3 tests/python/attention.py"""

import unittest

import numpy as np

import ireneo


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

    def test_layer_ingredients(self):
        """Networks of T = 512 and heads of 128: 0.0816(31) with rotations, 0.156(2) under QK-norm 3."""
        turned = ireneo.attention.layer(1.0, 512, rho=0.3, rope_base=1e4, head_width=128)
        self.assertAlmostEqual(turned.participation, 0.0816, delta=0.1 * 0.0816)
        normed = ireneo.attention.layer(1.0, 512, query_key_norm=3.0, head_width=128)
        self.assertAlmostEqual(normed.participation, 0.156, delta=0.05 * 0.156)
        self.assertEqual(
            ireneo.attention.layer(1.0, 512, window=64).entropy, ireneo.attention.layer(1.0, 512, keys=64).entropy
        )
        self.assertEqual(ireneo.attention.layer(9.0, 512, soft_cap=5.0).beta_c, float("inf"))
        with self.assertRaisesRegex(ireneo.ArgumentError, "head"):
            ireneo.attention.layer(1.0, 512, rope_base=1e4)

    def test_last_rows(self):
        causal = dict(layers=8, context=64, causal=True, beta=3.0, rho_0=0.02)
        whole = ireneo.attention.propagate(**causal)
        late = ireneo.attention.propagate(last=16, **causal)
        self.assertEqual(late.rho[8], whole.rho_late[8])
        self.assertNotEqual(late.rho[8], whole.rho[8])
        with self.assertRaisesRegex(ireneo.ArgumentError, "rows"):
            ireneo.attention.propagate(last=1, **causal)

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

    def test_token_ids(self):
        """Padding is not there, and a text is the same as bytes and as ids."""
        a, ids = ireneo.attention, np.array([[3, 4, 3, 5, 9, 3], [1, 1, 2, 7, 8, 0]])
        shape = dict(layers=2, width=32, mlp_width=32, context=16, draws=4)
        padded = np.full((2, 9), 50)
        padded[:, 2:8] = ids
        plain, other = a.simulate(tokens=ids, **shape), a.simulate(tokens=padded.astype(np.uint8), padding=50, **shape)
        np.testing.assert_array_equal(plain.rho.mean, other.rho.mean)
        np.testing.assert_array_equal(plain.gradient_query.mean, other.gradient_query.mean)
        alone = a.simulate(tokens=ids, positions=0, **shape)
        self.assertGreater(alone.rho.mean[0], plain.rho.mean[0])
        late = a.simulate(tokens=[1, 2, 3, 4, 4], positions=0, last=2, **shape)
        np.testing.assert_allclose(late.rho.mean, 1.0, atol=1e-5)
        model = dict(layers=1, width=16, mlp_width=16, heads=1, context=8, steps=10)
        text = b"three score and ten " * 20
        one, two = a.train(text, **model), a.train(np.frombuffer(text, np.uint8), **model)
        self.assertEqual((one.final_loss, one.symbols), (two.final_loss, two.symbols))

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
            lambda: a.propagate(normalisation="everywhere"),
            lambda: a.propagate("bert-base"),
            lambda: a.assess(rank_limit=-1.0),
            lambda: a.trainability([], [1.0]),
            lambda: a.trainability([[1.0]], [1.0]),
            lambda: a.trainability([1.0], "many"),
            lambda: a.simulate(draws=0),
            lambda: a.simulate(heads=7),
            lambda: a.gradient_depth(normalisation="everywhere"),
            lambda: a.train(""),
            lambda: a.train(3),
            lambda: a.train([0.5] * 4000),
            lambda: a.simulate(layers=1, tokens=[1.5, 2.5]),
            lambda: a.simulate(layers=1, tokens=[[[1, 2]]]),
            lambda: a.simulate(layers=1, tokens=[1, 2**31]),
            lambda: a.simulate(layers=1, tokens=[1, -2], padding=0),
            lambda: a.simulate(layers=1, tokens=[-1, -2]),
            lambda: a.train("text", rate=-1.0),
        ):
            self.assertRaises(ireneo.IreneoError, bad)


if __name__ == "__main__":
    unittest.main()

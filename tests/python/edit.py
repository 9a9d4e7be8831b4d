"""Edits against an independent solver: least distance programming by non-negative least squares (Lawson and Hanson 1974)."""

import pathlib
import sys
import unittest

import numpy as np

import ireneo

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"


def nnls(A, b):
    """x >= 0 with the least |A x - b|, by active sets."""
    m = A.shape[1]
    x, inside = np.zeros(m), np.zeros(m, bool)
    for _ in range(30 * m):
        slope = A.T @ (b - A @ x)
        slope[inside] = -np.inf
        if inside.all() or slope.max() <= 1e-10:
            break
        inside[np.argmax(slope)] = True
        while True:
            z = np.zeros(m)
            z[inside] = np.linalg.lstsq(A[:, inside], b, rcond=None)[0]
            if z[inside].min() > 0:
                break
            low = inside & (z <= 0)
            step = np.min(x[low] / (x[low] - z[low]))
            x = x + step * (z - x)
            inside &= x > 1e-13
        x = z
    return x


def least_distance(Z, c):
    """The least |D| with Z D >= c; None when there is no D."""
    A = np.vstack([Z.T, c])
    b = np.append(np.zeros(Z.shape[1]), 1.0)
    x = nnls(A, b)
    r = A @ x - b
    return None if np.linalg.norm(r) < 1e-7 else np.linalg.norm(r[:-1] / r[-1])


def pairs(W0, keys, values, targets, residuals, margins, L):
    """Rows u k^T and right sides m - u^T o of all pairs, in the coordinates of the metric."""
    k = np.linalg.solve(L, keys.T).T
    Z, c = [], []
    for i, t in enumerate(targets):
        o = W0 @ keys[i] + residuals[i]
        for j in range(len(values)):
            if j != t:
                u = values[t] - values[j]
                Z.append(np.outer(u, k[i]).ravel())
                c.append(margins[i] - u @ o)
    return np.array(Z), np.array(c)


class EditTest(unittest.TestCase):
    def test_independent_solver(self):
        verdicts = []
        for seed in range(24):
            g = np.random.default_rng(seed)
            d_in, d_out, p = g.integers(2, 6, 3) + [0, 0, 2]
            n, m = int(g.integers(1, 12)), int(g.integers(0, 4))
            draw = lambda *shape: g.normal(size=shape).astype(np.float32).astype(np.float64)  # noqa: E731
            W0, keys, values, residuals = draw(d_out, d_in), draw(n, d_in), draw(p, d_out), draw(n, d_out)
            targets = g.integers(0, p, n)
            kept, kept_r = draw(m, d_in), draw(m, d_out)
            ordinary = draw(30, d_in)
            L = np.eye(d_in)
            settings = {}
            if seed % 2:
                C = ordinary.T @ ordinary / 30
                L = np.linalg.cholesky(C + 0.01 * np.trace(C) / d_in * np.eye(d_in))
                settings["ordinary"] = ordinary
            if m:
                settings.update(protect=kept, protect_residuals=kept_r)
            memory, info = ireneo.edit(W0, keys, values, targets, residuals=residuals, margin=0.3, **settings)
            scores = (kept @ W0.T + kept_r) @ values.T
            answers = np.argmax(scores, axis=1) if m else np.zeros(0, int)
            gaps = [np.min(s[a] - np.delete(s, a)) for s, a in zip(scores, answers)]
            margins = np.append(np.full(n, 0.3), np.minimum(0.3, 0.5 * np.array(gaps)))
            Z, c = pairs(W0, np.vstack([keys, kept]), values, np.append(targets, answers),
                         np.vstack([residuals, kept_r]), margins, L)
            best = 0.0 if (c <= 0).all() else least_distance(Z, c)
            if best is None or best > 1e4:  # where float64 leaves it to the exact proof
                self.assertEqual(info.status, "impossible", seed)
                rows, chosen, offsets = info.all_facts
                self.assertTrue(info.certificate.verify(rows, values, chosen, residuals=offsets))
            else:
                self.assertEqual(info.status, "edited", (seed, info))
                self.assertAlmostEqual(info.change_metric, best, delta=2e-4 * (1 + best), msg=str(seed))
                self.assertAlmostEqual(info.bound, best, delta=2e-4 * (1 + best))
                after = (np.vstack([keys, kept]) @ memory.W.astype(float).T + np.vstack([residuals, kept_r])) @ values.T
                self.assertEqual(list(np.argmax(after, axis=1)), list(np.append(targets, answers)))
            verdicts.append(info.status == "impossible")
        self.assertTrue(0 < sum(verdicts) < 24)  # both verdicts were tried

    def test_real_layer(self):
        """The reference values of docs/editing.md for ten facts of the shipped layer."""
        load = lambda name: ireneo.load_array(f"{DATA}/stories15m-last-layer.safetensors:{name}")  # noqa: E731
        W0, values = load("W2").astype(np.float32), load("values").astype(np.float32)
        h, r, t = (load(f"edit_{x}")[:10] for x in ("h", "r", "target"))
        h, r = h.astype(np.float32), r.astype(np.float32)
        plain, info = ireneo.edit(W0, h, values, t, residuals=r, margin=0.25)
        self.assertAlmostEqual(info.change, 0.551341, delta=1e-5)
        self.assertEqual((info.recalled, info.active), (10, 45))
        metric, info = ireneo.edit(W0, h, values, t, residuals=r, margin=0.25, ordinary=load("ordinary_h").astype(np.float32))
        self.assertAlmostEqual(info.change_metric, 0.280064, delta=1e-5)
        self.assertAlmostEqual(info.change, 1.68233, delta=1e-4)
        self.assertEqual(metric.check(h, values, t, residuals=r).recalled, 10)
        self.assertEqual(list(metric.recall(h, values, 1, residuals=r).indices[:, 0]), list(t))
        _, ridge = ireneo.edit(W0, h, values, t, residuals=r, margin=0.25, ordinary=load("ordinary_h").astype(np.float32), rule="ridge")
        self.assertEqual(ridge.recalled, 10)
        self.assertTrue(np.isnan(ridge.bound))

    def test_added_to_a_memory(self):
        """Facts added to a memory that holds others: all recalled, and less is changed than by storing anew."""
        g = np.random.default_rng(1)
        keys, values = g.normal(size=(140, 40)).astype(np.float32), g.normal(size=(200, 40)).astype(np.float32)
        targets = g.integers(0, 200, 140)
        held, _ = ireneo.store(keys[:80], values, targets[:80])
        anew, _ = ireneo.store(keys, values, targets)
        more, info = ireneo.edit(held.W, keys[80:], values, targets[80:], protect=keys[:80])
        self.assertEqual(info.status, "edited")
        self.assertEqual(more.check(keys, values, targets).recalled, 140)
        self.assertLess(info.duality_gap, 0.01)
        scale = np.sum(anew.W * held.W) / np.sum(anew.W**2)  # whatever its scale, which is free
        self.assertLess(info.change, np.linalg.norm(scale * anew.W - held.W))

    def test_bad_input(self):
        g = np.random.default_rng(2)
        W0, keys, values = g.normal(size=(4, 5)), g.normal(size=(3, 5)), g.normal(size=(6, 4))
        targets = [0, 1, 2]
        for wrong, text in (
            ({"residuals": np.zeros((2, 4))}, "residuals"),
            ({"protect": np.zeros((2, 4))}, "protect"),
            ({"covariance": np.zeros((2, 2))}, "covariance"),
            ({"covariance": -np.eye(5)}, "positive definite"),
            ({"ordinary": keys, "covariance": np.eye(5)}, "exclude"),
            ({"rule": "best"}, "rule"),
            ({"margin": -1.0}, "margin"),
            ({"residuals": np.full((3, 4), np.nan)}, "NaN"),
            ({"protect": keys[:1], "protect_targets": [7]}, "protected"),
        ):
            with self.assertRaises(ireneo.IreneoError) as caught:
                ireneo.edit(W0, keys, values, targets, **wrong)
            self.assertIn(text.lower(), str(caught.exception).lower())
        with self.assertRaises(ireneo.DataError):
            ireneo.edit(W0.T, keys, values, targets)


if __name__ == "__main__":
    sys.exit(unittest.main())

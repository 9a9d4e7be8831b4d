"""Drawn targets and recall among the K best, against NumPy in float64.

Run by ctest; by hand: PYTHONPATH=python IRENEO_LIBRARY=build/libireneo.so python3 tests/python/targets_and_top.py"""

import os
import pickle
import tempfile
import unittest

import ireneo
import numpy as np


def among_best(w, keys, values, targets, top):
    """Whether fewer than `top` candidates score as much as the target or more."""
    scores = keys.astype(float) @ w.astype(float).T @ values.astype(float).T
    own = scores[np.arange(len(keys)), targets][:, None]
    return (scores >= own).sum(1) - 1 < top


class TargetsTest(unittest.TestCase):
    def test_rules(self):
        keys, values, targets = ireneo.sample(6, facts=40, candidates=12, targets="zipf:1.5", seed=3)
        self.assertEqual((keys.shape, values.shape, targets.shape), ((40, 6), (12, 6), (40,)))
        self.assertEqual(targets.dtype, np.int64)
        self.assertTrue(0 <= targets.min() and targets.max() < 12)
        again, _, fewer = ireneo.sample(6, facts=15, candidates=12, targets="zipf:1.5", seed=3)
        self.assertTrue((fewer == targets[:15]).all() and (again == keys[:15]).all())
        _, _, turn = ireneo.sample(6, facts=40, candidates=12, targets="each")
        self.assertTrue((turn == np.arange(40) % 12).all())
        _, _, many = ireneo.sample(2, facts=4000, candidates=10, targets="random")
        self.assertGreater(np.bincount(many, minlength=10).min(), 300)  # 400 on average, 19 apart: five deviations
        _, info = ireneo.store(keys[:8], values, targets[:8])
        self.assertEqual(info.status, "stored")

    def test_refused(self):
        for words in (
            dict(targets="zipf"),
            dict(targets="zipf:x"),
            dict(targets="zipf:-1"),
            dict(targets="often"),
            dict(targets="random", candidates=None),
            dict(targets="random", problem="decoupled"),
        ):
            with self.assertRaises(ireneo.ArgumentError):
                ireneo.sample(6, **{"facts": 5, "candidates": 9, **words})


class TopTest(unittest.TestCase):
    def test_store_and_check(self):
        keys, values, targets = ireneo.sample(16, facts=50, candidates=45, targets="random", seed=2)
        memory, info = ireneo.store(keys, values, targets, top=3)
        self.assertEqual((info.status, info.recalled), ("stored", 50))
        self.assertTrue(among_best(memory.W, keys, values, targets, 3).all())
        for top in (1, 2, 3, 10):
            report = memory.check(keys, values, targets, top=top)
            self.assertTrue((report.mask == among_best(memory.W, keys, values, targets, top)).all())
        answers = memory.recall(keys, values, top=3).indices
        self.assertTrue((answers == targets[:, None]).any(1).all())
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.safetensors")
            pickle.loads(pickle.dumps(memory)).save(path)
            self.assertEqual(ireneo.tensor_metadata(path, "top"), "3")
            self.assertEqual(ireneo.Memory.load(path).check(keys, values, targets, top=3).recalled, 50)

    def test_rule_of_one_pass(self):
        keys, values = ireneo.sample(15, facts=60, seed=5)
        memory, info = ireneo.store(keys, values, solver="hebbian", top=4)
        wanted = among_best(memory.W, keys, values, np.arange(60), 4)
        self.assertEqual(info.recalled, int(wanted.sum()))
        self.assertEqual(info.status, "partial" if not wanted.all() else "stored")

    def test_law(self):
        self.assertAlmostEqual(
            ireneo.capacity_top(30, top=1, candidates=200, problem="decoupled"),
            ireneo.capacity(30, candidates=200, problem="decoupled").facts_capacity,
            places=6,
        )
        by_top = [ireneo.capacity_top(30, top=k, candidates=200) for k in (1, 2, 5, 20)]
        self.assertEqual(by_top, sorted(by_top))

    def test_refused(self):
        keys, values = ireneo.sample(6, facts=20)
        for words in (dict(overload=True), dict(exact=True), dict(residuals=values), dict(top=20), dict(top=0)):
            with self.assertRaises(ireneo.ArgumentError):
                ireneo.store(keys, values, **{"top": 2, **words})
        with self.assertRaises(ireneo.ArgumentError):
            ireneo.capacity_top(6, top=9, candidates=9)


if __name__ == "__main__":
    unittest.main()

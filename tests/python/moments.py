"""Moments of keys against exact rational arithmetic, through the binding and through the program.

Run by ctest; by hand: PYTHONPATH=python IRENEO_LIBRARY=build/libireneo.so python3 tests/python/moments.py"""

import os
import subprocess
import tempfile
import unittest
from fractions import Fraction
from pathlib import Path

import ireneo
import numpy as np


def exact(keys):
    """Sums of products as fractions, rounded once by float(), then divided."""
    rows = [[Fraction(float(x)) for x in row] for row in keys]
    dim, n = len(rows[0]), len(rows)
    second = [[float(sum(r[i] * r[j] for r in rows)) / n for j in range(dim)] for i in range(dim)]
    return np.array(second), np.array([float(sum(r[i] for r in rows)) / n for i in range(dim)])


class MomentsTest(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(5)

    def wild(self, rows, dim):
        """Keys over 60 powers of two."""
        size = np.exp2(self.random.integers(-40, 20, (rows, dim)))
        return (self.random.standard_normal((rows, dim)) * size).astype(np.float32)

    def test_exact(self):
        for keys in (self.wild(70, 5), self.wild(1, 3), self.random.standard_normal((300, 4)).astype(np.float32)):
            second, mean = exact(keys)
            moments = ireneo.moments(keys)
            np.testing.assert_array_equal(moments.second_moment, second)
            np.testing.assert_array_equal(moments.mean, mean)
            self.assertEqual((moments.count, moments.dim), keys.shape)

    def test_every_type_and_order_of_files(self):
        keys = self.wild(50, 3).astype(np.float16).astype(np.float32)
        keys[~np.isfinite(keys)] = 1
        expected = ireneo.moments(keys).second_moment
        with tempfile.TemporaryDirectory() as folder:
            for name, array in {
                "f16": keys.astype(np.float16), "f64": keys.astype(np.float64), "big": keys.astype(">f4"),
                "fortran": np.asfortranarray(keys), "stack": keys.reshape(5, 10, 3),
                "fortran_stack": np.asfortranarray(keys.reshape(5, 10, 3)),
            }.items():  # fmt: skip
                np.save(Path(folder, name + ".npy"), array)
                np.testing.assert_array_equal(ireneo.moments(Path(folder, name + ".npy")).second_moment, expected, name)
            np.savez_compressed(Path(folder, "x.npz"), a=keys, b=keys)
            both = ireneo.moments(f"{folder}/x.npz:a", f"{folder}/x.npz:b")
            self.assertEqual(both.count, 100)
            np.testing.assert_array_equal(both.second_moment, expected)

    def test_program_merges_bit_for_bit(self):
        keys = self.wild(2500, 40)
        with tempfile.TemporaryDirectory() as folder:

            def run(*arguments):
                program = os.environ["IRENEO_PROGRAM"]
                return subprocess.run([program, "moments", *arguments], cwd=folder, capture_output=True, text=True, check=True)

            np.save(Path(folder, "whole.npy"), keys)
            np.save(Path(folder, "a.npy"), keys[1111:])
            np.save(Path(folder, "b.npy"), keys[:1111])
            run("whole.npy", "-o", "whole.safetensors", "--threads", "1")
            run("a.npy", "-o", "a.safetensors", "--threads", "2")
            run("b.npy", "-o", "b.safetensors")
            run("a.safetensors", "b.safetensors", "-o", "merged.safetensors")
            run("b.npy", "a.safetensors", "-o", "mixed.safetensors")
            whole = Path(folder, "whole.safetensors").read_bytes()
            self.assertEqual(Path(folder, "merged.safetensors").read_bytes(), whole)
            self.assertEqual(Path(folder, "mixed.safetensors").read_bytes(), whole)
            loaded = ireneo.load_array(f"{folder}/whole.safetensors:second_moment")
            np.testing.assert_array_equal(loaded, ireneo.Moments.load(f"{folder}/whole.safetensors").second_moment)
            wide = keys.astype(np.float64)
            np.testing.assert_allclose(loaded, wide.T @ wide / len(wide), rtol=1e-9, atol=1e-9 * np.abs(loaded).max())

    def test_report(self):
        keys = self.random.standard_normal((4000, 6)) @ np.diag([3, 1, 1, 1, 0.1, 0.1]) + [2, 0, 0, 0, 0, 0]
        keys = keys.astype(np.float32).astype(float)
        report = ireneo.moments(keys).describe()
        second, covariance = keys.T @ keys / len(keys), np.cov(keys.T, bias=True)
        self.assertAlmostEqual(report.mean_square, np.trace(second), places=10)
        self.assertAlmostEqual(report.mean_share, (keys.mean(0) ** 2).sum() / np.trace(second), places=12)
        self.assertAlmostEqual(report.participation, np.trace(second) ** 2 / (second**2).sum(), places=10)
        self.assertAlmostEqual(report.participation_centred, np.trace(covariance) ** 2 / (covariance**2).sum(), places=10)
        self.assertTrue(np.isnan(ireneo.moments(np.ones((4, 3)) * 0.3).describe().participation_centred))

    def test_refusals(self):
        moments = ireneo.Moments(3)
        with self.assertRaisesRegex(ireneo.DataError, "no rows"):
            moments.mean
        with self.assertRaisesRegex(ireneo.ArgumentError, "4 entries"):
            moments.add(np.ones((2, 4)))
        with self.assertRaises(ireneo.DataError):
            moments.add([[1, 2, np.nan]])
        with self.assertRaisesRegex(ireneo.DataError, "cannot be merged"):
            moments.merge(ireneo.Moments(4))
        with self.assertRaises(ireneo.ArgumentError):
            ireneo.moments(np.ones((2, 2)), np.ones((2, 2)))


if __name__ == "__main__":
    unittest.main()

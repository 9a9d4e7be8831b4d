"""Random numbers in Python: their moments, their streams, and the samples made of them.

Run by ctest; by hand: PYTHONPATH=python IRENEO_LIBRARY=build/libireneo.so python3 tests/python/random_numbers.py"""

import unittest

import numpy as np

import ireneo


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


if __name__ == "__main__":
    unittest.main()

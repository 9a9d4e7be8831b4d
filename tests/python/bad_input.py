"""Bad input in Python: what is refused, and in which words.

Run by ctest; by hand: PYTHONPATH=python IRENEO_LIBRARY=build/libireneo.so python3 tests/python/bad_input.py"""

import unittest

import numpy as np

import ireneo


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
        self.refused("keys: row 5, column 2 is 1e\\+300, beyond float32", self.with_entry(1e300), self.values)
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


if __name__ == "__main__":
    unittest.main()

"""Bad input, Ctrl-C and random numbers in Python.

Run by ctest; by hand: PYTHONPATH=python IRENEO_LIBRARY=build/libireneo.so python3 tests/python/faults.py"""

import os
import signal
import subprocess
import sys
import threading
import time
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


class InterruptTest(unittest.TestCase):
    """Work that is stopped. The instance is far from done when the first reports come."""

    @classmethod
    def setUpClass(cls):
        cls.keys, cls.values = ireneo.sample(100, facts=1150, seed=2)

    def test_progress_stops_and_work_goes_on(self):
        calls = []

        def stop_later(stage, done, total):
            calls.append((stage, done, total))
            return len(calls) >= 12

        memory, info = ireneo.store(self.keys, self.values, threads=1, progress=stop_later)
        self.assertEqual(info.status, "interrupted")
        self.assertLess(info.recalled, 1150)
        self.assertTrue(all(isinstance(stage, str) and 0 <= done <= total for stage, done, total in calls))
        _, again = ireneo.store(self.keys[:1000], self.values[:1000], initial=memory, threads=1)
        self.assertEqual(again.status, "stored")

    def test_exceptions_pass_through(self):
        def fail(stage, done, total):
            raise RuntimeError("from the callback")

        with self.assertRaisesRegex(RuntimeError, "from the callback"):
            ireneo.store(self.keys, self.values, threads=1, progress=fail)

    def test_keyboard_interrupt(self):
        reports = []

        def press_control_c(stage, done, total):
            reports.append(time.monotonic())
            if len(reports) == 5:
                os.kill(os.getpid(), signal.SIGINT)

        with self.assertRaises(KeyboardInterrupt) as caught:
            ireneo.store(self.keys, self.values, threads=1, progress=press_control_c)
        self.assertIsInstance(caught.exception, ireneo.Interrupted)
        self.assertEqual(caught.exception.memory.W.shape, (100, 100))
        self.assertEqual(caught.exception.info.status, "interrupted")
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_keyboard_interrupt_from_outside(self):
        program = (
            "import ireneo, sys\n"
            "k, v = ireneo.sample(100, facts=1185, seed=2)\n"
            "print('ready', flush=True)\n"
            "try:\n"
            "    while True: ireneo.store(k, v, threads=1)\n"
            "except KeyboardInterrupt as stop: print(type(stop).__name__)\n"
        )
        pipes = dict(stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        child = subprocess.Popen([sys.executable, "-c", program], **pipes)
        self.assertEqual(child.stdout.readline(), "ready\n")
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
        self.assertEqual((child.returncode, err), (0, ""))
        self.assertIn(out, ("Interrupted\n", "KeyboardInterrupt\n"))

    def test_other_threads(self):
        """Off the main thread there are no signals to watch; the work is the same."""
        outcome = []
        keys, values = self.keys[:200], self.values[:200]
        worker = threading.Thread(target=lambda: outcome.append(ireneo.store(keys, values, threads=1)[1].status))
        worker.start()
        worker.join(60)
        self.assertEqual(outcome, ["stored"])


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

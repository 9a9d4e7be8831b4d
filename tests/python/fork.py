"""The library in a forked child of a process that has used it, by way of multiprocessing.

Run by ctest; by hand: PYTHONPATH=python IRENEO_LIBRARY=build/libireneo.so python3 tests/python/fork.py"""

import multiprocessing
import unittest

import numpy as np

import ireneo


def facts():
    rng = np.random.default_rng(7)
    return rng.standard_normal((300, 24)).astype(np.float32), rng.standard_normal((300, 24)).astype(np.float32)


def store_and_recall():
    keys, values = facts()
    memory, info = ireneo.store(keys, values, threads=2)
    answers = memory.recall(keys, values, top=3, threads=2)
    return memory.W.tobytes(), str(info.status), answers.indices.tobytes(), answers.scores.tobytes()


def answer(queue):
    queue.put(store_and_recall())


class ForkTest(unittest.TestCase):
    def test_child_finds_the_same_bits(self):
        """The library's threads sleep in the parent; the child, which has none of them, must not wait for them."""
        expected = store_and_recall()
        context = multiprocessing.get_context("fork")
        queue = context.SimpleQueue()
        child = context.Process(target=answer, args=(queue,))
        child.start()
        child.join(120)
        if child.is_alive():
            child.kill()
            self.fail("the child hangs")
        self.assertEqual(child.exitcode, 0)
        self.assertEqual(queue.get(), expected)

    def test_pool(self):
        expected = store_and_recall()
        with multiprocessing.get_context("fork").Pool(2) as pool:
            results = [pool.apply_async(store_and_recall) for _ in range(4)]
            for result in results:
                self.assertEqual(result.get(120), expected)


if __name__ == "__main__":
    unittest.main()

"""Real word vectors through the program: 126 countries and their capitals, and random word pairs up to 0.85 of the law,
with the whole vocabulary as candidates. NumPy judges the file that the program wrote.

Run by ctest; by hand: IRENEO_PROGRAM=build/ireneo DATA=data PYTHONPATH=python python3 tests/python/words.py"""

import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

import ireneo

DATA = Path(os.environ["DATA"])
PROGRAM = os.environ["IRENEO_PROGRAM"]


def run(*words, expect=0):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True)
    if done.returncode != expect:
        raise AssertionError(f"{words}: exit code {done.returncode}, {done.stderr}{done.stdout}")
    return done.stdout


def word_facts(vectors, words, pairs, count, seed):
    """Rows of the keys and of the values: the pairs first, then random words, no key twice."""
    row = {word: k for k, word in enumerate(words)}
    keys = [row[country] for country, _ in pairs]
    values = [row[capital] for _, capital in pairs]
    order = np.argsort(ireneo.random_uniforms(len(words), seed=seed))
    more = [k for k in order if k not in set(keys)][: count - len(keys)]
    drawn = (ireneo.random_uniforms(len(more), seed=seed, stream=1) * len(words)).astype(np.int64)
    return np.array(keys + more), np.array(values + list(drawn), dtype=np.int64)


def gaps64(W, keys, values, targets):
    """Target score minus best other score of each fact, and the scores' spread, in float64."""
    scores = (keys.astype(np.float64) @ W.astype(np.float64).T) @ values.astype(np.float64).T
    rows = np.arange(len(keys))
    spread = np.sqrt(scores[:: len(keys) // 64 + 1].var(axis=1).mean())
    mine = scores[rows, targets].copy()
    scores[rows, targets] = -np.inf
    return mine - scores.max(axis=1), spread


class WordsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.vectors = np.load(DATA / "words-100d.npy")
        cls.words = (DATA / "words.txt").read_text().split()
        with open(DATA / "capitals.csv", newline="") as file:
            cls.pairs = list(csv.reader(file))[1:]
        cls.law = ireneo.capacity(100, candidates=len(cls.words)).facts_capacity
        cls.count = int(0.85 * cls.law)
        rows, cls.targets = word_facts(cls.vectors, cls.words, cls.pairs, cls.count, seed=1)
        cls.keys = cls.vectors[rows]
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        np.save(cls.path("keys.npy"), cls.keys)
        np.save(cls.path("targets.npy"), cls.targets)
        Path(cls.path("names.txt")).write_text("".join(cls.words[k] + "\n" for k in rows))
        said = run(
            "store", cls.path("keys.npy"), DATA / "words-100d.npy", "--targets", cls.path("targets.npy"),
            "-o", cls.path("words.safetensors"), "--json",
        )
        cls.report = json.loads(said)

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    def check(self, memory, expect):
        said = run(
            "check", memory, self.path("keys.npy"), DATA / "words-100d.npy", "--targets", self.path("targets.npy"),
            "--json", expect=expect,
        )
        return json.loads(said)

    def test_data(self):
        self.assertEqual(self.vectors.shape, (10085, 100))
        self.assertEqual(len(self.words), 10085)
        self.assertEqual(len(self.pairs), 126)

    def test_stored(self):
        self.assertEqual(self.report["status"], "stored")
        self.assertEqual((self.report["facts"], self.report["recalled"]), (self.count, self.count))
        self.assertAlmostEqual(self.report["fraction_of_capacity"], 0.85, delta=0.003)

    def test_numpy_agrees(self):
        W = ireneo.load_array(self.path("words.safetensors") + ":W")
        gaps, spread = gaps64(W, self.keys, self.vectors, self.targets)
        report = self.check(self.path("words.safetensors"), 0)
        self.assertEqual(report["facts"], self.count)
        self.assertEqual(report["recalled"], int((gaps > 0).sum()))
        self.assertEqual(report["recalled"], self.count)
        self.assertAlmostEqual(report["margin"], gaps.min() / spread, delta=1e-5)

    def test_numpy_agrees_where_facts_are_lost(self):
        """The same exact agreement on memories that recall only a part: rounded entries, and the Hebbian rule."""
        W = ireneo.load_array(self.path("words.safetensors") + ":W")
        rounded = self.path("rounded.safetensors")
        ireneo.Memory(W.astype(np.float16).astype(np.float32) + 0.02 * np.abs(W).mean() * np.sign(W)).save(rounded)
        hebbian = self.path("hebbian.safetensors")
        run("store", self.path("keys.npy"), DATA / "words-100d.npy", "--targets", self.path("targets.npy"),
            "--solver", "hebbian", "-o", hebbian, expect=1)
        for memory in (rounded, hebbian):
            gaps, _ = gaps64(ireneo.load_array(memory + ":W"), self.keys, self.vectors, self.targets)
            report = self.check(memory, 1)
            self.assertEqual(report["recalled"], int((gaps > 0).sum()), memory)
            self.assertLess(report["recalled"], self.count)

    def test_capitals_by_name(self):
        said = run(
            "recall", self.path("words.safetensors"), self.path("keys.npy"), "--values", DATA / "words-100d.npy",
            "--labels", DATA / "words.txt", "--query-labels", self.path("names.txt"), "--top", "3", "--json",
        )
        answers = [json.loads(line) for line in said.splitlines()]
        self.assertEqual(len(answers), self.count)
        for (country, capital), answer in zip(self.pairs, answers):
            self.assertEqual(answer["query_label"], country)
            self.assertEqual(answer["answers"][0]["label"], capital)
            self.assertEqual(len(answer["answers"]), 3)

    def test_example(self):
        """examples/store_words.py runs as it is, and the file it writes holds what it says."""
        example = Path(__file__).resolve().parents[2] / "examples" / "store_words.py"
        command = [sys.executable, str(example), "france", "japan"]
        said = subprocess.run(command, cwd=self.folder.name, check=True, capture_output=True, text=True).stdout
        self.assertIn("stored: 126 of 126 recalled", said)
        self.assertIn("france -> paris", said)
        self.assertEqual(ireneo.load_array(self.path("capitals.safetensors:values")).shape, (10085, 100))


if __name__ == "__main__":
    unittest.main()

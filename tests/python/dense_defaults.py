"""The same dense questions to C, to the program and to Python, with nothing but defaults: the same answers.

Run by ctest; by hand:
PYTHONPATH=python IRENEO_LIBRARY=build/libireneo.so IRENEO_PROGRAM=build/ireneo python3 tests/python/dense_defaults.py"""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np

import ireneo

ROOT = Path(__file__).resolve().parents[2]
LIBRARY, PROGRAM = Path(os.environ["IRENEO_LIBRARY"]).resolve(), Path(os.environ["IRENEO_PROGRAM"]).resolve()
PATTERNS, NEURONS, QUERIES = 300, 20, 40

C = r"""
#include <ireneo.h>
#include <stdio.h>
enum { P = %d, N = %d, Q = %d };
static float patterns[P * N], queries[Q * N], states[Q * N];
static unsigned char verdict[Q];
static size_t steps[Q], top[Q];
static int load(const char *path, float *rows, size_t count) {
    FILE *file = fopen(path, "rb");
    return file == NULL || fread(rows, sizeof *rows, count, file) != count || fclose(file) != 0;
}
int main(void) {
    ireneo_dense_recall_info info;
    ireneo_dense_recall_result result = {
        .states = states, .verdict = verdict, .steps = steps, .top_index = top};
    ireneo_dense_recall_settings settings = {.top = 1};
    ireneo_dense_audit_report audit;
    ireneo_dense_experiment experiment = {.neurons = 20, .log_patterns = 0.2 * 20, .lambda = 0.3};
    ireneo_dense_summary summary;
    if (load("patterns.raw", patterns, P * N) || load("queries.raw", queries, Q * N)) return 1;
    if (ireneo_dense_recall(patterns, P, N, queries, Q, &settings, &result, &info) != IRENEO_OK) return 2;
    if (ireneo_dense_audit(patterns, P, N, NULL, &audit) != IRENEO_OK) return 3;
    if (ireneo_dense_simulate(&experiment, 40, NULL, NULL, &summary) != IRENEO_OK) return 4;
    for (int q = 0; q < Q; q++) printf("%%s %%zu %%zu\n", ireneo_dense_verdict_name(verdict[q]), steps[q], top[q]);
    printf("%%.17g %%.17g\n", info.lambda, info.pattern_power);
    printf("%%.17g %%.17g %%.17g %%.17g\n", audit.lambda, audit.stay, audit.random_angle, audit.worst_median);
    printf("%%.17g %%.17g\n", summary.value, summary.error);
    return fwrite(states, sizeof *states, Q * N, fopen("states.raw", "wb")) != Q * N;
}
""" % (PATTERNS, NEURONS, QUERIES)


class DefaultsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        place = Path(cls.folder.name)
        lengths = np.exp(0.5 * ireneo.random_normals((PATTERNS, 1), seed=1, stream=1))
        cls.patterns = (lengths * ireneo.random_normals((PATTERNS, NEURONS), seed=1)).astype(np.float32)
        noise = ireneo.random_normals((QUERIES, NEURONS), seed=1, stream=2)
        cls.queries = (cls.patterns[:QUERIES] + 0.6 * lengths[:QUERIES] * noise).astype(np.float32)
        for name, rows in (("patterns", cls.patterns), ("queries", cls.queries)):
            rows.tofile(place / f"{name}.raw")
            np.save(place / f"{name}.npy", rows)
        (place / "ask.c").write_text(C)
        compiler = os.environ.get("CC", "gcc").split()
        link = [str(LIBRARY), f"-Wl,-rpath,{LIBRARY.parent}"]
        flags = ["-std=c17", "-I", str(ROOT / "include")]
        subprocess.run([*compiler, *flags, "ask.c", *link, "-o", "ask"], cwd=place, check=True)
        asked = subprocess.run([place / "ask"], cwd=place, check=True, capture_output=True, text=True).stdout
        cls.c = [line.split() for line in asked.splitlines()]
        cls.c_states = np.fromfile(place / "states.raw", dtype=np.float32).reshape(QUERIES, NEURONS)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def program(self, *words):
        done = subprocess.run(
            [PROGRAM, "dense", *words, "--json"], cwd=self.folder.name, check=True, capture_output=True, text=True
        )
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_recall(self):
        here = ireneo.dense.recall(self.patterns, self.queries)
        *lines, summary = self.program("recall", "patterns.npy", "queries.npy", "-o", "states.npy")
        states = np.load(Path(self.folder.name, "states.npy"))
        self.assertEqual(self.c[QUERIES], [format(x, ".17g") for x in (here.lambda_, here.pattern_power)])
        self.assertEqual((summary["lambda"], summary["pattern_power"]), (here.lambda_, here.pattern_power))
        for q, line in enumerate(lines):
            mine = [str(here.verdict[q]), str(here.steps[q]), str(here.top_index[q, 0])]
            self.assertEqual(self.c[q], mine)
            self.assertEqual([line["verdict"], str(line["steps"]), str(line["answers"][0]["index"])], mine)
        np.testing.assert_array_equal(here.states, self.c_states)
        np.testing.assert_array_equal(here.states, states)

    def test_audit(self):
        here = ireneo.dense.audit(self.patterns)
        numbers = (here.lambda_, here.stay, here.random_angle, here.worst_median)
        self.assertEqual(self.c[QUERIES + 1], [format(x, ".17g") for x in numbers])
        (report,) = self.program("audit", "patterns.npy")
        self.assertEqual(tuple(report[key] for key in ("lambda", "stay", "random_angle", "worst_median")), numbers)

    def test_simulate(self):
        here = ireneo.dense.simulate(20, alpha=0.2, lambda_=0.3, draws=40)
        self.assertEqual(self.c[QUERIES + 2], [format(x, ".17g") for x in (here.value, here.error)])
        question = ("--neurons", "20", "--alpha", "0.2", "--lambda", "0.3", "--draws", "40")
        (report,) = self.program("simulate", *question)
        self.assertEqual((report["value"], report["error"]), (here.value, here.error))


if __name__ == "__main__":
    unittest.main()

"""One retrieval step by Ireneo and by PyTorch's softmax attention, in turns, on the sizes of bench_dense.

usage: dense_torch.py QUERIES NEURONS PATTERNS THREADS (the library is named by IRENEO_LIBRARY)
"""
import pathlib
import sys
import time
from ctypes import c_float

try:
    import torch
except ImportError:
    print("PyTorch is not installed for /usr/bin/python3 (package python3-torch): comparison skipped")
    sys.exit(0)
import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
from ireneo import structures_dense as structures
from ireneo.arrays import pointer
from ireneo.library import check, lib

ROUNDS = 4
LAMBDA = 0.2


def resident_megabytes(which):
    """VmRSS, what is resident now, or VmHWM, the most since the peak was last forgotten."""
    for line in open("/proc/self/status"):
        if line.startswith(which + ":"):
            return int(line.split()[1]) / 1e3


def forget_peak():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def by_ireneo(stored, asked, threads):
    settings, info = structures.ireneo_dense_recall_settings(), structures.ireneo_dense_recall_info()
    settings.steps, settings.threads, settings.preparation = 1, threads, 2  # raw, as PyTorch takes them
    setattr(settings, "lambda", LAMBDA)
    states = numpy.empty_like(asked)
    result = structures.ireneo_dense_recall_result(states=pointer(states, c_float))
    check(lib.ireneo_dense_recall(pointer(stored, c_float), *stored.shape, pointer(asked, c_float), asked.shape[0],
                                  settings, result, info))
    return states


def by_torch(stored, asked, threads):
    with torch.no_grad():
        stored, asked = torch.from_numpy(stored), torch.from_numpy(asked)
        return (torch.softmax(LAMBDA * (asked @ stored.T), dim=1) @ stored).numpy()


queries, neurons, patterns, threads = (int(word) for word in sys.argv[1:5])
torch.set_num_threads(threads)
numbers = numpy.random.default_rng(1)
stored = numbers.standard_normal((patterns, neurons), dtype=numpy.float32)
asked = numbers.standard_normal((queries, neurons), dtype=numpy.float32)
best, memory, answers = {}, {}, {}
for turn in range(ROUNDS):  # in the first, libraries also allocate what they keep
    for way in (by_ireneo, by_torch):
        forget_peak()
        before, start = resident_megabytes("VmRSS"), time.perf_counter()
        answers[way] = way(stored, asked, threads)
        best[way] = min(best.get(way, float("inf")), time.perf_counter() - start)
        memory[way] = max(memory.get(way, 0.0), resident_megabytes("VmHWM") - before)
difference = numpy.abs(answers[by_ireneo] - answers[by_torch]).max()
print(f"PyTorch {torch.__version__} softmax(q X^T) X: {best[by_torch]:.3f} s, Ireneo in turns with it "
      f"{best[by_ireneo]:.3f} s, {best[by_torch] / best[by_ireneo]:.2f} times faster (goal 1.5)")
print(f"memory beyond the data: PyTorch {memory[by_torch]:.0f} MB, Ireneo {memory[by_ireneo]:.0f} MB, "
      f"{memory[by_ireneo] / memory[by_torch]:.3f} of it (goal 0.1); largest difference of answers {difference:.1e}")
sys.exit(0 if difference < 1e-3 else 1)

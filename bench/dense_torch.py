"""Softmax attention of PyTorch on the sizes of bench_dense, for comparison.

usage: dense_torch.py QUERIES NEURONS PATTERNS THREADS SECONDS_OF_IRENEO
"""
import resource
import sys
import time

try:
    import torch
except ImportError:
    print("PyTorch is not installed for /usr/bin/python3 (package python3-torch): comparison skipped")
    sys.exit(0)

queries, neurons, patterns, threads = (int(word) for word in sys.argv[1:5])
ours = float(sys.argv[5])
torch.set_num_threads(threads)
torch.manual_seed(1)
stored = torch.randn(patterns, neurons)
asked = torch.randn(queries, neurons)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
best = float("inf")
with torch.no_grad():
    for _ in range(3):
        start = time.perf_counter()
        answer = torch.softmax(0.2 * (asked @ stored.T), dim=1) @ stored
        best = min(best, time.perf_counter() - start)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(f"PyTorch softmax(q X^T) X: {best:.3f} s, {(after - before) / 1e3:.0f} MB beyond the data; "
      f"Ireneo takes {ours / best:.2f} of its time (goal 0.67)")

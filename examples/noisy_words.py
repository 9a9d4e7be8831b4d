"""A dense memory of 10 085 words, asked with noisy vectors: how sharp must it be?

    python3 examples/noisy_words.py [WORD ...]
"""
import sys
from pathlib import Path

import numpy as np

import ireneo

DATA = Path(__file__).resolve().parent.parent / "data"
words = (DATA / "words.txt").read_text().split()
patterns = np.load(DATA / "words-100d.npy").astype(np.float32)  # (10085, 100)

asked = sys.argv[1:] or ["paris", "piano", "memory", "tuesday"]
rows = [words.index(word) for word in asked]
noise = ireneo.random_normals((len(rows), patterns.shape[1]), seed=1)
queries = patterns[rows] + 0.5 * np.linalg.norm(patterns[rows], axis=1, keepdims=True) / 10 * noise

audit = ireneo.dense.audit(patterns)
print(f"these words need lambda = {audit.lambda_:.1f}; a query may be {np.degrees(audit.random_angle):.0f} degrees away")
print(f"in a random direction, and {np.degrees(audit.worst_median):.0f} towards the nearest other word (medians)")
for sharpness in (0.1, 0.4, audit.lambda_):
    end = ireneo.dense.recall(patterns, queries, lambda_=sharpness, audited=False)
    ends = zip(asked, end.top_index[:, 0], end.verdict)
    print(f"lambda {sharpness:.1f}:", ", ".join(f"{word} -> {words[k]} ({verdict})" for word, k, verdict in ends))

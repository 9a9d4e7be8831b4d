"""Singular values of rank-limited memories against the truncated quarter circle, in white coordinates.

The law is a limit: it holds at the load alpha_c(kappa) = E(kappa) / 2 of the limit formula, for keys and values whose
covariance is the identity. Samples are not quite white, so the memory is taken to the coordinates in which they are.

    PYTHONPATH=python IRENEO_LIBRARY=build/libireneo.so python3 examples/spectrum.py 50 100 200
"""
import math
import sys

import numpy as np

import ireneo


def quarter_circle_cdf(s):
    s = np.clip(s, 0.0, 2.0)
    return (s * np.sqrt(4.0 - s * s) / 2.0 + 2.0 * np.arcsin(s / 2.0)) / math.pi


def lower_edge(kappa):
    low, high = 0.0, 2.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if quarter_circle_cdf(middle) < 1.0 - kappa else (low, middle)
    return low


def white_factor(rows):
    """L with covariance L L^T."""
    return np.linalg.cholesky(rows.T @ rows / len(rows))


def distance(d, kappa, seed):
    edge = lower_edge(kappa)
    angle = math.asin(edge / 2.0)
    energy = 1.0 - 2.0 / math.pi * (angle - math.sin(4.0 * angle) / 4.0)
    n = 100.0
    for _ in range(200):  # n log n = alpha_c d^2
        n = energy / 2.0 * d * d / math.log(n)
    n, rank = int(n), int(kappa * d)
    keys, values = ireneo.random_normals((n, d), seed=2 * seed), ireneo.random_normals((n, d), seed=2 * seed + 1)
    memory, info = ireneo.store(keys, values, rank=rank if kappa < 1.0 else None)
    assert info.status == "stored", info.status
    centred = values.astype(float) - values.astype(float).mean(axis=0)
    white = white_factor(centred).T @ memory.W.astype(float) @ white_factor(keys.astype(float))
    s = np.sort(np.linalg.svd(white, compute_uv=False)[:rank])
    s *= math.sqrt(energy / kappa / np.mean(s * s))
    law = np.clip((quarter_circle_cdf(s) - (1.0 - kappa)) / kappa, 0.0, 1.0)
    below = np.arange(rank) / rank
    return n, max(np.max(law - below), np.max(below + 1.0 / rank - law))


for d in map(int, sys.argv[1:] or ["50", "100", "200"]):
    for kappa in (0.25, 0.5, 1.0):
        runs = [distance(d, kappa, seed) for seed in (1, 2, 3)]
        print(f"d {d:4}  kappa {kappa:4}  n {runs[0][0]:5}  distance {np.mean([r[1] for r in runs]):.3f}")

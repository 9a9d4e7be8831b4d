"""Whether this installation computes what it should: python -m ireneo.selftest

Facts are stored, recalled and checked against NumPy in double precision; an impossible set of facts is proved to be so, and
the proof is held against the facts without the library; a dense memory and an attention layer are compared with sums written
out here. Takes seconds, needs nothing but NumPy, and ends with exit code 1 when something is not as it should be."""

from __future__ import annotations

import platform
import sys
import time
from typing import Any, Callable, List, Tuple

import numpy as np

import ireneo

#: A number that says how a step went, for the report.
Step = Callable[[], str]


def _require(condition: Any, sentence: str) -> None:
    if not bool(condition):
        raise AssertionError(sentence)


def law() -> str:
    """The finite-size law at one size, and its limit formula n log P = d^2 / 2 recomputed."""
    report = ireneo.capacity(100)
    _require(round(report.facts_capacity_decoupled) == 1192, f"capacity(100) is {report.facts_capacity_decoupled}, not 1192")
    n = report.facts_capacity_asymptotic
    _require(abs(n * np.log(n) - 5000.0) < 0.01, f"the limit formula gives {n}")
    return f"{report.facts_capacity:.0f} facts fit in a 100 x 100 matrix"


def linear() -> str:
    """Every fact wins by strict inequality in float64, with scores computed by NumPy; so does `recall`."""
    keys, values = ireneo.sample(40, facts=200)
    memory, info = ireneo.store(keys, values)
    _require(info.status == "stored", f"200 facts in 40 x 40 ended as {info.status}")
    scores = keys.astype(np.float64) @ memory.W.T.astype(np.float64) @ values.T.astype(np.float64)
    best = scores.argmax(axis=1)
    _require((best == np.arange(200)).all(), f"NumPy recalls {(best == np.arange(200)).sum()} of 200 facts")
    answers = memory.recall(keys, values, top=3)
    _require((answers.indices == np.argsort(-scores, axis=1)[:, :3]).all(), "recall and NumPy name other candidates")
    gap = np.abs(answers.scores - np.take_along_axis(scores, answers.indices, 1)).max() / np.abs(scores).max()
    _require(gap < 1e-5, f"scores of recall and NumPy differ by {gap:g}")
    return f"200 of 200 facts recalled, scores agree with NumPy to {gap:.0e}"


def impossible() -> str:
    """A proof: positive weights on pairs whose matrices (target - competitor) key^T sum to zero, summed here."""
    keys, values = ireneo.sample(10, facts=80)
    _, info = ireneo.store(keys, values)
    _require(info.status == "impossible", f"80 facts in 10 x 10 ended as {info.status}")
    proof = info.certificate
    if proof is None:
        raise AssertionError("there is no certificate")
    _require(proof.verify(keys, values), "the library's own judge does not accept the certificate")
    x, y = keys.astype(np.float64), values.astype(np.float64)
    pairs = np.einsum("ka,kb->kab", y[proof.facts] - y[proof.competitors], x[proof.facts])
    terms = proof.weights[:, None, None] * pairs
    _require((proof.weights > 0).all() and (proof.facts != proof.competitors).all(), "the certificate is malformed")
    residual = float(np.linalg.norm(terms.sum(axis=0)) / np.linalg.norm(terms, axis=(1, 2)).sum())
    _require(residual < 1e-6, f"the sum of the certificate is {residual:g} of its terms, not zero")
    return f"80 facts in 10 x 10 are impossible, the sum of the proof is {residual:.0e}"


def dense() -> str:
    """One step of softmax attention over patterns of length sqrt(N), and the load that random patterns allow."""
    alpha = ireneo.dense.phases(1.0).alpha_1
    _require(abs(alpha - 0.622572) < 1e-6, f"alpha_1(1) is {alpha}")
    patterns = ireneo.random_normals((50, 32))
    queries = patterns[:5] + ireneo.random_normals((5, 32), stream=1) / 2
    states = ireneo.dense.recall(patterns, queries, lambda_=0.5, steps=1).states
    xi, x = (a / np.linalg.norm(a, axis=1, keepdims=True) * np.sqrt(32) for a in (patterns.astype(float), queries.astype(float)))
    logits = 0.5 * x @ xi.T
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    gap = float(np.abs(states - weights / weights.sum(axis=1, keepdims=True) @ xi).max())
    _require(gap < 1e-4, f"one step of attention differs from NumPy's by {gap:g}")
    return f"one step of attention agrees with NumPy to {gap:.0e}"


def attention() -> str:
    """Participation E sum_k A_k^2 of softmax over independent Gaussian logits, against an average of 4000 rows."""
    context, beta = 64, 1.0
    report = ireneo.attention.layer(beta, context)
    logits = beta * np.sqrt(np.log(context)) * ireneo.random_normals((4000, context), dtype=np.float64)
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    rows = ((weights / weights.sum(axis=1, keepdims=True)) ** 2).sum(axis=1)
    mean, error = rows.mean(), rows.std() / np.sqrt(rows.size)
    # Five standard errors: a right program fails once in a million seeds, and the seed is fixed.
    _require(abs(report.participation - mean) < 5 * error, f"participation is {report.participation}, not {mean} +- {error}")
    return f"participation {report.participation:.4f}, measured {mean:.4f} +- {error:.4f}"


STEPS: List[Tuple[str, Step]] = [
    ("law", law),
    ("linear memory", linear),
    ("proof", impossible),
    ("dense memory", dense),
    ("attention", attention),
]


def main() -> int:
    """Runs every step, prints a line for each, and returns the number of those that failed."""
    print(f"ireneo {ireneo.__version__}, NumPy {np.__version__}, Python {platform.python_version()}, {ireneo.library_path}")
    failed, start = 0, time.monotonic()
    for name, step in STEPS:
        try:
            print(f"  {name:14} {step()}")
        except Exception as fault:  # the next steps should be seen too
            failed += 1
            print(f"  {name:14} FAILED: {type(fault).__name__}: {fault}")
    print(f"{len(STEPS) - failed} of {len(STEPS)} are right ({time.monotonic() - start:.1f} s)")
    return failed


if __name__ == "__main__":
    sys.exit(1 if main() else 0)

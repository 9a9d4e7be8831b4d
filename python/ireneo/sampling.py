"""Random numbers as functions of (seed, stream, index), and random instances of the theory's two problems."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Optional, Tuple, Union

import numpy as np

from . import structures as s
from .arrays import Array, pointer, seed64, size
from .errors import ArgumentError
from .library import check, lib

Shape = Union[int, Tuple[int, ...]]


def _sizes(shape: Shape) -> Tuple[int, ...]:
    if isinstance(shape, tuple):
        return tuple(size(k, "shape") for k in shape)
    return (size(shape, "shape"),)


def _fill(
    function: Any, ctype: Any, dtype: Any, shape: Shape, seed: int, stream: int, first: int, threads: int
) -> Array:
    values = np.empty(_sizes(shape), dtype=dtype)
    if values.size > 0:
        check(
            function(
                seed64(seed),
                seed64(stream, "stream"),
                seed64(first, "first"),
                values.size,
                size(threads, "threads"),
                pointer(values, ctype),
            )
        )
    return values


def random_normals(
    shape: Shape, *, seed: int = 1, stream: int = 0, first: int = 0, dtype: Any = np.float32, threads: int = 0
) -> Array:
    """N(0, 1) numbers first, first + 1, ... of a stream, in float32 (the same bits everywhere) or float64.

    >>> random_normals(1000).shape, abs(float(random_normals(1000).mean())) < 0.1
    ((1000,), True)
    >>> bool(random_normals(5)[2] == random_normals(1, first=2)[0])
    True
    """
    if np.dtype(dtype) == np.float32:
        return _fill(lib.ireneo_random_normals_float, ctypes.c_float, np.float32, shape, seed, stream, first, threads)
    if np.dtype(dtype) == np.float64:
        return _fill(lib.ireneo_random_normals, ctypes.c_double, np.float64, shape, seed, stream, first, threads)
    raise ArgumentError(f"random normals come in float32 and float64, not {np.dtype(dtype)}")


def random_uniforms(shape: Shape, *, seed: int = 1, stream: int = 0, first: int = 0, threads: int = 0) -> Array:
    """Numbers first, first + 1, ... of a stream, uniform on (0, 1), in float64.

    >>> u = random_uniforms((2, 3), seed=7)
    >>> bool(((0 < u) & (u < 1)).all())
    True
    """
    return _fill(lib.ireneo_random_uniforms, ctypes.c_double, np.float64, shape, seed, stream, first, threads)


@dataclass(frozen=True)
class OwnCandidates:
    """A set of candidates for every fact, made when needed and never held: the decoupled problem. Takes the place of
    the values in `store`, `Memory.check` and `Certificate.verify`."""

    seed: int
    dim_in: int
    dim_out: int
    candidates: int

    def of(self, fact: int, first: int = 0, count: Optional[int] = None) -> Array:
        """Candidates first .. first + count - 1 of one fact, as an array (count, dim_out)."""
        count = self.candidates - first if count is None else count
        if not (0 <= first and 0 <= count and first + count <= self.candidates):
            raise ArgumentError(f"there are only candidates 0 to {self.candidates - 1}")
        values = np.empty((count, self.dim_out), dtype=np.float32)
        source = s.ireneo_sample(self.seed, self.dim_in, self.dim_out)
        lib.ireneo_sample_own_candidates(
            ctypes.addressof(source), size(fact, "fact"), first, count, pointer(values, ctypes.c_float)
        )
        return values


def sample(
    dim: Optional[int] = None,
    *,
    facts: int,
    candidates: Optional[int] = None,
    seed: int = 1,
    dim_in: Optional[int] = None,
    dim_out: Optional[int] = None,
    problem: str = "original",
    targets: Optional[str] = None,
) -> Tuple[Any, ...]:
    """Random keys (facts, dim_in) and values, all N(0, 1); fact i belongs to candidate i, unless targets say otherwise.

    problem "original": values are an array (candidates, dim_out) that all facts share. "decoupled": an OwnCandidates,
    since every fact has a set of its own. A smaller instance of the same seed is a prefix of a larger one.

    targets: which candidate each fact asks for; "each" in turn, "random", or "zipf:S", candidate t = 1, 2, ... with
    chance ~ t^-S. Then the indices (facts) are returned beside keys and values.

    >>> keys, values = sample(100, facts=1073)
    >>> keys.shape, values.shape
    ((1073, 100), (1073, 100))
    >>> keys, values, targets = sample(20, facts=60, candidates=87, targets="zipf:1")
    >>> targets.shape, int(targets.max()) < 87
    ((60,), True)
    """
    if dim is not None and (dim_in is not None or dim_out is not None):
        raise ArgumentError("give dim, or dim_in and dim_out, not both")
    if dim is None and (dim_in is None or dim_out is None):
        raise ArgumentError("give dim, or both dim_in and dim_out")
    inner = size(dim if dim is not None else dim_in, "dim_in", 1)
    outer = size(dim if dim is not None else dim_out, "dim_out", 1)
    count = size(facts, "facts", 1)
    choice = size(candidates if candidates is not None else facts, "candidates", 2)
    if choice < count and targets is None:
        raise ArgumentError("every fact needs a value of its own: candidates must be at least facts, or targets given")
    source = s.ireneo_sample(seed64(seed), inner, outer)
    keys = np.empty((count, inner), dtype=np.float32)
    check(lib.ireneo_sample_keys(source, 0, count, pointer(keys, ctypes.c_float)))
    asked: Tuple[Array, ...] = ()
    if targets is not None:
        asked = (_draw_targets(source, targets, candidates, count, choice, problem),)
    if problem == "decoupled":
        return (keys, OwnCandidates(seed64(seed), inner, outer, choice), *asked)
    if problem != "original":
        raise ArgumentError(f"problem is 'original' or 'decoupled', not {problem!r}")
    values = np.empty((choice, outer), dtype=np.float32)
    check(lib.ireneo_sample_values(source, 0, choice, pointer(values, ctypes.c_float)))
    return (keys, values, *asked)


def _draw_targets(
    source: s.ireneo_sample, rule: str, candidates: Optional[int], count: int, choice: int, problem: str
) -> Array:
    """Indices (count) of what facts ask for."""
    drawn, zipf = rule != "each", 0.0
    if rule.startswith("zipf:"):
        try:
            zipf = float(rule[5:])
        except ValueError:
            raise ArgumentError(f"Zipf's exponent is a number, not {rule[5:]!r}") from None
    elif rule not in ("each", "random"):
        raise ArgumentError(f"targets are 'each', 'random' or 'zipf:S', not {rule!r}")
    if drawn and candidates is None:
        raise ArgumentError("targets that are drawn need the number of candidates")
    if drawn and problem != "original":
        raise ArgumentError("targets are drawn among candidates that facts share")
    targets = np.empty(count, dtype=np.int64)
    check(
        lib.ireneo_sample_targets(source, int(drawn), zipf, choice, 0, count, pointer(targets, ctypes.c_int64))
    )
    return targets

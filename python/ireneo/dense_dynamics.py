"""Dense memories, dynamics: retrieval from given patterns, and random memories of any size."""

from __future__ import annotations

import math
from ctypes import c_double, c_float, c_size_t, c_ubyte
from dataclasses import dataclass, field
from typing import Any, Optional

import numpy as np

from . import structures as s
from .arrays import as_floats, pointer, real, seed64, size
from .dense_theory import ENSEMBLES
from .errors import ArgumentError, DataError
from .library import lib, names
from .progress import Progress, Watch
from .records import choice

_RULES = names(lib.ireneo_dense_rule_name)
_METHODS = names(lib.ireneo_dense_method_name)
_MEASURES = names(lib.ireneo_dense_measure_name)


@dataclass(frozen=True)
class Retrieval:
    """Where queries went; one row for each."""

    #: (queries, N)
    states: np.ndarray = field(repr=False)
    #: Energy of the query, and of the state it went to.
    energy_before: np.ndarray = field(repr=False)
    energy_after: np.ndarray = field(repr=False)
    #: Steps made, and length of the last one over the root mean square length of the patterns.
    steps: np.ndarray = field(repr=False)
    change: np.ndarray = field(repr=False)
    converged: np.ndarray = field(repr=False)
    #: (queries, top): the patterns with the largest scores and their weights in the last step; -1 and 0 when there are
    #: fewer.
    top_index: np.ndarray = field(repr=False)
    top_weight: np.ndarray = field(repr=False)
    #: Mean of |xi|^2 / N, which is 1 for normalised patterns.
    pattern_power: float
    #: The inverse temperature of softmax; NaN for the other rules.
    lambda_: float
    seconds: float


@dataclass(frozen=True)
class Draws:
    """Many draws: the mean (probability) or the median (lambda, angle), its standard error, and each draw by itself."""

    value: float
    error: float
    seconds: float
    #: What each draw found.
    values: np.ndarray = field(repr=False)
    #: log of (attention of all other patterns / attention of the pattern) in the first step.
    log_ratio: np.ndarray = field(repr=False)
    #: x . x0 / |x0|^2 after the first step.
    first_overlap: np.ndarray = field(repr=False)
    #: x . xi / |xi|^2 and |x| / |xi| at the end; NaN where the method does not know them.
    overlap: np.ndarray = field(repr=False)
    length: np.ndarray = field(repr=False)
    steps: np.ndarray = field(repr=False)


def recall(
    patterns: Any,
    queries: Any,
    *,
    rule: str = "softmax",
    lambda_: Optional[float] = None,
    degree: int = 4,
    steps: int = 100,
    tolerance: float = 1e-5,
    top: int = 1,
    threads: int = 0,
    progress: Optional[Progress] = None,
) -> Retrieval:
    """Moves queries (Q, N), or one (N), over patterns (P, N).

    rule: "softmax" at inverse temperature lambda_ (None: where basins of random patterns of this number and length are as
    wide as they get), "polynomial" of a degree, or "sign", Hopfield's classical rule.
    steps: most steps; 0 only looks. tolerance: a query has converged when a step is shorter. top: patterns named for
    each query.
    """
    xi, x = as_floats(patterns, "patterns"), as_floats(queries, "queries", (1, 2))
    x = x.reshape(1, -1) if x.ndim == 1 else x
    if x.shape[1] != xi.shape[1]:
        raise DataError(f"queries have {x.shape[1]} numbers, but patterns have {xi.shape[1]}")
    if lambda_ is not None and not real(lambda_, "lambda_") > 0.0:
        raise ArgumentError(f"lambda_ must be above 0, not {lambda_!r}")
    if not real(tolerance, "tolerance") >= 0.0:
        raise ArgumentError(f"tolerance must not be negative, not {tolerance!r}")
    settings = s.ireneo_dense_recall_settings(rule=choice(_RULES, rule, "rule"))
    setattr(settings, "lambda", 0.0 if lambda_ is None else real(lambda_, "lambda_"))
    settings.degree = min(size(degree, "degree", 1), 2**31 - 1)
    settings.steps, settings.look = size(steps, "steps"), int(steps == 0)
    settings.tolerance = real(tolerance, "tolerance") or -1.0  # 0 would be the default
    settings.top, settings.threads = size(top, "top"), size(threads, "threads")
    count, kept = x.shape[0], settings.top
    if kept * count > 2**40:
        raise ArgumentError(f"top must be smaller than {top}")
    numbers = {name: np.empty(count) for name in ("energy_before", "energy_after", "change")}
    states, made = np.empty_like(x), np.empty(count, dtype=np.uintp)
    converged, index = np.zeros(count, dtype=np.uint8), np.empty((count, kept), dtype=np.uintp)
    weight, info = np.empty((count, kept)), s.ireneo_dense_recall_info()
    result = s.ireneo_dense_recall_result(
        states=pointer(states, c_float),
        energy_before=pointer(numbers["energy_before"], c_double),
        energy_after=pointer(numbers["energy_after"], c_double),
        steps=pointer(made, c_size_t),
        change=pointer(numbers["change"], c_double),
        converged=pointer(converged, c_ubyte),
        top_index=pointer(index, c_size_t),
        top_weight=pointer(weight, c_double),
    )
    with Watch(progress) as watch:
        settings.progress = watch.pointer
        code = lib.ireneo_dense_recall(
            pointer(xi, c_float), xi.shape[0], xi.shape[1], pointer(x, c_float), count, settings, result, info
        )
    watch.finish(code)
    return Retrieval(
        states=states,
        steps=made.astype(np.int64),
        converged=converged.astype(bool),
        top_index=index.astype(np.int64),
        top_weight=weight,
        pattern_power=info.pattern_power,
        lambda_=getattr(info, "lambda"),
        seconds=info.seconds,
        **numbers,
    )


def _log_patterns(neurons: int, alpha: Any, patterns: Any, log_patterns: Any) -> float:
    if sum(item is not None for item in (alpha, patterns, log_patterns)) != 1:
        raise ArgumentError("give one of alpha, patterns, log_patterns")
    if alpha is not None:
        return real(alpha, "alpha") * neurons
    if log_patterns is not None:
        return real(log_patterns, "log_patterns")
    count = real(patterns, "patterns")
    if not count >= 2.0:
        raise ArgumentError(f"patterns must be at least 2, not {patterns!r}")
    return math.log(count)


def simulate(
    neurons: int,
    *,
    alpha: Optional[float] = None,
    patterns: Optional[float] = None,
    log_patterns: Optional[float] = None,
    lambda_: float = 1.0,
    angle: float = 0.0,
    measure: str = "probability",
    method: str = "direct",
    ensemble: str = "spherical",
    steps: int = 1,
    closeness: float = 0.1,
    kept: float = 500.0,
    draws: int = 100,
    seed: int = 1,
    threads: int = 0,
    progress: Optional[Progress] = None,
) -> Draws:
    """Random memories of P = e^(alpha N) patterns: how often the first is retrieved, from which lambda on, or up to
    which angle.

    method "direct" makes all patterns, "scalars" the P overlaps (one step), "tail" any P (one step), "conditioning"
    many steps with Gaussian patterns, "hybrid" many steps and any P with spherical patterns. steps: 1 is the
    criterion of one step, that the pattern holds more than half of the attention.
    """
    experiment = s.ireneo_dense_experiment()
    experiment.method = choice(_METHODS, method, "method")
    experiment.ensemble = choice(ENSEMBLES, ensemble, "ensemble")
    experiment.measure = choice(_MEASURES, measure, "measure")
    experiment.neurons = size(neurons, "neurons", 1)
    experiment.log_patterns = _log_patterns(experiment.neurons, alpha, patterns, log_patterns)
    setattr(experiment, "lambda", real(lambda_, "lambda_"))
    experiment.angle, experiment.steps = real(angle, "angle"), size(steps, "steps", 1)
    experiment.closeness, experiment.kept = real(closeness, "closeness"), real(kept, "kept")  # 0: the defaults
    experiment.seed = seed64(seed)
    count = size(draws, "draws", 1)
    all_draws, summary = (s.ireneo_dense_draw * count)(), s.ireneo_dense_summary()
    with Watch(progress) as watch:
        settings = s.ireneo_run_settings(size(threads, "threads"), watch.pointer)
        code = lib.ireneo_dense_simulate(experiment, count, settings, all_draws, summary)
    watch.finish(code)
    table = np.frombuffer(all_draws, dtype=np.dtype([(name, kind) for name, kind in s.ireneo_dense_draw._fields_]))
    columns = {name: table[name].copy() for name in ("log_ratio", "first_overlap", "overlap", "length")}
    return Draws(
        value=summary.value,
        error=summary.error,
        seconds=summary.seconds,
        values=table["value"].copy(),
        steps=table["steps"].astype(np.int64),
        **columns,
    )

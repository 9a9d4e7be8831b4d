"""Dense memories, dynamics: retrieval from given patterns, and random memories of any size."""

from __future__ import annotations

import math
from ctypes import c_double, c_float, c_size_t, c_ubyte
from dataclasses import dataclass, field
from typing import Any, Optional, Tuple

import numpy as np

from . import structures as s
from .arrays import Array, as_floats, pointer, real, seed64, size
from .dense_theory import ENSEMBLES
from .display import Report
from .errors import ArgumentError, DataError
from .library import lib, names
from .progress import Progress, Watch
from .records import choice, record

_RULES = names(lib.ireneo_dense_rule_name)
_PREPARATIONS = names(lib.ireneo_dense_preparation_name)
_VERDICTS = names(lib.ireneo_dense_verdict_name)
_METHODS = names(lib.ireneo_dense_method_name)
_MEASURES = names(lib.ireneo_dense_measure_name)


@dataclass(frozen=True)
class Retrieval(Report):
    """Where queries went; one row for each."""

    #: (queries, N): among the patterns as they were prepared.
    states: Array = field(repr=False)
    #: Energy of the query, and of the state it went to.
    energy_before: Array = field(repr=False)
    energy_after: Array = field(repr=False)
    #: Steps made, and length of the last one over the root mean square length of the patterns.
    steps: Array = field(repr=False)
    change: Array = field(repr=False)
    converged: Array = field(repr=False)
    #: "retrieved", "mixture" or "lost", for each query.
    verdict: Array = field(repr=False)
    #: (queries, top): the patterns with the largest scores and their weights in the last step; -1 and 0 when there are
    #: fewer.
    top_index: Array = field(repr=False)
    top_weight: Array = field(repr=False)
    #: How many queries ended so.
    retrieved: int
    mixtures: int
    lost: int
    #: Mean of |xi|^2 / N after the preparation: 1 unless patterns are taken raw.
    pattern_power: float
    #: Length of the shortest and of the longest pattern as given.
    shortest_pattern: float
    longest_pattern: float
    #: The inverse temperature of softmax; NaN for the other rules.
    lambda_: float
    seconds: float


@dataclass(frozen=True)
class Audit(Report):
    """What a memory of given patterns does; angles are in radian, and what cannot be said is NaN."""

    #: Patterns in all, and how many were looked at.
    patterns: int
    audited: int
    #: The inverse temperature of softmax; NaN for the other rules.
    lambda_: float
    #: Of the audited: how many stay put, and their share.
    staying: int
    stay: float
    #: Angle to the nearest other pattern: smallest and median over the audited; and the nearest pair.
    nearest_least: float
    nearest_median: float
    nearest_pair: Tuple[int, ...]
    #: From this angle, in a random direction, all but 1 % of queries come back, and the share that did.
    random_angle: float
    random_share: float
    #: Up to here every query comes back, whatever its direction: smallest and median.
    worst_least: float
    worst_median: float
    #: Length of the shortest and of the longest pattern as given.
    shortest_pattern: float
    longest_pattern: float
    seconds: float


@dataclass(frozen=True)
class Draws(Report):
    """Many draws: the mean (probability) or the median (lambda, angle), its standard error, and each draw by itself."""

    value: float
    error: float
    seconds: float
    #: What each draw found.
    values: Array = field(repr=False)
    #: log of (attention of all other patterns / attention of the pattern) in the first step.
    log_ratio: Array = field(repr=False)
    #: x . x0 / |x0|^2 after the first step.
    first_overlap: Array = field(repr=False)
    #: x . xi / |xi|^2 and |x| / |xi| at the end; NaN where the method does not know them.
    overlap: Array = field(repr=False)
    length: Array = field(repr=False)
    steps: Array = field(repr=False)


def recall(
    patterns: Any,
    queries: Any,
    *,
    rule: str = "softmax",
    preparation: str = "normalised",
    lambda_: Optional[float] = None,
    degree: Optional[int] = None,
    steps: Optional[int] = None,
    tolerance: Optional[float] = None,
    top: int = 1,
    audited: bool = True,
    threads: int = 0,
    progress: Optional[Progress] = None,
) -> Retrieval:
    """Moves queries (Q, N), or one (N), over patterns (P, N). What is None is the library's default.

    rule: "softmax" at inverse temperature lambda_ (None: where basins of random patterns of this number are as wide as
    they get, or as much more as these patterns need to stay put; only the first if not audited), "polynomial" of a
    degree (4), or "sign", Hopfield's classical rule.
    preparation of patterns and queries: "normalised" to length sqrt(N), "whitened" by the patterns' mean and covariance and
    then of one length, or "raw".
    steps: most steps (100); 0 only looks. tolerance: a query has converged when a step is shorter (1e-5). top: patterns
    named for each query.

    >>> patterns = np.random.default_rng(1).standard_normal((50, 64))
    >>> noisy = patterns[:3] + 0.3 * np.random.default_rng(2).standard_normal((3, 64))
    >>> found = recall(patterns, noisy)
    >>> found.verdict.tolist(), found.top_index.ravel().tolist()
    (['retrieved', 'retrieved', 'retrieved'], [0, 1, 2])
    """
    xi, x = as_floats(patterns, "patterns"), as_floats(queries, "queries", (1, 2))
    x = x.reshape(1, -1) if x.ndim == 1 else x
    if x.shape[1] != xi.shape[1]:
        raise DataError(f"queries have {x.shape[1]} numbers, but patterns have {xi.shape[1]}")
    if lambda_ is not None and not real(lambda_, "lambda_") > 0.0:
        raise ArgumentError(f"lambda_ must be above 0, not {lambda_!r}")
    if tolerance is not None and not real(tolerance, "tolerance") >= 0.0:
        raise ArgumentError(f"tolerance must not be negative, not {tolerance!r}")
    settings = s.ireneo_dense_recall_settings(rule=choice(_RULES, rule, "rule"), unaudited=int(not audited))
    settings.preparation = choice(_PREPARATIONS, preparation, "preparation")
    setattr(settings, "lambda", 0.0 if lambda_ is None else real(lambda_, "lambda_"))
    settings.degree = 0 if degree is None else min(size(degree, "degree", 1), 2**31 - 1)
    settings.steps, settings.look = 0 if steps is None else size(steps, "steps"), int(steps == 0)
    settings.tolerance = 0.0 if tolerance is None else real(tolerance, "tolerance") or -1.0  # 0 would be the default
    settings.top, settings.threads = size(top, "top"), size(threads, "threads")
    count, kept = x.shape[0], settings.top
    if kept * count > 2**40:
        raise ArgumentError(f"top must be smaller than {top}")
    numbers = {name: np.empty(count) for name in ("energy_before", "energy_after", "change")}
    states, made = np.empty_like(x), np.empty(count, dtype=np.uintp)
    verdict = np.zeros(count, dtype=np.uint8)
    converged, index = np.zeros(count, dtype=np.uint8), np.empty((count, kept), dtype=np.uintp)
    weight, info = np.empty((count, kept)), s.ireneo_dense_recall_info()
    result = s.ireneo_dense_recall_result(
        states=pointer(states, c_float),
        verdict=pointer(verdict, c_ubyte),
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
    return record(
        Retrieval,
        info,
        states=states,
        steps=made.astype(np.int64),
        converged=converged.astype(bool),
        verdict=np.array(_VERDICTS)[verdict],
        top_index=index.astype(np.int64),
        top_weight=weight,
        **numbers,
    )


def audit(
    patterns: Any,
    *,
    rule: str = "softmax",
    preparation: str = "normalised",
    lambda_: Optional[float] = None,
    degree: Optional[int] = None,
    sample: Optional[int] = None,
    seed: int = 1,
    threads: int = 0,
    progress: Optional[Progress] = None,
) -> Audit:
    """What a memory of these patterns (P, N) does: which share stays put, how near the nearest neighbours are, and how far
    a query may be from its pattern, off in a random direction and in the worst.

    rule, preparation, lambda_ and degree are those of `recall`, also where they are not given. sample: how many patterns
    are looked at (None: as many as 1e9 / (P N), at least 64).

    >>> patterns = np.random.default_rng(1).standard_normal((50, 64))
    >>> audit(patterns).stay
    1.0
    """
    xi = as_floats(patterns, "patterns")
    if lambda_ is not None and not real(lambda_, "lambda_") > 0.0:
        raise ArgumentError(f"lambda_ must be above 0, not {lambda_!r}")
    settings = s.ireneo_dense_audit_settings(rule=choice(_RULES, rule, "rule"), seed=seed64(seed))
    settings.preparation = choice(_PREPARATIONS, preparation, "preparation")
    setattr(settings, "lambda", 0.0 if lambda_ is None else real(lambda_, "lambda_"))
    settings.degree = 0 if degree is None else min(size(degree, "degree", 1), 2**31 - 1)
    settings.sample = 0 if sample is None else size(sample, "sample", 1)
    settings.threads, report = size(threads, "threads"), s.ireneo_dense_audit_report()
    with Watch(progress) as watch:
        settings.progress = watch.pointer
        code = lib.ireneo_dense_audit(pointer(xi, c_float), xi.shape[0], xi.shape[1], settings, report)
    watch.finish(code)
    return record(Audit, report, nearest_pair=tuple(report.nearest_pair) if report.patterns > 1 else ())


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
    lambda_: Optional[float] = None,
    angle: float = 0.0,
    measure: str = "probability",
    method: str = "direct",
    ensemble: str = "spherical",
    steps: Optional[int] = None,
    closeness: Optional[float] = None,
    kept: Optional[float] = None,
    draws: int = 100,
    seed: int = 1,
    threads: int = 0,
    progress: Optional[Progress] = None,
) -> Draws:
    """Random memories of P = e^(alpha N) patterns: how often the first is retrieved, from which lambda on, or up to
    which angle.

    method "direct" makes all patterns, "scalars" the P overlaps (one step), "tail" any P (one step), "conditioning"
    many steps with Gaussian patterns, "hybrid" many steps and any P with spherical patterns. lambda_ is needed unless it is
    measured. steps: 1 is the criterion of one step, that the pattern holds more than half of the attention. What is
    None is the library's default: steps 1 for scalars and tail, else 400; closeness 0.1; kept 500.

    >>> simulate(1000, alpha=0.2, lambda_=1.0, method="tail", draws=50).value
    1.0
    """
    experiment = s.ireneo_dense_experiment()
    experiment.method = choice(_METHODS, method, "method")
    experiment.ensemble = choice(ENSEMBLES, ensemble, "ensemble")
    experiment.measure = choice(_MEASURES, measure, "measure")
    experiment.neurons = size(neurons, "neurons", 1)
    experiment.log_patterns = _log_patterns(experiment.neurons, alpha, patterns, log_patterns)
    setattr(experiment, "lambda", 0.0 if lambda_ is None else real(lambda_, "lambda_"))
    experiment.angle, experiment.steps = real(angle, "angle"), 0 if steps is None else size(steps, "steps", 1)
    experiment.closeness = 0.0 if closeness is None else real(closeness, "closeness")
    experiment.kept = 0.0 if kept is None else real(kept, "kept")
    experiment.seed = seed64(seed)
    count = size(draws, "draws", 1)
    all_draws, summary = (s.ireneo_dense_draw * count)(), s.ireneo_dense_summary()
    with Watch(progress) as watch:
        settings = s.ireneo_run_settings(size(threads, "threads"), watch.pointer)
        code = lib.ireneo_dense_simulate(experiment, count, settings, all_draws, summary)
    watch.finish(code)
    table = np.frombuffer(bytes(all_draws), dtype=np.dtype([(name, kind) for name, kind in s.ireneo_dense_draw._fields_]))
    columns = {name: table[name].copy() for name in ("log_ratio", "first_overlap", "overlap", "length")}
    return Draws(
        value=summary.value,
        error=summary.error,
        seconds=summary.seconds,
        values=table["value"].copy(),
        steps=table["steps"].astype(np.int64),
        **columns,
    )

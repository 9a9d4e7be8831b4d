"""The capacity law of linear memories: how many facts fit in a matrix."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional

import numpy as np

from . import structures as s
from .arrays import as_indices, real, seed64, size
from .display import Report
from .errors import ArgumentError
from .library import check, lib, names
from .records import choice, record

_PROBLEMS = names(lib.ireneo_problem_kind_name)
_TARGETS = names(lib.ireneo_targets_name)


@dataclass(frozen=True)
class Capacity(Report):
    """What the law says about a memory of one shape."""

    #: Facts that fit: the finite-size law. The mean, over random instances, of the largest number that fits.
    facts_capacity: float
    #: The same when every fact has candidates of its own.
    facts_capacity_decoupled: float
    #: The limit formula n log P = D / 2, reached only at astronomical sizes.
    facts_capacity_asymptotic: float
    #: Facts that the Hebbian rule holds without an error, by n log P = dim_in dim_out / 8.
    facts_capacity_hebbian: float
    #: Facts that it does hold without an error in half of all random instances; NaN with a rank.
    facts_hebbian_half: float
    #: Candidates at capacity.
    candidates: float
    #: Mean and variance of the number of competitors that bind a fact.
    delta: float
    variance: float
    #: Share of its dimensions that a fact saves by sharing candidates; negative when few answers are asked for often.
    correction: float
    #: Chance that a target lies in the convex hull of the other candidates, where it can never win.
    hull_probability: float
    #: D = dim_in min(dim_out, P - 1) E(rank): the freedom of the matrix.
    effective_dimension: float
    #: Numbers that a stored memory holds.
    parameters: float
    bits_per_parameter: float
    #: n log P / (dim_in dim_out), for the facts asked about, or at capacity.
    load: float
    #: Facts asked about over facts_capacity; 1 when none were asked about.
    fraction_of_capacity: float
    #: Expected share of those facts that the Hebbian rule recalls.
    hebbian_accuracy: float
    #: Chance that all the facts asked about fit; NaN when none were.
    probability_all_fit: float
    #: Why the law may be off by more than 3 % here; "" where it is known to hold.
    caveat: str


class FreeEntropy(NamedTuple):
    """Volume of solutions: entropy = log(volume) / d^2, typical overlap of two solutions, standard errors of both; ends of
    the law of their singular values that are not zero, and the mean of s^4 over all, in units in which that of s^2 is 1.
    From capacity on the entropy is -inf and the overlap 1."""

    entropy: float
    overlap: float
    error: float
    overlap_error: float
    singular_low: float
    singular_high: float
    singular_fourth: float


def _shape(
    dim: Optional[int],
    dim_in: Optional[int],
    dim_out: Optional[int],
    rank: Optional[int],
    candidates: Optional[float],
    facts: Optional[float],
    margin: float,
) -> s.ireneo_shape:
    if dim is not None:
        if dim_in is not None or dim_out is not None:
            raise ArgumentError("give dim, or dim_in and dim_out, not both")
        dim_in = dim_out = dim
    if dim_in is None or dim_out is None:
        raise ArgumentError("give dim, or both dim_in and dim_out")
    shape = s.ireneo_shape()
    shape.dim_in, shape.dim_out = size(dim_in, "dim_in", 1), size(dim_out, "dim_out", 1)
    shape.rank = 0 if rank is None else size(rank, "rank", 1)
    shape.candidates = 0.0 if candidates is None else _at_least(real(candidates, "candidates"), "candidates", 2)
    shape.facts = 0.0 if facts is None else _at_least(real(facts, "facts"), "facts", 1)
    shape.margin = real(margin, "margin")
    return shape


def _ask_for(shape: s.ireneo_shape, problem: str, targets: Any, zipf: Optional[float]) -> None:
    """Which problem is meant, and how often each candidate is asked for."""
    shape.problem = choice(_PROBLEMS, problem, "problem")
    if zipf is not None:
        shape.targets, shape.zipf = choice(_TARGETS, "zipf", "targets"), real(zipf, "zipf")
    if targets is None:
        return
    if zipf is not None:
        raise ArgumentError("give targets or zipf, not both")
    if shape.candidates == 0:
        raise ArgumentError("targets need the number of candidates")
    indices = as_indices(targets, "targets")
    if indices.min() < 0 or indices.max() >= shape.candidates:
        raise ArgumentError(f"targets must lie between 0 and {shape.candidates - 1:g}")
    counts = np.bincount(indices, minlength=int(shape.candidates)).astype(np.float64)
    shape.counts = counts  # keeps them alive
    shape.frequencies = counts.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    if shape.facts == 0:
        shape.facts = float(indices.size)


def _at_least(value: float, name: str, least: float) -> float:
    if not value >= least:
        raise ArgumentError(f"{name} must be at least {least:g}, not {value:g}")
    return value


def capacity(
    dim: Optional[int] = None,
    *,
    dim_in: Optional[int] = None,
    dim_out: Optional[int] = None,
    rank: Optional[int] = None,
    candidates: Optional[float] = None,
    facts: Optional[float] = None,
    margin: float = 0.0,
    problem: str = "original",
    targets: Any = None,
    zipf: Optional[float] = None,
) -> Capacity:
    """How many facts a dim_out x dim_in memory holds.

    dim sets both sides. rank: largest rank of the matrix (None: full). candidates: values every key competes over
    (None: one per fact). facts: also tell about this number of facts. margin: facts must win by this many score
    spreads. problem: "original" (facts share their candidates) or "decoupled". Candidates are asked for equally often
    unless targets (the index of each fact's value) or zipf (candidate t with chance ~ t^-zipf) say otherwise.

    >>> round(capacity(100, problem="decoupled").facts_capacity)
    1192
    """
    shape = _shape(dim, dim_in, dim_out, rank, candidates, facts, margin)
    _ask_for(shape, problem, targets, zipf)
    report = s.ireneo_capacity_report()
    check(lib.ireneo_capacity(shape, report))
    return record(Capacity, report, caveat=report.caveat.decode())


def capacity_margin(
    dim: Optional[int] = None,
    *,
    facts: float,
    dim_in: Optional[int] = None,
    dim_out: Optional[int] = None,
    rank: Optional[int] = None,
    candidates: Optional[float] = None,
) -> float:
    """The largest margin with which the facts fit, in score spreads; 0 beyond capacity. Asymptotic.

    >>> round(capacity_margin(100, facts=500), 1)
    2.1
    """
    shape = _shape(dim, dim_in, dim_out, rank, candidates, facts, 0.0)
    margin = ctypes.c_double()
    check(lib.ireneo_capacity_margin(shape, margin))
    return margin.value


def capacity_probability(
    dim: Optional[int] = None,
    *,
    facts: float,
    dim_in: Optional[int] = None,
    dim_out: Optional[int] = None,
    rank: Optional[int] = None,
    candidates: Optional[float] = None,
    margin: float = 0.0,
    problem: str = "original",
    targets: Any = None,
    zipf: Optional[float] = None,
) -> float:
    """Chance that this number of random facts fit; problem, targets and zipf as in capacity.

    >>> round(capacity_probability(100, facts=1190, problem="decoupled"), 2)
    0.57
    """
    shape = _shape(dim, dim_in, dim_out, rank, candidates, facts, margin)
    _ask_for(shape, problem, targets, zipf)
    probability = ctypes.c_double()
    check(lib.ireneo_capacity_probability(shape, probability))
    return probability.value


def effective_dimension(
    dim: Optional[int] = None,
    *,
    dim_in: Optional[int] = None,
    dim_out: Optional[int] = None,
    rank: Optional[int] = None,
) -> float:
    """D = dim_in dim_out E(rank): the dimensions that a memory of this shape has to offer.

    >>> effective_dimension(100)
    10000.0
    >>> round(effective_dimension(100, rank=25))
    6229
    """
    return float(lib.ireneo_effective_dimension(_shape(dim, dim_in, dim_out, rank, None, None, 0.0)))


def capacity_top(
    dim: Optional[int] = None,
    *,
    top: int,
    dim_in: Optional[int] = None,
    dim_out: Optional[int] = None,
    rank: Optional[int] = None,
    candidates: Optional[float] = None,
    problem: str = "original",
) -> float:
    """Facts whose values can all be among the `top` best of their candidates: an upper bound.

    >>> round(capacity_top(100, top=1, problem="decoupled"))
    1192
    >>> capacity_top(100, top=5, candidates=1000) > capacity_top(100, top=2, candidates=1000)
    True
    """
    shape = _shape(dim, dim_in, dim_out, rank, candidates, None, 0.0)
    shape.problem = choice(_PROBLEMS, problem, "problem")
    facts = ctypes.c_double()
    check(lib.ireneo_capacity_top(shape, size(top, "top", 1), facts))
    return facts.value


def listwise_capacity(tail_fraction: float) -> float:
    """Facts over d^2 at which the target still beats the mean of the top tail_fraction of its competitors.

    >>> round(listwise_capacity(0.01), 4)
    0.1234
    """
    return float(lib.ireneo_listwise_capacity(real(tail_fraction, "tail_fraction")))


def free_entropy_asymptotic(load: float) -> float:
    """log(volume of memories that recall everything) / d^2 at load n log P / d^2, candidates to infinity.

    >>> round(free_entropy_asymptotic(0.25), 4)
    -0.3466
    """
    return float(lib.ireneo_free_entropy_asymptotic(real(load, "load")))


def free_entropy(
    load: float,
    candidates: Optional[int] = None,
    draws: int = 2000,
    seed: int = 1,
    *,
    rank_share: float = 1.0,
    aspect: float = 1.0,
) -> FreeEntropy:
    """The same at finitely many candidates, for the decoupled problem, averaged over random draws; also for memories of
    rank rank_share * min(dim_in, dim_out), aspect = min / max of the two. Without candidates: the limit of many.

    >>> volume = free_entropy(0.1, candidates=100, draws=200)
    >>> volume.entropy < 0.0 < volume.overlap < 1.0
    True
    >>> round(free_entropy(0.2, rank_share=0.5).overlap, 4)
    0.4205
    """
    report = s.ireneo_free_entropy_report()
    check(
        lib.ireneo_free_entropy_of_rank(
            real(load, "load"),
            0 if candidates is None else size(candidates, "candidates", 2),
            real(rank_share, "rank_share"),
            real(aspect, "aspect"),
            size(draws, "draws", 1),
            seed64(seed),
            report,
        )
    )
    return FreeEntropy(
        report.entropy,
        report.overlap,
        report.entropy_error,
        report.overlap_error,
        report.singular_low,
        report.singular_high,
        report.singular_fourth,
    )


def solution_spectrum(values: Any, overlap: float, rank_share: float = 1.0, aspect: float = 1.0) -> Any:
    """Density of the non-zero singular values of typical solutions at an overlap, at values (float64), in units in which
    the mean of s^2 over all min(dim_in, dim_out) is 1.

    >>> solution_spectrum([0.2, 1.0], overlap=0.6, rank_share=0.5).round(3)
    array([0.   , 0.673])
    """
    at = np.ascontiguousarray(values, dtype=np.float64)
    densities = np.empty_like(at)
    pointer = ctypes.POINTER(ctypes.c_double)
    check(
        lib.ireneo_solution_spectrum(
            real(overlap, "overlap"),
            real(rank_share, "rank_share"),
            real(aspect, "aspect"),
            at.size,
            at.ctypes.data_as(pointer),
            densities.ctypes.data_as(pointer),
        )
    )
    return densities

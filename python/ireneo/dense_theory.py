"""Dense memories, theory: how many random patterns fit, and how far a query may be from its pattern."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional

from . import structures as s
from .arrays import real
from .display import Report
from .errors import ArgumentError
from .library import check, lib
from .records import choice, record

ENSEMBLES = ("spherical", "gaussian", "binary")


@dataclass(frozen=True)
class Phases(Report):
    """How many patterns fit. What no lambda can reach is infinite."""

    #: The point on the critical line: one is given, the other follows.
    lambda_: float
    alpha: float
    #: Largest load at which a given pattern is retrieved.
    alpha_1: float
    #: Load below which few patterns near the query make the competing sum.
    alpha_star: float
    #: Load up to which all patterns are retrieved at once, and whether that is the exact alpha_c.
    alpha_c_lower_bound: float
    alpha_c_exact: bool
    alpha_1_large_lambda: float
    #: Smallest lambda that retrieves a given pattern, or all patterns, at load alpha.
    lambda_c: float
    lambda_c_all: float
    #: lambda beyond which the nearest patterns alone compete.
    lambda_star: float
    #: The rigorous bound of Ramsauer et al., and what their separation condition gives; spherical patterns only.
    ramsauer: float
    ramsauer_separation_one: float
    ramsauer_separation_pairs: float
    noise_exponent: float
    #: At N neurons: log P for one step, for the whole dynamics, by the limit, and for all patterns at once.
    log_patterns_one_step: float
    log_patterns_converged: float
    log_patterns_limit: float
    log_patterns_all: float
    #: At N neurons: smallest lambda for one step, for the whole dynamics, and its log(N)/N law.
    lambda_one_step: float
    lambda_converged: float
    lambda_converged_law: float


@dataclass(frozen=True)
class Basins(Report):
    """How far a query may be from its pattern. Angles are in radian."""

    lambda_: float
    alpha: float
    #: log P at N neurons.
    log_patterns: float
    #: Whether a pattern is retrieved from its neighbourhood, and whether only the nearest patterns compete.
    retrieved: bool
    condensed: bool
    #: Largest angle between a query and its pattern, at this lambda and at any above lambda_star.
    theta_c: float
    theta_star: float
    lambda_c: float
    lambda_star: float
    free_energy: float
    #: alpha over alpha_1(lambda): 1 is full.
    fraction_of_capacity: float
    #: Binary patterns: shares of flipped bits that go with theta_c and theta_star.
    flip_fraction: float
    flip_fraction_star: float
    #: |x|/sqrt(N) where a query that is not retrieved ends.
    lost_radius: float
    #: At N neurons.
    theta_one_step: float
    theta_converged: float
    lambda_one_step: float
    lambda_converged: float
    retrieval_probability: float


class ScaledLoad(NamedTuple):
    """Largest load with scaled dot products: by the formulas of the limit, and by the average at this N."""

    limit: float
    exact: float


def _given(value: Optional[float], name: str) -> float:
    """A number for C, where 0 means that it was not given."""
    if value is None:
        return 0.0
    number = real(value, name)
    if not number > 0.0:
        raise ArgumentError(f"{name} must be above 0, not {value!r}")
    return number


def _point(ensemble: str, lambda_: Any, alpha: Any, neurons: Any, patterns: Any) -> s.ireneo_dense_point:
    return s.ireneo_dense_point(
        choice(ENSEMBLES, ensemble, "ensemble"),
        _given(lambda_, "lambda_"),
        _given(alpha, "alpha"),
        _given(neurons, "neurons"),
        _given(patterns, "patterns"),
    )


def phases(
    lambda_: Optional[float] = None,
    *,
    alpha: Optional[float] = None,
    ensemble: str = "spherical",
    neurons: Optional[float] = None,
) -> Phases:
    """The critical line at lambda_, or at load alpha: give exactly one. neurons: also finite sizes.

    >>> round(phases(1.0).alpha_1, 6)
    0.622572
    """
    report = s.ireneo_dense_phases_report()
    check(lib.ireneo_dense_phases(_point(ensemble, lambda_, alpha, neurons, None), report))
    return record(Phases, report)


def basins(
    lambda_: float,
    alpha: Optional[float] = None,
    *,
    neurons: Optional[float] = None,
    patterns: Optional[float] = None,
    ensemble: str = "spherical",
) -> Basins:
    """Basins at lambda_ and load alpha, or with this number of patterns of this number of neurons.

    >>> b = basins(1.0, 0.3)
    >>> b.retrieved, round(b.theta_c, 4)
    (True, 0.8265)
    """
    report = s.ireneo_dense_basins_report()
    check(lib.ireneo_dense_basins(_point(ensemble, lambda_, alpha, neurons, patterns), report))
    return record(Basins, report)


def scaled(scaled_lambda: float, exponent: float, neurons: float, ensemble: str = "spherical") -> ScaledLoad:
    """Scaled dot products: lambda = scaled_lambda / N^exponent, P = exp(load N^(1 - exponent)); the largest load.

    >>> limit, exact = scaled(2.0, 0.5, 1000)
    >>> round(limit, 3), round(exact, 3)
    (1.937, 1.937)
    """
    limit, exact = ctypes.c_double(), ctypes.c_double()
    check(
        lib.ireneo_dense_scaled(
            choice(ENSEMBLES, ensemble, "ensemble"),
            real(scaled_lambda, "scaled_lambda"),
            real(exponent, "exponent"),
            real(neurons, "neurons"),
            limit,
            exact,
        )
    )
    return ScaledLoad(limit.value, exact.value)

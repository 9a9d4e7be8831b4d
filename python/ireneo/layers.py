"""A layer of a model, looked at as a memory: its spectrum, and the room it has for facts."""

from __future__ import annotations

from ctypes import c_double, c_float
from dataclasses import dataclass, field
from typing import Any, Optional

import numpy as np

from . import structures as s
from .arrays import Array, as_floats, pointer, real, size
from .display import Report
from .errors import DataError
from .library import lib
from .moments import Moments, moments
from .progress import Progress, Watch
from .records import record


@dataclass(frozen=True)
class Layer(Report):
    """What is found in a matrix (dim_out, dim_in). What is about ordinary keys is NaN without them."""

    dim_in: int
    dim_out: int
    #: Frobenius norm; largest, median and smallest singular value; how many are above 1e-6 of the largest.
    norm: float
    largest: float
    median: float
    smallest: float
    rank: int
    #: |W|^2 / largest^2; (sum s^2)^2 / sum s^4; exp of the entropy of s / sum s.
    stable_rank: float
    participation: float
    effective_rank: float
    #: Dimensions that the law counts, candidates, and the dimensions of W that a fact uses.
    span_in: int
    span_out: int
    candidates: float
    delta: float
    #: Facts that fit into a matrix of this shape, and into one of this rank.
    facts_capacity: float
    facts_capacity_at_rank: float
    #: Participation of ordinary keys, around zero and around their mean; directions that hold the share of their square.
    key_participation: float
    key_participation_centred: float
    key_directions: float
    #: Facts of the law that these directions stand for, and those that are left.
    facts_claimed: float
    facts_left: float
    #: E |W x|^2 over ordinary keys; new facts whose least change moves it by 1 %, each as large as an output.
    output_square: float
    facts_gentle: float
    #: Singular values, largest first; eigenvalues of the second moment of ordinary keys, or None.
    singular_values: Array = field(repr=False)
    key_spectrum: Optional[Array] = field(repr=False, default=None)


def layer(
    matrix: Any,
    *,
    candidates: float = 0.0,
    values: Any = None,
    ordinary: Any = None,
    share: float = 0.0,
    threads: int = 0,
    progress: Optional[Progress] = None,
) -> Layer:
    """Looks at a matrix W (dim_out, dim_in) as a memory.

    candidates: how many values a fact competes over (0: as many as facts); values (P, dim_out): the candidates themselves,
    such as the output embedding. ordinary: keys that the layer sees in ordinary use, their location, or their `Moments`;
    share: how much of their square new facts must leave alone (0: 0.99).

    >>> import ireneo, numpy as np
    >>> found = ireneo.layer(np.diag([3.0, 2.0, 1.0]), candidates=10)
    >>> round(found.largest, 6), found.rank, round(found.stable_rank, 4)
    (3.0, 3, 1.5556)
    """
    weights = as_floats(matrix, "matrix")
    rows, columns = weights.shape
    settings = s.ireneo_layer_settings(candidates=real(candidates, "candidates"), share=real(share, "share"))
    settings.threads = size(threads, "threads")
    if values is not None:
        rivals = as_floats(values, "values")
        if rivals.shape[1] != rows:
            raise DataError(f"values have {rivals.shape[1]} entries, but the layer has {rows} outputs")
        settings.values, settings.value_count = pointer(rivals, c_float), len(rivals)
    seen = ordinary if isinstance(ordinary, Moments) or ordinary is None else moments(ordinary, threads=threads)
    settings.ordinary = seen._pointer if seen is not None else None
    singular, raw = np.empty(min(rows, columns)), s.ireneo_layer_report()
    spectrum = np.empty(columns) if seen is not None else None
    with Watch(progress) as watch:
        settings.progress = watch.pointer
        code = lib.ireneo_layer(
            pointer(weights, c_float),
            rows,
            columns,
            settings,
            pointer(singular, c_double),
            pointer(spectrum, c_double),
            raw,
        )
    watch.finish(code)
    return record(Layer, raw, singular_values=singular, key_spectrum=spectrum)

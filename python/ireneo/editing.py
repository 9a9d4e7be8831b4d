"""Editing a layer: the nearest matrix that recalls new facts and keeps others."""

from __future__ import annotations

from ctypes import POINTER, c_double, c_float, c_int64
from dataclasses import dataclass, field
from typing import Any, Optional, Tuple

import numpy as np

from . import structures as s
from .arrays import Array, as_floats, as_indices, copy_of, pointer, real, size
from .display import Report
from .errors import ArgumentError, CancelledError, DataError, Interrupted
from .facts import Facts
from .library import check, lib, names
from .memory import Memory, take_memory
from .moments import Moments
from .progress import Progress, Watch
from .proof import Certificate, copy_certificate
from .records import choice, record
from .reports import STATUSES, Status

_RULES = names(lib.ireneo_edit_rule_name)


@dataclass(frozen=True)
class EditInfo(Report):
    """How `edit` ended."""

    #: "edited", "impossible", "partial", "undecided" or "interrupted".
    status: Status
    facts: int
    recalled: int
    #: Protected positions, how many answer as before, how many were taken as new facts, how many gave way to one.
    protected: int
    protected_kept: int
    adopted: int
    gave_way: int
    #: |W - W0|, the same over |W0|, and in the metric.
    change: float
    change_relative: float
    change_metric: float
    #: No smaller change_metric does what this W does, and by what share the bound is below it.
    bound: float
    duality_gap: float
    #: Smallest gap of a new fact, in units of the scores; share by which the worst margin is missed.
    margin: float
    shortfall: float
    #: Of the ridge rules.
    lam: float
    dimensions: int
    rounds: int
    steps: int
    scans: int
    active: int
    seconds: float
    peak_bytes: int
    exact: bool
    certificate_norm_bound: float
    reason: str
    #: For each new fact, whether W recalls it.
    kept: Array = field(repr=False)
    #: When impossible: the proof, about new and protected facts together, which are `all_facts`: keys, targets, residuals.
    certificate: Optional[Certificate] = field(default=None, repr=False)
    all_facts: Optional[Tuple[Array, Array, Optional[Array]]] = field(default=None, repr=False)

    @property
    def edited(self) -> bool:
        return self.status is Status.EDITED


def _doubles(data: Any, name: str, shape: Tuple[int, ...]) -> Array:
    array = np.ascontiguousarray(data, dtype=np.float64)
    if array.shape != shape:
        raise DataError(f"{name} has shape {array.shape}, not {shape}")
    return array


def _metric(ordinary: Any, covariance: Any, dim: int) -> Optional[Array]:
    if ordinary is not None and covariance is not None:
        raise ArgumentError("ordinary and covariance exclude each other")
    if isinstance(ordinary, Moments):
        return _doubles(ordinary.second_moment, "ordinary", (dim, dim))
    if ordinary is not None:
        moments = Moments(dim)
        moments.add(as_floats(ordinary, "ordinary"))
        return _doubles(moments.second_moment, "ordinary", (dim, dim))
    if isinstance(covariance, Moments):
        covariance = covariance.second_moment
    return None if covariance is None else _doubles(covariance, "covariance", (dim, dim))


def _all_facts(result: s.ireneo_edit_result) -> Tuple[Array, Array, Optional[Array]]:
    a = result.all
    residuals = copy_of(a.residuals, (a.facts, a.dim_out)) if a.residuals else None
    return copy_of(a.keys, (a.facts, a.dim_in)), copy_of(a.targets, (a.facts,)), residuals


def _info(raw: s.ireneo_edit_info, result: s.ireneo_edit_result) -> EditInfo:
    proof = copy_certificate(result.certificate.contents) if result.certificate else None
    return record(
        EditInfo, raw, status=STATUSES[raw.status], protected=raw.protected_facts, lam=getattr(raw, "lambda"),
        reason=raw.reason.decode("utf-8", "replace"), kept=copy_of(result.kept, (raw.facts,)).astype(bool),
        certificate=proof, all_facts=_all_facts(result) if proof is not None else None, exact=bool(raw.exact),
    )


def edit(
    W0: Any,
    keys: Any,
    values: Any,
    targets: Any = None,
    *,
    residuals: Any = None,
    margin: float = 0.0,
    nats: bool = False,
    margins: Any = None,
    ordinary: Any = None,
    covariance: Any = None,
    ridge: Optional[float] = None,
    protect: Any = None,
    protect_residuals: Any = None,
    protect_targets: Any = None,
    share: float = 0.0,
    adopt: bool = False,
    give_way: bool = False,
    overload: bool = False,
    rule: str = "least-change",
    lam: float = 0.0,
    dimensions: int = 0,
    rounding: float = 0.0,
    max_rounds: int = 0,
    duality_gap: float = 0.0,
    threads: int = 0,
    progress: Optional[Progress] = None,
) -> Tuple[Memory, EditInfo]:
    """The matrix nearest to W0 (dim_out, dim_in) that recalls every new fact and keeps every protected one.

    keys (n, dim_in), values (P, dim_out), targets (n), residuals (n, dim_out): fact i is recalled when its target's
    y^T (W x + r) is largest. margin: the gap by which it must win, in units of the scores, or with nats of the root mean
    square of W0 x + r (0: half of that); margins (n) for each fact.
    ordinary: keys (or `Moments`) by whose second moment the change is measured, with 0.01 of its mean diagonal added;
    covariance: that matrix itself, as it is; ridge: another share to add.
    protect (m, dim_in), with protect_residuals and protect_targets (what W0 answers): keys that keep their answer with
    `share` (0: 0.5) of their gap. adopt: those that W0 answers otherwise become new facts; give_way: those that a new fact
    answers otherwise are left out.
    overload: when not all fit, choose which new facts to keep. rule: "ridge" and "null-space" are the usual closed forms.

    Returns the memory with the edited matrix, and how it ended; check info.status. Ctrl-C raises `Interrupted`.

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> W0, values = rng.standard_normal((16, 16)), rng.standard_normal((40, 16))
    >>> memory, info = edit(W0, rng.standard_normal((3, 16)), values, targets=[5, 6, 7])
    >>> print(info.status, info.recalled)
    edited 3
    """
    facts = Facts(keys, values, targets, residuals)
    layer = Memory(W0)
    n, dim_in, dim_out = facts.struct.facts, facts.struct.dim_in, facts.struct.dim_out
    metric = _metric(ordinary, covariance, layer.dim_in)
    each = _doubles(margins, "margins", (n,)) if margins is not None else None
    kept_keys = as_floats(protect, "protect") if protect is not None else None
    kept_rows = 0 if kept_keys is None else kept_keys.shape[0]
    kept_residuals = as_floats(protect_residuals, "protect_residuals") if protect_residuals is not None else None
    kept_targets = as_indices(protect_targets, "protect_targets") if protect_targets is not None else None
    if kept_keys is not None and kept_keys.shape[1] != dim_in:
        raise DataError(f"protect holds keys of {kept_keys.shape[1]} dimensions, but the layer takes {dim_in}")
    if kept_residuals is not None and kept_residuals.shape != (kept_rows, dim_out):
        raise DataError(f"protect_residuals has shape {kept_residuals.shape}, not {(kept_rows, dim_out)}")
    if kept_targets is not None and kept_targets.size != kept_rows:
        raise DataError(f"{kept_targets.size} protect_targets, but {kept_rows} protected keys")
    settings = s.ireneo_edit_settings(
        rule=choice(_RULES, rule, "rule"),
        threads=size(threads, "threads"),
        margin=real(margin, "margin"),
        nats=int(bool(nats)),
        margins=pointer(each, c_double),
        covariance=pointer(metric, c_double),
        ridge=real(ridge, "ridge") if ridge is not None else (0.01 if ordinary is not None else 0.0),
        protect_count=kept_rows,
        protect_keys=pointer(kept_keys, c_float),
        protect_residuals=pointer(kept_residuals, c_float),
        protect_targets=pointer(kept_targets, c_int64),
        share=real(share, "share"),
        adopt=int(bool(adopt)),
        give_way=int(bool(give_way)),
        rounding=real(rounding, "rounding"),
        overload=int(bool(overload)),
        dimensions=size(dimensions, "dimensions"),
        max_rounds=size(max_rounds, "max_rounds"),
        duality_gap=real(duality_gap, "duality_gap"),
    )
    setattr(settings, "lambda", real(lam, "lam"))
    edited, result, raw = POINTER(s.ireneo_memory)(), s.ireneo_edit_result(), s.ireneo_edit_info()
    with Watch(progress) as watch:
        settings.progress = watch.pointer
        code = lib.ireneo_edit(layer._struct(), facts.struct, settings, edited, result, raw)
    memory = take_memory(edited) if edited else None
    info = _info(raw, result) if memory is not None else None
    lib.ireneo_edit_result_free(result)
    watch.raise_fault()
    if watch.interrupted:
        raise Interrupted(memory, info)
    check(code)
    if memory is None or info is None:
        raise CancelledError("the work was stopped before there was a matrix")
    return memory, info

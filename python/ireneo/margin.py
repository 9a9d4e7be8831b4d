"""The linear memory with the largest margin: of all that recall the facts, the one that tolerates most."""

from __future__ import annotations

from ctypes import POINTER
from dataclasses import dataclass, field
from typing import Any, Optional, Tuple

from . import structures as s
from .arrays import real, size
from .display import Report
from .errors import CancelledError, Interrupted
from .facts import Facts
from .library import check, lib
from .memory import Memory, store_info, take_memory, take_result
from .progress import Progress, Watch
from .records import record
from .reports import Status, StoreInfo


@dataclass(frozen=True)
class MaxMarginInfo(Report):
    """How `max_margin` ended. Margins are in the units of `capacity`; NaN when the facts are not stored."""

    #: The margin of the memory, and the bound that no memory exceeds.
    margin: float
    margin_bound: float
    #: 1 - margin / margin_bound.
    duality_gap: float
    #: What the law expects at this size.
    margin_law: float
    newton_steps: int
    products: int
    #: How storing ended. Its certificate proves the bound, or that the facts are impossible.
    store: StoreInfo = field(repr=False)

    @property
    def status(self) -> Status:
        return self.store.status


def max_margin(
    keys: Any,
    values: Any,
    targets: Any = None,
    *,
    duality_gap: float = 0.0,
    max_scans: int = 0,
    max_iterations: int = 0,
    threads: int = 0,
    progress: Optional[Progress] = None,
) -> Tuple[Memory, MaxMarginInfo]:
    """Stores the facts with the largest margin, up to the relative duality gap (0: 1e-3).

    >>> import numpy as np
    >>> keys, values = np.random.default_rng(1).standard_normal((2, 20, 16))
    >>> memory, info = max_margin(keys, values)
    >>> info.margin <= info.margin_bound, info.duality_gap < 1e-3
    (True, True)
    """
    facts = Facts(keys, values, targets)
    settings = s.ireneo_max_margin_settings(duality_gap=real(duality_gap, "duality_gap"))
    settings.store.max_scans = size(max_scans, "max_scans")
    settings.store.max_iterations = size(max_iterations, "max_iterations")
    settings.store.threads = size(threads, "threads")
    stored, result, raw = POINTER(s.ireneo_memory)(), s.ireneo_store_result(), s.ireneo_max_margin_info()
    with Watch(progress) as watch:
        settings.store.progress = watch.pointer
        code = lib.ireneo_max_margin(facts.struct, settings, stored, result, raw)
    certificate, _ = take_result(result, facts.struct.facts)
    memory = take_memory(stored) if stored else None
    info = None
    if memory is not None:
        memory._remember(settings.store, raw.store)
        info = record(MaxMarginInfo, raw, store=store_info(raw.store, certificate))
    watch.raise_fault()
    if watch.interrupted:
        raise Interrupted(memory, info)
    check(code)
    if memory is None or info is None:
        raise CancelledError("the work was stopped before there was a memory")
    return memory, info
